import { byteLengthOf, type ArgumentSpec, type DType, type KernelCase } from '../model/index.ts'
import { specsOf } from './facts.ts'
import type { KernelTask } from './kernel-task.ts'

/** Bytes of global memory that every kernel for a case has to move. */
export interface Traffic {
  read: number
  written: number
}

/** What every right kernel for a case has to do. */
export interface Work extends Traffic {
  /** of the cube cores, and the type of what they multiply; null: none that has to be theirs */
  products: { count: number; dtype: DType } | null
}

/** What of a task tells how much of its outputs a kernel has to write. */
export type WrittenTask = Pick<KernelTask, 'interface' | 'profiles'>

/** Bytes of an argument, all tensors of a list together; 0 where it is absent. */
export const bytesOfSpec = (spec: ArgumentSpec | undefined): number =>
  specsOf(spec).reduce((sum, { dtype, shape }) => sum + byteLengthOf(dtype, shape), 0)

/** Bytes of all arguments of a case. */
export const bytesOfCase = ({ inputs, outputs }: KernelCase): number =>
  [inputs, outputs].flatMap((side) => Object.values(side)).reduce((sum, spec) => sum + bytesOfSpec(spec), 0)

/** Bytes of one argument of a case. */
export const bytesOfArgument = (kernelCase: KernelCase, argument: string): number =>
  bytesOfSpec(kernelCase.inputs[argument] ?? kernelCase.outputs[argument])

/**
 * What has to be written of a case of which nothing else is known: the outputs that are judged and of which nothing is there
 * before. One that overwrites an input, or that the caller has filled, may be right already.
 * @param prefilled outputs that the caller fills because the host part asks for it
 */
export function leastWork(task: WrittenTask, kernelCase: KernelCase, prefilled: readonly string[] = []): Work {
  const judged = task.profiles.judged?.(kernelCase)
  const written = task.interface.outputs
    .filter(({ name, aliases, zeroed }) => aliases === undefined && zeroed !== true && (judged?.includes(name) ?? true))
    .filter(({ name }) => !prefilled.some((slot) => slot === name || slot.startsWith(`${name}[`)))
    .reduce((sum, { name }) => sum + bytesOfSpec(kernelCase.outputs[name]), 0)
  return { read: 0, written, products: null }
}
