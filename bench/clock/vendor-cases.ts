import {
  sizeOf,
  type ArgumentSpec,
  type KernelCase,
  type TaskInterface,
  type TensorSpec,
  type TensorValue,
} from '../../plugin/model/index.ts'
import type { KernelTask } from '../../plugin/task/index.ts'
import type { DrawnCase } from './drawn-case.ts'
import type { PublishedRow } from './published.ts'

/** The case of one of our operators that does what a row of the vendor's did. */
export function vendorCase(task: KernelTask, published: PublishedRow): DrawnCase {
  const shaped = shapedBy[task.interface.name]
  if (!shaped) return drawn(task, ofOneShape(task, published))
  const { shapes, attrs, values } = shaped(published)
  const column = columnOf(task, published, shapes)
  const template = task.staticCases.find(({ combination }) => combination === column) ?? task.staticCases[0]!
  const specs = (declared: TaskInterface['inputs']): KernelCase['inputs'] =>
    Object.fromEntries(
      declared.map(({ name, dtypes }) => {
        const shape = shapes[name]
        return [name, shape ? { dtype: (dtypes[column] ?? dtypes[0])!, shape } : null]
      }),
    )
  const { inputs, outputs } = task.interface
  const kernelCase = { ...template, name: nameOf(published), combination: column }
  const all = drawn(task, {
    ...kernelCase,
    inputs: specs(inputs),
    outputs: specs(outputs),
    attrs: { ...template.attrs, ...attrs },
  })
  return { ...all, inputs: { ...all.inputs, ...values } }
}

/** A case of a task, with inputs as the task draws them. */
export const drawn = (task: KernelTask, kernelCase: KernelCase): DrawnCase => ({
  task: task.interface,
  kernelCase,
  inputs: task.draw(kernelCase),
})

const nameOf = ([, dtype, shape, tensors]: PublishedRow): string =>
  `${dtype} ${shape.join(' x ')}${tensors > 1 ? `, ${tensors} tensors` : ''}`

interface Arguments {
  /** of the arguments that there are */
  shapes: Record<string, number[]>
  attrs: KernelCase['attrs']
  /** of inputs that are not as the task draws them */
  values?: Record<string, TensorValue>
}

/** Operators whose arguments have several shapes. */
const shapedBy: Record<string, (row: PublishedRow) => Arguments> = {
  DequantSwigluQuant([, dtype, [rows = 0, columns = 0], , , attributes]) {
    const [x, half] = [[rows, columns], columns / 2]
    const scaled = dtype === 'int32' ? { weight_scale: [1, columns], activation_scale: [rows, 1] } : {}
    return {
      shapes: { x, ...scaled, quant_scale: [1, half], y: [rows, half], scale: [rows] },
      attrs: { ...attributes, quant_mode: 'dynamic' },
    }
  },
  GroupNormSwish([, , x, , , attributes]) {
    const [images = 0, channels = 0] = x
    const statistics = [images, Number(attributes?.['num_groups'])]
    return {
      shapes: { x, gamma: [channels], beta: [channels], y: x, mean: statistics, rstd: statistics },
      attrs: { ...attributes, eps: 1e-5, activate_swish: true, swish_scale: 1 },
    }
  },
  // groups of equal size, without the bias that some rows have
  GroupedMatmulSliceM([, , [m = 0, k = 0, n = 0], , , attributes]) {
    const groups = Number(attributes?.['groups'])
    const ends = BigInt64Array.from({ length: groups }, (_, i) => BigInt(Math.round(((i + 1) * m) / groups)))
    return {
      shapes: { a: [m, k], b: [groups, k, n], groupList: [groups], c: [m * n] },
      attrs: {},
      values: { groupList: { dtype: 'int64', shape: [groups], data: ends } },
    }
  },
}

/** Of several columns of types the first in which float arguments have the type of the row, or float32 beside integers. */
function columnOf(
  { interface: { inputs } }: KernelTask,
  [, dtype]: PublishedRow,
  shapes: Record<string, number[]>,
): number {
  const [first] = inputs
  const columns = first!.dtypes.flatMap((each, i) => (each === dtype ? [i] : []))
  const wanted = dtype === 'int32' ? 'float32' : dtype
  const present = inputs.filter(({ name }) => shapes[name] && name !== first!.name)
  const column = columns.find((i) => present.every(({ dtypes }) => dtypes[i] === wanted)) ?? columns[0]
  if (column === undefined) throw new Error(`no ${dtype}`)
  return column
}

/** A static case of the task with another shape and dtype: the last axis of the first input is that of arguments of one axis. */
function ofOneShape(task: KernelTask, published: PublishedRow): KernelCase {
  const [, dtype, shape, tensors] = published
  const [first] = task.interface.inputs
  const last = task.interface.inputs.at(-1)!
  // of several columns the one whose other arguments have the same type
  const columns = first!.dtypes.flatMap((each, i) => (each === dtype ? [i] : []))
  const combination = columns.find((i) => last.dtypes[i] === dtype) ?? columns[0]
  const template = task.staticCases.find((each) => each.combination === combination) ?? task.staticCases[0]
  if (combination === undefined || !template) throw new Error(`${task.interface.name} has no ${dtype}`)
  const change = (side: KernelCase['inputs'], declared: TaskInterface['inputs']): KernelCase['inputs'] =>
    Object.fromEntries(
      Object.entries(side).map(([name, spec]) => {
        const type = declared.find((each) => each.name === name)?.dtypes[combination] ?? dtype
        return [name, changed(spec, type)]
      }),
    )
  const changed = (spec: ArgumentSpec, type: TensorSpec['dtype']): ArgumentSpec => {
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
    name: nameOf(published),
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

/** Elements of all tensors of the input whose shape a row tells. */
export const elementsOf = ([, , shape, tensors]: PublishedRow): number => sizeOf(shape) * tensors
