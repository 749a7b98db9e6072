/* oxlint-disable unicorn/consistent-function-scoping -- each helper stands beside the promise that needs it */
import { describe, expect, test, vi } from 'vitest'
import { toFloat64 } from '../../plugin/inputs/index.ts'
import * as fused from './fused.ts'
import { adamW, fusedEmaAdam } from './optim.ts'
import { random, tensorOf, valuesOf } from './small-tensors.ts'

// The sources rather than the built package.
vi.mock('vitest-npu', () => import('../../plugin/task/index.ts'))

const one = (value: number) => tensorOf('float64', [], [value])

describe('optimisers on one element, by hand', () => {
  const of = (...values: number[]) => values.map((value) => tensorOf('float64', [1], [value]))
  const number = (value: number) => expect.closeTo(value, 12)

  test.each([
    [0, true],
    [1, true],
    [1, false],
  ])('Adam with an average, mode %d, corrected %s', (mode, corrected) => {
    const [grad, variable, m, v, s] = of(0.5, 2, 0.25, 4, 3)
    // Numbers that float32 holds.
    const attrs = { lr: 0.125, ema_decay: 0.75, beta1: 0.5, beta2: 0.25, eps: 0.5, mode, weight_decay: 0.25 }
    const result = fusedEmaAdam([grad!, variable!, m!, v!, s!], one(2), { ...attrs, bias_correction: corrected })
    const gradient = mode === 0 ? 0.5 + 0.25 * 2 : 0.5
    const nextM = 0.5 * 0.25 + 0.5 * gradient
    const nextV = 0.25 * 4 + 0.75 * gradient ** 2
    const [c1, c2] = corrected ? [1 - 0.25, 1 - 0.0625] : [1, 1]
    const change = nextM / c1 / (Math.sqrt(nextV / c2) + 0.5) + (mode === 1 ? 0.25 * 2 : 0)
    const next = 2 - 0.125 * change
    expect(valuesOf(result.m)).toEqual([number(nextM)])
    expect(valuesOf(result.v)).toEqual([number(nextV)])
    expect(valuesOf(result.var)).toEqual([number(next)])
    expect(valuesOf(result.s)).toEqual([number(0.75 * 3 + 0.25 * next)])
  })

  test.each([
    [false, false],
    [true, false],
    [true, true],
  ])('AdamW, amsgrad %s, maximize %s', (amsgrad, maximize) => {
    const [grad, variable, m, v, largest] = of(0.5, 2, 0.25, 4, 1.5)
    const attrs = { lr: 0.125, beta1: 0.5, beta2: 0.25, eps: 0.5, weight_decay: 0.25, amsgrad, maximize }
    const result = adamW([grad!, variable!, m!, v!, largest!], one(1), attrs)
    const gradient = maximize ? -0.5 : 0.5
    const nextM = 0.25 + 0.5 * (gradient - 0.25)
    const nextV = 0.25 * 4 + 0.75 * 0.25
    const peak = amsgrad ? Math.max(1.5, nextV) : 1.5
    const root = Math.sqrt((amsgrad ? peak : nextV) / (1 - 0.0625)) + 0.5
    const next = 2 * (1 - 0.125 * 0.25) - ((0.125 / 0.75) * nextM) / root
    expect(valuesOf(result.m)).toEqual([number(nextM)])
    expect(valuesOf(result.v)).toEqual([number(nextV)])
    expect(valuesOf(result.s)).toEqual([number(peak)])
    expect(valuesOf(result.var)).toEqual([number(next)])
  })
})

describe('fused operators', () => {
  const [A, B, C] = [2, 3, 5]
  const numbers = (seed: number, ...shape: number[]) => random('float64', shape, seed)
  const sigmoid = (x: number) => (1 + Math.tanh(x / 2)) / 2
  const close = (values: ArrayLike<number>) => Array.from(values, (value) => expect.closeTo(value, 12))

  test('a scaled and shifted sigmoid', () => {
    const x = numbers(1, 20)
    const result = fused.mulSigmoidMulAdd(x, one(3), one(-2), one(0.5))
    expect(valuesOf(result)).toEqual(close(toFloat64(x).map((value) => sigmoid(3 * value) * -2 + 0.5)))
  })

  test('a softmax of chosen elements adds up to 1 and keeps ratios', () => {
    const [x, y] = [numbers(1, 2, 4), numbers(2, 2, 4)]
    const select = tensorOf('bool', [2, 4], [1, 0, 1, 1, 0, 0, 1, 0])
    const { values } = fused.selectSoftmax(select, x, y)
    const chosen = toFloat64(x).map((value, i) => (Number(select.data[i]) === 0 ? toFloat64(y)[i]! : value))
    const powers = chosen.map(Math.exp)
    const sums = [0, 4].map((start) => powers.subarray(start, start + 4).reduce((sum, power) => sum + power, 0))
    expect([...values]).toEqual(close(powers.map((power, i) => power / sums[i < 4 ? 0 : 1]!)))
  })

  test('a sum of weighted sigmoids over the middle axis', () => {
    const tensors = [
      numbers(1, A, B, C),
      numbers(2, 1, 1, C),
      one(-1.5),
      numbers(3, A, B, 1),
      numbers(4, A, B, C),
    ] as const
    const [xs, biases, , weights, others] = tensors.map(toFloat64)
    const expected = new Float64Array(A * C)
    for (let a = 0; a < A; a++) {
      for (let b = 0; b < B; b++) {
        for (let c = 0; c < C; c++) {
          const at = (a * B + b) * C + c
          expected[a * C + c]! += sigmoid((xs![at]! + biases![c]!) * -1.5) * weights![a * B + b]! * others![at]!
        }
      }
    }
    expect([...fused.addSigmoidMulReduceSum(tensors).values]).toEqual(close(expected))
  })

  test('the scale of a normalised row counts what has cancelled in its mean', () => {
    const x = tensorOf('float64', [1, 4], [1e6, -1e6, 1, 1])
    const all = (value: number) => tensorOf('float64', [1, 4], Array(4).fill(value))
    const { scale } = fused.mulMulNormalise([x, all(1), one(1), one(0), all(1), all(0)])
    // mean 1/2, spread 1e6 / sqrt(2): the terms of the mean are as large as the spread
    expect(scale[2]).toBeGreaterThan(0.5)
  })

  test('normalised rows have the mean and the spread that gamma and beta say', () => {
    const [x, y] = [numbers(1, 3, 40), numbers(2, 3, 40)]
    const all = (value: number) => tensorOf('float64', [1, 40], Array(40).fill(value))
    const { values } = fused.mulMulNormalise([x, y, one(2), one(0), all(3), all(-1)])
    for (let row = 0; row < 3; row++) {
      const part = values.subarray(row * 40, row * 40 + 40)
      const mean = part.reduce((sum, value) => sum + value, 0) / 40
      expect(mean).toBeCloseTo(-1, 12)
      expect(part.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 40).toBeCloseTo(9, 11)
    }
  })
})
