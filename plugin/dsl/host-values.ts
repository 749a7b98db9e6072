import { dtypes } from '../model/index.ts'
import { doubtfulDivisors } from './divisors.ts'
import { evaluate, type Values } from './evaluate.ts'
import { originOf, sizedBy } from './fitted.ts'
import type { Buffer, Expression, Program } from './ir.ts'
import { startsOf } from './lists.ts'
import { bytesIn, ubBytesOf, type Memory } from './memory.ts'
import { bytesWith, excludes, knownTests, mayBeThere } from './ways.ts'

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
  /** the share of the unified buffer that it has; left out: all of it */
  readonly unifiedBuffer?: number
}

export interface Tiling {
  readonly blockDim: number
  /** the tiling struct */
  readonly fields: ReadonlyMap<string, number>
}

/** Why a host part refuses a problem. */
export type Refusal = 'a tensor is empty' | 'a divisor is 0' | 'no core would run' | 'the buffers do not fit'

export interface Decision extends Tiling {
  /** null: the problem is taken */
  readonly refusal: Refusal | null
}

/** What the host part of a program decides, as its project does; null where that refuses the arguments. */
export function tilingOf(program: Program, memory: Memory, given: HostArguments): Tiling | null {
  const decision = decisionOf(program, memory, given)
  return decision.refusal === null ? decision : null
}

/** The same, and why: the values of a refused problem are those that it would need, at least 1 for each `fit` that found none. */
export function decisionOf(program: Program, memory: Memory, given: HostArguments): Decision {
  const { column } = given
  const available = ubBytesOf(given.unifiedBuffer ?? 1)
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
  const unfitting: string[] = []
  let isDividedByZero = false
  const define = (name: string, value: Expression): void => {
    const isZero = (each: Expression): boolean => evaluate(each, values) === 0
    if (doubtfulDivisors(value, program).some(({ divisor, under }) => !under.some(isZero) && isZero(divisor)))
      isDividedByZero = true
    if (value.op !== 'fit') {
      names.set(name, evaluate(value, values))
      return
    }
    const found = fitOf(name, evaluate(value.limit, values), { program, memory, column, names, available })
    names.set(name, found)
    if (found === 0) unfitting.push(name)
  }
  for (const { name, value } of program.host) define(name, value)
  for (const { name, value } of program.fields) {
    if (!(value.op === 'name' && value.name === name)) define(name, value)
    const result = names.get(name)!
    fields.set(name, value.type === 'float' ? Math.fround(result) : result)
  }
  define('blockDim', program.blockDim)
  const blockDim = names.get('blockDim')!
  const tests = knownTests(program)
  const isMissed = (name: string): boolean => sizedBy(name, program).some((each) => mayBeThere(each, tests, fields))
  const decided = (refusal: Refusal | null): Decision => ({ refusal, blockDim, fields })
  if (isEmpty(program, given.shapes)) return decided('a tensor is empty')
  if (isDividedByZero) return decided('a divisor is 0')
  const missed = unfitting.filter(isMissed)
  if (missed.length > 0) {
    for (const { name } of program.fields) if (missed.includes(originOf(program, name))) fields.set(name, 1)
    return decided('the buffers do not fit')
  }
  if (!(blockDim > 0)) return decided('no core would run')
  return decided(bytesWith(program, memory, column, fields) > available ? 'the buffers do not fit' : null)
}

/** Empty tensors are the caller's business: there is nothing to do. */
const isEmpty = ({ inputs }: Program, shapes: HostArguments['shapes']): boolean =>
  inputs.some(({ name }) => shapes.get(name)?.includes(0))

interface Fitting {
  program: Program
  memory: Memory
  column: number
  names: ReadonlyMap<string, number>
  available: number
}

function fitOf(name: string, limit: number, { program, memory, column, names, available }: Fitting): number {
  const sized = sizedBy(name, program)
  const isWith = (size: Pick<Buffer, 'ways'>): boolean => sized.some((each) => !excludes(each, size))
  const bytesOfTile = (value: number): number => {
    const fields = new Map(program.fields.map((field) => [field.name, names.get(originOf(program, field.name)) ?? 0]))
    for (const field of program.fields) if (originOf(program, field.name) === name) fields.set(field.name, value)
    return memory.areas
      .map(({ sizes }) => sizes.filter(isWith).map((size) => bytesIn(size, column, fields)))
      .reduce((sum, bytes) => sum + Math.max(0, ...bytes), 0)
  }
  let found = 0
  for (let above = limit + 1; found + 1 < above;) {
    const middle = found + Math.trunc((above - found) / 2)
    if (bytesOfTile(middle) <= available) found = middle
    else above = middle
  }
  return found
}
