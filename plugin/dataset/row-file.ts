import { existsSync } from 'node:fs'
import { linesOf } from '../ledger/lines.ts'
import { DatasetError } from './error.ts'
import { row, rowId, type Row } from './row.ts'

/** The rows of a set, in the folder of its builder. */
export const rowsName = 'rows.jsonl'

/** A line of a file of rows, and where it lies: a row, or why it is none. */
export type RowLine = { number: number; offset: number; bytes: number } & ({ row: Row } | { problem: string })

/** The lines of a file of rows, one by one, also one behind the last line end: files of others may not end their last line. */
export function* rowLines(path: string): Generator<RowLine> {
  if (!existsSync(path)) throw new DatasetError(`${path}: there is no such file`, 64)
  let number = 0
  for (const { text, offset, bytes } of linesOf(path)) yield { number: ++number, offset, bytes, ...parse(text) }
}

/** The rows of a file, one by one. Throws a {@link DatasetError} at a line that is none. */
export function* readRows(path: string): Generator<Row> {
  for (const line of rowLines(path)) {
    if ('problem' in line) throw new DatasetError(`${path}:${line.number}: ${line.problem}`, 64)
    yield line.row
  }
}

function parse(text: string): { row: Row } | { problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'is not JSON' }
  }
  const parsed = row.safeParse(value)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    return { problem: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is no row'}` }
  }
  if (rowId(parsed.data) !== parsed.data.id) return { problem: 'id: is not that of its content' }
  return { row: parsed.data }
}
