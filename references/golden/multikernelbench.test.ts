import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Tensor } from '../../plugin/model/index.ts'
import { emptyTensor, encode, tensorsOf, toFloat64 } from '../../plugin/task/index.ts'
import { casesOf } from '../cases-of.ts'
import { loadSpecs } from '../load-specs.ts'
import { erfc } from './erf.ts'
import { cosineDistance, distance, meanOfRows, meanOfTerms } from './mean-loss.ts'
import { allTogether, channels, divideByNorm, places, standardise, stretches } from './row-norm.ts'
import { cumulativeProduct, cumulativeSum, meanOf, reduceAxis, sumOf } from './scan.ts'
import { logSoftmax, softmax } from './softmax.ts'
import { tensorOf, valuesOf } from './small-tensors.ts'
import { euclideanNorm, update } from './update.ts'
import { maxOverWindows, meanOverWindows, positionsOf } from './window.ts'

const tasks = new Map((await loadSpecs()).map((task) => [task.interface.name, task]))

const float32 = (shape: number[], values: readonly number[]): Tensor => tensorOf('float32', shape, values)

const small = fc.integer({ min: -8, max: 8 })

/** A tensor of small whole numbers of a shape that is drawn. */
const drawnTensor = (extents: readonly [number, number][]) =>
  fc.tuple(...extents.map(([min, max]) => fc.integer({ min, max }))).chain((shape) => {
    const length = shape.reduce((product, extent) => product * extent, 1)
    return fc.array(small, { minLength: length, maxLength: length }).map((values) => float32(shape, values))
  })

const listed = (values: Float64Array): number[] => [...values].map((value) => value + 0)

describe('windows', () => {
  const x = float32([1, 1, 5], [1, 5, -2, 4, 3])

  test('the largest elements and the means of a row, padding as PyTorch has it', () => {
    const window = { rank: 1, size: 3, stride: 2, padding: 1 }
    expect(listed(maxOverWindows(x, window).values)).toEqual([5, 5, 4])
    expect(listed(meanOverWindows(x, window).values)).toEqual([6 / 3, 7 / 3, 7 / 3])
    expect(listed(meanOverWindows(x, window).scale)).toEqual([6 / 3, 11 / 3, 7 / 3])
  })

  test('a window of one element, moved by one, changes nothing', () => {
    fc.assert(
      fc.property(
        drawnTensor([
          [1, 2],
          [1, 2],
          [1, 4],
          [1, 4],
          [1, 4],
        ]),
        (tensor) => {
          const window = { rank: 3, size: 1, stride: 1, padding: 0 }
          expect(maxOverWindows(tensor, window).values).toEqual(toFloat64(tensor))
          expect(meanOverWindows(tensor, window).values).toEqual(toFloat64(tensor))
        },
      ),
    )
  })

  test('the mean over an image is that over its columns of those over its rows', () => {
    fc.assert(
      fc.property(
        drawnTensor([
          [1, 2],
          [1, 2],
          [4, 4],
          [4, 8],
        ]),
        fc.integer({ min: 1, max: 4 }),
        (tensor, size) => {
          const [B = 1, C = 1, H = 1, W = 1] = tensor.shape
          const whole = { rank: 2, size, stride: size, padding: 0 }
          const { values } = meanOverWindows(tensor, whole)
          const elements = toFloat64(tensor)
          let at = 0
          for (let image = 0; image < B * C; image++)
            for (let row = 0; row < positionsOf(H, whole); row++)
              for (let column = 0; column < positionsOf(W, whole); column++) {
                let sum = 0
                for (let i = 0; i < size * size; i++) {
                  const [down, along] = [row * size + Math.floor(i / size), column * size + (i % size)]
                  sum += elements[(image * H + down) * W + along]!
                }
                expect(values[at++]).toBeCloseTo(sum / size ** 2, 12)
              }
          expect(at).toBe(values.length)
        },
      ),
    )
  })
})

describe('sums and products along an axis', () => {
  const x = float32([2, 3], [1, 2, -3, 4, 0.5, 2])

  test('cumulative ones, from both ends, with and without the element itself', () => {
    expect(listed(cumulativeSum(x, {}).values)).toEqual([1, 3, 0, 4, 4.5, 6.5])
    expect(listed(cumulativeSum(x, {}).scale)).toEqual([1, 3, 6, 4, 4.5, 6.5])
    expect(listed(cumulativeSum(x, { exclusive: true }).values)).toEqual([0, 1, 3, 0, 4, 4.5])
    expect(listed(cumulativeSum(x, { reverse: true }).values)).toEqual([0, -1, -3, 6.5, 2.5, 2])
    const mask = emptyTensor('bool', [2, 3])
    encode(Float64Array.of(1, 0, 1, 0, 1, 1), mask)
    expect(listed(cumulativeSum(x, {}, mask).values)).toEqual([1, 1, -2, 0, 0.5, 2.5])
    expect(listed(cumulativeProduct(x).values)).toEqual([1, 2, -6, 4, 2, 4])
  })

  test('along the middle axis', () => {
    const y = float32([1, 2, 3], [1, 2, -3, 4, 0.5, 2])
    expect(listed(sumOf(y).values)).toEqual([5, 2.5, -1])
    expect(listed(sumOf(y).scale)).toEqual([5, 2.5, 5])
    expect(listed(meanOf(y).values)).toEqual([2.5, 1.25, -0.5])
    expect(listed(reduceAxis(y, 1, -Infinity, Math.max))).toEqual([4, 2, 2])
    expect(listed(reduceAxis(y, 1, 1, (product, element) => product * element))).toEqual([4, 1, -6])
  })
})

const sets = (of: (index: number) => number): number[] => Array.from({ length: 8 }, (_, index) => of(index))

describe('norms', () => {
  const x = float32([2, 2, 1, 2], [1, 3, 2, 2, 5, 7, -2, -6])

  test('sets are channels, places, stretches or all', () => {
    expect(sets(channels(x).of)).toEqual([0, 0, 1, 1, 0, 0, 1, 1])
    expect(sets(places(x).of)).toEqual([0, 1, 0, 1, 2, 3, 2, 3])
    expect(sets(stretches(x, 4).of)).toEqual([0, 0, 0, 0, 1, 1, 1, 1])
    expect(sets(allTogether.of)).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
  })

  test('a set has mean 0 and variance 1 when epsilon is 0', () => {
    const { values } = standardise(x, channels(x), 0)
    const first = [0, 1, 4, 5].map((index) => values[index]!)
    expect(first.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 12)
    expect(first.reduce((sum, value) => sum + value * value, 0) / 4).toBeCloseTo(1, 12)
    expect(values[0]).toBeCloseTo((1 - 4) / Math.sqrt(5), 12)
  })

  test('divided by a norm, a set has that norm', () => {
    const { values } = divideByNorm(
      x,
      stretches(x, 4),
      (v) => v * v,
      (mean, count) => Math.sqrt(mean * count),
    )
    expect(euclideanNorm(values.subarray(0, 4))).toBeCloseTo(1, 12)
    expect(values[0]).toBeCloseTo(1 / Math.sqrt(18), 12)
  })

  test('the logarithm of the softmax is that of the softmax', () => {
    fc.assert(
      fc.property(
        drawnTensor([
          [1, 4],
          [1, 9],
        ]),
        (tensor) => {
          const { length, block } = softmax(tensor)
          const probabilities = new Float64Array(length)
          block(0, probabilities)
          for (const [i, value] of logSoftmax(tensor).values.entries())
            expect(value).toBeCloseTo(Math.log(probabilities[i]!), 10)
        },
      ),
    )
  })
})

describe('losses and steps', () => {
  test('vectors that point the same way have no distance by their angle, opposite ones 2', () => {
    const [one, other] = [Float64Array.of(3, 4), Float64Array.of(-6, -8)]
    expect(cosineDistance(one, one).value).toBeCloseTo(0, 12)
    expect(cosineDistance(one, other)).toEqual({ value: 2, size: 2 })
    expect(cosineDistance(one, Float64Array.of(0, 0)).value).toBe(1)
    expect(distance(one, Float64Array.of(0, 0)).value).toBeCloseTo(5, 5)
  })

  test('means are over terms, or over the rows of tensors', () => {
    expect(meanOfTerms(4, (i) => ({ value: i, size: 1 }))).toEqual({
      values: Float64Array.of(1.5),
      scale: Float64Array.of(1),
    })
    expect(meanOfTerms(4, (i) => ({ value: i, size: 1 }), 2).values).toEqual(Float64Array.of(3))
    const [a, b] = [float32([2, 2], [1, 2, 3, 4]), float32([2, 2], [1, 1, 2, 2])]
    const dot = meanOfRows([a, b], (x, y) => {
      const value = x[0]! * y[0]! + x[1]! * y[1]!
      return { value, size: value }
    })
    expect(dot.values).toEqual(Float64Array.of((3 + 14) / 2))
  })

  test('a step is taken from the parameter, and its size is part of the scale', () => {
    expect(update(float32([2], [1, -2]), (i) => ({ step: i + 0.5, size: 4 }))).toEqual({
      values: Float64Array.of(0.5, -3.5),
      scale: Float64Array.of(5, 6),
    })
  })
})

/** exp(x) - 1; the exponential is lost beside 1 far below 0. */
const exponentialLessOne = (x: number): number => (x < -50 ? -1 : 2 * Math.sinh(x / 2) * Math.exp(x / 2))

/** Each element-wise activation once more, by another formula. */
const formulas: Record<string, (x: number, attrs: Readonly<Record<string, number>>) => number> = {
  EluCustom: (x, { alpha = 1 }) => (x > 0 ? x : alpha * exponentialLessOne(x)),
  GeluCustom: (x) => x - x * (erfc(x / Math.SQRT2) / 2),
  HardsigmoidCustom: (x) => (x <= -3 ? 0 : x >= 3 ? 1 : (x + 3) / 6),
  HardtanhCustom: (x, { min_val: low = -1, max_val: high = 1 }) => [low, x, high].toSorted((a, b) => a - b)[1]!,
  LeakyReluCustom: (x, { negative_slope: slope = 0.01 }) => (x + Math.abs(x)) / 2 + (slope * (x - Math.abs(x))) / 2,
  MinGptNewGeluCustom: (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3))),
  ReluCustom: (x) => (x + Math.abs(x)) / 2,
  SeluCustom: (x) => 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * exponentialLessOne(x)),
  SigmoidCustom: (x) => (1 + Math.tanh(x / 2)) / 2,
  SoftplusCustom: (x) => (x > 30 ? x : Math.log(1 + Math.exp(x))),
  SoftsignCustom: (x) => Math.sign(x) * (1 - 1 / (1 + Math.abs(x))),
  SwishCustom: (x) => (x * (1 + Math.tanh(x / 2))) / 2,
  TanhCustom: (x) => 1 - 2 / (Math.exp(2 * x) + 1),
}

test.each(Object.entries(formulas))('%s is what another formula says', (name, formula) => {
  const task = tasks.get(name)!
  for (const kernelCase of casesOf(task, 8, 4096)) {
    const inputs = task.draw(kernelCase)
    const attrs: Record<string, number> = {}
    for (const [key, value] of Object.entries(kernelCase.attrs)) attrs[key] = Math.fround(Number(value))
    const [x] = tensorsOf(inputs['x'])
    const [golden] = [task.golden(inputs, kernelCase)['y']!].flat()
    const values = valuesOf(golden!)
    const errors = [...toFloat64(x!)].map((element, i) => {
      return Math.abs(values[i]! - formula(element, attrs)) / Math.max(1, Math.abs(element))
    })
    expect(Math.max(...errors)).toBeLessThan(1e-11)
  }
})
