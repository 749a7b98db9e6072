/* oxlint-disable unicorn/consistent-function-scoping -- each helper stands beside the promise that needs it */
import { describe, expect, test, vi } from 'vitest'
import { roundTo } from '../../plugin/compare/round.ts'
import { toFloat64 } from '../../plugin/inputs/index.ts'
import type { DType, Tensor } from '../../plugin/model/index.ts'
import { cast } from './cast.ts'
import { expm1, sinh } from './elementary.ts'
import * as elementwise from './elementwise.ts'
import { random, scaleOf, tensorOf, valuesOf } from './small-tensors.ts'
import { spence, spenceOf } from './spence.ts'

// The sources rather than the built package.
vi.mock('vitest-npu', () => import('../../plugin/task/index.ts'))

const SIZE = 5000
const numbersOf = (tensor: Tensor) => [...toFloat64(tensor)]
const float = (seed: number, dtype: DType = 'float32') => random(dtype, [SIZE], seed)

describe('one argument', () => {
  const positive = tensorOf(
    'float32',
    [SIZE],
    numbersOf(float(1)).map((value) => Math.abs(value) + 0.01),
  )

  test.each<[string, (x: Tensor) => ReturnType<typeof elementwise.neg>, (x: number) => number]>([
    ['rsqrt', elementwise.rsqrt, (x) => x ** -0.5],
    ['sin', elementwise.sin, (x) => 2 * Math.sin(x / 2) * Math.cos(x / 2)],
    ['cos', elementwise.cos, (x) => 1 - 2 * Math.sin(x / 2) ** 2],
    ['tanh', elementwise.tanh, (x) => (Math.exp(x) - Math.exp(-x)) / (Math.exp(x) + Math.exp(-x))],
    ['abs', elementwise.abs, (x) => Math.sqrt(x * x)],
    ['neg', elementwise.neg, (x) => 0 - x],
    ['spence', spenceOf, (x) => integral(x)],
  ])('%s is its formula', (_, golden, formula) => {
    const source = numbersOf(positive)
    for (const [index, value] of valuesOf(golden(positive)).entries()) {
      if (index % 97 === 0 || golden !== spenceOf) expect(value).toBeCloseTo(formula(source[index]!), 12)
    }
  })

  // ln(t) / (1 - t) from 1 to x by Gauss's rule of five points on 200 pieces, in t = s^8 to tame the pole at 0.
  function integral(x: number): number {
    const nodes = [0, 0.5384693101056831, -0.5384693101056831, 0.906179845938664, -0.906179845938664]
    const weights = [128 / 225, 0.47862867049936647, 0.47862867049936647, 0.23692688505618908, 0.23692688505618908]
    const end = x ** (1 / 8)
    const step = (end - 1) / 200
    let sum = 0
    for (let piece = 0; piece < 200; piece++) {
      for (const [k, node] of nodes.entries()) {
        const s = 1 + (piece + 0.5 + node / 2) * step
        sum += ((weights[k]! * step) / 2) * ((64 * s ** 7 * Math.log(s)) / (1 - s ** 8))
      }
    }
    return sum
  }

  test.each(['float16', 'bfloat16'] as const)('large %s tensors get the results of their elements', (dtype) => {
    const data = Uint16Array.from({ length: 300_000 }, (_, i) => (i * 40503) & 0xffff)
    const x: Tensor = { dtype, shape: [data.length], data }
    const applied = (values: Float64Array) => {
      for (let i = 0; i < values.length; i++) values[i] = Math.sqrt(values[i]!) / 3
    }
    const [whole, part] = [elementwise.map(x, applied), elementwise.mapFrom(x, applied)]
    expect(whole.byPattern).toBeDefined()
    for (const [start, length] of [
      [0, 4096],
      [294_912, 5088],
    ] as const) {
      const [one, other] = [new Float64Array(length), new Float64Array(length)]
      whole.block(start, one)
      part.block(start, other)
      expect(one).toEqual(other)
      expect(one).toEqual(Float64Array.from({ length }, (_, i) => whole.byPattern!.results[data[start + i]!]!))
    }
  })

  test('the smallest integers have no opposite', () => {
    const x = tensorOf('int8', [4], [-128, 127, 0, -5])
    expect(valuesOf(elementwise.neg(x))).toEqual([-128, -127, 0, 5])
    expect(valuesOf(elementwise.abs(x))).toEqual([-128, 127, 0, 5])
    expect(valuesOf(elementwise.abs(tensorOf('int32', [2], [-(2 ** 31), -7])))).toEqual([-(2 ** 31), 7])
    expect(valuesOf(elementwise.abs(tensorOf('int64', [2], [-(2 ** 52) - 1, 3])))).toEqual([2 ** 52 + 1, 3])
  })

  test('the magnitude of a complex number is real', () => {
    const x = tensorOf('complex64', [3], [3, -4, 0, 0, -5, 12])
    expect(valuesOf(elementwise.abs(x))).toEqual([5, 0, 0, 0, 13, 0])
  })

  test('NaN and infinities pass where they are defined', () => {
    const x = tensorOf('float32', [3], [NaN, -Infinity, Infinity])
    expect(valuesOf(elementwise.abs(x))).toEqual([NaN, Infinity, Infinity])
    expect(valuesOf(elementwise.neg(x))).toEqual([NaN, Infinity, -Infinity])
    expect(valuesOf(elementwise.tanh(x))).toEqual([NaN, -1, 1])
  })

  test('the second half of every row is negated, the larger half of an odd one', () => {
    expect(valuesOf(elementwise.negateSecondHalf(tensorOf('float32', [2, 1, 1, 3], [1, 2, 3, 4, 5, 6])))).toEqual([
      1, -2, -3, 4, -5, -6,
    ])
    expect(valuesOf(elementwise.negateSecondHalf(tensorOf('float32', [2, 1, 1, 1], [1, 2])))).toEqual([-1, -2])
  })
})

test('the scale of a difference of exponentials is the size of its terms', () => {
  const x = tensorOf('float32', [3], [-1, 0, 2])
  const near = (...sizes: number[]) => sizes.map((size) => expect.closeTo(size, 12))
  expect(scaleOf(expm1(x))).toEqual(near(Math.exp(-1), 1, Math.exp(2)))
  expect(scaleOf(sinh(x))).toEqual(near(Math.cosh(1), 1, Math.cosh(2)))
})

test('the dilogarithm at points where it is known, to 1e-15 of its value', () => {
  const golden = (1 + Math.sqrt(5)) / 2
  const known = [
    [0, Math.PI ** 2 / 6],
    [1, 0],
    [2, -(Math.PI ** 2) / 12],
    [0.5, Math.PI ** 2 / 12 - Math.LN2 ** 2 / 2],
    [golden, -(Math.PI ** 2) / 15 + Math.log(golden) ** 2 / 2],
    [golden ** 2, -(Math.PI ** 2) / 10 - Math.log(golden) ** 2],
  ]
  for (const [x, value] of known) expect(Math.abs(spence(x!) - value!)).toBeLessThanOrEqual(2e-15 * Math.abs(value!))
  expect(spence(-1)).toBeNaN()
})

describe('several arguments', () => {
  const [a, b, c] = [float(1), float(2), float(3)]
  const divisors = tensorOf(
    'float32',
    [SIZE],
    numbersOf(c).map((value) => Math.abs(value) + 0.1),
  )
  const [as, bs, cs, ds] = [a, b, c, divisors].map(numbersOf)
  const factor = tensorOf('float32', [], [-1.5])
  const close = (actual: number[], expected: number[]) => {
    for (const [index, value] of actual.entries()) expect(value).toBeCloseTo(expected[index]!, 12)
  }

  test('lerp is (1 - w) * start + w * end', () => {
    close(
      valuesOf(elementwise.lerp(a, b, c)),
      as!.map((value, i) => (1 - cs![i]!) * value + cs![i]! * bs![i]!),
    )
    for (const [index, scale] of scaleOf(elementwise.lerp(a, b, c)).entries()) {
      expect(scale).toBeGreaterThanOrEqual(Math.abs(as![index]!) + Math.abs(bs![index]! * cs![index]!))
    }
  })

  test('addcdiv and addcmul add the scaled quotient or product; their scale is its magnitude', () => {
    const quotients = bs!.map((value, i) => (-1.5 * value) / ds![i]!)
    close(
      valuesOf(elementwise.addcdiv(a, b, divisors, factor)),
      quotients.map((value, i) => as![i]! + value),
    )
    close(scaleOf(elementwise.addcdiv(a, b, divisors, factor)), quotients.map(Math.abs))
    const products = bs!.map((value, i) => -1.5 * value * cs![i]!)
    close(
      valuesOf(elementwise.addcmul(a, b, c, factor)),
      products.map((value, i) => as![i]! + value),
    )
    close(scaleOf(elementwise.addcmul(a, b, c, factor)), products.map(Math.abs))
  })

  test('the public steps round three times in float16', () => {
    const [x, y, z] = [float(4, 'float16'), float(5, 'float16'), float(6, 'float16')]
    const [xs, ys, zs] = [x, y, z].map(numbersOf)
    const value = tensorOf('float16', [], [0.3])
    const [scalar] = numbersOf(value)
    const round = (number: number) => roundTo('float16', number)
    expect(valuesOf(elementwise.addcmulInSteps(x, y, z, value))).toEqual(
      xs!.map((start, i) => round(start + round(round(ys![i]! * zs![i]!) * scalar!))),
    )
    expect(valuesOf(elementwise.addcdivInSteps(x, y, z, value))).toEqual(
      xs!.map((start, i) => round(start + round(round(ys![i]! / zs![i]!) * scalar!))),
    )
  })

  test('int32 wraps around', () => {
    const large = tensorOf('int32', [1], [2 ** 30])
    const sum = elementwise.addcmul(large, large, tensorOf('int32', [1], [3]), tensorOf('int32', [], [2]))
    expect(valuesOf(sum)).toEqual([Number(BigInt.asIntN(32, 7n * 2n ** 30n))])
  })

  test('muls and clip take their scalars from tensors', () => {
    close(
      valuesOf(elementwise.muls(a, factor)),
      as!.map((value) => value * -1.5),
    )
    expect(
      valuesOf(elementwise.muls(tensorOf('int64', [2], [2 ** 40 + 1, -3]), tensorOf('float32', [], [-7]))),
    ).toEqual([-7 * (2 ** 40 + 1), 21])
    const limits = [tensorOf('int32', [1], [-2]), tensorOf('int32', [1], [5])] as const
    expect(valuesOf(elementwise.clip(tensorOf('int32', [4], [-9, -2, 5, 6]), ...limits))).toEqual([-2, -2, 5, 5])
    expect(valuesOf(elementwise.clip(a, tensorOf('float32', [1], [-0.25]), tensorOf('float32', [1], [0.5])))).toEqual(
      as!.map((value) => (value < -0.25 ? -0.25 : value > 0.5 ? 0.5 : value)),
    )
  })

  test('rounded results are numbers of the dtype', () => {
    const values = valuesOf(elementwise.rounded('bfloat16', elementwise.sin(a)))
    expect(values).toEqual(as!.map((value) => roundTo('bfloat16', Math.sin(value))))
  })
})

describe('conversion', () => {
  test.each<[DType, DType, number[], number[]]>([
    ['float32', 'int32', [1.9, -1.9, -0.5, 2147483520], [1, -1, 0, 2147483520]],
    ['float16', 'uint8', [254.9, 0.99, 7], [254, 0, 7]],
    ['float32', 'bool', [0, -0, NaN, 2 ** -149, -3], [0, 0, 1, 1, 1]],
    ['int32', 'int8', [128, -129, 300, -1], [-128, 127, 44, -1]],
    ['int64', 'int32', [2 ** 32 + 5, -(2 ** 31) - 1], [5, 2 ** 31 - 1]],
    ['int8', 'uint8', [-1, 127], [255, 127]],
    ['bool', 'int64', [0, 1], [0, 1]],
    ['uint8', 'float16', [255, 3], [255, 3]],
    ['int64', 'float32', [2 ** 40 + 1], [2 ** 40 + 1]],
  ])('%s to %s', (from, to, values, expected) => {
    const result = cast(tensorOf(from, [values.length], values), to)
    if ('data' in result) expect(result.dtype).toBe(to)
    expect(valuesOf(result).map((value) => value + 0)).toEqual(expected)
  })
})
