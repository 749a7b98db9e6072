import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Examples } from './examples.ts'

function examplesOf(severities: readonly number[]): Examples {
  const examples = new Examples()
  severities.forEach((severity, index) => examples.add(index, index, -index, 0, severity))
  return examples
}

test('the worst ones, the first and the last ones, the worst one first', () => {
  const severities = [1, 1, 1, 7, 1, 9, 1, 8, 1, 6, 5, 1, 1]
  const found = examplesOf(severities).all()
  expect(found.map(({ index }) => index)).toEqual([5, 0, 1, 3, 7, 9, 11, 12])
  expect(found[0]).toEqual({ index: 5, golden: 5, actual: -5, limit: 0, severity: 9 })
})

test('of equal ones the first is the worst', () => {
  expect(examplesOf([2, 3, 3]).worst.index).toBe(1)
  expect(examplesOf([0, 0]).worst.index).toBe(0)
  expect(examplesOf([Infinity, Infinity]).worst.index).toBe(0)
})

test('none are missing where they are few, and none is there twice', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(0, 1, 2, 3, Infinity), { maxLength: 40 }), (severities) => {
      const found = examplesOf(severities).all()
      const indices = found.map(({ index }) => index)
      expect(new Set(indices).size).toBe(indices.length)
      expect(indices.length).toBeLessThanOrEqual(8)
      if (severities.length <= 4) expect(indices.length).toBe(severities.length)
      const largest = severities.toSorted((one, other) => other - one).slice(0, 4)
      const shown = found.map(({ severity }) => severity).toSorted((one, other) => other - one)
      expect(shown.slice(0, largest.length)).toEqual(largest)
      expect(found[0]?.severity).toBe(largest[0])
      for (const end of [0, 1, severities.length - 2, severities.length - 1])
        if (end >= 0 && end < severities.length) expect(indices).toContain(end)
    }),
  )
})
