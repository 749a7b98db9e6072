import { expect, test } from 'vitest'
import { LateError, withinTime } from './within-time.ts'

const endless = (): boolean => /(a+)+b/.test('a'.repeat(50))

test('work gives what it makes, or throws what it throws', () => {
  expect(withinTime(1000, () => undefined)).toBeUndefined()
  const error = new TypeError('own')
  expect(() =>
    withinTime(1000, () => {
      throw error
    }),
  ).toThrow(error)
})

test.each<[string, () => unknown]>([
  [
    'a loop',
    () => {
      for (;;);
    },
  ],
  ['a regular expression', endless],
  ['a search from each place on', () => ' '.repeat(4_000_000).search(/ +$x/)],
])('%s without an end is ended', (_, work) => {
  const started = performance.now()
  expect(() => withinTime(100, work)).toThrow(LateError)
  expect(performance.now() - started).toBeLessThan(5000)
  expect(withinTime(1000, () => 1)).toBe(1)
})

test('work within work is ended with it', () => {
  expect(() => withinTime(100, () => withinTime(60_000, endless))).toThrow(LateError)
  expect(withinTime(1000, () => withinTime(1000, () => 2) + 1)).toBe(3)
})
