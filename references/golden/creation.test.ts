/* oxlint-disable unicorn/consistent-function-scoping -- each helper stands beside the promise that needs it */
import { describe, expect, test, vi } from 'vitest'
import type { DType } from '../../plugin/model/index.ts'
import { less, lessEqual } from './comparison.ts'
import { foundNonFinite, isFinite, isInf } from './condition.ts'
import { arange, eye, fill } from './creation.ts'
import { gather } from './index.ts'
import { random, scaleOf, tensorOf, valuesOf } from './small-tensors.ts'

// The sources rather than the built package.
vi.mock('vitest-npu', () => import('../../plugin/task/index.ts'))

describe('comparison and condition', () => {
  test('order of numbers, NaN and zeros', () => {
    const x = tensorOf('float32', [5], [1, -0, NaN, -Infinity, 2])
    const y = tensorOf('float32', [5], [2, 0, 1, Infinity, 2])
    expect(less(x, y)).toMatchObject({ dtype: 'bool', data: Uint8Array.of(1, 0, 0, 1, 0) })
    expect(lessEqual(x, y)).toMatchObject({ dtype: 'bool', data: Uint8Array.of(1, 1, 0, 1, 1) })
  })

  test('64-bit integers that float64 cannot tell apart', () => {
    const of = (...data: bigint[]) => ({
      dtype: 'int64' as const,
      shape: [data.length],
      data: BigInt64Array.from(data),
    })
    const [x, y] = [of(2n ** 60n, -5n, 7n), of(2n ** 60n + 1n, -6n, 7n)]
    expect(valuesOf(less(x, y))).toEqual([1, 0, 0])
    expect(valuesOf(lessEqual(x, y))).toEqual([1, 0, 1])
  })

  test('finite, infinite, neither', () => {
    for (const dtype of ['float16', 'bfloat16', 'float32'] as const) {
      const x = tensorOf(dtype, [6], [0, 60000, 2 ** -24, Infinity, -Infinity, NaN])
      expect(valuesOf(isFinite(x))).toEqual([1, 1, 1, 0, 0, 0])
      expect(valuesOf(isInf(x))).toEqual([0, 0, 0, 1, 1, 0])
    }
  })

  test('one value that is not finite, anywhere in the list, is found', () => {
    const tensors = [random('float16', [5000], 1), random('float16', [9000], 2)]
    expect(valuesOf(foundNonFinite(tensors))).toEqual([0])
    for (const [tensor, index] of [
      [0, 0],
      [1, 8999],
    ] as const) {
      const copies = tensors.map((source) => ({ ...source, data: source.data.slice() }))
      copies[tensor]!.data[index] = 0x7e00
      expect(valuesOf(foundNonFinite(copies))).toEqual([1])
    }
  })
})

test('gather along each axis, with repetition', () => {
  const x = tensorOf(
    'int16',
    [2, 3, 2],
    Array.from({ length: 12 }, (_, i) => i),
  )
  const at = (axis: number, ...indices: number[]) => gather(x, tensorOf('int64', [indices.length], indices), axis)
  expect(at(0, 1, 1, 0).shape).toEqual([3, 3, 2])
  expect(valuesOf(at(0, 1, 0))).toEqual([6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5])
  expect(valuesOf(at(1, 2))).toEqual([4, 5, 10, 11])
  expect(valuesOf(at(2, 1, 1, 0))).toEqual([1, 1, 0, 3, 3, 2, 5, 5, 4, 7, 7, 6, 9, 9, 8, 11, 11, 10])
})

describe('creation', () => {
  const range = (dtype: DType, ...[start, end, step]: [number, number, number]) =>
    arange(tensorOf(dtype, [], [start]), tensorOf(dtype, [], [end]), tensorOf(dtype, [], [step]))

  test('a range leaves its end out, counts with the rounded numbers, and may go down', () => {
    expect(valuesOf(range('int32', 1, 5, 2))).toEqual([1, 3])
    expect(valuesOf(range('int64', 5, -1, -2))).toEqual([5, 3, 1])
    expect(valuesOf(range('float32', 2, 3.25, 0.5))).toEqual([2, 2.5, 3])
    const bfloat = range('bfloat16', -70.8, 120.2, 2)
    expect(valuesOf(bfloat)).toEqual(Array.from({ length: 96 }, (_, i) => -71 + 2 * i))
    expect(scaleOf(bfloat).slice(0, 3)).toEqual([71, 73, 75])
  })

  test('ones on the diagonal of every matrix', () => {
    expect(valuesOf(eye('int32', [2, 2, 3]))).toEqual([1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0])
    expect(valuesOf(eye('float16', [3, 2]))).toEqual([1, 0, 0, 1, 0, 0])
    expect(valuesOf(eye('float32', [1, 1]))).toEqual([1])
  })

  test('a value of any width everywhere', () => {
    for (const dtype of ['int8', 'float16', 'float32', 'int64'] as const) {
      expect(valuesOf(fill(tensorOf(dtype, [], [-7]), [3, 5]))).toEqual(Array(15).fill(-7))
      expect(valuesOf(fill(tensorOf(dtype, [], [-7]), [1]))).toEqual([-7])
    }
  })
})
