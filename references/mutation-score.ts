import { accepts, exact } from '../plugin/compare/index.ts'
import type { KernelCase } from '../plugin/model/index.ts'
import type { KernelTask } from '../plugin/task/index.ts'
import { perfect, poison, trivialCandidates, type Outputs } from './trivial-candidates.ts'

/**
 * What a case says to a trivial candidate: it rejects it, or cannot, because what the candidate leaves is the right
 * result, or accepts what is not.
 */
export type Answer = 'rejected' | 'right' | 'survives'

/** The strict answer of one case to every trivial candidate, and whether it accepts the golden result. */
export function answersOf(task: KernelTask, kernelCase: KernelCase): { golden: boolean; answers: Map<string, Answer> } {
  const inputs = task.draw(kernelCase)
  const golden = task.golden(inputs, kernelCase)
  const right = perfect(kernelCase, golden)
  const answers = new Map<string, Answer>()
  const start = { ...kernelCase, outputs: firstOfLists(kernelCase.outputs) }
  const startRight = firstOfLists(right)
  const hasList = Object.values(kernelCase.outputs).some((output) => lengthOf(output) > 1)
  for (const [name, candidate] of Object.entries(trivialCandidates)) {
    // Tensors of a list are judged one by one: what a case rejects in the first, it rejects in the list, at less cost.
    if (hasList) {
      const begun = candidate({ task, kernelCase: start, inputs, right: startRight })
      if (!accepts(task, start, golden, begun, poison)) {
        answers.set(name, 'rejected')
        continue
      }
    }
    const outputs = candidate({ task, kernelCase, inputs, right })
    const accepted = accepts(task, kernelCase, golden, outputs, poison)
    answers.set(name, !accepted ? 'rejected' : isRight(task, kernelCase, right, outputs) ? 'right' : 'survives')
  }
  return { golden: accepts(task, kernelCase, golden, right, poison), answers }
}

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0)

const firstOfLists = <Value>(outputs: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [name, Array.isArray(value) ? (value.slice(0, 1) as Value) : value]),
  )

// Equal values where the case asks for values, within no tolerance at all.
function isRight(task: KernelTask, kernelCase: KernelCase, right: Outputs, outputs: Outputs): boolean {
  const wanted = Object.fromEntries(Object.entries(right).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const profiles = { ...task.profiles, strict: exact }
  return accepts({ interface: task.interface, profiles }, kernelCase, wanted, outputs, poison)
}
