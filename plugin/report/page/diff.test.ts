import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffLines, hunksOf } from './diff.ts'

const some = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 25 })

/** Length of a longest common subsequence, by the table. */
function common(one: readonly string[], other: readonly string[]): number {
  let row = other.map(() => 0).concat(0)
  for (const a of one) {
    const next = [0]
    for (const [j, b] of other.entries()) next.push(a === b ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!))
    row = next
  }
  return row.at(-1) ?? 0
}

test('a difference leads from one text to the other, by as few lines as can be', () => {
  fc.assert(
    fc.property(some, some, (one, other) => {
      const lines = diffLines(one, other)
      const of = (kind: string) => lines.filter((line) => line.kind !== kind).map(({ text }) => text)
      expect(of('second')).toEqual(one)
      expect(of('first')).toEqual(other)
      expect(lines.filter(({ kind }) => kind === 'both')).toHaveLength(common(one, other))
    }),
    { numRuns: 500 },
  )
})

test('hunks are the changed places with three lines around them, and where they begin', () => {
  const one = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`)
  const other = one.with(4, 'five').toSpliced(20, 1)
  const hunks = hunksOf(diffLines(one, other))
  expect(hunks.map(({ first, second, lines }) => [first, second, lines.length])).toEqual([
    [2, 2, 8],
    [18, 18, 7],
  ])
  expect(hunksOf(diffLines(one, one))).toEqual([])
})

const long = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word} ${i}`)

test('texts that have nothing in common are shown one after the other, at once', () => {
  const start = performance.now()
  const lines = diffLines(long('a'), long('b'))
  expect(performance.now() - start).toBeLessThan(10_000)
  expect(lines).toHaveLength(40_000)
  expect(lines[0]?.kind).toBe('first')
})
