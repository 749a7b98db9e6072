import type { ArgumentSpec, AttributeValue, KernelCase, TaskInterface, TensorSpec } from '../model/index.ts'
import type { TileRequest } from '../runner/protocol.ts'

type TilingArgument = TileRequest['inputs'][number]

/** What a tiling function sees of a tensor; values only where the case fixes them. */
const tensorArgument = ({ dtype, shape, values }: TensorSpec) => ({
  dtype,
  shape,
  ...(values === undefined ? {} : { values }),
})

/** What a tiling function sees of an argument. */
export const argumentOf = (spec: ArgumentSpec | undefined): TilingArgument => {
  if (spec === null || spec === undefined) return null
  return Array.isArray(spec) ? spec.map(tensorArgument) : tensorArgument(spec)
}

/** Attributes in task order; one that the case leaves out has its default, or none. */
export function attributesOf(task: TaskInterface, kernelCase: KernelCase): TileRequest['attrs'] {
  return task.attrs.map(({ name, type, default: fallback }) => {
    const value: AttributeValue | undefined = kernelCase.attrs[name] ?? fallback
    return { name, type, value: value ?? null }
  })
}
