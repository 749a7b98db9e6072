import { dtypes, fixedValueOf, sizeOf } from '../model/index.ts'
import type { ArgumentSpec, AttributeType, AttributeValue, DType, FixedValue, KernelCase } from '../model/index.ts'
import type { TaskInterface, TensorSpec } from '../model/index.ts'
import type { ArgumentDefinition } from './argument.ts'
import { isOfType } from './attribute.ts'
import { DefinitionError, type AttributeDefinitions, type Row, type TaskDefinition } from './definition.ts'
import { specsOf } from './facts.ts'
import { sourceOf } from './interface.ts'
import { bindShape, bindVariable, resolveShape, variablesOf, type Bindings } from './pattern.ts'

/** Everything a row is read against. */
export interface RowContext {
  readonly task: TaskInterface
  readonly definition: TaskDefinition
  /** pattern variables of all arguments */
  readonly variables: ReadonlySet<string>
  /** where the row stands in the spec, for messages: `case 3`, `domain` */
  readonly place: string
}

/** The pattern variables a task's rows may give. */
export function variablesOfTask(definition: TaskDefinition): Set<string> {
  const variables = new Set<string>()
  for (const { shape, length } of [...Object.values(definition.inputs), ...Object.values(definition.outputs)]) {
    for (const variable of variablesOf(shape ?? [])) variables.add(variable)
    if (typeof length === 'string') variables.add(length)
  }
  return variables
}

/** Resolves a row to a case; throws a DefinitionError that names the field and the fix. */
export function caseOfRow(
  context: RowContext,
  row: Row,
  identity: { name: string; seed: number; combination?: number | undefined },
): KernelCase {
  const { task, definition } = context
  checkFields(context, row)
  const combination = identity.combination ?? combinationOf(context, row.dtype)
  const bindings = bindingsOf(context, row)
  const inputs: Record<string, ArgumentSpec> = {}
  const resolve = (argument: ArgumentDefinition, name: string, dtype: DType, given?: Row[string]): ArgumentSpec => {
    const source = argument.like === undefined ? undefined : inputs[argument.like]
    return source !== undefined && given === undefined
      ? withDtype(source, dtype)
      : specOf(context, { name, dtype }, argument, given, bindings)
  }
  for (const { name, dtypes } of task.inputs) {
    inputs[name] = resolve(definition.inputs[name]!, name, dtypes[combination]!, row[name])
    checkLike(context, name, inputs)
  }
  fixValues(context, row, inputs)
  const outputs: Record<string, ArgumentSpec> = {}
  for (const { name, dtypes } of task.outputs) {
    outputs[name] = resolve(definition.outputs[name]!, name, dtypes[combination]!)
  }
  return {
    task: task.name,
    name: identity.name,
    combination,
    inputs,
    outputs,
    attrs: attrsOf(context, row),
    ...(definition.content && { content: contentOf(context, definition.content, row) }),
    seed: identity.seed,
  }
}

const fault = (context: RowContext, problem: string): DefinitionError =>
  new DefinitionError(context.task.name, context.place, problem)

function checkFields({ task, definition, variables, place }: RowContext, row: Row): void {
  const known = [
    'dtype',
    ...Object.keys(definition.inputs),
    ...variables,
    ...Object.keys(definition.attrs ?? {}),
    ...Object.keys(definition.content ?? {}),
    'values',
  ]
  for (const field of Object.keys(row)) {
    if (!known.includes(field)) {
      throw new DefinitionError(
        task.name,
        place,
        `unknown field ${field}; the fields are ${[...new Set(known)].join(', ')}`,
      )
    }
  }
}

function combinationOf(context: RowContext, dtype: Row[string] | undefined): number {
  const columns = context.task.inputs[0]!.dtypes
  if (typeof dtype === 'number' && Number.isInteger(dtype) && dtype >= 0 && dtype < columns.length) return dtype
  const matches = typeof dtype === 'string' ? columns.flatMap((name, column) => (name === dtype ? [column] : [])) : []
  if (matches.length === 1) return matches[0]!
  if (dtype === undefined && columns.length === 1) return 0
  const options = columns.map((name, column) => `${column} (${name})`).join(', ')
  if (matches.length > 1)
    throw fault(context, `dtype ${JSON.stringify(dtype)} names columns ${matches.join(' and ')}; give the column`)
  throw fault(context, `dtype ${JSON.stringify(dtype)} names no combination; the columns are ${options}`)
}

function bindingsOf(context: RowContext, row: Row): Bindings {
  const bindings: Bindings = new Map()
  const check = (field: string, problem: string | undefined) => {
    if (problem) throw fault(context, `${field}: ${problem}`)
  }
  for (const [field, value] of Object.entries(row)) {
    const input = context.definition.inputs[field]
    if (input && input.kind !== 'scalarTensor' && value !== null) {
      const { shape: pattern, length } = sourceOf(context.task.name, context.definition, field, input)
      for (const shape of shapesOf(context, field, input, value)) {
        if (pattern) check(field, bindShape(pattern, shape, bindings))
      }
      if (Array.isArray(value) && input.kind === 'tensorList' && typeof length === 'string') {
        check(field, bindVariable(length, value.length, bindings))
      }
    } else if (context.variables.has(field) && (isExtent(value) || isShape(value))) {
      check(field, bindVariable(field, value, bindings))
    } else if (context.variables.has(field) && !(field in (context.definition.attrs ?? {})) && !input) {
      throw fault(context, `${field}: ${JSON.stringify(value)} is neither an extent nor a list of extents`)
    }
  }
  return bindings
}

const isExtent = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
/** Whether a value is a list of extents. */
export const isShape = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every(isExtent)
/** Whether a value is a list of shapes. */
export const isShapeList = (value: unknown): value is readonly (readonly number[])[] =>
  Array.isArray(value) && value.every(isShape)

function shapesOf(
  context: RowContext,
  field: string,
  input: ArgumentDefinition,
  value: Row[string],
): readonly number[][] {
  if (input.kind === 'tensor' && isShape(value)) return [[...value]]
  if (input.kind === 'tensorList' && isShapeList(value)) return value.map((shape) => [...shape])
  const wanted = input.kind === 'tensor' ? 'a shape, e.g. [4, 128]' : 'a list of shapes, e.g. [[1], [4, 128]]'
  throw fault(context, `${field}: ${JSON.stringify(value)} is not ${wanted}`)
}

// One argument of the case: the shape its row gives, or the one its pattern has under what the row says elsewhere.
function specOf(
  context: RowContext,
  { name, dtype }: { name: string; dtype: DType },
  argument: ArgumentDefinition,
  given: Row[string] | undefined,
  bindings: Bindings,
): ArgumentSpec {
  if (given === null) {
    if (argument.optional) return null
    throw fault(context, `${name}: null, but the argument is required`)
  }
  if (argument.kind === 'scalarTensor') {
    if (given === undefined) return { dtype, shape: [] }
    if (typeof given !== 'number') throw fault(context, `${name}: ${JSON.stringify(given)} is not a number`)
    return { dtype, shape: [], values: valuesOf(context, name, dtype, [given]) }
  }
  if (given !== undefined) {
    const specs = shapesOf(context, name, argument, given).map((shape): TensorSpec => ({ dtype, shape }))
    return argument.kind === 'tensor' ? specs[0]! : specs
  }
  const source = sourceOf(context.task.name, context.definition, name, argument)
  const pattern = argument.shape ?? source.shape
  if (!pattern) throw fault(context, `${name}: give its shapes; nothing else in the row says them`)
  const shape = resolveShape(pattern, bindings)
  if ('unbound' in shape)
    throw fault(context, `nothing gives the extent ${shape.unbound} of ${name}; add ${name} or ${shape.unbound}`)
  if (argument.kind === 'tensor') return { dtype, shape }
  const length = argument.length ?? source.length
  const count = typeof length === 'string' ? bindings.get(length) : length
  if (typeof count !== 'number')
    throw fault(context, `nothing gives the number of tensors of ${name}; add ${name} or ${length}`)
  return Array.from({ length: count }, () => ({ dtype, shape: [...shape] }))
}

const shapesText = (spec: ArgumentSpec): string => JSON.stringify(specsOf(spec).map(({ shape }) => shape))

// Lists without a pattern are tied to each other by `like` alone.
function checkLike(context: RowContext, name: string, inputs: Record<string, ArgumentSpec>): void {
  const { like } = context.definition.inputs[name]!
  const [own, source] = [inputs[name], like === undefined ? undefined : inputs[like]]
  if (!own || !source) return
  if (shapesText(own) !== shapesText(source)) throw fault(context, `${name}: its shapes differ from those of ${like}`)
}

function withDtype(source: ArgumentSpec, dtype: DType): ArgumentSpec {
  if (source === null) return null
  if (Array.isArray(source)) return source.map(({ shape }) => ({ dtype, shape }))
  return { dtype, shape: source.shape }
}

const isValues = (value: unknown): value is Record<string, readonly number[]> =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((list) => Array.isArray(list) && list.every((item) => typeof item === 'number'))

function fixValues(context: RowContext, row: Row, inputs: Record<string, ArgumentSpec>): void {
  // where an input is called that, the field gives its shape
  const fixed = 'values' in context.definition.inputs ? {} : (row.values ?? {})
  if (!isValues(fixed)) throw fault(context, `values: give a list of numbers per input, e.g. { mask: [1, 0] }`)
  for (const [name, values] of Object.entries(fixed)) {
    const spec = inputs[name]
    if (!spec || Array.isArray(spec))
      throw fault(context, `values.${name}: there is no present tensor input of that name`)
    const size = sizeOf(spec.shape) * (spec.dtype === 'complex64' ? 2 : 1)
    if (values.length !== size) throw fault(context, `values.${name}: ${values.length} values, the tensor has ${size}`)
    spec.values = valuesOf(context, `values.${name}`, spec.dtype, values)
  }
}

function valuesOf(context: RowContext, field: string, dtype: DType, values: readonly number[]): FixedValue[] {
  if (['float', 'complex'].includes(dtypes[dtype].kind)) return values.map(fixedValueOf)
  const odd = values.find((value) => !Number.isFinite(value))
  if (odd !== undefined) throw fault(context, `${field}: ${odd} is no value of ${dtype}`)
  return [...values]
}

function attrsOf(context: RowContext, row: Row): Record<string, AttributeValue> {
  const attrs: Record<string, AttributeValue> = {}
  for (const { name, type, default: initial } of context.task.attrs) {
    const value = attributeOf(context, name, type, row[name] ?? initial)
    // a target is asked in JSON, which has no other numbers
    const odd = [value].flat().find((item) => typeof item === 'number' && !Number.isFinite(item))
    if (odd !== undefined) throw fault(context, `${name}: ${odd} cannot be handed to an operator as an attribute`)
    attrs[name] = value
  }
  return attrs
}

function contentOf(context: RowContext, columns: AttributeDefinitions, row: Row): Record<string, AttributeValue> {
  const content: Record<string, AttributeValue> = {}
  for (const [name, { type, default: initial }] of Object.entries(columns)) {
    content[name] = attributeOf(context, name, type, row[name] ?? initial)
  }
  return content
}

function attributeOf(
  context: RowContext,
  name: string,
  type: AttributeType,
  value: Row[string] | undefined,
): AttributeValue {
  if (value === undefined) throw fault(context, `${name}: there is no default; give a value`)
  if (!isOfType[type](value)) throw fault(context, `${name}: ${JSON.stringify(value)} is not of type ${type}`)
  return value
}
