import { accepts, exact, type JudgingProfile } from '../plugin/compare/index.ts'
import type { KernelCase } from '../plugin/model/index.ts'
import { tensorsOf, type KernelTask } from '../plugin/task/index.ts'
import { perfect, poison, type Outputs, type TrivialCandidate } from './trivial-candidates.ts'

/**
 * What a case says to a trivial candidate: it rejects it, or cannot, because what the candidate leaves is the right
 * result, or accepts what is not.
 */
export type Answer = 'rejected' | 'right' | 'survives'

/** What a profile says of every candidate on one case, and whether it accepts the golden result. */
export function answersOf(
  task: KernelTask,
  kernelCase: KernelCase,
  profile: JudgingProfile,
  candidates: Readonly<Record<string, TrivialCandidate>>,
): { golden: boolean; answers: Map<string, Answer> } {
  const inputs = task.draw(kernelCase)
  const golden = task.golden(inputs, kernelCase)
  const right = perfect(kernelCase, golden)
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
      const begun = candidate({ task, kernelCase: start, inputs, right: startRight })
      if (!accepts(task, start, golden, begun, poison, profile)) {
        answers.set(name, 'rejected')
        continue
      }
    }
    const outputs = candidate({ task, kernelCase, inputs, right })
    const accepted = accepts(task, kernelCase, golden, outputs, poison, profile)
    answers.set(name, !accepted ? 'rejected' : isRight(task, kernelCase, right, outputs) ? 'right' : 'survives')
  }
  return { golden: accepts(task, kernelCase, golden, right, poison, profile), answers }
}

const mapped = <From, To>(record: Record<string, From>, change: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))

// Equal values where the case asks for values, within no tolerance at all.
function isRight(task: KernelTask, kernelCase: KernelCase, right: Outputs, outputs: Outputs): boolean {
  const wanted = Object.fromEntries(Object.entries(right).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const profiles = { ...task.profiles, strict: exact }
  return accepts({ interface: task.interface, profiles }, kernelCase, wanted, outputs, poison, 'strict')
}
