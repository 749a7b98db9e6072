import { dtypes, type DType, type TaskArgument, type TaskInterface, type TaskPlace } from '../model/index.ts'
import type { ArgumentDefinition } from './argument.ts'
import { isOfType } from './attribute.ts'
import { DefinitionError, type TaskDefinition } from './definition.ts'
import type { KernelTask } from './kernel-task.ts'
import { patternFault, type Pattern } from './pattern.ts'

const fields = new Set(
  'group level category description kernel inputs outputs attrs content golden domain maxElements strict judged benchmark cases'.split(
    ' ',
  ),
)

/** What toolchain and device need to know of a task, with the definition checked on the way. */
export function interfaceOf(name: string, definition: TaskDefinition, place: TaskPlace): TaskInterface {
  const fault = (place: string, problem: string) => new DefinitionError(name, place, problem)
  for (const field of Object.keys(definition)) {
    if (!fields.has(field)) throw fault(field, `unknown field; the fields are ${[...fields].join(', ')}`)
  }
  if (!/^[A-Za-z]\w*$/.test(name)) throw fault('name', 'must be an identifier, e.g. AddCustom')
  if (!/^[A-Za-z_]\w*$/.test(definition.kernel)) throw fault('kernel', 'must be a C++ identifier, e.g. add_custom')
  if (Object.keys(definition.inputs).length === 0) throw fault('inputs', 'a task has at least one input')
  if (Object.keys(definition.outputs).length === 0) throw fault('outputs', 'a task has at least one output')
  const { description } = definition
  if (description !== undefined && (typeof description !== 'string' || description.trim() === ''))
    throw fault('description', 'must be a text: what the operator computes')
  for (const key of Object.keys(definition.content ?? {})) {
    if (key in (definition.attrs ?? {})) throw fault(`content.${key}`, 'there is an attribute of that name')
  }

  const columns = columnCount(name, definition)
  const resolve = (place: string, argumentName: string, argument: ArgumentDefinition): TaskArgument => {
    const shapeFault = argument.shape && patternFault(argument.shape)
    if (shapeFault) throw fault(place, shapeFault)
    return {
      name: argumentName,
      kind: argument.kind,
      required: !argument.optional,
      dtypes: dtypesOf(name, definition, place, argument, columns),
    }
  }
  return {
    name,
    kernel: definition.kernel,
    suite: place.suite,
    group: groupOf(name, definition, place),
    category: definition.category,
    inputs: Object.entries(definition.inputs).map(([key, input]) => resolve(`inputs.${key}`, key, input)),
    outputs: Object.entries(definition.outputs).map(([key, output]) => {
      const { aliases, zeroed } = output
      if (aliases !== undefined && !(aliases in definition.inputs)) {
        throw fault(`outputs.${key}.aliases`, `there is no input ${aliases}`)
      }
      if (aliases !== undefined && zeroed) throw fault(`outputs.${key}.zeroed`, `it holds what ${aliases} held`)
      return {
        ...resolve(`outputs.${key}`, key, output),
        ...(aliases === undefined ? {} : { aliases }),
        ...(zeroed ? { zeroed } : {}),
      }
    }),
    attrs: attributesOf(name, definition),
  }
}

/** Shapes of the arguments of a task whose interface is sound, as its spec gives them. */
export function patternsOf(name: string, definition: TaskDefinition): KernelTask['patterns'] {
  const of = (group: 'inputs' | 'outputs'): Record<string, Pattern | null> =>
    Object.fromEntries(
      Object.entries(definition[group]).map(([key, argument]) => [
        key,
        argument.shape ?? sourceOf(name, definition, `${group}.${key}`, argument).shape ?? null,
      ]),
    )
  return { inputs: of('inputs'), outputs: of('outputs') }
}

// A definition may repeat the group that the folder of its spec says, and must not say another.
function groupOf(name: string, { group, level }: TaskDefinition, place: TaskPlace): string | null {
  if (level !== undefined && !(Number.isSafeInteger(level) && level > 0)) {
    throw new DefinitionError(name, 'level', 'must be a whole number, 1 or more')
  }
  const ofLevel = level === undefined ? undefined : `level${level}`
  if (group !== undefined && ofLevel !== undefined && group !== ofLevel) {
    throw new DefinitionError(name, 'group', `says ${group}, but level says ${level}`)
  }
  const given = group ?? ofLevel
  if (given === undefined || place.group === null || given === place.group) return place.group ?? given ?? null
  const [field, said] = group === undefined ? ['level', level] : ['group', group]
  throw new DefinitionError(name, field, `says ${said}, but the spec is one of ${place.group}`)
}

function attributesOf(name: string, definition: TaskDefinition): TaskInterface['attrs'] {
  return Object.entries(definition.attrs ?? {}).map(([key, attribute]) => {
    const { type, default: initial } = attribute
    if (initial === undefined) return { name: key, type, required: true }
    if (!isOfType[type](initial)) throw new DefinitionError(name, `attrs.${key}`, `the default is not of type ${type}`)
    return { name: key, type, required: false, default: initial }
  })
}

// Lists of dtypes must agree in length; one dtype on its own fits any length.
function columnCount(name: string, definition: TaskDefinition): number {
  let count: { columns: number; place: string } | undefined
  for (const group of ['inputs', 'outputs'] as const) {
    for (const [key, { dtype }] of Object.entries(definition[group])) {
      if (!Array.isArray(dtype)) continue
      const place = `${group}.${key}.dtype`
      if (dtype.length === 0) throw new DefinitionError(name, place, 'lists no dtype')
      if (count && count.columns !== dtype.length) {
        throw new DefinitionError(name, place, `has ${dtype.length} columns, ${count.place} has ${count.columns}`)
      }
      count ??= { columns: dtype.length, place }
    }
  }
  return count?.columns ?? 1
}

function dtypesOf(
  name: string,
  definition: TaskDefinition,
  place: string,
  argument: ArgumentDefinition,
  columns: number,
): DType[] {
  const source = sourceOf(name, definition, place, argument)
  const dtype = argument.dtype ?? source.dtype
  if (dtype === undefined) throw new DefinitionError(name, place, 'has no dtype')
  const all = typeof dtype === 'string' ? Array.from({ length: columns }, () => dtype) : [...dtype]
  const unknown = all.find((item) => !(item in dtypes))
  if (unknown !== undefined) throw new DefinitionError(name, `${place}.dtype`, `unknown dtype ${unknown}`)
  return all
}

/** The argument that `like` names, or the argument itself. */
export function sourceOf(
  name: string,
  definition: TaskDefinition,
  place: string,
  argument: ArgumentDefinition,
): ArgumentDefinition {
  if (argument.like === undefined) return argument
  const source = definition.inputs[argument.like]
  if (!source) throw new DefinitionError(name, place, `like('${argument.like}'): there is no such input`)
  if (source.like !== undefined)
    throw new DefinitionError(name, place, `like('${argument.like}'): name ${source.like} instead`)
  if (source.kind !== argument.kind) {
    throw new DefinitionError(
      name,
      place,
      `like('${argument.like}'): that input is a ${source.kind}, this a ${argument.kind}`,
    )
  }
  return source
}
