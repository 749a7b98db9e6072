import { dtypes, type Combination, type DType, type TaskInterface } from '../model/index.ts'
import type { OperatorDescription } from './prelude.ts'

/** Names a combination: its dtypes in kernel-argument order. */
export const combinationKey = ({ inputs, outputs }: Combination): string => `${inputs.join(',')}>${outputs.join(',')}`

export const describeCombination = ({ inputs, outputs }: Combination): string =>
  `(${inputs.join(', ')}) -> (${outputs.join(', ')})`

const sameDtype = (declared: string | undefined, wanted: DType): boolean =>
  declared === wanted || declared === dtypes[wanted].ge

/** Laid out in blocks: tensors of that kind come from other operators alone. */
const isPrivate = (format: string | undefined): boolean => format !== undefined && /FRACTAL|C0|C1/.test(format)

const isPlain = (format: string | undefined): boolean => format === undefined || /^(?:FORMAT_)?ND$/.test(format)

/**
 * The OpDef column whose dtypes are exactly the combination's, or why there is none. Tensors are plain: those of a column with a
 * private format are refused, and of several others the first with most formats ND is taken.
 */
export function columnOf(operator: OperatorDescription, combination: Combination): number | { problem: string } {
  const parameters = [...operator.inputs, ...operator.outputs]
  const wanted = [...combination.inputs, ...combination.outputs]
  const columns = Math.max(0, ...parameters.map((parameter) => parameter.dtypes.length))
  let found: number | undefined
  let blocked: string | undefined
  let mostPlain = -1
  for (let column = 0; column < columns; column++) {
    // a list of one stands for every column
    const declared = parameters.map(({ dtypes }) => (dtypes.length === 1 ? dtypes[0] : dtypes[column]))
    if (!wanted.every((dtype, index) => sameDtype(declared[index], dtype))) continue
    const held = parameters.find(
      ({ paramType, formats }) => paramType !== 'optional' && isPrivate(formats[column] ?? formats[0]),
    )
    if (held) {
      blocked = `${held.name} as ${held.formats[column] ?? held.formats[0]}`
      continue
    }
    const plain = parameters.filter(({ formats }) => isPlain(formats[column] ?? formats[0])).length
    if (plain <= mostPlain) continue
    found = column
    mostPlain = plain
  }
  if (found !== undefined) return found
  const declares = `operator ${operator.name} ${blocked === undefined ? 'does not declare' : 'declares'} the dtypes ${describeCombination(combination)}`
  return { problem: blocked === undefined ? declares : `${declares} with ${blocked} alone: tensors are in format ND` }
}

/**
 * Of a list with one item for each output of the task, the items of those that the operator declares. An operator that works in
 * place may leave out all outputs that overwrite an input: its kernel has no arguments for them.
 */
export const keepDeclaredOutputs = <T>(operator: OperatorDescription, task: TaskInterface, list: readonly T[]): T[] =>
  list.filter(
    (_, index) => operator.outputs.length === task.outputs.length || task.outputs[index]?.aliases === undefined,
  )
