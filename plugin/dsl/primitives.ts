import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { dtypeNames, dtypes, type DType } from '../model/index.ts'
import { readHeader } from '../toolchain/declarations.ts'
import { typeListsOf } from '../toolchain/element-types.ts'
import { widePrimitives } from './wide-primitives.ts'

// The vector primitives, one row each: validator, lowerings, declarations, the reference and the interpreter read this table.

/** What an operand of a primitive is. */
export type OperandKind =
  /** as many elements as the primitive works on */
  | 'data'
  /** a bit for each of them */
  | 'mask'
  /** a value for each row, a value for each column */
  | 'per-row'
  | 'per-column'
  /** one element */
  | 'single'
  /** read at places that another operand names */
  | 'source'
  /** rows of a width of their own */
  | 'rows'

export interface Operand {
  readonly name: string
  readonly kind: OperandKind
  readonly access: 'read' | 'write' | 'update'
}

export interface ScalarOperand {
  readonly name: string
  readonly kind: 'element' | 'int' | 'word'
  readonly words?: readonly string[]
  /** what it is where it is left out; undefined: it has to be given */
  readonly initial?: string
}

/** How a primitive becomes Ascend C. */
export type Lowering =
  /** `Add(dst, a, b, count)` */
  | 'count'
  | 'duplicate'
  | 'cast'
  | 'compare'
  | 'select'
  | 'mask-logic'
  | 'to-bytes'
  | 'from-bytes'
  | 'per-row'
  | 'per-column'
  | 'reduce'
  | 'library'
  | 'reciprocal'
  | 'gather'
  | 'index'
  | 'columns'
  | 'running'
  | 'pick'
  | 'window'
  | 'window-rows'
  | 'cores'

export interface Primitive {
  readonly name: string
  /** the function of Ascend C it is named after */
  readonly ascendc: string
  readonly operands: readonly Operand[]
  readonly scalars: readonly ScalarOperand[]
  readonly lowering: Lowering
  /** the list of element types that the headers of Ascend C assert; null: `typeProblem` knows a rule of its own */
  readonly types: string | null
  /** the element types of a primitive that is made of several instructions */
  readonly dtypes?: readonly DType[]
  readonly meaning: string
  /** the rule for one element, in float64 or whole numbers: the result is rounded once to the type of the destination */
  readonly element?: (...values: number[]) => number
  /** may `dst` be one of the sources? */
  readonly inPlace: boolean
}

const read = (name: string, kind: OperandKind = 'data'): Operand => ({ name, kind, access: 'read' })
const write = (name: string, kind: OperandKind = 'data'): Operand => ({ name, kind, access: 'write' })
const update = (name: string): Operand => ({ name, kind: 'data', access: 'update' })
const scalar: ScalarOperand = { name: 'scalar', kind: 'element' }

/** `Add` as `add`; a row of the table by what its kind has in common. */
const lower = (ascendc: string): string => ascendc[0]!.toLowerCase() + ascendc.slice(1)

type Rule = (...values: number[]) => number

const row = (
  ascendc: string,
  rest: Omit<Primitive, 'name' | 'ascendc' | 'inPlace'> & Partial<Primitive>,
): Primitive => ({
  name: lower(ascendc),
  ascendc,
  inPlace: true,
  ...rest,
})

const binary = (ascendc: string, meaning: string, element: Rule): Primitive =>
  row(ascendc, {
    operands: [write('dst'), read('a'), read('b')],
    scalars: [],
    lowering: 'count',
    types: `${ascendc}::types`,
    meaning,
    element,
  })

const unary = (ascendc: string, meaning: string, element: Rule): Primitive =>
  row(ascendc, {
    operands: [write('dst'), read('src')],
    scalars: [],
    lowering: 'count',
    types: `${ascendc}::types`,
    meaning,
    element,
  })

const withScalar = (ascendc: string, meaning: string, element: Rule): Primitive =>
  row(ascendc, {
    operands: [write('dst'), read('src')],
    scalars: [scalar],
    lowering: 'count',
    types: `${ascendc}::types`,
    meaning,
    element,
  })

const library = (ascendc: string, meaning: string, element: Rule): Primitive =>
  row(ascendc, {
    operands: [write('dst'), read('src')],
    scalars: [],
    lowering: 'library',
    types: 'Floating',
    meaning,
    element,
    inPlace: false,
  })

/** The same operation with a value for each row, or for each column, as its second source. */
const spread = (ascendc: string, kind: 'per-row' | 'per-column', element: Rule): Primitive => ({
  name: `${lower(ascendc)}${kind === 'per-row' ? 'Rows' : 'Columns'}`,
  ascendc,
  operands: [write('dst'), read('src'), read('values', kind)],
  scalars: [],
  lowering: kind,
  types: `${ascendc}::types`,
  meaning: `${lower(ascendc)} with values[${kind === 'per-row' ? 'row' : 'column'}] in each place`,
  element,
  inPlace: true,
})

const reduce = (name: string, ascendc: string, kind: 'per-row' | 'single', element: Rule): Primitive => ({
  name,
  ascendc,
  operands: [write('dst', kind), read('src')],
  scalars: [],
  lowering: 'reduce',
  types: 'Floating',
  meaning: `${kind === 'single' ? 'dst[0]' : 'dst[row]'}: the ${name.replace(/^(?:row|reduce)/, '').toLowerCase()} of ${kind === 'single' ? 'all elements' : 'each row'}`,
  element,
  inPlace: false,
})

/** NaN wins, and +0 is greater than -0. */
export const greater: Rule = (a, b) => Math.max(a, b)
export const less: Rule = (a, b) => Math.min(a, b)
const sum: Rule = (a, b) => a + b
const difference: Rule = (a, b) => a - b
const product: Rule = (a, b) => a * b
const quotient: Rule = (a, b) => a / b
const relu: Rule = (a) => (a <= 0 ? 0 : a)

/** How comparisons are called, and what they are in Ascend C. */
export const comparisons: Readonly<Record<string, { cpp: string; holds: (a: number, b: number) => boolean }>> = {
  lt: { cpp: 'LT', holds: (a, b) => a < b },
  gt: { cpp: 'GT', holds: (a, b) => a > b },
  le: { cpp: 'LE', holds: (a, b) => a <= b },
  ge: { cpp: 'GE', holds: (a, b) => a >= b },
  eq: { cpp: 'EQ', holds: (a, b) => a === b },
  // with NaN nothing stands in any relation
  ne: { cpp: 'NE', holds: (a, b) => a !== b && !Number.isNaN(a) && !Number.isNaN(b) },
}

export const roundModes: Readonly<Record<string, string>> = {
  none: 'CAST_NONE',
  rint: 'CAST_RINT',
  floor: 'CAST_FLOOR',
  ceil: 'CAST_CEIL',
  round: 'CAST_ROUND',
  trunc: 'CAST_TRUNC',
}

const comparison: ScalarOperand = { name: 'is', kind: 'word', words: Object.keys(comparisons) }

const rows: readonly Primitive[] = [
  binary('Add', 'a + b', sum),
  binary('Sub', 'a - b', difference),
  binary('Mul', 'a * b', product),
  binary('Div', 'a / b', quotient),
  binary('Max', 'the larger; NaN wins', greater),
  binary('Min', 'the smaller; NaN wins', less),
  binary('And', 'bits of both', (a, b) => a & b),
  binary('Or', 'bits of either', (a, b) => a | b),
  unary('Abs', '|src|', (a) => Math.abs(a)),
  unary('Exp', 'e ^ src', (a) => Math.exp(a)),
  unary('Ln', 'the natural logarithm', (a) => Math.log(a)),
  unary('Sqrt', 'the square root', (a) => Math.sqrt(a)),
  unary('Relu', 'max(src, 0)', relu),
  unary('Not', 'the bits turned', (a) => ~a),
  withScalar('Adds', 'src + scalar', sum),
  withScalar('Muls', 'src * scalar', product),
  withScalar('Maxs', 'the larger of src and scalar', greater),
  withScalar('Mins', 'the smaller of src and scalar', less),
  withScalar('LeakyRelu', 'src, times scalar where it is negative', (a, s) => (a >= 0 ? a : a * s)),
  row('Axpy', {
    operands: [update('dst'), read('src')],
    scalars: [scalar],
    lowering: 'count',
    types: 'Axpy::types',
    meaning: 'dst + src * scalar, rounded once',
  }),
  row('MulAddDst', {
    operands: [update('dst'), read('a'), read('b')],
    scalars: [],
    lowering: 'count',
    types: 'MulAddDst::types',
    meaning: 'dst + a * b, rounded once',
  }),
  row('Duplicate', {
    operands: [write('dst')],
    scalars: [scalar],
    lowering: 'duplicate',
    types: 'Fill',
    meaning: 'scalar everywhere',
  }),
  row('CreateVecIndex', {
    name: 'arange',
    operands: [write('dst')],
    scalars: [{ name: 'first', kind: 'element' }],
    lowering: 'index',
    types: 'Arithmetic',
    meaning: 'first, first + 1, first + 2, …',
  }),
  row('Cast', {
    operands: [write('dst'), read('src')],
    scalars: [{ name: 'round', kind: 'word', words: Object.keys(roundModes), initial: '' }],
    lowering: 'cast',
    types: null,
    inPlace: false,
    meaning:
      'src in the type of dst; a copy where the types are the same. Fractions are rounded to even, on the way to whole numbers cut off, unless `round` says else',
  }),
  row('Compare', {
    operands: [write('dst', 'mask'), read('a'), read('b')],
    scalars: [comparison],
    lowering: 'compare',
    types: 'Comparable',
    inPlace: false,
    meaning: 'a bit for each element: does a stand in this relation to b?',
  }),
  row('CompareScalar', {
    name: 'compares',
    operands: [write('dst', 'mask'), read('src')],
    scalars: [scalar, comparison],
    lowering: 'compare',
    types: 'Comparable',
    inPlace: false,
    meaning: 'the same with a scalar',
  }),
  row('Select', {
    operands: [write('dst'), read('mask', 'mask'), read('a'), read('b')],
    scalars: [],
    lowering: 'select',
    types: 'Floating',
    meaning: 'a where the bit is set, else b',
  }),
  row('Select', {
    name: 'selects',
    operands: [write('dst'), read('mask', 'mask'), read('a')],
    scalars: [scalar],
    lowering: 'select',
    types: 'Floating',
    meaning: 'src where the bit is set, else scalar',
  }),
  ...(['And', 'Or', 'Not'] as const).map((ascendc) =>
    row(ascendc, {
      name: `mask${ascendc}`,
      operands: [write('dst', 'mask'), read('a', 'mask'), ...(ascendc === 'Not' ? [] : [read('b', 'mask')])],
      scalars: [],
      lowering: 'mask-logic',
      types: null,
      meaning: `${lower(ascendc)} of masks`,
    }),
  ),
  row('Select', {
    name: 'fromMask',
    operands: [write('dst'), read('mask', 'mask')],
    scalars: [],
    lowering: 'to-bytes',
    types: null,
    inPlace: false,
    meaning: '1 where the bit is set, else 0, as int8, uint8 or bool',
  }),
  row('CompareScalar', {
    name: 'toMask',
    operands: [write('dst', 'mask'), read('src')],
    scalars: [],
    lowering: 'from-bytes',
    types: null,
    inPlace: false,
    meaning: 'a bit where int8, uint8 or bool is not 0',
  }),
  spread('Add', 'per-row', sum),
  spread('Sub', 'per-row', difference),
  spread('Mul', 'per-row', product),
  spread('Div', 'per-row', quotient),
  spread('Add', 'per-column', sum),
  spread('Sub', 'per-column', difference),
  spread('Mul', 'per-column', product),
  spread('Div', 'per-column', quotient),
  reduce('rowSum', 'WholeReduceSum', 'per-row', sum),
  reduce('rowMax', 'WholeReduceMax', 'per-row', greater),
  reduce('rowMin', 'WholeReduceMin', 'per-row', less),
  reduce('reduceSum', 'WholeReduceSum', 'single', sum),
  reduce('reduceMax', 'WholeReduceMax', 'single', greater),
  reduce('reduceMin', 'WholeReduceMin', 'single', less),
  row('Div', {
    name: 'reciprocal',
    operands: [write('dst'), read('src')],
    scalars: [],
    lowering: 'reciprocal',
    types: 'Div::types',
    inPlace: false,
    meaning: '1 / src, correctly rounded (the instruction Reciprocal is a look-up, good to 0.3 %)',
    element: (a) => 1 / a,
  }),
  row('Gather', {
    operands: [write('dst'), read('src', 'source'), read('index')],
    scalars: [],
    lowering: 'gather',
    types: 'Fill',
    inPlace: false,
    meaning: 'src[index], index in elements as int32',
  }),
  library('Tanh', 'the hyperbolic tangent', (a) => Math.tanh(a)),
  library('Sinh', 'the hyperbolic sine', (a) => Math.sinh(a)),
  library('Cosh', 'the hyperbolic cosine', (a) => Math.cosh(a)),
  library('Sin', 'the sine, within [-65504, 65504]', (a) => (Math.abs(a) <= 65504 ? Math.sin(a) : NaN)),
  library('Cos', 'the cosine, within [-65504, 65504]', (a) => (Math.abs(a) <= 65504 ? Math.cos(a) : NaN)),
  library('Tan', 'the tangent, within [-65504, 65504]', (a) => (Math.abs(a) <= 65504 ? Math.tan(a) : NaN)),
  library('Asin', 'the arc sine', (a) => Math.asin(a)),
  library('Acos', 'the arc cosine', (a) => Math.acos(a)),
  library('Atan', 'the arc tangent', (a) => Math.atan(a)),
  library('Erf', 'the error function', () => NaN),
  library('Erfc', '1 minus the error function', () => NaN),
  library('Floor', 'the whole number below', (a) => Math.floor(a)),
  library('Ceil', 'the whole number above', (a) => Math.ceil(a)),
  library('Trunc', 'without the fraction', (a) => Math.trunc(a)),
  library('Round', 'the nearest whole number, halves to even', (a) => roundToEven(a)),
  library('Sign', '-1, 0 or 1', (a) => (a > 0 ? 1 : a < 0 ? -1 : 0)),
  ...widePrimitives,
]

/** What comes to 0 keeps its sign. */
const roundToEven = (value: number): number => {
  const floor = Math.floor(value)
  const rest = value - floor
  const isUp = rest === 0.5 ? floor % 2 !== 0 : rest > 0.5
  const result = isUp ? floor + 1 : floor
  return result === 0 && (value < 0 || Object.is(value, -0)) ? -0 : result
}

export const primitives: ReadonlyMap<string, Primitive> = new Map(rows.map((each) => [each.name, each]))

const isaFile = fileURLToPath(new URL('../../plugin/emulator/include/ascendc/isa.h', import.meta.url))
let lists: ReturnType<typeof typeListsOf> | undefined
const typeLists = (): ReturnType<typeof typeListsOf> =>
  (lists ??= typeListsOf([readHeader('ascendc/isa.h', readFileSync(isaFile, 'utf8'))]))

/** How a type is called in C++; a boolean lies in memory as a byte. */
export const cppOf = (dtype: DType): string => (dtype === 'bool' ? 'uint8_t' : dtypes[dtype].cpp)

/** The first dtype of each type of C++. */
const dtypesByCpp = new Map<string, DType>(dtypeNames.toReversed().map((dtype) => [dtypes[dtype].cpp, dtype]))
const dtypeOfCpp = (cpp: string): string => dtypesByCpp.get(cpp) ?? cpp

const knownLegalTypes = new Map<string, readonly string[]>()

/** The element types that a list of the headers names, as dtypes. */
export function legalTypes(list: string): readonly string[] {
  const known = knownLegalTypes.get(list) ?? (typeLists().get(list) ?? []).map(dtypeOfCpp)
  knownLegalTypes.set(list, known)
  return known
}

const bytes: readonly DType[] = ['int8', 'uint8', 'bool']

/** Are two types the same to instructions? */
const alike = (a: DType | 'mask', b: DType | 'mask'): boolean =>
  a === b || (a !== 'mask' && b !== 'mask' && cppOf(a) === cppOf(b))

/** What is wrong with the element types of a call, in the order of its operands, with what would be right. */
export function typeProblem(
  primitive: Primitive,
  given: readonly (DType | 'mask')[],
): { message: string; hint: string } | undefined {
  const { name, operands, types, lowering } = primitive
  for (const [i, { name: operand, kind }] of operands.entries()) {
    const isMask = given[i] === 'mask'
    if (isMask !== (kind === 'mask'))
      return isMask
        ? { message: `${operand} of ${name} is a mask`, hint: 'select takes masks; fromMask makes numbers of them' }
        : { message: `${operand} of ${name} is no mask`, hint: `declare it as mask(n), and compare writes it` }
  }
  const data = given.filter((type): type is DType => type !== 'mask')
  if (lowering === 'cast') return castProblem(data[1]!, data[0]!)
  if (lowering === 'to-bytes' || lowering === 'from-bytes')
    return bytes.includes(data[0]!)
      ? undefined
      : { message: `${name} knows no ${data[0]}`, hint: `it takes ${bytes.join(', ')}` }
  if (types === null && !primitive.dtypes) return undefined
  const first = data[0]!
  const legal = primitive.dtypes ?? legalTypes(types!)
  if (!legal.some((each) => each === dtypeOfCpp(cppOf(first))))
    return {
      message: `${name} knows no ${first}`,
      hint: `it takes ${legal.join(', ')}: cast before and behind it`,
    }
  if (lowering === 'gather' && data[2] !== 'int32')
    return { message: `the index of gather is ${data[2]}`, hint: 'it is int32, in elements' }
  const same = lowering === 'gather' ? data.slice(0, 2) : data
  const other = same.find((type) => !alike(type, first))
  if (other !== undefined)
    return { message: `${name} is given ${first} and ${other}`, hint: 'its operands have one type: cast one of them' }
  return undefined
}

/** Is there an instruction that converts these types? */
const isCast = (from: DType, to: DType): boolean => castPairs().includes(`${cppOf(from)}->${cppOf(to)}`)

let knownCastPairs: readonly string[] | undefined
/** As the headers have them, but for the one that multiplies by a scale of the core. */
const castPairs = (): readonly string[] =>
  (knownCastPairs ??= (typeLists().get('castIsLegal') ?? []).filter((pair) => pair !== 'int32_t->half'))

/** The other types that an instruction casts a type to. */
export const castsOf = (from: DType): DType[] =>
  castPairs().flatMap((pair) => {
    const [source, target] = pair.split('->')
    // programs have no int4
    const to = source === cppOf(from) ? dtypesByCpp.get(target!) : undefined
    return to && to !== from ? to : []
  })

const isFloating = (dtype: DType): boolean => dtypes[dtype].kind === 'float'

/** The round mode of a cast, as Ascend C calls it; null: a copy. `word` is what the program asks for, or empty. */
export function roundModeOf(from: DType, to: DType, word: string): string | null {
  if (alike(from, to)) return null
  if (word !== '') return roundModes[word]!
  if (isExact(from, to)) return 'CAST_NONE'
  return isFloating(to) ? 'CAST_RINT' : 'CAST_TRUNC'
}

/** Pairs without rounding, which have no other mode than CAST_NONE. */
function isExact(from: DType, to: DType): boolean {
  if (isFloating(from)) return isFloating(to) && dtypes[to].bytes > dtypes[from].bytes
  return !isFloating(to) || (from !== 'int32' && from !== 'int64')
}

/** What is wrong with the round mode that a program asks for. */
export function roundProblem(from: DType, to: DType, word: string): { message: string; hint: string } | undefined {
  if (word === '' || alike(from, to)) return undefined
  if (isExact(from, to) && word !== 'none')
    return { message: `a cast of ${from} to ${to} rounds nothing`, hint: 'leave the round mode out' }
  if (!isExact(from, to) && word === 'none')
    return { message: `a cast of ${from} to ${to} rounds`, hint: 'it takes rint, floor, ceil, round or trunc' }
  return undefined
}

function castProblem(from: DType, to: DType): { message: string; hint: string } | undefined {
  if (alike(from, to) || isCast(from, to)) return undefined
  const between = (['float32', 'float16', 'int32', 'int16'] as const).find(
    (each) => isCast(from, each) && isCast(each, to),
  )
  return {
    message: `no instruction casts ${from} to ${to}`,
    hint: between === undefined ? `${from} is cast to ${castsOf(from).join(', ')}` : `go by way of ${between}`,
  }
}
