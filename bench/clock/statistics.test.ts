import { expect, test } from 'vitest'
import { agreementOf, kendallTau, ordersAcross, quantile, tauAcross } from './statistics.ts'
import type { Row } from './vendor.ts'

const row = (operator: string, size: number, publishedUs: number, predictedUs: number): Row => ({
  operator,
  row: 1,
  dtype: 'float32',
  shape: [size],
  tensors: 1,
  publishedUs,
  predictedUs,
  pipe: 'V',
})

test('quantiles lie between neighbours', () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2.5)
  expect(quantile([7], 0.25)).toBe(7)
})

test('tau is 1 in the same order, -1 in the opposite one', () => {
  expect(
    kendallTau([
      [1, 2],
      [2, 3],
      [3, 9],
    ]),
  ).toBe(1)
  expect(
    kendallTau([
      [1, 3],
      [2, 2],
      [3, 1],
    ]),
  ).toBe(-1)
  expect(
    kendallTau([
      [1, 1],
      [1, 2],
      [2, 3],
    ]),
  ).toBe(1)
})

test('an agreement tells error, spread and order', () => {
  const rows = [row('A', 1, 10, 11), row('A', 2, 20, 22), row('A', 3, 30, 60)]
  const { medianError, tau, quartiles } = agreementOf(rows)
  expect(medianError).toBeCloseTo(0.1)
  expect(tau).toBe(1)
  expect(quartiles).toBeCloseTo(1.55 / 1.1)
  expect(agreementOf(rows, 0.5).medianError).toBeCloseTo(0.45)
})

test('operators are ranked against each other on rows of equal size', () => {
  expect(tauAcross([row('A', 8, 1, 1), row('B', 8, 2, 3), row('A', 9, 5, 9), row('C', 9, 4, 10)])).toBe(0)
})

test('a list of two tensors is of equal size with a tensor of as many elements, not with one of the same shape', () => {
  const list = { ...row('B', 4, 2, 3), tensors: 2 }
  expect(tauAcross([row('A', 8, 1, 1), list])).toBe(1)
  expect(tauAcross([row('A', 4, 1, 1), list])).toBeNaN()
})

test('the order of two operators is told with those that are hardly apart', () => {
  const rows = [row('A', 8, 10, 1), row('B', 8, 20, 3), row('A', 9, 10, 12), row('B', 9, 10.5, 11)]
  expect(ordersAcross(rows)).toEqual([{ operators: 'A, B', rows: 2, agree: 1, close: 1 }])
  expect(ordersAcross([row('A', 8, 10, 5), row('B', 8, 20, 3)])[0]).toMatchObject({ agree: 0, close: 0 })
})
