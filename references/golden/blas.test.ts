/* oxlint-disable unicorn/consistent-function-scoping -- each helper stands beside the promise that needs it */
import { expect, test, vi } from 'vitest'
import { toFloat64 } from '../../plugin/inputs/index.ts'
import { asum, ccopy, complexProduct, extremeMagnitude, nrm2, scal } from './blas.ts'
import { random, scaleOf, tensorOf, valuesOf } from './small-tensors.ts'

// The sources rather than the built package.
vi.mock('vitest-npu', () => import('../../plugin/task/index.ts'))

test('ccopy takes pairs, a stride apart', () => {
  const x = tensorOf('complex64', [2, 2], [1, 2, 3, 4, 5, 6, 7, 8])
  expect(ccopy(x, 2, 2)).toMatchObject({ shape: [2], data: Float32Array.of(1, 2, 5, 6) })
  expect(valuesOf(ccopy(x, 3, 1))).toEqual([1, 2, 3, 4, 5, 6])
})

test('a complex product; its scale is made of magnitudes', () => {
  const x = tensorOf('complex64', [2], [1, 2, 0, 1])
  const y = tensorOf('complex64', [2], [3, -4, 0, 1])
  expect(valuesOf(complexProduct(x, y))).toEqual([11, 2, -1, 0])
  expect(scaleOf(complexProduct(x, y))).toEqual([11, 10, 1, 0])
  // |xy| = |x| |y|
  const [a, b] = [random('complex64', [100], 1), random('complex64', [100], 2)]
  const [product, left, right] = [valuesOf(complexProduct(a, b)), toFloat64(a), toFloat64(b)]
  const size = (values: ArrayLike<number>, i: number) => Math.hypot(values[2 * i]!, values[2 * i + 1]!)
  for (let i = 0; i < 100; i++) expect(size(product, i)).toBeCloseTo(size(left, i) * size(right, i), 12)
})

test('the first of the extreme magnitudes, counted from 1, among the strided elements', () => {
  const x = tensorOf('float32', [7], [-2, 9, 3, 0.5, -3, 0.5, 8])
  const at = (n: number, incx: number, sign: 1 | -1) => valuesOf(extremeMagnitude(x, n, incx, sign))
  expect(at(6, 1, 1)).toEqual([2])
  expect(at(3, 2, 1)).toEqual([2])
  expect(at(4, 2, 1)).toEqual([4])
  expect(at(7, 1, -1)).toEqual([4])
  expect(at(1, 1, -1)).toEqual([1])
  const complex = tensorOf('complex64', [3], [0, 5, -3, 3, 6, 0])
  expect(valuesOf(extremeMagnitude(complex, 3, 1, 1))).toEqual([2])
  expect(valuesOf(extremeMagnitude(complex, 3, 1, -1))).toEqual([1])
  // Equal as float32 sums, not as real ones.
  const tie = tensorOf('complex64', [2], [1, 0, 1, 2 ** -30])
  expect(valuesOf(extremeMagnitude(tie, 2, 1, 1))).toEqual([1])
})

test('sums and norms of strided elements; alpha * x', () => {
  const x = tensorOf('float32', [5], [3, 100, -4, 100, 12])
  expect(valuesOf(asum(x, 3, 2))).toEqual([19])
  expect(valuesOf(nrm2(x, 3, 2))).toEqual([13])
  expect(valuesOf(asum(x, 2, 1))).toEqual([103])
  expect(valuesOf(scal(x, 0.1))).toEqual([3, 100, -4, 100, 12].map((value) => value * Math.fround(0.1)))
})
