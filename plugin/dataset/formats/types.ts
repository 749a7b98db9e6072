import type { Row } from '../row.ts'

/** What a column of a file holds: a record is the same as JSON and as Parquet. */
export type ColumnType =
  | 'string'
  | 'boolean'
  | 'integer'
  | { list: ColumnType }
  | { struct: Readonly<Record<string, ColumnType>> }

export type Columns = Readonly<Record<string, ColumnType>>

/** What is trained on: answers, pairs of them, answers that are called good or bad, or prompts whose answers are judged. */
export const shapes = ['sft', 'dpo', 'kto', 'rl'] as const

export type Shape = (typeof shapes)[number]

/** What a record is made with, besides its row. */
export interface RecordContext {
  split: string
  /** number of the record in its file */
  index: number
  /** address of whoever judges answers, where one was given */
  judge: string
}

/** How rows of one shape are written. */
export interface Writing {
  columns: Columns
  /** One record for each thing to train on that the row holds: none, one, or two. */
  records: (row: Row, context: RecordContext) => Record<string, unknown>[]
  /** How `dataset_info.json` of LLaMA-Factory describes the file. */
  info?: Readonly<Record<string, unknown>>
}

/** How somebody's tools read rows. */
export interface Format {
  /** Shapes that they can be trained on. */
  shapes: Partial<Record<Shape, Writing>>
  /** Files that are written beside: by name, what they hold as JSON. */
  beside?: (files: readonly WrittenFile[]) => Record<string, unknown>
}

/** A file that was written. */
export interface WrittenFile {
  /** within the folder */
  file: string
  /** what tools call it */
  name: string
  split: string
  shape: Shape
  records: number
}
