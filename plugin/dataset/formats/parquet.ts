import type { SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { ColumnType, Columns } from './types.ts'

/** What is written at once: a group of rows of about so many characters. */
const groupCharacters = 16 << 20
const groupRows = 10_000

const leaves = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  boolean: { type: 'BOOLEAN' },
  integer: { type: 'INT64' },
} as const

/** The schema of a column: lists have the three levels that all readers know. */
function elementsOf(name: string, type: ColumnType): SchemaElement[] {
  const repetition_type = 'OPTIONAL'
  if (typeof type === 'string') return [{ name, repetition_type, ...leaves[type] }]
  if ('list' in type)
    return [
      { name, repetition_type, converted_type: 'LIST', num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      ...elementsOf('element', type.list),
    ]
  const fields = Object.entries(type.struct)
  return [
    { name, repetition_type, num_children: fields.length },
    ...fields.flatMap(([field, its]) => elementsOf(field, its)),
  ]
}

export const schemaOf = (columns: Columns): SchemaElement[] => {
  const all = Object.entries(columns)
  return [{ name: 'root', num_children: all.length }, ...all.flatMap(([name, type]) => elementsOf(name, type))]
}

/** Whole numbers are 64 bits wide. */
const widened = (value: unknown, type: ColumnType): unknown => {
  if (type === 'integer') return typeof value === 'number' ? BigInt(value) : value
  if (typeof type === 'string' || typeof value !== 'object' || value === null) return value
  if ('list' in type) return Array.isArray(value) ? value.map((each) => widened(each, type.list)) : value
  return Object.fromEntries(
    Object.entries(type.struct).map(([field, its]) => [field, widened(Reflect.get(value, field), its)]),
  )
}

/** Writes records to a file of Parquet, group by group. */
export class ParquetFile {
  readonly #columns: Columns
  readonly #writer: ParquetWriter
  #rows: Record<string, unknown>[] = []
  #characters = 0

  constructor(path: string, columns: Columns) {
    this.#columns = columns
    this.#writer = new ParquetWriter({ writer: fileWriter(path), schema: schemaOf(columns), statistics: false })
  }

  /** `characters`: about how long the record is. */
  add(record: Record<string, unknown>, characters: number): void {
    this.#rows.push(record)
    this.#characters += characters
    if (this.#rows.length >= groupRows || this.#characters >= groupCharacters) this.#flush()
  }

  #flush(): void {
    if (this.#rows.length === 0) return
    const columnData = Object.entries(this.#columns).map(([name, type]) => ({
      name,
      data: this.#rows.map((row) => widened(row[name], type)),
    }))
    // the writer of files writes at once
    void this.#writer.write({ columnData, rowGroupSize: this.#rows.length })
    this.#rows = []
    this.#characters = 0
  }

  close(): void {
    this.#flush()
    void this.#writer.finish()
  }
}
