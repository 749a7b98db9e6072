import { InfrastructureError } from '../model/index.ts'
import { DatasetError } from './error.ts'
import type { CheckedRow } from './mixed/check.ts'
import { rowLines, type RowLine } from './row-file.ts'
import type { RowKind, RowOf } from './row.ts'
import type { CheckContext, Verifier } from './verifier.ts'
import { verifiers } from './verifiers.ts'

/** What became of a line. */
export interface CheckedLine {
  number: number
  kind: RowKind | undefined
  id: string | undefined
  /**
   * `nothing to verify`: the row claims nothing that anything could be held to; `not checked`: by the machine, or because of a case
   * of the row that nobody can compute
   */
  outcome: 'right' | 'wrong' | 'nothing to verify' | 'not checked'
  problems: readonly string[]
  /** why imported rows are wrong, in words that are counted */
  reasons?: readonly string[]
  /** whether code of the row was compiled */
  compiled?: boolean
}

/** Checks imported rows, several at once. */
export type CheckMixed = (rows: readonly RowOf<'mixed'>[]) => Promise<CheckedRow[]>

export interface CheckOptions extends CheckContext {
  checkMixed: CheckMixed
  /** whether a line was checked by an earlier call */
  isKnown?: (number: number) => boolean
}

/** Lines that are looked at together, and the characters that they have together. */
const mostLines = 32
const mostCharacters = 1 << 20

/**
 * Checks the rows of a file, each by itself; a row that is there twice is wrong as well. Code of imported rows is compiled for some of
 * them at once.
 */
export async function* checkRows(path: string, options: CheckOptions): AsyncGenerator<CheckedLine> {
  const seen = new Set<string>()
  let next: { line: RowLine; isTwice: boolean }[] = []
  let characters = 0
  for (const line of rowLines(path)) {
    const isTwice = 'row' in line && seen.size === seen.add(line.row.id).size
    if (options.isKnown?.(line.number) === true) continue
    next.push({ line, isTwice })
    characters += 'row' in line ? line.row.answer.length + line.row.request.length : 0
    if (next.length < mostLines && characters < mostCharacters) continue
    yield* checkLines(next, options)
    next = []
    characters = 0
  }
  yield* checkLines(next, options)
}

async function* checkLines(
  lines: readonly { line: RowLine; isTwice: boolean }[],
  options: CheckOptions,
): AsyncGenerator<CheckedLine> {
  const mixed = lines.flatMap(({ line, isTwice }) =>
    'row' in line && line.row.kind === 'mixed' && !isTwice ? [line.row] : [],
  )
  const checked = new Map<string, CheckedRow>()
  for (const [i, found] of (mixed.length === 0 ? [] : await options.checkMixed(mixed)).entries())
    checked.set(mixed[i]!.id, found)
  for (const { line, isTwice } of lines) {
    const { number } = line
    if ('problem' in line) {
      yield { number, kind: undefined, id: undefined, outcome: 'wrong', problems: [line.problem] }
      continue
    }
    const { id, kind } = line.row
    const told = { number, kind, id }
    const found = isTwice ? undefined : checked.get(id)
    if (isTwice) yield { ...told, outcome: 'wrong', problems: ['is there twice'], reasons: ['is there twice'] }
    else if (found) yield { ...told, ...outcomeOf(found) }
    else {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table has it by the kind of the row
      const verify = verifiers[kind as Exclude<RowKind, 'mixed'>] as Verifier<RowKind>
      yield { ...told, ...(await outcomeBy(() => verify(line.row, options))) }
    }
  }
}

function outcomeOf({
  problems,
  compiled,
  names,
}: CheckedRow): Pick<CheckedLine, 'outcome' | 'problems' | 'reasons' | 'compiled'> {
  const texts = problems.map(({ reason, detail }) => `${reason}: ${detail}`)
  const held = compiled + names > 0 ? ('right' as const) : ('nothing to verify' as const)
  return {
    outcome: problems.length > 0 ? 'wrong' : held,
    problems: texts,
    reasons: problems.map(({ reason }) => reason),
    compiled: compiled > 0,
  }
}

/** No row costs another one its check: whoever wrote it names the task and the case. */
async function outcomeBy(
  verify: () => Promise<string | undefined>,
): Promise<Pick<CheckedLine, 'outcome' | 'problems'>> {
  try {
    const problem = await verify()
    return problem === undefined ? { outcome: 'right', problems: [] } : { outcome: 'wrong', problems: [problem] }
  } catch (error) {
    if (error instanceof DatasetError) return { outcome: 'wrong', problems: [error.message] }
    if (error instanceof InfrastructureError)
      return { outcome: 'not checked', problems: [`could not be checked: ${error.message}`] }
    throw error
  }
}
