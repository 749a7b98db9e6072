import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../files/index.ts'
import { hashOf } from '../../cache/hash.ts'
import { replaceFile, temporaryOf } from '../../ledger/runs.ts'
import { splitOf, type Splits } from '../hygiene/splits.ts'
import { readRows } from '../row-file.ts'
import type { Row } from '../row.ts'
import { ParquetFile } from './parquet.ts'
import { shapes, type Format, type Shape, type Writing, type WrittenFile } from './types.ts'

export interface ExportOptions {
  format: Format
  /** what tools call the data set */
  name: string
  out: string
  as: 'jsonl' | 'parquet'
  /** undefined: all rows are one */
  splits: Splits | undefined
  seed: number
  /** address of whoever judges answers; empty: none is given */
  judge: string
}

/** What was written. */
export interface Exported {
  files: WrittenFile[]
  rows: number
  /** rows that the format has no record of */
  left: number
  /** records that were there already */
  repeated: number
}

/** What a row is split by: its operator, and where it has none the source that it is from. */
export const splitKey = ({ operator, provenance }: Row): string => operator ?? provenance.source

/**
 * Writes rows as somebody's tools read them, a file for each split and each thing that they can be trained on. Row by row; files have their
 * names when all of them are whole.
 */
export function exportRows(paths: readonly string[], options: ExportOptions): Exported {
  makeFolder(options.out)
  const files = new Files(options)
  const result = { rows: 0, left: 0 }
  try {
    for (const path of paths)
      for (const row of readRows(path)) {
        result.rows++
        const { splits, seed } = options
        const split = splits ? splitOf(splitKey(row), splits, seed) : 'train'
        if (files.add(row, split) === 0) result.left++
      }
    const { written, repeated } = files.finish()
    const beside = options.format.beside?.(written) ?? {}
    for (const [name, content] of Object.entries(beside))
      replaceFile(join(options.out, name), `${JSON.stringify(content, undefined, 2)}\n`)
    return { ...result, files: written, repeated }
  } catch (error) {
    files.discard()
    throw error
  }
}

interface Sink {
  add: (record: Record<string, unknown>, text: string) => void
  close: () => void
}

interface OpenFile {
  path: string
  temporary: string
  sink: Sink
  told: Omit<WrittenFile, 'records'>
  records: number
  /** hashes of records that must not be there twice */
  known: Set<string>
}

/** The files of an export, opened when they are first needed. */
class Files {
  readonly #options: ExportOptions
  readonly #open = new Map<string, OpenFile>()
  #repeated = 0

  constructor(options: ExportOptions) {
    this.#options = options
  }

  /** Writes the records of a row. Returns how many it has. */
  add(row: Row, split: string): number {
    let count = 0
    for (const shape of shapes) {
      const writing = this.#options.format.shapes[shape]
      if (!writing) continue
      const { judge } = this.#options
      const index = this.#open.get(`${split} ${shape}`)?.records ?? 0
      const records = writing.records(row, { split, index, judge })
      count += records.length
      for (const record of records) this.#write(this.#fileOf(split, shape, writing), shape, record)
    }
    return count
  }

  #write(file: OpenFile, shape: Shape, record: Record<string, unknown>): void {
    const text = JSON.stringify(record)
    const key = repeatKeys[shape]?.(record)
    if (key !== undefined && file.known.size === file.known.add(key).size) {
      this.#repeated++
      return
    }
    file.sink.add(record, text)
    file.records++
  }

  #fileOf(split: string, shape: Shape, { columns }: Writing): OpenFile {
    const key = `${split} ${shape}`
    const known = this.#open.get(key)
    if (known) return known
    const { out, as, name } = this.#options
    const file = `${split}_${shape}.${as}`
    const path = join(out, file)
    const temporary = temporaryOf(path)
    const sink = as === 'parquet' ? parquetSink(temporary, columns) : linesSink(temporary)
    const told = { file, name: `${name}_${split}_${shape}`, split, shape }
    const opened = { path, temporary, sink, told, records: 0, known: new Set<string>() }
    this.#open.set(key, opened)
    return opened
  }

  finish(): { written: WrittenFile[]; repeated: number } {
    const all = [...this.#open.values()]
    for (const { sink } of all) sink.close()
    for (const { temporary, path } of all) renameSync(temporary, path)
    return { written: all.map(({ told, records }) => ({ ...told, records })), repeated: this.#repeated }
  }

  discard(): void {
    for (const { temporary } of this.#open.values()) rmSync(temporary, { force: true })
  }
}

/** Records that many rows have: an answer in several pairs, the prompt of a task in all of its pairs. */
const repeatKeys: Partial<Record<Shape, (record: Record<string, unknown>) => string>> = {
  kto: (record) => hashOf(JSON.stringify({ ...record, id: undefined, provenance: undefined })),
  rl: ({ prompt, reward_model: model }) => hashOf(JSON.stringify([prompt, model])),
}

function linesSink(path: string): Sink {
  const file = openSync(path, 'w')
  return { add: (_, text) => void writeSync(file, `${text}\n`), close: () => closeSync(file) }
}

function parquetSink(path: string, columns: Writing['columns']): Sink {
  const file = new ParquetFile(path, columns)
  return { add: (record, text) => file.add(record, text.length), close: () => file.close() }
}
