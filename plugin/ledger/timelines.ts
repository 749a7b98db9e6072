import { timeline, type Timeline } from '../model/index.ts'
import { KeptFiles, readKept } from './kept-files.ts'

/** Bytes on disk of the timelines of one run, compressed; what comes after is not kept. */
export const timelineLimit = 64 << 20

const form = { name: 'timelines', schema: timeline, maxLength: 4 << 20 }

/** Keeps the timelines of a run beside its ledger, by their content. */
export class TimelineStore {
  readonly #files: KeptFiles

  constructor(ledger: string, limit: number = timelineLimit) {
    // each worker keeps those of its own samples
    this.#files = new KeptFiles(ledger, form.name, limit, true)
  }

  /** Where it is kept; undefined where the run has no room left. Throws when it cannot be written. */
  keep(hash: string, value: Timeline): string | undefined {
    this.#files.keep(hash, value)
    return this.#files.has(hash) ? this.#files.pathOf(hash) : undefined
  }
}

/** A timeline that the run of a ledger has kept, by the hash that an entry names; undefined where there is none. */
export const readTimeline = (ledger: string, hash: string): Timeline | undefined => readKept(ledger, hash, form)
