import type { JudgingProfile } from '../plugin/compare/index.ts'
import type { KernelCase } from '../plugin/model/index.ts'
import type { KernelTask } from '../plugin/task/index.ts'
import { largestArgument } from '../plugin/task/fit.ts'
import { reasonToAccept } from '../references/accepted-defects.ts'
import { reasonFor } from '../references/legal-survivors.ts'
import { acceptsGolden, answersOf, posed, publiclyAccepted, type Answer } from '../references/mutation-score.ts'
import { acceptedPublicKernels } from '../references/public-kernels.ts'
import { trivialCandidates } from '../references/trivial-candidates.ts'
import { typicalDefects } from '../references/typical-defects.ts'
import { tasksDefined } from './collect-tasks.ts'
import './every-spec.ts'
import { countOf, note, summaryOf, write, type ProfileResult, type TaskResult } from './gate-page.ts'

const candidates = { ...trivialCandidates, ...typicalDefects }

/** The wider one first: what it rejects, strict rejects as well. */
const judging = ['standard', 'strict'] as const satisfies readonly JudgingProfile[]

/** Every static case up to a size against every candidate that is none; exits with 1 when one survives. */
export function gate(args: readonly string[]): void {
  const options = new Map(
    args.filter((arg) => arg.startsWith('--')).map((arg) => [arg.split('=')[0]!, arg.split('=')[1]]),
  )
  for (const option of options.keys()) {
    if (!['--level', '--suite', '--limit', '--all', '--matrix', '--write'].includes(option))
      throw new Error(`no option ${option}`)
  }
  const names = args.filter((arg) => !arg.startsWith('--'))
  const limit = options.has('--all') ? Infinity : Number(options.get('--limit') ?? 2 ** 20)
  const tasks = [...tasksDefined().values()].filter(
    ({ interface: { name, suite, group } }) =>
      (names.length === 0 || names.includes(name)) &&
      (!options.has('--suite') || suite === options.get('--suite')) &&
      (!options.has('--level') || group === `level${options.get('--level')}`),
  )
  if (options.has('--matrix')) console.log(legend())
  const results = tasks.map((task) => {
    const result = judgeTask(task, limit, options.has('--matrix'))
    for (const profile of judging) {
      console.log(lineOf(result, profile))
      for (const line of exceptionsOf(result[profile])) console.log(`    ${line}`)
    }
    for (const [rule, names] of result.publicly) if (names.length > 0) console.log(`    ${rule}: ${names.join(', ')}`)
    return result
  })
  for (const profile of judging) console.log(`${profile}: ${summaryOf(results, profile)}`)
  if (options.has('--write')) write(results, limit)
  if (results.some(failed)) process.exitCode = 1
}

const failed = (result: TaskResult): boolean =>
  judging.some((profile) => result[profile].broken.length > 0 || result[profile].surviving.size > 0)

const emptyResult = (): ProfileResult => ({
  broken: [],
  rejected: 0,
  legal: new Map(),
  tolerated: new Map(),
  surviving: new Map(),
})

function judgeTask(task: KernelTask, limit: number, matrix: boolean): TaskResult {
  const judged = task.staticCases.filter((kernelCase) => largestArgument(kernelCase) <= limit)
  const hasRevisions = task.profiles.revisions !== undefined
  const publicly = new Map<string, string[]>()
  const result: TaskResult = {
    task,
    judged,
    standard: emptyResult(),
    strict: emptyResult(),
    publicly,
    onPublicDraws: hasRevisions ? acceptedPublicKernels(task) : new Map(),
  }
  for (const kernelCase of judged) {
    const problem = posed(task, kernelCase)
    let asked: typeof candidates = candidates
    const right = new Set<string>()
    for (const profile of judging) {
      if (!acceptsGolden(problem, profile)) result[profile].broken.push(idOf(kernelCase))
      const answers = answersOf(problem, profile, asked)
      const row = Object.keys(candidates).map((name) => noted(result, profile, kernelCase, name, answers.get(name)))
      for (const [name, answer] of answers) if (answer === 'right') right.add(name)
      if (matrix) console.log(`  ${row.join('')}  ${task.interface.name} ${idOf(kernelCase)} ${profile}`)
      asked = Object.fromEntries(Object.entries(asked).filter(([name]) => answers.get(name) !== 'rejected'))
    }
    if (!hasRevisions) continue
    const accepted = publiclyAccepted(problem, trivialCandidates, right)
    for (const rule of Object.keys(task.profiles.revisions ?? {})) {
      const now = [...(accepted.get(rule) ?? [])]
      // of all cases
      publicly.set(rule, publicly.get(rule)?.filter((name) => now.includes(name)) ?? now)
    }
  }
  return result
}

// Counts an answer, and says it in one character.
function noted(
  result: TaskResult,
  profile: JudgingProfile,
  kernelCase: KernelCase,
  candidate: string,
  answer: Answer | undefined,
): string {
  const { legal, tolerated, surviving } = result[profile]
  const id = idOf(kernelCase)
  if (answer === undefined || answer === 'rejected') {
    result[profile].rejected++
    return '.'
  }
  if (answer === 'right') {
    const unchanged = candidate in typicalDefects ? 'nothing to go wrong' : undefined
    const reason = unchanged ?? reasonFor(result.task, kernelCase, candidate)
    note(reason ? legal : surviving, reason ? `${candidate}: ${reason}` : candidate, id)
    return reason ? '=' : 'X'
  }
  const reason = reasonToAccept(result.task, kernelCase, candidate, profile)
  note(reason ? tolerated : surviving, reason ? `${candidate}: ${reason}` : candidate, id)
  return reason ? '~' : 'X'
}

const idOf = ({ name }: KernelCase): string => name.replace('static ', '')

const legend = (): string =>
  Object.keys(candidates)
    .map((name, column) => `  ${' '.repeat(column)}|  ${name}`)
    .join('\n') + '\n  . rejected, = right with a reason, ~ accepted with a reason, X survives'

function lineOf({ task, judged, ...result }: TaskResult, profile: JudgingProfile): string {
  const { name, suite, group } = task.interface
  const { rejected, legal, tolerated, surviving, broken } = result[profile]
  const cases = `${judged.length}/${task.staticCases.length} cases`
  const parts = [
    `${rejected} rejected`,
    `${countOf(legal)} right`,
    `${countOf(tolerated)} tolerated`,
    `${countOf(surviving)} survive`,
  ]
  if (broken.length > 0) parts.push(`GOLDEN REJECTED: ${broken.join(', ')}`)
  return `${group ?? suite} ${name}: ${profile}: ${cases}: ${parts.join(', ')}`
}

const exceptionsOf = ({ legal, tolerated, surviving }: ProfileResult): string[] => [
  ...[...legal, ...tolerated].map(([key, ids]) => `${key} (${ids.join(', ')})`),
  ...[...surviving].map(([key, ids]) => `SURVIVES: ${key} (${ids.join(', ')})`),
]
