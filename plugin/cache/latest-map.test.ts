import { expect, test } from 'vitest'
import { LatestMap } from './latest-map.ts'

test('the entry that was set first is forgotten', () => {
  const map = new LatestMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3)
  expect([...map]).toEqual([
    ['a', 3],
    ['b', 2],
  ])
  map.set('c', 4)
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 4],
  ])
})
