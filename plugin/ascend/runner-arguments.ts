import {
  byteLengthOf,
  dtypes,
  type DType,
  type KernelCase,
  type LaunchArgs,
  type Slot,
  type TaskInterface,
  type TensorSpec,
} from '../model/index.ts'
import type { CallArgument, TensorArgument } from './aclnn.ts'
import type { AscendArtifact } from './build-operator.ts'
import type { RunnerArgument, RunnerSlot } from './runner-protocol.ts'

type Value = RunnerArgument['value']

/** What arguments are taken from. */
interface Given {
  task: TaskInterface
  kernelCase: KernelCase
  slots: LaunchArgs['slots']
}

/** The arguments of the calls of an operator, in the order of their parameters. */
export const runnerArguments = (
  { task, arguments: wanted }: Pick<AscendArtifact, 'task' | 'arguments'>,
  kernelCase: KernelCase,
  slots: LaunchArgs['slots'],
): RunnerArgument[] =>
  wanted.map((argument) => {
    const value = valueOf(argument, { task, kernelCase, slots })
    // an operator of one tensor may be part of a call that takes lists
    const isAlone = argument.kind === 'tensorList' && value !== null && !Array.isArray(value)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a list is made for is a tensor
    return { kind: argument.kind, value: isAlone ? [value as RunnerSlot] : value }
  })

function valueOf(argument: CallArgument, given: Given): Value {
  switch (argument.from) {
    case 'constant':
      return argument.value
    case 'attribute': {
      const value = attributeOf(given, argument.index)
      return argument.codes && typeof value === 'string' ? (argument.codes[value] ?? null) : value
    }
    case 'between': {
      const { name, like } = argument
      const spec = specOf(given, like)
      if (!spec) return null
      const { shape, dtype } = { ...spec, ...(argument.dtype && { dtype: argument.dtype }) }
      return { name, offset: 0, bytes: byteLengthOf(dtype, shape), shape, dtype, access: 'between' }
    }
    case 'shape':
      return specOf(given, argument.of)?.shape ?? null
    case 'dtype': {
      const spec = specOf(given, argument.of)
      return spec ? dtypes[spec.dtype].code : null
    }
    case 'input':
      return tensorOf(given, { side: 'inputs', index: argument.index }, argument.transposed)
    case 'output':
      return tensorOf(given, { side: 'outputs', index: argument.index }, argument.transposed)
  }
}

function attributeOf({ task, kernelCase }: Given, index: number): Value {
  const attr = task.attrs[index]
  return attr === undefined ? null : (kernelCase.attrs[attr.name] ?? attr.default ?? null)
}

const specsOf = ({ task, kernelCase }: Given, { side, index }: TensorArgument): TensorSpec | TensorSpec[] | null =>
  kernelCase[side][task[side][index]?.name ?? ''] ?? null

/** Of the first tensor, where the argument is a list. */
const specOf = (given: Given, argument: TensorArgument): TensorSpec | null =>
  [specsOf(given, argument)].flat()[0] ?? null

function tensorOf(given: Given, argument: TensorArgument, transposed?: boolean): Value {
  const { side, index } = argument
  const slot: Slot | Slot[] | null = given.slots[side === 'inputs' ? index : given.task.inputs.length + index] ?? null
  const specs = specsOf(given, argument)
  if (slot === null || specs === null) return null
  const dtypeOf = (position: number): DType => [specs].flat()[position]?.dtype ?? 'float32'
  const placed = (each: Slot, position: number): RunnerSlot => ({
    ...each,
    dtype: dtypeOf(position),
    ...(transposed && { transposed }),
  })
  return Array.isArray(slot) ? slot.map(placed) : placed(slot, 0)
}
