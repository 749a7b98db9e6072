/* oxlint-disable unicorn/consistent-function-scoping -- each helper stands beside the promise that needs it */
import { describe, expect, test, vi } from 'vitest'
import { toFloat64 } from '../../plugin/inputs/index.ts'
import { crossEntropy, crossEntropyGrad, mse, mseGrad } from './loss.ts'
import { random, tensorOf, valuesOf } from './small-tensors.ts'

// The sources rather than the built package.
vi.mock('vitest-npu', () => import('../../plugin/task/index.ts'))

describe('mean squared error', () => {
  const [x, y] = [random('float32', [70, 90], 1), random('float32', [70, 90], 2)]
  const [xs, ys] = [toFloat64(x), toFloat64(y)]
  const squares = [...xs].map((value, i) => (value - ys[i]!) * (value - ys[i]!))
  const sum = squares.reduce((total, value) => total + value, 0)

  test('of elements, summed, averaged', () => {
    expect(valuesOf(mse(x, y, 'none'))).toEqual(squares)
    expect(valuesOf(mse(x, y, 'sum'))).toEqual([expect.closeTo(sum, 9)])
    expect(valuesOf(mse(x, y, 'mean'))).toEqual([expect.closeTo(sum / 6300, 12)])
  })

  test('its derivative is the slope of the loss', () => {
    const small = tensorOf('float32', [2], [1, 5])
    const label = tensorOf('float32', [2], [3, 4])
    const upstream = tensorOf('float32', [2], [1, -2])
    expect(valuesOf(mseGrad(small, label, upstream, 'sum'))).toEqual([-4, -4])
    expect(valuesOf(mseGrad(small, label, upstream, 'none'))).toEqual([-4, -4])
    expect(valuesOf(mseGrad(small, label, upstream, 'mean'))).toEqual([-2, -2])
  })
})

describe('cross entropy', () => {
  const attrs = { reduction: 'mean', ignore_index: -100, label_smoothing: 0, lse_square_scale_for_zloss: 0.5 }
  const logits = tensorOf('float32', [3, 4], [1, 2, 3, 4, 0, 0, 0, 0, -5, 100, 3, 2])
  const target = tensorOf('int64', [3], [3, 1, 0])
  const weight = tensorOf('float32', [4], [0.5, 0.25, 1, 2])
  const loss = (changes: object, weights: typeof weight | null = weight) =>
    valuesOf(crossEntropy(logits, target, weights, { ...attrs, ...changes }).loss)

  // Straight from the definition, without care for overflow.
  const rows = [
    [1, 2, 3, 4],
    [0, 0, 0, 0],
    [-5, 100, 3, 2],
  ]
  const lse = rows.map((row) => Math.log(row.reduce((sum, value) => sum + Math.exp(value), 0)))
  const logProb = rows.map((row, n) => row.map((value) => value - lse[n]!))
  const terms = [-logProb[0]![3]! * 2, -logProb[1]![1]! * 0.25, -logProb[2]![0]! * 0.5]
  const near = (values: number[]) => values.map((value) => expect.closeTo(value, 10))

  test('log-probabilities and their sums', () => {
    const result = crossEntropy(logits, target, weight, attrs)
    expect(valuesOf(result.log_prob)).toEqual(near(logProb.flat()))
    expect(valuesOf(result.lse_for_zloss)).toEqual(near(lse))
    const squares = lse.reduce((sum, value) => sum + value * value, 0)
    expect(valuesOf(result.zloss)).toEqual(near([(0.5 * squares) / 3]))
  })

  test('each reduction; the mean is that of the weights', () => {
    const total = terms.reduce((sum, term) => sum + term, 0)
    expect(loss({ reduction: 'none' })).toEqual(near(terms))
    expect(loss({ reduction: 'sum' })).toEqual(near([total]))
    expect(loss({})).toEqual(near([total / 2.75]))
    const plain = -(logProb[0]![3]! + logProb[1]![1]! + logProb[2]![0]!) / 3
    expect(loss({}, null)).toEqual(near([plain]))
  })

  test('an ignored class counts nowhere; if nothing is left the mean is 0', () => {
    expect(loss({ ignore_index: 1 })).toEqual(near([(terms[0]! + terms[2]!) / 2.5]))
    const same = tensorOf('int64', [3], [2, 2, 2])
    expect(valuesOf(crossEntropy(logits, same, weight, { ...attrs, ignore_index: 2 }).loss)).toEqual([0])
  })

  test('smoothing takes a share of the mean over classes', () => {
    const share = Math.fround(0.1)
    const weights = [0.5, 0.25, 1, 2]
    const all = logProb.map((row) => -row.reduce((sum, value, c) => sum + value * weights[c]!, 0))
    expect(loss({ reduction: 'none', label_smoothing: 0.1 })).toEqual(
      near(terms.map((term, n) => (1 - share) * term + (share * all[n]!) / 4)),
    )
  })

  test('the derivative is the slope of the loss', () => {
    const upstream = tensorOf('float32', [], [1])
    const flat = [...toFloat64(logits)].map((value) => value / 32)
    const flatter = (shift: number, index: number) =>
      tensorOf(
        'float64',
        [3, 4],
        flat.map((value, i) => (i === index ? value + shift : value)),
      )
    for (const changes of [{}, { reduction: 'sum' }, { ignore_index: 1 }]) {
      const settings = { ...attrs, ...changes }
      const at = (x: ReturnType<typeof flatter>) => valuesOf(crossEntropy(x, target, weight, settings).loss)[0]!
      const { log_prob: own } = crossEntropy(flatter(0, 0), target, weight, settings)
      const grad = crossEntropyGrad(upstream, tensorOf('float64', [3, 4], own.values), target, weight, settings)
      for (const [index, value] of grad.values.entries()) {
        const slope = (at(flatter(1e-4, index)) - at(flatter(-1e-4, index))) / 2e-4
        expect(value).toBeCloseTo(slope, 7)
      }
    }
  })

  test('without reduction every sample has an upstream of its own', () => {
    const { log_prob: own } = crossEntropy(logits, target, null, attrs)
    const table = tensorOf('float64', [3, 4], own.values)
    const settings = { ...attrs, reduction: 'none' }
    const single = crossEntropyGrad(tensorOf('float32', [3], [1, 1, 1]), table, target, null, settings).values
    const scaled = crossEntropyGrad(tensorOf('float32', [3], [2, 3, -4]), table, target, null, settings).values
    expect([...scaled]).toEqual([...single].map((value, i) => value * [2, 3, -4][Math.floor(i / 4)]!))
  })
})
