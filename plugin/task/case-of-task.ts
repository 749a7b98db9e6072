import type { ArgumentSpec, KernelCase, TaskArgument } from '../model/index.ts'
import { isOfType } from './attribute.ts'
import { specsOf } from './facts.ts'
import { largestArgument } from './fit.ts'
import type { KernelTask } from './kernel-task.ts'

/** Whether a case that was written down has the arguments and attributes of a task as its spec is now, and no more elements than it allows. */
export function isCaseOf(
  { interface: task, maxElements }: Pick<KernelTask, 'interface' | 'maxElements'>,
  kernelCase: KernelCase,
): boolean {
  const { combination, inputs, outputs, attrs } = kernelCase
  return (
    kernelCase.task === task.name &&
    areArguments(task.inputs, inputs, combination) &&
    areArguments(task.outputs, outputs, combination) &&
    Object.keys(attrs).length === task.attrs.length &&
    task.attrs.every(({ name, type }) => isOfType[type](attrs[name])) &&
    largestArgument(kernelCase) <= maxElements
  )
}

const areArguments = (
  wanted: readonly TaskArgument[],
  given: Readonly<Record<string, ArgumentSpec>>,
  combination: number,
): boolean =>
  Object.keys(given).length === wanted.length &&
  wanted.every(({ name, kind, required, dtypes }) => {
    const spec = given[name]
    if (!spec) return spec === null && !required
    return (
      Array.isArray(spec) === (kind === 'tensorList') &&
      specsOf(spec).every(({ dtype }) => dtype === dtypes[combination])
    )
  })
