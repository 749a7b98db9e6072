/* oxlint-disable unicorn/consistent-function-scoping -- each helper stands beside the promise that needs it */
import { describe, expect, test, vi } from 'vitest'
import { toFloat64 } from '../../plugin/inputs/index.ts'
import type { DType } from '../../plugin/model/index.ts'
import { gelu } from './activation.ts'
import { equal } from './comparison.ts'
import { add, sqrt } from './elementwise.ts'
import { erf, erfc } from './erf.ts'
import { addList, addListInSteps } from './foreach.ts'
import { scatterList } from './index.ts'
import { tril } from './mask.ts'
import { matmul } from './matmul.ts'
import { rmsNorm } from './norm.ts'
import { random, tensorOf, valuesOf } from './small-tensors.ts'

// The sources rather than the built package.
vi.mock('vitest-npu', () => import('../../plugin/task/index.ts'))

test.each([
  [0.001, 0.0011283787909692365, 0.9988716212090307],
  [0.1, 0.1124629160182849, 0.887537083981715],
  [0.5, 0.5204998778130465, 0.4795001221869535],
  [0.75, 0.7111556336535151, 0.28884436634648486],
  [1, 0.8427007929497149, 0.15729920705028513],
  [1.3, 0.9340079449406524, 0.06599205505934755],
  [1.9999, 0.9953201979070294, 0.004679802092970608],
  [2, 0.9953222650189527, 0.004677734981047266],
  [2.5, 0.999593047982555, 0.0004069520174449589],
  [3, 0.9999779095030014, 2.209049699858544e-5],
  [5, 0.9999999999984626, 1.537459794428035e-12],
  [8, 1, 1.1224297172982926e-29],
])('erf and erfc of %d are good to 1e-15 of their value', (x, expected, complement) => {
  expect(Math.abs(erf(x) / expected - 1)).toBeLessThan(1e-15)
  expect(Math.abs(erfc(x) / complement - 1)).toBeLessThan(2e-15)
  expect(erf(-x)).toBe(-erf(x))
  expect(Math.abs(erfc(-x) / (1 + expected) - 1)).toBeLessThan(1e-15)
})

test('erf and erfc do not jump half way between two anchors, and meet where they change sides', () => {
  for (let anchor = 0; anchor < 255; anchor++) {
    const seam = (anchor + 0.5) / 32
    const step = 2 ** -40
    for (const f of [erf, erfc]) {
      const [below, above] = [f(seam - step), f(seam + step)]
      const slope = (f === erf ? 2 : -2) * Math.exp(-seam * seam) * 0.5641895835477563
      expect(Math.abs(above - below - slope * 2 * step)).toBeLessThan(1e-14 * Math.abs(below))
    }
    expect(Math.abs(erf(seam) + erfc(seam) - 1)).toBeLessThan(2e-15)
  }
  expect(Math.abs(erfc(8 - 1e-12) / erfc(8) - 1)).toBeLessThan(2e-11)
})

test('erf is odd around 0, erfc runs from 2 to 0, neither jumps where the method changes', () => {
  expect(erf(0)).toBe(0)
  expect([erfc(-30), erfc(30)]).toEqual([2, 0])
  for (const seam of [0.5, 2]) expect(Math.abs(erfc(seam - 1e-12) - erfc(seam + 1e-12))).toBeLessThan(3e-12)
})

test('element-wise references', () => {
  const x = tensorOf('float16', [4], [1, 4, 0, 0.25])
  const y = tensorOf('float16', [4], [2 ** -24, 1, -3, 5])
  expect(valuesOf(add(x, y))).toEqual([1 + 2 ** -24, 5, -3, 5.25])
  expect(valuesOf(sqrt(x))).toEqual([1, 2, 0, 0.5])
  expect(valuesOf(gelu(tensorOf('float32', [3], [0, 1, -1])))).toEqual([
    0,
    expect.closeTo(0.841344746068543, 14),
    expect.closeTo(-0.158655253931457, 14),
  ])
})

test('a block of any length anywhere is computed like the whole', () => {
  const x = random('float32', [10_000], 1)
  const y = random('float32', [10_000], 2)
  const others = toFloat64(y)
  const sum = [...toFloat64(x)].map((value, i) => value + others[i]!)
  expect(valuesOf(add(x, y))).toEqual(sum)
})

test('equality: zeros are equal, NaN is not', () => {
  const x = tensorOf('float32', [4], [0, NaN, Infinity, 1])
  const y = tensorOf('float32', [4], [-0, NaN, Infinity, 2])
  expect(equal(x, y)).toMatchObject({ dtype: 'bool', data: Uint8Array.of(1, 0, 1, 0) })
})

describe('lists', () => {
  test('alpha * x2 is added in float64, with its size as scale', () => {
    const alpha = tensorOf('float16', [], [3])
    const [sum] = addList([tensorOf('float16', [2], [1, 2])], [tensorOf('float16', [2], [0.1, -5])], alpha)
    const tenth = toFloat64(tensorOf('float16', [1], [0.1]))[0]!
    expect(valuesOf(sum!)).toEqual([1 + 3 * tenth, -13])
    const scale = new Float64Array(2)
    if (sum && 'scaleBlock' in sum) sum.scaleBlock?.(0, scale)
    expect([...scale]).toEqual([3 * tenth, 15])
  })

  test('the public reference rounds products and sums to float16, elsewhere to float32', () => {
    const tiny = [1 + 2 ** -10, 1 + 2 ** -7]
    const inSteps = (dtype: DType) => {
      const x = tensorOf(dtype, [2], tiny)
      return valuesOf(addListInSteps([x], [x], tensorOf('float32', [], [3]))[0]!)
    }
    // 3 + 3 * 2^-10 lies between the neighbours 3 + 2 * 2^-10 and 3 + 4 * 2^-10: ties to even
    expect(inSteps('float16')).toEqual([4 + 4 * 2 ** -10, 4 + 2 ** -5])
    expect(inSteps('float32')).toEqual([4 + 2 ** -8, 4 + 2 ** -5])
    expect(inSteps('bfloat16')[1]).toBe(4 + 2 ** -5)
  })

  test('int32 wraps around', () => {
    const alpha = tensorOf('int32', [], [2])
    const [sum] = addList([tensorOf('int32', [2], [1, -1])], [tensorOf('int32', [2], [2 ** 30, 2 ** 31 - 1])], alpha)
    expect(valuesOf(sum!)).toEqual([1 - 2 ** 31, -3])
  })
})

test('matmul agrees with the definition, tails of every tile included', () => {
  const [m, k, n] = [7, 13, 67]
  const a = random('float16', [m, k], 3)
  const b = random('float16', [k, n], 4)
  const [left, right] = [toFloat64(a), toFloat64(b)]
  const at = (i: number, j: number) => {
    const terms = Array.from({ length: k }, (_, p) => left[i * k + p]! * right[p * n + j]!)
    return terms.reduce((sum, term) => sum + term, 0)
  }
  const product = matmul(a, b)
  const values = valuesOf(product)
  for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) expect(values[i * n + j]).toBeCloseTo(at(i, j), 13)
  const scale = new Float64Array(m * n)
  product.scaleBlock?.(0, scale)
  for (const [index, value] of values.entries()) expect(scale[index]!).toBeGreaterThanOrEqual(Math.abs(value))
})

test('rmsNorm over the last axis', () => {
  const x = tensorOf('float32', [2, 1, 2], [3, 4, 0, 0])
  const gamma = tensorOf('float32', [2], [1, 2])
  const { y, rstd } = rmsNorm(x, gamma, 0.25)
  const expected = 1 / Math.sqrt(12.5 + 0.25)
  expect([...rstd.values]).toEqual([expected, 2])
  expect(valuesOf(y)).toEqual([3 * expected, 8 * expected, 0, 0])
})

test('tril of every matrix, rectangular ones too, with +0 for what is left out', () => {
  const x = tensorOf('float32', [2, 2, 3], [1, 2, 3, 4, 5, 6, 7, NaN, 9, 10, -11, Infinity])
  expect(valuesOf(tril(x, 0))).toEqual([1, 0, 0, 4, 5, 0, 7, 0, 0, 10, -11, 0])
  expect(valuesOf(tril(x, 1)).slice(6)).toEqual([7, NaN, 0, 10, -11, Infinity])
  expect(valuesOf(tril(x, -5))).toEqual(Array(12).fill(0))
  expect(valuesOf(tril(x, 5))).toEqual([...toFloat64(x)])
  expect(toFloat64(x)[7]).toBeNaN()
})

describe('scatterList', () => {
  const variable = (from: number) =>
    tensorOf(
      'int32',
      [2, 3, 2],
      Array.from({ length: 12 }, (_, i) => from + i),
    )
  const updates = tensorOf(
    'int32',
    [2, 2, 2, 2],
    Array.from({ length: 16 }, (_, i) => -1 - i),
  )
  const ranges = tensorOf('int64', [2, 2], [1, 2, 2, 1])

  test('writes the first slices of updates at the start of each range', () => {
    const [first, second] = scatterList([variable(0), variable(100)], ranges, updates, null, -2)
    expect(valuesOf(first!)).toEqual([0, 1, -1, -2, -3, -4, 6, 7, -5, -6, -7, -8])
    expect(valuesOf(second!)).toEqual([100, 101, 102, 103, -9, -10, 106, 107, 108, 109, -13, -14])
  })

  test('leaves masked tensors and its inputs alone', () => {
    const [first, second] = [variable(0), variable(100)]
    const mask = tensorOf('uint8', [2], [0, 1])
    const result = scatterList([first, second], ranges, updates, mask, -2)
    expect(valuesOf(result[0]!)).toEqual([...toFloat64(variable(0))])
    expect(valuesOf(result[1]!)).not.toEqual([...toFloat64(variable(100))])
    expect(toFloat64(second)).toEqual(toFloat64(variable(100)))
  })

  test('along the last axis', () => {
    const narrow = tensorOf('int32', [1, 2, 3, 1], [-1, -2, -3, -4, -5, -6])
    const [result] = scatterList([variable(0)], tensorOf('int64', [1, 2], [1, 1]), narrow, null, -1)
    expect(valuesOf(result!)).toEqual([0, -1, 2, -2, 4, -3, 6, -4, 8, -5, 10, -6])
  })
})
