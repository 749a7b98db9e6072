import type { ArgumentSpec, DType, KernelCase, TensorSpec } from '../model/index.ts'
import { DefinitionError, type Row, type RowValue, type TaskDefinition } from './definition.ts'
import { specsOf } from './facts.ts'
import type { GivenCase } from './kernel-task.ts'
import { bindShape, type Bindings } from './pattern.ts'
import { caseOfRow, type RowContext } from './row.ts'

/**
 * The case that somebody's tensors are. Throws a DefinitionError that names the argument that does not fit, and why.
 */
export function caseOfData(context: RowContext, given: GivenCase): KernelCase {
  const { content: _, ...definition } = context.definition
  const combination = given.combination ?? combinationOf(context, given)
  const row: Record<string, RowValue> = { ...extentsOf(context, definition, given), ...given.attrs }
  for (const [name, spec] of Object.entries(given.inputs)) {
    const kind = context.task.inputs.find((input) => input.name === name)?.kind
    // one number, whatever its rank: [] and [1] are the same memory
    if (kind === 'scalarTensor' && spec !== null) continue
    row[name] = shapesOf(spec)
  }
  return caseOfRow({ ...context, definition }, row, { name: context.place, seed: 0, combination })
}

const shapesOf = (spec: ArgumentSpec): RowValue => {
  if (spec === null) return null
  return Array.isArray(spec) ? spec.map(({ shape }) => shape) : spec.shape
}

// The first column that every tensor fits.
function combinationOf({ task, place }: RowContext, { inputs }: GivenCase): number {
  const present = task.inputs.flatMap(({ name, dtypes }) => {
    const types = new Set(specsOf(inputs[name]).map(({ dtype }: TensorSpec): DType => dtype))
    return types.size === 0 ? [] : [{ name, dtypes, types: [...types] }]
  })
  for (const { name, types } of present) {
    if (types.length > 1) throw new DefinitionError(task.name, place, `${name}: its tensors are ${types.join(' and ')}`)
  }
  const columns = task.inputs[0]!.dtypes.map((_, column) => column)
  const fitting = columns.find((column) => present.every(({ dtypes, types }) => dtypes[column] === types[0]))
  if (fitting !== undefined) return fitting
  for (const { name, dtypes, types } of present) {
    if (types[0] === undefined || dtypes.includes(types[0])) continue
    const known = [...new Set(dtypes)].join(', ')
    throw new DefinitionError(task.name, place, `${name}: is ${types[0]}; the task takes ${known}`)
  }
  const found = present.map(({ name, types }) => `${name} ${types[0]}`).join(', ')
  const known = columns.map((column) => present.map(({ name, dtypes }) => `${name} ${dtypes[column]}`).join(', '))
  throw new DefinitionError(
    task.name,
    place,
    `inputs: ${found} is no combination; there are ${[...new Set(known)].join('; ')}`,
  )
}

// Pattern variables as far as the given outputs say them.
function extentsOf({ task, place }: RowContext, definition: TaskDefinition, { outputs = {} }: GivenCase): Row {
  const bindings: Bindings = new Map()
  for (const [name, shape] of Object.entries(outputs)) {
    const output = definition.outputs[name]
    if (!output) {
      const known = Object.keys(definition.outputs).join(', ')
      throw new DefinitionError(task.name, place, `outputs.${name}: there is no such output; there are ${known}`)
    }
    const problem = output.shape && bindShape(output.shape, shape, bindings)
    if (problem) throw new DefinitionError(task.name, place, `outputs.${name}: ${problem}`)
  }
  return Object.fromEntries(bindings)
}
