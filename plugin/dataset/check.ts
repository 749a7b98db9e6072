import { InfrastructureError } from '../model/index.ts'
import { DatasetError } from './error.ts'
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
  /** why it could not be checked: the machine, or a case of the row that nobody can compute */
  failure?: string
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
    yield { ...told, ...(verify ? await outcomeOf(() => verify(row, context)) : { unchecked: true as const }) }
  }
}

/** No row costs another one its check: whoever wrote it names the task and the case. */
async function outcomeOf(verify: () => Promise<string | undefined>): Promise<Pick<CheckedLine, 'problem' | 'failure'>> {
  try {
    const problem = await verify()
    return problem === undefined ? {} : { problem }
  } catch (error) {
    if (error instanceof DatasetError) return { problem: error.message }
    if (error instanceof InfrastructureError) return { failure: error.message }
    throw error
  }
}
