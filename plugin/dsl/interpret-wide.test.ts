import { describe, expect, test } from 'vitest'
import { reduceCores, wideRules, type WideCall } from './interpret-wide.ts'

/** What a primitive makes of rows, which are as wide as each other. */
function resultOf(
  name: string,
  lowering: string,
  rows: readonly (readonly number[])[],
  given: Partial<WideCall> = {},
): number[] {
  const width = rows[0]!.length
  const target = new Float64Array(rows.length * width)
  wideRules[lowering]!({
    name,
    target,
    source: Float64Array.from(rows.flat()),
    pitch: [width, width],
    rows: rows.length,
    columns: width,
    numbers: [],
    word: 'forward',
    round: Math.fround,
    ...given,
  })
  return [...target]
}

const rows = [
  [3, 1, 2],
  [-1, 5, 0],
]

describe('numbers by hand', () => {
  test.each([
    ['columnSum', [2, 6, 2]],
    ['columnProduct', [-3, 5, 0]],
    ['columnMax', [3, 5, 2]],
    ['columnMin', [-1, 1, 0]],
  ])('%s goes down columns', (name, expected) => {
    expect(resultOf(name, 'columns', rows).slice(0, 3)).toEqual(expected)
  })

  test.each([
    ['runningSum', 'forward', [3, 4, 6, -1, 4, 4]],
    ['runningSum', 'backward', [6, 3, 2, 4, 5, 0]],
    ['runningProduct', 'forward', [3, 3, 6, -1, -5, 0]],
    ['runningProduct', 'backward', [6, 2, 2, 0, 0, 0]],
  ])('%s goes %s', (name, word, expected) => {
    expect(resultOf(name, 'running', rows, { word }).map((value) => value + 0)).toEqual(expected)
  })

  test('a running sum goes on over pieces of 16 elements', () => {
    const values = Array.from({ length: 300 }, (_, i) => (i * 7) % 11)
    let sum = 0
    expect(resultOf('runningSum', 'running', [values])).toEqual(values.map((value) => (sum += value)))
  })

  test('pick takes one column', () => {
    expect(resultOf('pick', 'pick', rows, { numbers: [1] }).slice(0, 2)).toEqual([1, 5])
  })

  test.each([
    // size, step, first, width
    ['windowMax', [2, 1, -1, 3], [3, 3, 2, -1, 5, 5]],
    ['windowSum', [2, 1, -1, 3], [3, 4, 3, -1, 4, 5]],
    ['windowSum', [3, 1, 0, 2], [4, 1, 0, 4, 5, 0]],
    ['windowMax', [1, 1, 5, 3], Array<number>(6).fill(-Infinity)],
  ])('%s of %j', (name, numbers, expected) => {
    expect(resultOf(name, 'window', rows, { numbers })).toEqual(expected)
  })

  test('a window of 7 that moves by 1 is made of 1, 2 and 4 elements', () => {
    const values = Array.from({ length: 12 }, (_, i) => i + 1)
    const sums = resultOf('windowSum', 'window', [values], { numbers: [7, 1, 0, 12], columns: 6 }).slice(0, 6)
    expect(sums).toEqual([28, 35, 42, 49, 56, 63])
  })

  test.each([
    ['windowRowsMax', [2, 1, 0, 2], [3, 5, 2, -1, 5, 0]],
    ['windowRowsSum', [3, 1, -1, 2], [2, 6, 2, 2, 6, 2]],
  ])('%s of %j', (name, numbers, expected) => {
    expect(resultOf(name, 'window-rows', rows, { numbers })).toEqual(expected)
  })

  test('cores come in their order', () => {
    const tiny = 2 ** -25
    expect(reduceCores('allReduceSum', [[1], [tiny], [tiny]], Math.fround)).toEqual([1])
    expect(reduceCores('allReduceSum', [[tiny], [tiny], [1]], Math.fround)).toEqual([Math.fround(1 + 2 * tiny)])
    expect(reduceCores('allReduceMin', [[2], [-3], [1]], Math.fround)).toEqual([-3])
  })
})
