import { expect, test } from 'vitest'
import { largest } from './heat-map.ts'
import { marksOf } from './source-view.ts'

test('ranges mark the lines that a file has, whatever else a ledger says of it', () => {
  const text = 'a line\n'.repeat(10)
  const beyond = Array.from({ length: 3000 }, (): [number, number] => [12, 4e9])
  const missed = [
    { file: 'k.cpp', lines: [...beyond, [-5, 0], [8, 9], [2, 4], [3, 5], [7, 6]] satisfies [number, number][] },
  ]
  const partial = [{ file: 'k.cpp', lines: [[1, 4e9]] satisfies [number, number][] }]
  const code = { blocks: 1, reached: 0, missed, partial, tilingKeys: [] }
  const marks = marksOf(code, 'k.cpp', new Set(), text)
  expect([...marks.missed]).toEqual([2, 3, 4, 5, 8, 9])
  // what follows the last line end is a line as well
  expect([...marks.partial]).toEqual(Array.from({ length: 11 }, (_, i) => i + 1))
  expect(marksOf(code, 'k.cpp', new Set(), undefined).partial.size).toBe(0)
})

test('the largest of more values than a call takes', () => {
  expect(largest(Array.from({ length: 300_000 }, (_, i) => i))).toBe(299_999)
})
