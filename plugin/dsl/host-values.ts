import { dtypes } from '../model/index.ts'
import { evaluate, type Values } from './evaluate.ts'
import type { Buffer, Expression, Program } from './ir.ts'
import { startsOf } from './lists.ts'
import { bytesIn, ubBytes, type Memory } from './memory.ts'
import { partsOf } from './walk.ts'

/** One problem that an operator is given: what its host part decides by. */
export interface HostArguments {
  /** of each input; null: it is absent */
  readonly shapes: ReadonlyMap<string, readonly number[] | null>
  /** of each list of tensors */
  readonly lists?: ReadonlyMap<string, readonly (readonly number[])[]>
  readonly attributes: ReadonlyMap<string, number | string | readonly number[]>
  /** the dtype column */
  readonly column: number
  /** vector cores of the device */
  readonly cores: number
}

export interface Tiling {
  readonly blockDim: number
  /** the tiling struct */
  readonly fields: ReadonlyMap<string, number>
}

/** What the host part of a program decides, as its project does; null where that refuses the arguments. */
export function tilingOf(program: Program, memory: Memory, given: HostArguments): Tiling | null {
  const { column } = given
  const names = new Map<string, number>([['cores', given.cores]])
  for (const { name, type, initial } of program.attributes) {
    const value = given.attributes.get(name) ?? initial
    if (typeof value === 'number' || typeof value === 'boolean')
      names.set(name, type === 'float' ? Math.fround(Number(value)) : Number(value))
  }
  const fields = new Map<string, number>()
  const values: Values = {
    names,
    isHost: true,
    shapeOf: (tensor) => given.shapes.get(tensor) ?? null,
    startsOf: (list) => startsOf(given.lists?.get(list) ?? []),
    bytesOf: (tensor) => dtypes[program.inputs.find(({ name }) => name === tensor)!.dtypes[column]!].bytes,
    wordOf: (attribute) =>
      String(given.attributes.get(attribute) ?? program.attributes.find(({ name }) => name === attribute)!.initial),
    listOf: (attribute) => {
      const list = given.attributes.get(attribute) ?? program.attributes.find(({ name }) => name === attribute)!.initial
      return Array.isArray(list) ? (list as readonly number[]) : []
    },
  }
  let isRefused = false
  const define = (name: string, value: Expression): void => {
    if (value.op !== 'fit') {
      names.set(name, evaluate(value, values))
      return
    }
    const { found, isNeeded } = fitOf(name, evaluate(value.limit, values), { program, memory, column, names })
    names.set(name, found)
    if (found === 0 && isNeeded) isRefused = true
  }
  for (const { name, value } of program.host) define(name, value)
  for (const { name, value } of program.fields) {
    if (!(value.op === 'name' && value.name === name)) define(name, value)
    const result = names.get(name)!
    fields.set(name, value.type === 'float' ? Math.fround(result) : result)
  }
  const blockDim = evaluate(program.blockDim, values)
  return isRefused || blockDim <= 0 ? null : { blockDim, fields }
}

interface Fitting {
  program: Program
  memory: Memory
  column: number
  names: ReadonlyMap<string, number>
}

const originOf = ({ fields }: Program, field: string): string => {
  const value = fields.find(({ name }) => name === field)?.value
  return value?.op === 'name' ? value.name : field
}

const sizeNames = ({ rows, columns }: Pick<Buffer, 'rows' | 'columns'>): string[] =>
  [rows, columns]
    .flatMap((each) => (each ? partsOf(each) : []))
    .flatMap((part) => (part.op === 'name' ? [part.name] : []))

function fitOf(
  name: string,
  limit: number,
  { program, memory, column, names }: Fitting,
): { found: number; isNeeded: boolean } {
  const sized = program.buffers.filter((buffer) => sizeNames(buffer).some((each) => originOf(program, each) === name))
  const isWith = (ways: Buffer['ways']): boolean =>
    sized.some(
      (each) => !each.ways.some((way) => ways.some((other) => other.test === way.test && other.taken !== way.taken)),
    )
  const bytesWith = (value: number): number => {
    const fields = new Map(program.fields.map((field) => [field.name, names.get(originOf(program, field.name)) ?? 0]))
    for (const field of program.fields) if (originOf(program, field.name) === name) fields.set(field.name, value)
    return memory.areas
      .map(({ sizes }) => sizes.filter(({ ways }) => isWith(ways)).map((size) => bytesIn(size, column, fields)))
      .reduce((sum, bytes) => sum + Math.max(0, ...bytes), 0)
  }
  let found = 0
  for (let above = limit + 1; found + 1 < above;) {
    const middle = found + Math.trunc((above - found) / 2)
    if (bytesWith(middle) <= ubBytes) found = middle
    else above = middle
  }
  return { found, isNeeded: sized.every(({ ways }) => ways.length === 0) }
}
