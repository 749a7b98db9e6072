import { describe, expect, test, vi } from 'vitest'
import { toFloat64 } from '../../plugin/inputs/index.ts'
import { random, tensorOf, valuesOf } from './small-tensors.ts'
import { topK } from './top-k.ts'

// The sources rather than the built package.
vi.mock('vitest-npu', () => import('../../plugin/task/index.ts'))

const row = (...values: number[]) => tensorOf('float16', [values.length], values)
const first = (k: number, rest: { largest?: boolean; sorted?: boolean } = {}) => ({
  k,
  axis: 0,
  largest: true,
  sorted: true,
  ...rest,
})

test('agrees with sorting along any axis, for largest and smallest', () => {
  const x = random('float16', [3, 7, 5], 1)
  const values = toFloat64(x)
  for (const largest of [true, false]) {
    const result = topK(x, { k: 4, axis: 1, largest, sorted: true })
    const [found, positions] = [valuesOf(result.values), valuesOf(result.indices)]
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 5; j++) {
        const line = Array.from({ length: 7 }, (_, p) => values[(i * 7 + p) * 5 + j]!)
        const wanted = line.toSorted((a, b) => (largest ? b - a : a - b)).slice(0, 4)
        const at = [0, 1, 2, 3].map((t) => (i * 4 + t) * 5 + j)
        expect(at.map((index) => found[index])).toEqual(wanted)
        expect(at.map((index) => line[positions[index]!])).toEqual(wanted)
      }
    }
  }
})

test('NaN comes first among the largest and last among the smallest', () => {
  const x = row(1, NaN, -Infinity, Infinity)
  expect(valuesOf(topK(x, first(3)).indices)).toEqual([1, 3, 0])
  expect(valuesOf(topK(x, first(4, { largest: false })).indices)).toEqual([2, 0, 3, 1])
})

describe('equal elements', () => {
  const x = row(5, 3, 5, 0, 5, -0, 3)
  const nearest = (given: number[], rest = {}) => {
    const { indices, values } = topK(x, first(given.length, rest))
    const actual = { indices: tensorOf('int32', [given.length], given) }
    return { indices: valuesOf(indices.nearestTo(actual)), values: valuesOf(values.nearestTo(actual)) }
  }

  test('may be exchanged', () => {
    expect(nearest([4, 0, 2, 6]).indices).toEqual([4, 0, 2, 6])
    expect(nearest([3, 5], { largest: false }).indices).toEqual([3, 5])
    expect(nearest([5, 3], { largest: false }).indices).toEqual([5, 3])
  })

  test('may not be found twice, nor may others or nothing be found', () => {
    expect(nearest([4, 4, 2, 6]).indices).toEqual([4, 0, 2, 6])
    expect(nearest([1, 0, 2, -1]).indices).toEqual([4, 0, 2, 1])
    expect(nearest([7, 2 ** 31 - 1]).indices).toEqual([0, 2])
  })

  test('stand in any order where the result is not sorted, with the values that go with them', () => {
    expect(nearest([6, 4, 0, 2], { sorted: false })).toEqual({ indices: [6, 4, 0, 2], values: [3, 5, 5, 5] })
    expect(nearest([6, 1, 0, 2], { sorted: false })).toEqual({ indices: [6, 4, 0, 2], values: [3, 5, 5, 5] })
    expect(nearest([6, 4, 0, 2]).indices).toEqual([2, 4, 0, 1])
  })
})
