import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { z } from 'zod'
import { replaceFile } from './runs.ts'

/** What a run keeps of the sources that it has judged. */
export const sourceLimits = {
  /** characters of one candidate; of one with more, nothing is kept */
  candidate: 1 << 19,
  /** bytes on disk of one run, compressed; what comes after is not kept */
  run: 64 << 20,
} as const

/** Texts of a candidate by their names, e.g. `op_kernel/add.cpp`. */
export type SourceTexts = Record<string, string>

const sourceTexts = z.record(z.string(), z.string())

/** Folder of the sources beside a ledger. */
const folderOf = (ledger: string): string => join(dirname(ledger), 'sources')

const fileOf = (folder: string, hash: string): string => join(folder, `${hash}.json.gz`)

const isHash = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

/** Keeps the sources of a run beside its ledger, by their content: those that many samples share are there once. */
export class SourceStore {
  readonly #folder: string
  readonly #limits: { candidate: number; run: number }
  #bytes: number | undefined

  constructor(ledger: string, limits: { candidate: number; run: number } = sourceLimits) {
    this.#folder = folderOf(ledger)
    this.#limits = limits
  }

  /** Whether nothing is left to do for these sources. */
  has(hash: string): boolean {
    return !isHash(hash) || existsSync(fileOf(this.#folder, hash))
  }

  /** Keeps the sources of a candidate where they fit. Throws when they cannot be written. */
  keep(hash: string, files: readonly { name: string; text: Uint8Array }[]): void {
    const size = files.reduce((sum, { text }) => sum + text.length, 0)
    if (this.has(hash) || size > this.#limits.candidate) return
    const texts = Object.fromEntries(files.map(({ name, text }) => [name, Buffer.from(text).toString('utf8')]))
    const packed = gzipSync(JSON.stringify(texts), { level: 9 })
    this.#bytes ??= bytesIn(this.#folder)
    if (this.#bytes + packed.length > this.#limits.run) return
    mkdirSync(this.#folder, { recursive: true })
    replaceFile(fileOf(this.#folder, hash), packed)
    this.#bytes += packed.length
  }
}

const bytesIn = (folder: string): number =>
  existsSync(folder) ? readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) : 0

/**
 * Sources that the run of a ledger has kept, by the hash that the entries name; undefined where they were not kept, or can no
 * longer be read. A ledger that a link leads to is that of the run.
 */
export function readSources(ledger: string, hash: string): SourceTexts | undefined {
  if (!isHash(hash)) return undefined
  try {
    const packed = readFileSync(fileOf(folderOf(realpathSync(ledger)), hash))
    const text = gunzipSync(packed, { maxOutputLength: 8 * sourceLimits.candidate }).toString('utf8')
    return sourceTexts.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
