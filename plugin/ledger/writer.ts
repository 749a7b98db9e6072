import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { LedgerEntry } from './entry.ts'

/**
 * Writes the ledger of one run. Lines are appended while modules finish, so that a killed run keeps what is done, and
 * the whole file is replaced at the end, so that it holds each question once.
 */
export class LedgerWriter {
  readonly path: string
  #started = false

  constructor(path: string) {
    this.path = path
  }

  /**
   * Adds the entries of a finished module; the first call of a run empties the file. Throws when it cannot be written.
   */
  append(entries: readonly LedgerEntry[]): void {
    if (!this.#started) this.#start()
    if (entries.length > 0) appendFileSync(this.path, lines(entries))
  }

  /** Replaces the file by exactly these entries, atomically, and ends the run. Throws when it cannot be written. */
  finish(entries: readonly LedgerEntry[]): void {
    const temporary = `${this.path}.${process.pid}.tmp`
    mkdirSync(dirname(this.path), { recursive: true })
    try {
      writeFileSync(temporary, lines(entries))
      renameSync(temporary, this.path)
    } finally {
      rmSync(temporary, { force: true })
    }
    this.#started = false
  }

  #start(): void {
    mkdirSync(dirname(this.path), { recursive: true })
    writeFileSync(this.path, '')
    this.#started = true
  }
}

const lines = (entries: readonly LedgerEntry[]): string => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
