import { accepts, exact, type JudgingProfile } from '../plugin/compare/index.ts'
import { benchmarkAnswers } from '../plugin/compare/judge.ts'
import type { KernelCase } from '../plugin/model/index.ts'
import { tensorsOf, type KernelTask } from '../plugin/task/index.ts'
import { perfect, poison, type Outputs, type Problem, type TrivialCandidate } from './trivial-candidates.ts'

/**
 * What a case says to a candidate that is none: it rejects it, or cannot, because what the candidate leaves is the right
 * result, or accepts what is not.
 */
export type Answer = 'rejected' | 'right' | 'survives'

/** A case of a task with its inputs, its golden result and the outputs of a perfect candidate. */
export interface PosedCase extends Problem {
  task: KernelTask
}

/** Draws the inputs of a case, and computes what is right. */
export function posed(task: KernelTask, kernelCase: KernelCase): PosedCase {
  const inputs = task.draw(kernelCase)
  const golden = task.golden(inputs, kernelCase)
  return { task, kernelCase, inputs, golden, right: perfect(kernelCase, golden) }
}

/** Whether a profile accepts the perfect outputs. */
export const acceptsGolden = ({ task, kernelCase, golden, right }: PosedCase, profile: JudgingProfile): boolean =>
  accepts(task, kernelCase, golden, right, poison, profile)

/** What a profile says of every candidate. */
export function answersOf(
  problem: PosedCase,
  profile: JudgingProfile,
  candidates: Readonly<Record<string, TrivialCandidate>>,
): Map<string, Answer> {
  const { task, kernelCase, golden, right } = problem
  const answers = new Map<string, Answer>()
  const start = {
    ...kernelCase,
    outputs: mapped(kernelCase.outputs, (spec) => (Array.isArray(spec) ? spec.slice(0, 1) : spec)),
  }
  const startRight = mapped(right, (value) => (Array.isArray(value) ? tensorsOf(value).slice(0, 1) : value))
  const hasList = Object.values(kernelCase.outputs).some((spec) => Array.isArray(spec))
  for (const [name, candidate] of Object.entries(candidates)) {
    // Tensors of a list are judged one by one: what a case rejects in the first, it rejects in the list, at less cost.
    if (hasList) {
      const begun = candidate({ ...problem, kernelCase: start, right: startRight })
      if (!accepts(task, start, golden, begun, poison, profile)) {
        answers.set(name, 'rejected')
        continue
      }
    }
    const outputs = candidate(problem)
    const accepted = accepts(task, kernelCase, golden, outputs, poison, profile)
    answers.set(name, !accepted ? 'rejected' : isRight(task, kernelCase, right, outputs) ? 'right' : 'survives')
  }
  return answers
}

/**
 * Which candidates the public rules accept, by rule, but for those that leave the `right` result.
 */
export function publiclyAccepted(
  problem: PosedCase,
  candidates: Readonly<Record<string, TrivialCandidate>>,
  right: ReadonlySet<string>,
): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  const { task, kernelCase, golden } = problem
  for (const [name, candidate] of Object.entries(candidates)) {
    if (right.has(name)) continue
    const { revisions = {} } = benchmarkAnswers(task, kernelCase, golden, candidate(problem))
    for (const [rule, answer] of Object.entries(revisions))
      if (answer === 'accepted') found.set(rule, (found.get(rule) ?? new Set()).add(name))
  }
  return found
}

const mapped = <From, To>(record: Record<string, From>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

// Equal values where the case asks for values, within no tolerance at all.
function isRight(task: KernelTask, kernelCase: KernelCase, right: Outputs, outputs: Outputs): boolean {
  const wanted = Object.fromEntries(Object.entries(right).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const profiles = { ...task.profiles, strict: exact }
  return accepts({ interface: task.interface, profiles }, kernelCase, wanted, outputs, poison, 'strict')
}
