import { z } from 'zod'
import { recordOf } from '../model/index.ts'
import { KeptFiles, readKept } from './kept-files.ts'

/** What a run keeps of the sources that it has judged. */
export const sourceLimits = {
  /** characters of one candidate; of one with more, nothing is kept */
  candidate: 1 << 19,
  /** bytes on disk of one run, compressed; what comes after is not kept */
  run: 64 << 20,
} as const

/** Texts of a candidate by their names, e.g. `op_kernel/add.cpp`. */
export type SourceTexts = Record<string, string>

const form = { name: 'sources', schema: recordOf(z.string()), maxLength: 8 * sourceLimits.candidate }

/** Keeps the sources of a run beside its ledger, by their content: those that many samples share are there once. */
export class SourceStore {
  readonly #files: KeptFiles
  readonly #candidate: number

  constructor(ledger: string, limits: { candidate: number; run: number } = sourceLimits) {
    this.#files = new KeptFiles(ledger, form.name, limits.run, false)
    this.#candidate = limits.candidate
  }

  /** Whether nothing is left to do for these sources. */
  has(hash: string): boolean {
    return this.#files.has(hash)
  }

  /** Keeps the sources of a candidate where they fit. Throws when they cannot be written. */
  keep(hash: string, files: readonly { name: string; text: Uint8Array }[]): void {
    const size = files.reduce((sum, { text }) => sum + text.length, 0)
    if (this.has(hash) || size > this.#candidate) return
    this.#files.keep(
      hash,
      Object.fromEntries(files.map(({ name, text }) => [name, Buffer.from(text).toString('utf8')])),
    )
  }
}

/** Sources that the run of a ledger has kept, by the hash that the entries name; undefined where there are none. */
export const readSources = (ledger: string, hash: string): SourceTexts | undefined => readKept(ledger, hash, form)
