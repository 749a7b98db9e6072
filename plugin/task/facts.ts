import type { ArgumentSpec, DType, KernelCase, Tensor, TensorSpec, TensorValue } from '../model/index.ts'

/** Shape of an argument of a case; of its first tensor if it is a list. Inputs come before outputs of the same name. */
export const shapeOf = (kernelCase: KernelCase, argument: string): readonly number[] =>
  specOf(kernelCase, argument).shape

/** Dtype of an argument of a case. */
export const dtypeOf = (kernelCase: KernelCase, argument: string): DType => specOf(kernelCase, argument).dtype

/** The tensors an argument of a case consists of: one, those of a list, or none. */
export const specsOf = (spec: ArgumentSpec | undefined): readonly TensorSpec[] =>
  Array.isArray(spec) ? spec : spec ? [spec] : []

/** The tensors an argument holds: one, those of a list, or none. */
export function tensorsOf(value: TensorValue | undefined): readonly Tensor[] {
  if (!value) return []
  return 'data' in value ? [value] : value
}

/** The static case of a number of the public list, which may leave numbers out. */
export const staticCaseOf = (cases: readonly KernelCase[], id: number | string): KernelCase | undefined =>
  cases.find(({ name }) => name === `static ${id}`)

function specOf(kernelCase: KernelCase, argument: string): TensorSpec {
  const [first] = specsOf(kernelCase.inputs[argument] ?? kernelCase.outputs[argument])
  if (!first) throw new TypeError(`case ${kernelCase.name} of ${kernelCase.task} has no tensor ${argument}`)
  return first
}
