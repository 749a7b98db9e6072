import { InfrastructureError, type Sample } from '../model/index.ts'
import { codeOf, lineOf } from './edits.ts'
import { judgeMutant, type Machine, type Result } from './judge.ts'
import { statementAround, statementLines } from './mutant.ts'
import { placeOf, type PassedCase, type PassedOriginal } from './original.ts'
import type { NamedMutant } from './selection.ts'
import type { Workspace } from './workspace.ts'

/** As StrykerJS calls them. */
export type Status =
  | 'Killed'
  | 'Survived'
  | 'NoCoverage'
  | 'CompileError'
  | 'RuntimeError'
  | 'Timeout'
  | 'Ignored'
  | 'Pending'

/** What became of a mutant. */
export interface JudgedMutant {
  mutant: NamedMutant
  status: Status
  /** why, in one line */
  reason?: string
  /** ids of the cases that reach it, and of the one that it failed */
  coveredBy: readonly string[]
  killedBy?: string
  /** milliseconds by the clock */
  ms: number
}

/** What runs mutants. */
export interface Judging {
  machine: Machine
  original: PassedOriginal
  sample: Sample
  /** one for each mutant that is judged at the same time */
  workspaces: readonly Workspace[]
  signal: AbortSignal
  /** told after each mutant */
  onJudged?: (judged: JudgedMutant) => void
}

/** What is said there decides while compiling, also what other lines do. */
const declares = /\b(?:constexpr|template|static|using|typedef|enum|struct|class)\b|#/

/** The cases that reach an edit: all of them where its line has no code of its own, or nothing tells. */
export function casesReaching(
  { cases, code }: Pick<PassedOriginal, 'cases' | 'code'>,
  { text, path, edit }: NamedMutant,
): readonly PassedCase[] {
  const { start, end } = statementAround(text, edit)
  const places = statementLines(text, edit).map((line) => placeOf(path, line))
  if (declares.test(codeOf(text).slice(start, end)) || !places.some((place) => code.has(place))) return cases
  return cases.filter(({ reached }) => reached === undefined || places.some((place) => reached.has(place)))
}

/** Judges mutants; those that it has not come to when the signal is given are pending. */
export async function judgeMutants(judging: Judging, mutants: readonly NamedMutant[]): Promise<JudgedMutant[]> {
  const all: JudgedMutant[] = mutants.map((mutant) => ({ mutant, status: 'Pending', coveredBy: [], ms: 0 }))
  const queue = [...mutants.entries()]
  const work = async (workspace: Workspace): Promise<void> => {
    for (let next = queue.shift(); next && !judging.signal.aborted; next = queue.shift()) {
      const [index, mutant] = next
      const judged = await judgeOne(judging, workspace, mutant)
      if (!judged) return
      all[index] = judged
      judging.onJudged?.(judged)
    }
  }
  await Promise.all(judging.workspaces.map(work))
  return all
}

async function judgeOne(
  { machine, original, sample, signal }: Judging,
  workspace: Workspace,
  mutant: NamedMutant,
): Promise<JudgedMutant | undefined> {
  const started = performance.now()
  const cases = casesReaching(original, mutant)
  const coveredBy = cases.map(({ id }) => id)
  const problems = cases.map(({ kernelCase }) => kernelCase)
  const edited = workspace.sampleOf(sample)
  try {
    const result = await workspace.withEdit(mutant, async () => await judgeMutant(machine, original, edited, problems))
    const failing = result.kind === 'noticed' ? cases.find(({ kernelCase }) => kernelCase === result.case) : undefined
    const ms = performance.now() - started
    return { mutant, ...statusOf(result, cases.length), coveredBy, ...(failing && { killedBy: failing.id }), ms }
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(error instanceof InfrastructureError)) throw error
    return { mutant, status: 'RuntimeError', reason: error.message, coveredBy, ms: performance.now() - started }
  }
}

function statusOf(result: Result, reaching: number): Pick<JudgedMutant, 'status' | 'reason'> {
  if (result.kind === 'missed') return { status: reaching > 0 ? 'Survived' : 'NoCoverage' }
  if (result.kind === 'same code') return { status: 'Ignored', reason: 'the libraries are those of the kernel itself' }
  const { verdict } = result
  if (result.kind === 'does not build') {
    const message = verdict.kind === 'compile-failed' ? verdict.diagnostics[0]?.message : undefined
    return { status: 'CompileError', reason: message ?? verdict.kind }
  }
  const where = result.case.name
  if (verdict.kind === 'timeout') return { status: 'Timeout', reason: `${where}: took more than ${verdict.limitMs} ms` }
  const report = 'report' in verdict ? verdict.report : result.report
  const what = result.by === 'warning' ? 'the device warns' : verdict.kind
  return { status: 'Killed', reason: `${where}: ${what}${report ? `: ${report.code}: ${report.message}` : ''}` }
}

/** `op_kernel/x.h:17`. */
export const placeNamed = ({ name, text, edit }: NamedMutant): string => `${name}:${lineOf(text, edit.start)}`
