import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'
import { encode } from '../inputs/encode.ts'
import { toFloat64 } from '../inputs/decode.ts'
import { emptyTensor, type DType, type Tensor } from '../model/index.ts'

const xTypes: DType[] = ['float16', 'bfloat16', 'float32', 'int8', 'float16', 'bfloat16', 'int8', 'int8', 'float16']
const yTypes: DType[] = ['float32', 'float32', 'float32', 'int32', 'float16', 'bfloat16', 'float16', 'int8', 'int8']

const attrs = 'm n k firstK transposed relu way scale offset columns special'.split(' ')
const device = useOperator(interfaceOf('Products', 'products', attrs, xTypes, yTypes))

interface Product {
  combination: number
  m: number
  n: number
  k: number
  /** steps of k before which the sum is split in two; 0 for one step */
  firstK: number
  transposed: boolean
  relu: boolean
  seed: number
  way?: Way
  /** of a quantised output, in 2^-20, of more bits than the device keeps; times 1, 2 or 3 by column where each has its own */
  scale?: number
  offset?: number
  columns?: boolean
  special?: Special
}

/** How the result leaves: rows, columns of 16 (or 32 bytes), those through L1, two halves as matrices, columns of 8; by DataCopy. */
const ways = {
  rows: 0,
  groups: 1,
  throughL1: 2,
  halves: 3,
  split: 4,
  copyRows: 5,
  copyGroups: 6,
  copyThroughL1: 7,
  fromTable: 8,
  /** by parameters of the older form */
  olderRows: 9,
  olderGroups: 10,
  olderThroughL1: 11,
}
const inRows = new Set<string>(['rows', 'halves', 'copyRows', 'fromTable', 'olderRows'])
type Way = keyof typeof ways

const specials = {
  none: 0,
  hf32: 1,
  hf32ToZero: 2,
  filled: 3,
  adds: 4,
  /** small numbers, by way of half where sums are floats; with relu they are read from the start of the table */
  bias: 5,
  /** two int4 in each byte along k; k counts bytes */
  nibbles: 6,
  /** both operands by three-dimensional loads */
  unfolded: 7,
  /** a is given as columns */
  columns: 8,
  /** a is two fractals, the second one first */
  fractals: 9,
  /** a bias is given, and sums are told to start at zero */
  unusedBias: 10,
  /** one element less along k than is loaded */
  short: 11,
}
type Special = keyof typeof specials

/** Elements of one fractal along k. */
const widths: Partial<Record<DType, number>> = { float32: 8, int8: 32 }

/** Any length, those around a fractal more often. */
const size = (max: number) => fc.oneof(fc.integer({ min: 1, max }), fc.constantFrom(1, 15, 16, 17, 32))

function product(combination: number): fc.Arbitrary<Product> {
  const dtype = xTypes[combination] ?? 'float16'
  return fc
    .record({
      m: size(60),
      n: size(60),
      k: size(120),
      share: fc.integer({ min: 0, max: 3 }),
      transposed: dtype === 'float32' || dtype === 'int8' ? fc.constant(true) : fc.boolean(),
      relu: fc.boolean(),
      seed: fc.integer({ min: 1, max: 2 ** 31 }),
    })
    .map(({ share, ...rest }) => {
      // a row alone is read in whole fractals, so its second step starts at one
      const unit = rest.m === 1 ? 512 : (widths[dtype] ?? 16)
      const firstK = Math.floor((rest.k * share) / 4 / unit) * unit
      return { ...rest, combination, firstK: firstK < rest.k ? firstK : 0 }
    })
}

/** Values of a few bits around 0, some of them large, of which every dtype holds the int8 ones exactly. */
function inputs({ combination, m, n, k, seed, scale, special }: Product): Tensor {
  const dtype = xTypes[combination] ?? 'float16'
  const tensor = emptyTensor(dtype, [m * k + k * n])
  let state = seed
  const values = Float64Array.from({ length: tensor.data.length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const integer = (state >>> 24) - 128
    if (dtype === 'float16' && scale !== undefined) return integer >> 4
    // many of 13 bits: halfway between two of HF32
    if (special === 'hf32' || special === 'hf32ToZero') return (state >>> 18) - 8192
    return dtype === 'int8' ? integer : integer / 37 + (state & 0xffff) / 2 ** 20
  })
  encode(values, tensor)
  return tensor
}

const roundings: Partial<Record<DType, number>> = { float32: 2 ** -24, float16: 2 ** -11, bfloat16: 2 ** -8 }

/** A number with `bits` bits of its mantissa, halves to the even neighbour or towards zero. */
function shortened(value: number, bits: number, toZero: boolean): number {
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(value))) - bits)
  const [low, rest] = [Math.floor(Math.abs(value) / unit), (Math.abs(value) / unit) % 1]
  const up = rest > 0.5 || (rest === 0.5 && !toZero && low % 2 === 1)
  return value === 0 ? 0 : Math.sign(value) * (low + (up ? 1 : 0)) * unit
}

const toEven = (value: number): number => {
  const low = Math.floor(value)
  return value - low > 0.5 || (value - low === 0.5 && low % 2 !== 0) ? low + 1 : low
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

/** A sum as a quantised output holds it; the scale has 10 bits of mantissa. */
function quantised(p: Product, sum: number, column: number, to: DType): number {
  const factor = ((p.scale ?? 0) * (1 + (p.columns === true ? column % 3 : 0))) / 2 ** 20
  const bits = new Uint32Array(Float32Array.of(factor).buffer)
  bits[0] = (bits[0] ?? 0) & 0xffffe000
  const scale = new Float32Array(bits.buffer)[0] ?? NaN
  const scaled = sum < 0 && p.relu ? 0 : Math.fround(sum * scale)
  if (to !== 'int8') return scaled
  return clamp(clamp(toEven(scaled), -256, 255) + (p.offset ?? 0), -128, 127)
}

/** Where an element of the result is. */
function place(p: Product, row: number, column: number, to: DType): number {
  if (inRows.has(p.way ?? 'rows')) return row * p.n + column
  const padded = Math.ceil(p.n / 16) * 16
  const width = to === 'int8' ? 32 : p.way === 'split' ? 8 : 16
  const group = Math.floor(column / width)
  const own = width === 32 && padded - group * width < width ? 16 : width
  return group * p.m * width + row * own + (column % width)
}

/** The lower or the upper half of a byte, as an integer with a sign. */
const nibble = (byte: number, i: number): number => (i % 2 === 0 ? byte << 28 : byte << 24) >> 28

/** The first element beyond the bound that summing k products in float32 in any order keeps. */
function difference(p: Product, x: Tensor, y: Tensor): string | undefined {
  const hf32 = p.special === 'hf32' || p.special === 'hf32ToZero'
  const values = hf32 ? toFloat64(x).map((value) => shortened(value, 11, p.special === 'hf32ToZero')) : toFloat64(x)
  const actual = toFloat64(y)
  const b = (i: number, column: number): number =>
    values[p.m * p.k + (p.transposed ? column * p.k + i : i * p.n + column)] ?? NaN
  const a = (row: number, i: number): number => {
    if (p.special === 'filled') return 2
    if (p.special === 'columns') return values[i * p.m + row] ?? NaN
    if (p.special === 'fractals') return values[(1 - Math.floor(i / 16)) * 256 + row * 16 + (i % 16)] ?? NaN
    return values[row * p.k + i] ?? NaN
  }
  const nibbles = (row: number, column: number): number => {
    let sum = 0
    for (let i = 0; i < 2 * p.k; i++) {
      const left = nibble(values[row * p.k + (i >> 1)] ?? NaN, i)
      const at = p.transposed ? column * p.k + (i >> 1) : i * (p.n / 2) + (column >> 1)
      sum += left * nibble(values[p.m * p.k + at] ?? NaN, p.transposed ? i : column)
    }
    return sum
  }
  for (let row = 0; row < p.m; row++) {
    for (let column = 0; column < p.n; column++) {
      let [sum, size] = [0, 0]
      for (let i = 0; i < p.k - (p.special === 'short' ? 1 : 0); i++) {
        const term = a(row, i) * b(i, column)
        sum += term
        size += Math.abs(term)
      }
      if (p.special === 'nibbles') sum = nibbles(row, column)
      if (p.special === 'bias') sum += (column % 7) - 3
      let wanted = p.relu ? Math.max(0, sum) : sum
      if (p.scale !== undefined) wanted = quantised(p, sum, column, y.dtype)
      if (p.special === 'adds') wanted = (wanted + 0xa5a5a5a5) | 0
      const rounding = roundings[y.dtype]
      const exact = p.scale !== undefined && p.special !== 'adds'
      if (exact) size = 0
      const limit = rounding === undefined ? 0 : p.k * 2 ** -24 * size + rounding * Math.abs(wanted) + 2 ** -25
      const value = actual[place(p, row, column, y.dtype)] ?? NaN
      if (!(Math.abs(value - wanted) <= limit))
        return `[${row}, ${column}] is ${value}, should be ${wanted} +- ${limit}`
    }
  }
  return undefined
}

async function run(p: Product) {
  const x = inputs(p)
  const to = yTypes[p.combination] ?? 'float32'
  const { combination, seed: _, transposed, relu, way = 'rows', columns, special = 'none', ...sizes } = p
  const switches = { transposed: transposed ? 1 : 0, relu: relu ? 1 : 0, columns: columns === true ? 1 : 0 }
  const attrs = { scale: 0, offset: 0, ...sizes, ...switches, way: ways[way], special: specials[special] }
  const shape = inRows.has(way) ? [p.m, p.n] : [p.m * Math.ceil(p.n / 16) * 16]
  const { result, y } = await device.run({ x, y: { dtype: to, shape }, attrs, combination })
  expect(result).toMatchObject({ ok: true, reports: [] })
  return { x, y, latencyNs: result.ok ? result.latencyNs : NaN }
}

/** Runs a product and says what is wrong with it. */
async function wrong(p: Product): Promise<string | undefined> {
  const { x, y } = await run(p)
  return difference(p, x, y)
}

describe('the cube core multiplies matrices of any size', () => {
  test.each(xTypes.slice(0, 6).map((from, i) => [from, yTypes[i], i] as const))(
    '%s to %s',
    { timeout: 60_000 },
    async (_, __, combination) => {
      const property = fc.asyncProperty(product(combination), async (p) => {
        expect(await wrong(p)).toBeUndefined()
      })
      await fc.assert(property, { numRuns: 25 })
    },
  )
})

test('short rows that become columns of fractals take the time of their number', async () => {
  const narrow = { combination: 0, m: 16, n: 16, firstK: 0, transposed: false, relu: false, seed: 7 }
  const [fewer, more] = [await run({ ...narrow, k: 512 }), await run({ ...narrow, k: 1024 })]
  // four cycles for each further row of B
  expect(more.latencyNs - fewer.latencyNs).toBeGreaterThan((4 * 512) / 1.8)
})

const base = { m: 33, n: 40, k: 50, firstK: 0, transposed: true, relu: false, seed: 7 }

test('a tensor of scales is copied to the table before the store, and before each part of a wide one', async () => {
  const wide = { ...base, m: 32, k: 16, combination: 7, columns: true, scale: 5123 }
  const nsOf = async (n: number, way: Way): Promise<number> => (await run({ ...wide, n, way })).latencyNs
  const addedBy = async (n: number): Promise<number> => (await nsOf(n, 'rows')) - (await nsOf(n, 'fromTable'))
  const [inOne, inThree] = [await addedBy(256), await addedBy(272)]
  // as the kernel does itself where it keeps a table
  expect(Math.abs(inOne)).toBeLessThan(15)
  const storeNs = (92 + 2 * 32) / 1.8
  // what it stores is under way meanwhile
  expect(inThree).toBeGreaterThan(1.5 * storeNs)
})

describe('results leave L0C', () => {
  test.each(
    [6, 7, 8].flatMap((combination) =>
      [false, true].flatMap((columns) => [false, true].map((relu) => [combination, columns, relu] as const)),
    ),
  )('quantised: types %i, a scale for each column %s, relu %s', async (combination, columns, relu) => {
    const scale = combination === 8 ? 37_889 : 5123
    for (const offset of combination === 6 ? [0] : [0, 9, -70, -200])
      expect(await wrong({ ...base, combination, columns, relu, scale, offset })).toBeUndefined()
  })

  test.each([
    ['groups', 0],
    ['groups', 3],
    ['groups', 4],
    ['throughL1', 4],
    ['throughL1', 5],
    ['split', 2],
    ['split', 0],
    ['copyRows', 0],
    ['copyRows', 4],
    ['copyRows', 3],
    ['copyGroups', 5],
    ['copyGroups', 2],
    ['copyThroughL1', 4],
    ['olderRows', 3],
    ['olderRows', 4],
    ['olderGroups', 0],
    ['olderGroups', 5],
    ['olderThroughL1', 4],
  ] as const)('as %s: types %i', async (way, combination) => {
    expect(await wrong({ ...base, combination, way })).toBeUndefined()
  })

  test.each([
    ['groups', 7, false, 40],
    ['groups', 8, true, 64],
    ['throughL1', 7, true, 40],
    ['throughL1', 6, false, 40],
    ['throughL1', 8, false, 64],
    ['copyRows', 6, true, 40],
    ['fromTable', 6, true, 40],
    ['copyRows', 7, false, 40],
    ['copyGroups', 8, true, 64],
    ['copyThroughL1', 7, true, 40],
    ['olderRows', 7, true, 40],
    ['olderRows', 6, false, 40],
    ['olderGroups', 8, true, 64],
    ['olderThroughL1', 7, true, 40],
  ] as const)(
    'quantised as %s: types %i, a scale for each column %s, %i columns',
    async (way, combination, columns, n) => {
      expect(await wrong({ ...base, m: 34, n, combination, way, columns, scale: 5123 })).toBeUndefined()
    },
  )

  test('as two matrices', async () => {
    expect(await wrong({ ...base, m: 64, combination: 0, way: 'halves' })).toBeUndefined()
  })

  test('added to what is there', async () => {
    expect(await wrong({ ...base, combination: 3, special: 'adds' })).toBeUndefined()
  })
})

describe('operands come to L0', () => {
  test.each([
    [2, 40, 13],
    [2, 16, 16],
    [3, 32, 50],
    [3, 64, 100],
  ])('transposed: types %i, %i columns, depth %i', async (combination, n, k) => {
    expect(await wrong({ ...base, combination, n, k, transposed: false })).toBeUndefined()
  })

  test('as a constant', async () => {
    expect(await wrong({ ...base, combination: 0, special: 'filled' })).toBeUndefined()
  })

  test.each(['hf32', 'hf32ToZero'] as const)('shortened by %s', async (special) => {
    expect(await wrong({ ...base, combination: 2, special })).toBeUndefined()
    expect(await wrong({ ...base, combination: 2, special, m: 4, k: 4, n: 16 })).toBeUndefined()
  })

  test.each([
    [0, 33, 40, 50],
    [1, 16, 17, 31],
    [2, 33, 40, 50],
    [2, 48, 24, 17],
    [3, 33, 40, 70],
    [4, 100, 16, 16],
  ])('unfolded: types %i, %i rows, %i columns, depth %i', async (combination, m, n, k) => {
    const transposed = combination === 3
    expect(await wrong({ ...base, combination, special: 'unfolded', m, n, k, transposed })).toBeUndefined()
    const firstK = combination === 3 ? 32 : 16
    expect(await wrong({ ...base, combination, special: 'unfolded', m, n, k, transposed, firstK })).toBeUndefined()
  })

  test.each([
    [0, 33, 40, 50],
    [1, 16, 17, 31],
    [2, 33, 40, 50],
    [2, 24, 16, 20],
  ])('from columns: types %i, %i rows, %i columns, depth %i', async (combination, m, n, k) => {
    expect(await wrong({ ...base, combination, special: 'columns', m, n, k })).toBeUndefined()
  })

  test.each([0, 1, 2, 3])('with more along k than is multiplied: types %i', async (combination) => {
    for (const [k, m] of [
      [50, 33],
      [64, 20],
      [17, 1],
    ] as const)
      expect(await wrong({ ...base, combination, special: 'short', k, m })).toBeUndefined()
  })

  test('as fractals from global memory', async () => {
    expect(await wrong({ ...base, combination: 0, special: 'fractals', m: 16, k: 32 })).toBeUndefined()
  })

  test.each([
    [33, 40, 50, true],
    [1, 40, 64, true],
    [33, 64, 32, false],
    [20, 128, 32, false],
  ])('as int4: %i rows, %i columns, depth %i bytes, transposed %s', async (m, n, k, transposed) => {
    const p = { ...base, combination: 3, special: 'nibbles' as const, m, n, k, transposed }
    expect(await wrong(p)).toBeUndefined()
  })
})

describe('sums start at a bias', () => {
  test.each([
    [0, false],
    [1, true],
    [2, false],
    [3, false],
    [3, true],
  ])('types %i, from the start of the table %s', async (combination, relu) => {
    const p = { ...base, combination, special: 'bias' as const, relu, transposed: true }
    expect(await wrong(p)).toBeUndefined()
    expect(await wrong({ ...p, firstK: 32 })).toBeUndefined()
  })

  test.each([0, 1, 2, 3])('types %i, but at zero where cmatrixInitVal says so', async (combination) => {
    const p = { ...base, combination, special: 'unusedBias' as const, relu: false, transposed: true }
    expect(await wrong(p)).toBeUndefined()
    expect(await wrong({ ...p, firstK: 32 })).toBeUndefined()
  })
})
