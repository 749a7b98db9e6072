import { withCaseFile } from '../../plugin/case-file/index.ts'
import { poisonOf } from '../../plugin/evaluation/seed.ts'
import {
  sizeOf,
  type ArgumentSpec,
  type CompletedLaunch,
  type DType,
  type KernelCase,
  type TensorSpec,
} from '../../plugin/model/index.ts'
import type { KernelTask } from '../../plugin/task/index.ts'
import { artifactOf, withMachine, type Machine } from '../machine.ts'
import { buildArgsOf, subjectOf } from '../subjects.ts'
import { small, smallCase } from './small.ts'
import type { DrawnCase } from './drawn-case.ts'
import { published } from './published.ts'

/** A row of the vendor's operators, as the clock has it for ours. */
export interface Row {
  operator: string
  row: number
  dtype: DType
  shape: number[]
  publishedUs: number
  predictedUs: number
  /** what most of the prediction is spent on */
  pipe: string
}

/** Elements of the largest row that is launched, unless the command says otherwise. */
export const LARGEST_ROW = 2 ** 26

/** The clock's latencies of the rows that have at most so many elements. */
export async function vendorRows(cacheDir: string, elements: number, part = ''): Promise<Row[]> {
  const rows: Row[] = []
  await withMachine(cacheDir, async ({ service, ...machine }) => {
    for (const [operator, all] of Object.entries(published)) {
      if (!operator.includes(part)) continue
      const own = small(operator)
      const subject = own ? undefined : subjectOf(operator)
      const { artifact } = await artifactOf({ service, ...machine }, own ?? buildArgsOf(subject!))
      for (const [row, dtype, shape, tensors, publishedUs] of all) {
        if (sizeOf(shape) * tensors > elements) continue
        const answer = await launched(
          service,
          own ? smallCase(own.task, dtype, shape) : drawn(subject!.task, caseOf(subject!.task, dtype, shape, tensors)),
          artifact,
        )
        const [pipe = '-'] = Object.entries(answer.pipes).toSorted(([, one], [, other]) => other - one)[0] ?? []
        rows.push({ operator, row, dtype, shape, publishedUs, predictedUs: answer.latencyNs / 1e3, pipe })
        const last = rows.at(-1)!
        console.log(`${operator} ${row}: ${last.predictedUs.toFixed(1)} of ${publishedUs} us, ${pipe}`)
      }
    }
  })
  return rows
}

/** A case of a task, with inputs as the task draws them. */
export const drawn = (task: KernelTask, kernelCase: KernelCase): DrawnCase => ({
  task: task.interface,
  kernelCase,
  inputs: task.draw(kernelCase),
})

/** A launch of a case that has to be right. */
export async function launched(
  service: Machine['service'],
  { task, kernelCase, inputs }: DrawnCase,
  artifact: string,
): Promise<CompletedLaunch> {
  return await withCaseFile(task, kernelCase, inputs, async (file) => {
    const { path, fileBytes, slots } = file
    const poison = poisonOf(kernelCase)
    const asked = { artifact, case: kernelCase, poison, file: path, fileBytes, slots, hazards: false }
    const answer = await service.launch(asked)
    if (!answer.ok) throw new Error(`${task.name} ${kernelCase.name}: ${JSON.stringify(answer.verdict)}`)
    return answer
  })
}

/** A static case of the task with another shape and dtype: the last axis of the first input is that of arguments of one axis. */
function caseOf(task: KernelTask, dtype: DType, shape: number[], tensors: number): KernelCase {
  const [first] = task.interface.inputs
  const last = task.interface.inputs.at(-1)!
  // of several columns the one whose other arguments have the same type
  const columns = first!.dtypes.flatMap((each, i) => (each === dtype ? [i] : []))
  const combination = columns.find((i) => last.dtypes[i] === dtype) ?? columns[0]
  const template = task.staticCases.find((each) => each.combination === combination) ?? task.staticCases[0]
  if (combination === undefined || !template) throw new Error(`${task.interface.name} has no ${dtype}`)
  const change = (side: KernelCase['inputs'], declared: typeof task.interface.inputs): KernelCase['inputs'] =>
    Object.fromEntries(
      Object.entries(side).map(([name, spec]) => {
        const type = declared.find((each) => each.name === name)?.dtypes[combination] ?? dtype
        return [name, changed(spec, type)]
      }),
    )
  const changed = (spec: ArgumentSpec, type: DType): ArgumentSpec => {
    if (Array.isArray(spec)) return Array.from({ length: tensors }, (): TensorSpec => ({ dtype: type, shape }))
    if (!spec) return spec
    const own = spec.shape.length === 1 && spec.shape[0] === lastOf(template) ? [shape.at(-1)!] : shape
    const isColumn = spec.shape.at(-1) === 1 && lastOf(template) !== 1
    return {
      dtype: type,
      shape: isColumn ? [...shape.slice(0, -1), 1] : spec.shape.every((n) => n === 1) ? spec.shape : own,
    }
  }
  return {
    ...template,
    name: `${dtype} ${shape.join(' x ')}${tensors > 1 ? `, ${tensors} tensors` : ''}`,
    combination,
    inputs: change(template.inputs, task.interface.inputs),
    outputs: change(template.outputs, task.interface.outputs),
  }
}

/** The last axis of the first input of a case. */
const lastOf = ({ inputs }: KernelCase): number | undefined => {
  const [spec] = Object.values(inputs)
  return Array.isArray(spec) || !spec ? undefined : spec.shape.at(-1)
}
