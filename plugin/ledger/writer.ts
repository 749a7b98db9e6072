import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scratchName } from '../process/scratch.ts'
import type { LedgerEntry } from './entry.ts'
import { ledgerOf, linkedRun, markLatest, newRunId, replaceByLink, replaceFile, runningPrefix } from './runs.ts'

/** Where a run is written down. */
export interface LedgerPlace {
  /** holds a folder for each run */
  runs: string
  /** always shows the latest run: a link to its ledger, or a copy where links cannot be made */
  shown: string
}

/**
 * Writes the ledger of one run, in a folder of its own, which is made when there is something to write. Lines are appended
 * while modules finish, so that a killed run keeps what is done. Where the end of the run says otherwise than what is
 * there (in reruns of watch mode), the whole file is replaced in one step, so that it holds each question once.
 */
export class LedgerWriter {
  readonly id = newRunId()
  /** the ledger of this run */
  readonly path: string
  readonly #place: LedgerPlace
  /** beside the ledger while the run goes on */
  readonly #running: string
  #started = false
  /** the lines of the file */
  #written: string[] = []

  constructor(place: LedgerPlace) {
    this.#place = place
    this.path = ledgerOf(place.runs, this.id)
    this.#running = join(dirname(this.path), scratchName(runningPrefix))
  }

  /** Adds the entries of a finished module. Throws when they cannot be written. */
  append(entries: readonly LedgerEntry[]): void {
    this.#start()
    if (entries.length === 0) return
    const lines = entries.map(lineOf)
    appendFileSync(this.path, lines.join(''))
    this.#written.push(...lines)
    const now = new Date()
    utimesSync(this.#running, now, now)
  }

  /** Ends the run: the ledger holds exactly these entries. Throws when it cannot be written. */
  finish(entries: readonly LedgerEntry[]): void {
    this.#start()
    const lines = entries.map(lineOf)
    const rest = withoutEach(lines, this.#written)
    if (rest) appendFileSync(this.path, rest.join(''))
    else replaceFile(this.path, lines.join(''))
    this.#written = lines
    rmSync(this.#running, { force: true })
    this.#started = false
    this.#show()
  }

  #start(): void {
    if (this.#started) return
    mkdirSync(dirname(this.path), { recursive: true })
    writeFileSync(this.#running, '')
    // in watch mode somebody may have removed it between two reruns
    if (!existsSync(this.path)) this.#written = []
    appendFileSync(this.path, '')
    this.#started = true
    markLatest(this.#place.runs, this.id)
    this.#show()
  }

  /** A run that has begun later stays the one that is shown. */
  #show(): void {
    const { shown } = this.#place
    if ((linkedRun(shown) ?? '') > this.id || replaceByLink(shown, this.path)) return
    replaceFile(shown, readFileSync(this.path, 'utf8'))
  }
}

const lineOf = (entry: LedgerEntry): string => `${JSON.stringify(entry)}\n`

/** What is left of some lines without those others, each taken once; undefined where one of them is not among them. */
function withoutEach(lines: readonly string[], others: readonly string[]): string[] | undefined {
  const left = new Map<string, number>()
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1)
  const rest = lines.filter((line) => {
    const count = left.get(line) ?? 0
    if (count > 0) left.set(line, count - 1)
    return count === 0
  })
  return lines.length - rest.length === others.length ? rest : undefined
}
