import { expect, test } from 'vitest'
import { marksOf } from './source-view.ts'

test('ranges of lines that no file has are marked up to a limit in all', () => {
  const lines = Array.from({ length: 3000 }, (): [number, number] => [1, 4e9])
  const code = { blocks: 1, reached: 0, missed: [{ file: 'k.cpp', lines }], partial: [], tilingKeys: [] }
  expect(marksOf(code, 'k.cpp', new Set()).missed.size).toBe(100_000)
})
