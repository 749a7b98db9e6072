import { fileURLToPath } from 'node:url'
import { findSamples } from '../plugin/candidates/index.ts'
import type { BuildArgs, Combination, DType, KernelCase, Sample, TaskInterface } from '../plugin/model/index.ts'
import { npuKernelBench } from '../plugin/suites/index.ts'
import type { KernelTask } from '../plugin/task/index.ts'
import '../tasks/level1/math/add-custom.spec.ts'
import '../tasks/level1/math/sqrt.spec.ts'
import '../tasks/level2/norm/rms-norm.spec.ts'
import '../tasks/level3/gmm/basic-matmul.spec.ts'
import { taskNamed } from './collect-tasks.ts'

export const repository = fileURLToPath(new URL('../', import.meta.url))

const { baseline } = npuKernelBench

/** Every operator that has a bundled baseline. */
export const baselineNames = (): string[] =>
  findSamples([baseline], { suites: [] })
    .samples.map(({ task }) => task)
    .sort()

/** A task of this repository and the operator that is measured on it. */
export interface Subject {
  task: KernelTask
  sample: Sample
}

/** The expert operator of a task. Throws when there is none. */
export function subjectOf(name: string): Subject {
  const [sample] = findSamples([baseline], { suites: [], task: { suite: npuKernelBench.name, name } }).samples
  if (!sample) throw new Error(`no operator ${name} in ${baseline}`)
  return { task: taskNamed(name), sample }
}

const columnsOf = ({ inputs, outputs }: TaskInterface): number =>
  Math.max(...[...inputs, ...outputs].map(({ dtypes }) => dtypes.length))

/** Column `index` of all arguments. */
export function combinationOf({ inputs, outputs }: TaskInterface, index: number): Combination {
  const column = (arguments_: TaskInterface['inputs']): DType[] =>
    arguments_.map(({ dtypes }) => dtypes[index] ?? dtypes[0]).filter((dtype) => dtype !== undefined)
  return { inputs: column(inputs), outputs: column(outputs) }
}

/** Every combination of the task, as a run would ask for it. */
export const buildArgsOf = ({ task, sample }: Subject): BuildArgs => ({
  sample,
  task: task.interface,
  combinations: Array.from({ length: columnsOf(task.interface) }, (_, i) => combinationOf(task.interface, i)),
})

/** A static case with other shapes: every tensor argument gets the shape given for its name. */
export function reshaped(kernelCase: KernelCase, shapes: Record<string, number[]>): KernelCase {
  const change = (side: KernelCase['inputs']): KernelCase['inputs'] =>
    Object.fromEntries(
      Object.entries(side).map(([name, spec]) => {
        const shape = shapes[name]
        if (!shape || !spec || Array.isArray(spec)) throw new Error(`no shape for ${kernelCase.task} ${name}`)
        return [name, { dtype: spec.dtype, shape }]
      }),
    )
  return { ...kernelCase, inputs: change(kernelCase.inputs), outputs: change(kernelCase.outputs) }
}
