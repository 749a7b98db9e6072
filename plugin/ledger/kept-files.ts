import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { z } from 'zod'
import { makeFolder, readRegular } from '../files/index.ts'
import { replaceFile } from './runs.ts'

/** The folder of that name beside a ledger. */
const folderOf = (ledger: string, name: string): string => join(dirname(ledger), name)

const fileOf = (folder: string, hash: string): string => join(folder, `${hash}.json.gz`)

const isHash = (text: string): boolean => /^[0-9a-f]{32}$/.test(text)

/** Values that a run keeps beside its ledger, by their content: what many samples share is there once. */
export class KeptFiles {
  readonly #folder: string
  readonly #limit: number
  readonly #othersWrite: boolean
  #bytes: number | undefined

  /**
   * @param limit bytes on disk, compressed; what comes after is not kept
   * @param othersWrite other processes keep values there at the same time; what they are writing may go beyond the limit
   */
  constructor(ledger: string, name: string, limit: number, othersWrite: boolean) {
    this.#folder = folderOf(ledger, name)
    this.#limit = limit
    this.#othersWrite = othersWrite
  }

  /** Where a value lies that was kept. */
  pathOf(hash: string): string {
    return fileOf(this.#folder, hash)
  }

  /** Whether nothing is left to do for this one. */
  has(hash: string): boolean {
    return !isHash(hash) || existsSync(this.pathOf(hash))
  }

  /** Keeps a value where it fits. Throws when it cannot be written. */
  keep(hash: string, value: unknown): void {
    if (this.has(hash)) return
    const packed = gzipSync(JSON.stringify(value), { level: 9 })
    if (this.#bytes === undefined || this.#othersWrite) this.#bytes = bytesIn(this.#folder)
    if (this.#bytes + packed.length > this.#limit) return
    makeFolder(this.#folder)
    replaceFile(this.pathOf(hash), packed)
    this.#bytes += packed.length
  }
}

const bytesIn = (folder: string): number =>
  existsSync(folder) ? readdirSync(folder).reduce((sum, name) => sum + sizeOf(join(folder, name)), 0) : 0

/** What another process is writing may have its final name by now. */
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** How a kept value is read. */
export interface KeptForm<T> {
  /** of the folder */
  name: string
  schema: z.ZodType<T>
  /** bytes of the text, unpacked */
  maxLength: number
}

/**
 * A value that the run of a ledger has kept; undefined where it was not kept, or can no longer be read. A ledger that a link
 * leads to is that of the run; what a link beside it leads to is not of the run.
 */
export function readKept<T>(ledger: string, hash: string, { name, schema, maxLength }: KeptForm<T>): T | undefined {
  if (!isHash(hash)) return undefined
  try {
    const folder = folderOf(realpathSync(ledger), name)
    if (realpathSync(folder) !== folder) return undefined
    const packed = readRegular(fileOf(folder, hash), maxLength)
    return schema.parse(JSON.parse(gunzipSync(packed, { maxOutputLength: maxLength }).toString('utf8')))
  } catch {
    return undefined
  }
}
