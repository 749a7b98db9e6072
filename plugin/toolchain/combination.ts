import { dtypes, type Combination, type DType, type TaskInterface } from '../model/index.ts'
import type { OperatorDescription } from './prelude.ts'

/** Names a combination: its dtypes in kernel-argument order. */
export const combinationKey = ({ inputs, outputs }: Combination): string => `${inputs.join(',')}>${outputs.join(',')}`

export const describeCombination = ({ inputs, outputs }: Combination): string =>
  `(${inputs.join(', ')}) -> (${outputs.join(', ')})`

const sameDtype = (declared: string | undefined, wanted: DType): boolean =>
  declared === wanted || declared === dtypes[wanted].ge

const isPlain = (format: string | undefined): boolean => format === undefined || /^(?:FORMAT_)?ND$/.test(format)

/**
 * The OpDef column whose dtypes are exactly the combination's; null when the operator does not declare it. Tensors are plain: of
 * several such columns, the first with most formats ND.
 */
export function columnOf(operator: OperatorDescription, combination: Combination): number | null {
  const parameters = [...operator.inputs, ...operator.outputs]
  const wanted = [...combination.inputs, ...combination.outputs]
  const columns = Math.max(0, ...parameters.map((parameter) => parameter.dtypes.length))
  let found: number | null = null
  let mostPlain = -1
  for (let column = 0; column < columns; column++) {
    // a list of one stands for every column
    const declared = parameters.map(({ dtypes }) => (dtypes.length === 1 ? dtypes[0] : dtypes[column]))
    if (!wanted.every((dtype, index) => sameDtype(declared[index], dtype))) continue
    const plain = parameters.filter(({ formats }) => isPlain(formats[column] ?? formats[0])).length
    if (plain <= mostPlain) continue
    found = column
    mostPlain = plain
  }
  return found
}

/**
 * Of a list with one item for each output of the task, the items of those that the operator declares. An operator that works in
 * place may leave out all outputs that overwrite an input: its kernel has no arguments for them.
 */
export const keepDeclaredOutputs = <T>(operator: OperatorDescription, task: TaskInterface, list: readonly T[]): T[] =>
  list.filter(
    (_, index) => operator.outputs.length === task.outputs.length || task.outputs[index]?.aliases === undefined,
  )
