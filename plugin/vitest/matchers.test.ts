import { expect, test } from 'vitest'
import { matchers } from './matchers.ts'

expect.extend(matchers)

test('equal elements match, NaN and infinities at the same positions included', () => {
  expect(Float32Array.of(1, Number.NaN, Infinity)).toMatchGolden([1, Number.NaN, Infinity])
})

test.each([
  [[1], [1, 2], '1 elements instead of 2'],
  [[Number.NaN], [1], '1 of 1 elements'],
  [[1], [Number.NaN], '1 of 1 elements'],
  [[Infinity], [1e308], '1 of 1 elements'],
  [[-Infinity], [Infinity], '1 of 1 elements'],
  [[1, 2, 3.5, 4], [1, 2, 3, 4], 'worst [2]: expected 3, got 3.5'],
  ['text', [1], 'arrays of numbers'],
])('%j does not match %j', (actual, expected, message) => {
  expect(() => expect(actual).toMatchGolden(expected, { relative: 0.1 })).toThrow(message)
})

test('an element within the bound matches', () => {
  expect([1.05, 100]).toMatchGolden([1, 100], { relative: 0.1 })
  expect(() => expect([1.2, 100]).toMatchGolden([1, 100], { relative: 0.1 })).toThrow('worst [0]')
})
