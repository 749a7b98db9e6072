import { rowLines } from './row-file.ts'
import type { RowKind } from './row.ts'
import type { CheckContext, Verifier } from './verifier.ts'
import { verifiers } from './verifiers.ts'

/** What became of a line. `unchecked`: nothing is known that rows of its kind could be held to. */
export interface CheckedLine {
  number: number
  kind: RowKind | undefined
  id: string | undefined
  problem?: string
  unchecked?: true
}

/** Checks the rows of a file one by one, each by itself; a row that is there twice is wrong as well. */
export async function* checkRows(path: string, context: CheckContext): AsyncGenerator<CheckedLine> {
  const seen = new Set<string>()
  for (const line of rowLines(path)) {
    if ('problem' in line) {
      yield { number: line.number, kind: undefined, id: undefined, problem: line.problem }
      continue
    }
    const { number, row } = line
    const told = { number, kind: row.kind, id: row.id }
    if (seen.has(row.id)) {
      yield { ...told, problem: 'is there twice' }
      continue
    }
    seen.add(row.id)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table has it by the kind of the row
    const verify = verifiers[row.kind] as Verifier<RowKind> | undefined
    const problem = await verify?.(row, context)
    yield { ...told, ...(problem !== undefined && { problem }), ...(!verify && { unchecked: true as const }) }
  }
}
