import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { MismatchPattern } from './pattern.ts'

function patternOf(shape: readonly number[], wrong: Iterable<number>): string | undefined {
  const pattern = new MismatchPattern(shape)
  for (const index of wrong) pattern.add(index)
  return pattern.describe('y')
}

const range = (first: number, last: number, step = 1): number[] =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => first + i * step)

test.each<[string, number[], number[], string | undefined]>([
  ['from one on', [8192], range(4096, 8191), 'exactly y[4096..8191 (the last)]'],
  ['a part in the middle', [8192], range(96, 103), 'exactly y[96..103]'],
  ['each eighth', [64], range(3, 59, 8), 'exactly y[3..59 each 8]'],
  [
    'the tail of each row',
    [4, 16],
    [0, 1, 2, 3].flatMap((row) => range(16 * row + 12, 16 * row + 15)),
    'exactly y[*, 12..15]',
  ],
  ['one column', [4, 16], [5, 21, 37, 53], 'exactly y[*, 5]'],
  ['a row', [4, 16], range(16, 31), 'exactly y[1, *]'],
  [
    'from the middle of a row on',
    [4, 16],
    range(24, 63),
    'exactly the elements of y from 24 to the end, counted in memory',
  ],
  [
    'each third of memory',
    [5, 8],
    range(0, 39, 3),
    'exactly the elements of y from 0 to the end, each 3, counted in memory',
  ],
  ['most of a part', [4, 16], [12, 13, 15, 28, 31, 44, 45, 46], 'all within y[0..2, 12..15], which has 12 elements'],
  ['one', [64], [7], undefined],
  ['all', [4, 16], range(0, 63), undefined],
  ['here and there', [64], [0, 3, 4, 11, 30, 63], undefined],
])('%s', (_, shape, wrong, said) => expect(patternOf(shape, wrong)).toBe(said))

/** The elements that a text of the form `y[0..3, 5]` names. */
function named(shape: readonly number[], ranges: string): Set<number> {
  const byDimension = ranges.split(', ').map((text, i) => {
    if (text === '*') return range(0, shape[i]! - 1)
    const [, first = '', last = first, step = '1'] =
      /^(\d+)(?:\.\.(\d+)(?: \(the last\))?(?: each (\d+))?)?$/.exec(text) ?? []
    return range(Number(first), Number(last), Number(step))
  })
  const flat = byDimension.reduce<number[]>(
    (before, own, i) => before.flatMap((index) => own.map((each) => index * shape[i]! + each)),
    [0],
  )
  return new Set(flat)
}

test('what is said to be exactly some elements is those', () => {
  const shape = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 })
  const wrong = shape.chain((extents) => {
    const elements = extents.reduce((product, extent) => product * extent, 1)
    return fc.tuple(fc.constant(extents), fc.uniqueArray(fc.integer({ min: 0, max: elements - 1 }), { minLength: 1 }))
  })
  let said = 0
  fc.assert(
    fc.property(wrong, ([extents, some]) => {
      const text =
        patternOf(
          extents,
          some.toSorted((one, other) => one - other),
        ) ?? ''
      const [, ranges] = /^exactly y\[(.*)\]$/.exec(text) ?? []
      if (ranges !== undefined) {
        said++
        expect(named(extents, ranges)).toEqual(new Set(some))
      }
      const [, within, count] = /^all within y\[(.*)\], which has (\d+) elements$/.exec(text) ?? []
      if (within !== undefined) {
        expect(named(extents, within).size).toBe(Number(count))
        for (const index of some) expect(named(extents, within)).toContain(index)
      }
    }),
    { numRuns: 2000 },
  )
  expect(said).toBeGreaterThan(100)
})
