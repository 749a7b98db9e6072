import type { BuildArgs, Combination, Sample } from '../model/index.ts'
import type { KernelTask } from './kernel-task.ts'

/** dtypes of every combination a task declares: column i of all its arguments. */
export function combinationsOf({ interface: { inputs, outputs } }: KernelTask): Combination[] {
  const columns = Math.max(0, ...[...inputs, ...outputs].map((argument) => argument.dtypes.length))
  const column = (arguments_: typeof inputs, index: number): Combination['inputs'] =>
    arguments_.map(({ dtypes }) => dtypes[index] ?? dtypes[0]).filter((dtype) => dtype !== undefined)
  return Array.from({ length: columns }, (_, i) => ({ inputs: column(inputs, i), outputs: column(outputs, i) }))
}

/** What the service is asked to build for a sample. */
export const buildArgsOf = (task: KernelTask, sample: Sample): BuildArgs => ({
  sample,
  task: task.interface,
  combinations: combinationsOf(task),
})
