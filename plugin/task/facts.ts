import type { DType, KernelCase, TensorSpec } from '../model/index.ts'

/** Shape of an argument of a case; of its first tensor if it is a list. Inputs come before outputs of the same name. */
export const shapeOf = (kernelCase: KernelCase, argument: string): readonly number[] =>
  specOf(kernelCase, argument).shape

/** Dtype of an argument of a case. */
export const dtypeOf = (kernelCase: KernelCase, argument: string): DType => specOf(kernelCase, argument).dtype

function specOf(kernelCase: KernelCase, argument: string): TensorSpec {
  const spec = kernelCase.inputs[argument] ?? kernelCase.outputs[argument]
  const first = Array.isArray(spec) ? spec[0] : spec
  if (!first) throw new TypeError(`case ${kernelCase.name} of ${kernelCase.task} has no tensor ${argument}`)
  return first
}
