import { roundTo } from '../compare/index.ts'
import { dtypes, type DType } from '../model/index.ts'
import { argumentOf, holdsIn } from './columns.ts'
import type { Compiled } from './compile.ts'
import { evaluate, type Values } from './evaluate.ts'
import { tilingOf, type HostArguments } from './host-values.ts'
import { reduceCores, wideRules } from './interpret-wide.ts'
import type { Buffer, Call, Expression, Extent, Product, Program, Statement, Transfer } from './ir.ts'
import { startsOf } from './lists.ts'
import { dtypeIn, numbersIn, repeatBytes } from './memory.ts'
import { comparisons, roundModeOf } from './primitives.ts'

// What a program means, told without a kernel: every primitive is its rule, element by element, rounded once. Tests hold
// compiled kernels to it.

/** Contents of tensors: inputs, and outputs that the program writes; of lists `x[0]`, `x[1]`, … */
export type Contents = Map<string, Float64Array>

/** A call at which a core waits for the others: it goes on when its destination holds what all of them have left. */
interface Meeting {
  readonly call: Call
  readonly state: State
}

type Course = Generator<Meeting, void>

/** Runs a program on the contents of its tensors, core after core. false: its host part refuses the arguments. */
export function interpret({ program, memory }: Compiled, given: HostArguments, contents: Contents): boolean {
  const tiling = tilingOf(program, memory, given)
  if (!tiling) return false
  const courses = Array.from({ length: tiling.blockDim }, (_, core) => {
    const names = new Map(tiling.fields)
    if (program.core !== null) names.set(program.core, core)
    const lists = given.lists ?? new Map<string, never[]>()
    return runBlock(program.kernel, { program, column: given.column, contents, lists, names, buffers: new Map() })
  })
  for (;;) {
    const meetings = courses.flatMap((course) => course.next().value ?? [])
    if (meetings.length === 0) return true
    meet(meetings)
  }
}

function meet(meetings: readonly Meeting[]): void {
  const parts = meetings.map(({ call, state }) => [
    ...memoryOf(call.buffers[1]!, state).subarray(0, valueOf(call.extent.columns, state)),
  ])
  for (const { call, state } of meetings) {
    const round = (value: number): number => rounded(call.buffers[0]!, value, state)
    memoryOf(call.buffers[0]!, state).set(reduceCores(call.primitive.name, parts, round))
  }
}

interface State {
  readonly program: Program
  readonly column: number
  readonly contents: Contents
  readonly lists: NonNullable<HostArguments['lists']>
  readonly names: Map<string, number>
  readonly buffers: Map<Buffer, Float64Array>
}

const valuesOf = (state: State): Values => ({
  names: state.names,
  startsOf: (list) => startsOf(state.lists.get(list) ?? []),
  element: ({ buffer }, index) => memoryOf(buffer, state)[index]!,
  inGlobal: (tensor, index) => state.contents.get(tensor)![index]!,
})

const valueOf = (expression: Expression, state: State): number => evaluate(expression, valuesOf(state))

/** Elements of a buffer, rows behind each other without padding. */
function memoryOf(buffer: Buffer, state: State): Float64Array {
  const known = state.buffers.get(buffer)
  if (known) return known
  const fresh = new Float64Array((buffer.rows ? valueOf(buffer.rows, state) : 1) * valueOf(buffer.columns, state))
  state.buffers.set(buffer, fresh)
  return fresh
}

function* runBlock(statements: readonly Statement[], state: State): Course {
  for (const statement of statements) yield* run(statement, state)
}

function* run(statement: Statement, state: State): Course {
  const { names, program, column } = state
  switch (statement.op) {
    case 'const':
    case 'let':
    case 'assign':
      names.set(statement.name, valueOf(statement.value, state))
      return
    case 'for':
      for (
        let i = valueOf(statement.from, state);
        i < valueOf(statement.to, state);
        i += valueOf(statement.step, state)
      ) {
        names.set(statement.name, i)
        yield* runBlock(statement.body, state)
      }
      return
    case 'if':
      return yield* runBlock(valueOf(statement.test, state) !== 0 ? statement.yes : statement.no, state)
    case 'static-if':
      return yield* runBlock(holdsIn(program, statement.test, column) ? statement.yes : statement.no, state)
    case 'stage':
      return yield* runBlock(statement.body, state)
    case 'declare':
      return
    case 'matmul':
      return multiply(statement, state)
    case 'set':
      memoryOf(statement.buffer, state)[valueOf(statement.index, state)] = rounded(
        statement.buffer,
        valueOf(statement.value, state),
        state,
      )
      return
    case 'load':
    case 'store':
      return transfer(statement, state)
    case 'call':
      if (statement.primitive.lowering === 'cores') yield { call: statement, state }
      else runCall(statement, state)
  }
}

/** Sums of products, rounded once: which of them float32 adds first is not said, so that only exact sums can be told apart. */
function multiply({ target, left, right, bias, extents }: Product, state: State): void {
  const [a, b, c] = [left, right, target].map((each) => state.contents.get(each)!)
  const added = bias === null ? null : state.contents.get(bias)!
  const [m, k, n] = extents.map((each) => valueOf(each, state))
  const dtype = argumentOf(state.program, target).dtypes[state.column]!
  for (let row = 0; row < m!; row++)
    for (let column = 0; column < n!; column++) {
      let sum = added ? added[column]! : 0
      for (let i = 0; i < k!; i++) sum += a![row * k! + i]! * b![i * n! + column]!
      c![row * n! + column] = narrowed(dtype, sum)
    }
}

const rounded = (buffer: Buffer, value: number, { program, column }: State): number => {
  const dtype = dtypeIn(program, buffer, column)
  return dtype === 'mask' ? value : narrowed(dtype, value)
}

/** A value in a type: fractions are rounded, whole numbers wrap. */
function narrowed(dtype: DType, value: number): number {
  if (dtypes[dtype].kind === 'float') return roundTo(dtype, value)
  const bits = dtypes[dtype].bytes * 8
  if (bits === 64 && Math.abs(value) >= largestWhole) return value
  const wrapped =
    dtype.startsWith('u') || dtype === 'bool' ? BigInt.asUintN(bits, BigInt(value)) : BigInt.asIntN(bits, BigInt(value))
  return Number(wrapped)
}

interface Size {
  rows: number
  columns: number
}

const sizeOf = ({ rows, columns }: Extent, state: State): Size => ({
  rows: rows ? valueOf(rows, state) : 1,
  columns: valueOf(columns, state),
})

/** Elements from one row of a buffer to the next. */
const widthOf = (buffer: Buffer, state: State): number => valueOf(buffer.columns, state)

/**
 * The largest whole number of 64 bits, 2 ** 63 - 1, is no float64. In contents of tensors it is the one behind it; buffers hold the one
 * before it, so that it is rounded as what it stands for.
 */
const [largestInTensor, largestWhole] = [2 ** 63, 2 ** 63 - 1024]

function transfer({ op, buffer, tensor, item, offset, extent, pitch }: Transfer, state: State): void {
  const { rows, columns } = sizeOf(extent, state)
  const step = pitch ? valueOf(pitch, state) : columns
  const name = item ? `${tensor}[${valueOf(item, state)}]` : tensor
  const isLong = dtypeIn(state.program, buffer, state.column) === 'int64'
  const [local, global, from] = [memoryOf(buffer, state), state.contents.get(name)!, valueOf(offset, state)]
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const [here, there] = [row * widthOf(buffer, state) + column, from + row * step + column]
      if (op === 'load') local[here] = isLong && global[there] === largestInTensor ? largestWhole : global[there]!
      else global[there] = isLong && local[here] === largestWhole ? largestInTensor : local[here]!
    }
}

function runCall(call: Call, state: State): void {
  const size = sizeOf(call.extent, state)
  if (call.primitive.lowering === 'reduce') return reduceRows(call, size, state)
  if (Object.hasOwn(wideRules, call.primitive.lowering)) return runWide(call, size, state)
  const [target] = call.buffers
  const memories = call.buffers.map((buffer) => memoryOf(buffer, state))
  const scalars = call.scalars.map((each) =>
    each.kind === 'value' ? scalarIn(call, valueOf(each.value, state), state) : each.word,
  )
  const rule = ruleOf(call, scalars, state)
  const results: [at: number, value: number][] = []
  for (let row = 0; row < size.rows; row++)
    for (let column = 0; column < size.columns; column++) {
      const at = row * (call.extent.rows ? widthOf(target!, state) : 0) + column
      const operands = memories.map((memory, i): number => {
        const { kind } = call.primitive.operands[i]!
        return kind === 'per-row' ? memory[row]! : kind === 'per-column' ? memory[column]! : memory[at]!
      })
      results.push([at, rounded(target!, rule(operands, at), state)])
    }
  for (const [at, value] of results) memories[0]![at] = value
}

function runWide({ primitive, buffers, scalars }: Call, size: Size, state: State): void {
  const [target, source] = [buffers[0]!, buffers[1]!]
  wideRules[primitive.lowering]!({
    name: primitive.name,
    target: memoryOf(target, state),
    source: memoryOf(source, state),
    pitch: [widthOf(target, state), widthOf(source, state)],
    ...size,
    numbers: scalars.flatMap((each) => (each.kind === 'value' ? [valueOf(each.value, state)] : [])),
    word: scalars.find((each) => each.kind === 'word')?.word ?? '',
    round: (value) => rounded(target, value, state),
  })
}

/** A scalar in the type that the instruction takes it in. */
function scalarIn(call: Call, value: number, { program, column }: State): number {
  const types = call.buffers.map((buffer) => dtypeIn(program, buffer, column)).filter((each) => each !== 'mask')
  const type = types[0]!
  return dtypes[type].kind === 'float' ? roundTo(type, value) : Math.trunc(value)
}

type Rule = (operands: readonly number[], at: number) => number

/** What an element of the result is, of the elements of all operands. */
function ruleOf(call: Call, scalars: readonly (number | string)[], state: State): Rule {
  const { primitive, buffers } = call
  const numbers = scalars.filter((each) => typeof each === 'number')
  const word = scalars.find((each) => typeof each === 'string') ?? ''
  switch (primitive.lowering) {
    case 'duplicate':
      return () => numbers[0]!
    case 'index':
      return (_, at) => numbers[0]! + (call.extent.rows ? at % widthOf(buffers[0]!, state) : at)
    case 'cast':
      return castRule(call, word, state)
    case 'compare':
      return ([, a, b = numbers[0]]) => (comparisons[word]!.holds(a!, b!) ? 1 : 0)
    case 'select':
      return ([, bit, a, b = numbers[0]]) => (bit !== 0 ? a! : b!)
    case 'mask-logic':
      return ([, a, b = 0]) => (primitive.name === 'maskNot' ? 1 - a! : primitive.name === 'maskAnd' ? a! & b : a! | b)
    case 'to-bytes':
      return ([, bit]) => bit!
    case 'from-bytes':
      return ([, byte]) => (byte !== 0 ? 1 : 0)
    case 'gather':
      return ([, , index]) => memoryOf(buffers[1]!, state)[index!]!
    default:
      if (primitive.name === 'axpy') return ([dst, src]) => dst! + src! * numbers[0]!
      if (primitive.name === 'mulAddDst') return ([dst, a, b]) => dst! + a! * b!
      return elementRule(call, numbers, state)
  }
}

function elementRule({ primitive, buffers }: Call, numbers: readonly number[], { program, column }: State): Rule {
  const { element } = primitive
  if (!element) throw new Error(`nothing says what ${primitive.name} computes`)
  const isWhole = dtypeIn(program, buffers[0]!, column) === 'int32'
  if (isWhole && /^muls?/.test(primitive.name)) return ([, a, b = numbers[0]]) => Math.imul(a!, b!)
  return ([, ...operands]) => element(...operands, ...numbers)
}

const toEven = (value: number): number => {
  const below = Math.floor(value)
  const rest = value - below
  return rest < 0.5 || (rest === 0.5 && below % 2 === 0) ? below : below + 1
}

/** The whole number that a round mode makes of a fraction. */
const roundings: Readonly<Record<string, (value: number) => number>> = {
  CAST_NONE: toEven,
  CAST_RINT: toEven,
  CAST_FLOOR: Math.floor,
  CAST_CEIL: Math.ceil,
  CAST_TRUNC: Math.trunc,
  CAST_ROUND: (value) => Math.sign(value) * Math.floor(Math.abs(value) + 0.5),
}

/** Bits of fractions, the exponent of the smallest normal number, and the largest number. */
const formats: Partial<Record<DType, { fraction: number; least: number; most: number }>> = {
  float16: { fraction: 10, least: -14, most: 65504 },
  bfloat16: { fraction: 7, least: -126, most: (2 - 2 ** -7) * 2 ** 127 },
  float32: { fraction: 23, least: -126, most: (2 - 2 ** -23) * 2 ** 127 },
}

/** The exponent of a number above 0: the logarithm of one just below a power of two is rounded up to it. */
function exponentOf(value: number): number {
  const found = Math.floor(Math.log2(value))
  return 2 ** found > value ? found - 1 : found
}

/** A number in a type of fractions, rounded as a mode says. */
function roundedBy(mode: string, to: DType, value: number): number {
  const format = formats[to]
  if (mode === 'CAST_NONE' || mode === 'CAST_RINT' || !format || !Number.isFinite(value) || value === 0)
    return roundTo(to, value)
  const exponent = Math.max(exponentOf(Math.abs(value)), format.least)
  const unit = 2 ** (exponent - format.fraction)
  const result = roundings[mode]!(value / unit) * unit
  if (Math.abs(result) <= format.most) return result
  const isTowardsZero = mode === 'CAST_TRUNC' || mode === (result > 0 ? 'CAST_FLOOR' : 'CAST_CEIL')
  return Math.sign(result) * (isTowardsZero ? format.most : Infinity)
}

/** To whole numbers casts saturate. */
function castRule({ buffers }: Call, word: string, { program, column }: State): Rule {
  const [to, from] = buffers.map((buffer) => numbersIn(program, buffer, column))
  const mode = roundModeOf(from!, to!, word)
  if (mode === null) return ([, value]) => value!
  if (dtypes[to!].kind === 'float') return ([, value]) => roundedBy(mode, to!, value!)
  const bits = dtypes[to!].bytes * 8
  const least = to!.startsWith('u') ? 0 : -(2 ** (bits - 1))
  const most = bits === 64 ? largestWhole : least + 2 ** bits - 1
  return ([, value]) => (Number.isNaN(value) ? 0 : Math.min(most, Math.max(least, roundings[mode]!(value!))) + 0)
}

/** Each row for itself; where all elements are one, what the rows have come to is a row in turn. */
function reduceRows({ primitive, buffers, extent }: Call, { rows, columns }: Size, state: State): void {
  const [target, source] = [memoryOf(buffers[0]!, state), memoryOf(buffers[1]!, state)]
  const dtype = numbersIn(state.program, buffers[1]!, state.column)
  const width = extent.rows ? widthOf(buffers[1]!, state) : columns
  const fold = (a: number, b: number): number => roundTo(dtype, primitive.element!(a, b))
  const lanes = repeatBytes / dtypes[dtype].bytes
  const last = primitive.name.endsWith('Sum') ? treeOf : firstOf
  const results = Array.from({ length: rows }, (_, row) =>
    last(inLanes(source.subarray(row * width, row * width + columns), lanes, fold), fold),
  )
  if (primitive.operands[0]!.kind === 'single') target[0] = last(inLanes(Float64Array.from(results), lanes, fold), fold)
  else results.forEach((each, row) => (target[row] = each))
}

type Fold = (a: number, b: number) => number

/** Every lane takes one repeat after the other. */
function inLanes(row: Float64Array, lanes: number, fold: Fold): number[] {
  const values = Array.from(row.subarray(0, lanes))
  for (let at = lanes; at < row.length; at++) values[at % lanes] = fold(values[at % lanes]!, row[at]!)
  return values
}

/** Of lanes the first one with the largest or the smallest value: which of +0 and -0 it is makes no difference. */
function firstOf(values: readonly number[], fold: Fold): number {
  const extreme = values.reduce((a, b) => fold(a, b))
  return values.find((each) => each === extreme || Number.isNaN(each))!
}

/** Neighbours as a tree. */
function treeOf(values: readonly number[], fold: Fold): number {
  if (values.length === 1) return values[0]!
  const next: number[] = []
  for (let i = 0; i < values.length; i += 2)
    next.push(i + 1 < values.length ? fold(values[i]!, values[i + 1]!) : values[i]!)
  return treeOf(next, fold)
}
