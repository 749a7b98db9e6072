import { expect, it } from 'vitest'
import { RandomStream } from '../../inputs/random.ts'
import { tokenDistance } from './token-distance.ts'

/** The same by the longest common subsequence. */
function byTable(one: readonly string[], other: readonly string[]): number {
  const table = Array.from({ length: one.length + 1 }, () => Array.from({ length: other.length + 1 }, () => 0))
  for (let i = 1; i <= one.length; i++)
    for (let j = 1; j <= other.length; j++)
      table[i]![j] =
        one[i - 1] === other[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!)
  return one.length + other.length - 2 * table[one.length]![other.length]!
}

it('is what a table of all prefixes says', () => {
  const random = new RandomStream(1, 'distance')
  const list = (): string[] => Array.from({ length: random.below(20) }, () => String(random.below(4)))
  for (let i = 0; i < 300; i++) {
    const [one, other] = [list(), list()]
    expect(tokenDistance(one, other, 60)).toBe(byTable(one, other))
  }
})

it('is unknown beyond the limit, and known at it', () => {
  const [one, other] = ['a b c d e f', 'a x c y e z'].map((text) => text.split(' '))
  expect(tokenDistance(one!, other!, 6)).toBe(6)
  expect(tokenDistance(one!, other!, 5)).toBeUndefined()
  expect(tokenDistance(one!, one!, 0)).toBe(0)
})
