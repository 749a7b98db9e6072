import { expect, test } from 'vitest'
import { driftOf } from './measure-times.ts'

test('a drift is what the last part of a series is off the first, whatever single times say', () => {
  expect(driftOf([100, 100, 900, 100, 100, 100, 100, 1, 100])).toBe(0)
  expect(driftOf([100, 100, 100, 102, 102, 102, 105, 105, 105])).toBe(5)
  expect(driftOf([105, 105, 105, 100, 100, 100])).toBeCloseTo(4.76)
  expect(driftOf([])).toBe(0)
})
