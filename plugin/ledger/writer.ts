import { appendFileSync, existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../files/index.ts'
import { scratchName, sweepScratch } from '../process/scratch.ts'
import type { LedgerEntry } from './entry.ts'
import { samplesName, type JudgedSample } from './judged-samples.ts'
import {
  ledgerOf,
  linkedRun,
  lostName,
  markLatest,
  newRunId,
  replaceByLink,
  replaceFile,
  runningPrefix,
  settingsOf,
} from './runs.ts'

/** Where a run is written down. */
export interface LedgerPlace {
  /** holds a folder for each run */
  runs: string
  /** always shows the latest run: a link to its ledger, or a copy where links cannot be made */
  shown: string
}

/** What is written down beside the verdicts. */
export interface LedgerOptions {
  /** the run to be continued; a new one when left out */
  id?: string | undefined
  /** what the run was begun with: whoever continues it has to have the same */
  settings?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Writes the ledger of one run, in a folder of its own, which is made when there is something to write. Lines are appended
 * as tests end, so that a killed run keeps what is done, and nothing of them is held in memory. In reruns of watch mode the
 * whole file is replaced in one step, so that it holds each question once.
 */
export class LedgerWriter {
  readonly id: string
  /** the ledger of this run */
  readonly path: string
  readonly #place: LedgerPlace
  readonly #settings: LedgerOptions['settings']
  /** beside the ledger while the run goes on */
  readonly #running: string
  #started = false
  #touched = 0

  constructor(place: LedgerPlace, { id = newRunId(), settings }: LedgerOptions = {}) {
    this.#place = place
    this.#settings = settings
    this.id = id
    this.path = ledgerOf(place.runs, id)
    this.#running = join(dirname(this.path), scratchName(runningPrefix))
  }

  /** Adds entries, in one piece. Throws when they cannot be written. */
  append(entries: readonly LedgerEntry[]): void {
    this.#start()
    if (entries.length === 0) return
    appendFileSync(this.path, entries.map(lineOf).join(''))
    this.#touch()
  }

  /** Notes that a sample was judged to its end, after its entries. Throws when it cannot be written. */
  noteSample(sample: JudgedSample): void {
    this.#start()
    appendFileSync(join(dirname(this.path), samplesName), `${JSON.stringify(sample)}\n`)
  }

  /**
   * Ends the run: the ledger holds exactly these entries, or what was appended. `lost`: specs that it was asked for and has no
   * lines of. Throws when it cannot be written.
   */
  finish(entries?: readonly LedgerEntry[], lost: readonly string[] = []): void {
    this.#start()
    if (entries) replaceFile(this.path, entries.map(lineOf))
    const losses = join(dirname(this.path), lostName)
    if (lost.length > 0) replaceFile(losses, `${JSON.stringify(lost, null, 1)}\n`)
    else rmSync(losses, { force: true })
    rmSync(this.#running, { force: true })
    this.#started = false
    this.#show()
  }

  #start(): void {
    if (this.#started) return
    const folder = dirname(this.path)
    makeFolder(folder)
    sweepScratch(folder, runningPrefix)
    writeFileSync(this.#running, '')
    const settings = settingsOf(this.#place.runs, this.id)
    if (this.#settings && !existsSync(settings)) replaceFile(settings, `${JSON.stringify(this.#settings, null, 1)}\n`)
    appendFileSync(this.path, '')
    this.#started = true
    markLatest(this.#place.runs, this.id)
    this.#show()
  }

  /** Says now and then that the run goes on: others cannot ask for a process of another container. */
  #touch(): void {
    const now = Date.now()
    if (now - this.#touched < 60_000) return
    this.#touched = now
    utimesSync(this.#running, now / 1000, now / 1000)
  }

  /** A run that has begun later stays the one that is shown. */
  #show(): void {
    const { shown } = this.#place
    if ((linkedRun(shown) ?? '') > this.id || replaceByLink(shown, this.path)) return
    replaceFile(shown, readFileSync(this.path))
  }
}

/** An entry as a ledger has it. */
export const lineOf = (entry: LedgerEntry): string => `${JSON.stringify(entry)}\n`
