/* oxlint-disable unicorn/consistent-function-scoping -- each helper stands beside the promise that needs it */
import { expect, test, vi } from 'vitest'
import { sizeOf, type Tensor } from '../../plugin/model/index.ts'
import { cross, crossInSteps } from './linalg.ts'
import { maskedSelect, triu } from './mask.ts'
import { assignSlice, coalesce, expand, repeatRows, reverseSequence, sliceLength } from './movement.ts'
import { random, tensorOf, valuesOf } from './small-tensors.ts'

// The sources rather than the built package.
vi.mock('vitest-npu', () => import('../../plugin/task/index.ts'))

const counted = (...shape: number[]) =>
  tensorOf(
    'int32',
    shape,
    Array.from({ length: sizeOf(shape) }, (_, i) => i),
  )

/** Index of every element of a shape, in order. */
function* indices(shape: readonly number[]): Generator<number[]> {
  for (let i = 0; i < sizeOf(shape); i++) {
    let rest = i
    const index: number[] = []
    for (const extent of shape.toReversed()) {
      index.unshift(rest % extent)
      rest = Math.floor(rest / extent)
    }
    yield index
  }
}

const at = (tensor: Tensor, index: readonly number[]) =>
  Number(tensor.data[index.reduce((offset, position, axis) => offset * tensor.shape[axis]! + position, 0)])

test('triu keeps what tril leaves out, above the diagonal', () => {
  const x = tensorOf('float32', [2, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9, NaN, -11, Infinity])
  expect(valuesOf(triu(x, 0))).toEqual([1, 2, 3, 0, 5, 6, 7, 8, 9, 0, -11, Infinity])
  expect(valuesOf(triu(x, 2)).slice(0, 6)).toEqual([0, 0, 3, 0, 0, 0])
  expect(valuesOf(triu(x, -1)).slice(6)).toEqual([7, 8, 9, NaN, -11, Infinity])
  expect(valuesOf(triu(x, 9))).toEqual(Array(12).fill(0))
})

test('a mask picks elements in order and says how many', () => {
  const mask = tensorOf('bool', [2, 3], [0, 1, 1, 0, 0, 1])
  const y = maskedSelect(tensorOf('float16', [2, 3], [1, 2, 3, 4, 5, 6]), mask)
  expect(y).toMatchObject({ dtype: 'float16', shape: [6] })
  expect(valuesOf(y)).toEqual([2, 3, 6, 0, 0, 0])
  const one = maskedSelect(tensorOf('int64', [2], [-5, 7]), tensorOf('bool', [2], [1, 0]))
  expect(one.data).toEqual(BigInt64Array.of(-5n, 0n))
})

test('expansion repeats along new axes and those of extent 1', () => {
  const x = counted(3, 1, 2)
  const y = expand(x, [2, 3, 4, 2])
  for (const [a, b, c, d] of indices(y.shape)) expect(at(y, [a!, b!, c!, d!])).toBe(at(x, [b!, 0, d!]))
  expect(valuesOf(expand(counted(2), [3, 2]))).toEqual([0, 1, 0, 1, 0, 1])
})

test('rows are repeated in order, zeros follow', () => {
  const feeds = tensorOf('float16', [3, 2], [1, 2, 3, 4, 5, 6])
  const y = repeatRows(feeds, tensorOf('int64', [3], [2, 0, 1]), 5)
  expect(y.shape).toEqual([5, 2])
  expect(valuesOf(y)).toEqual([1, 2, 1, 2, 5, 6, 0, 0, 0, 0])
})

test.each([
  [[3, 4, 2], 1, 0],
  [[3, 4, 2], 0, 1],
  [[3, 4, 2], 2, 0],
  [[2, 3, 2, 4], 1, 3],
  [[2, 3, 2, 4], 3, 1],
])('the start of a sequence is reversed, the rest stays: %j along %d by %d', (shape, axis, batchAxis) => {
  const x = counted(...shape)
  const lengths = Array.from({ length: shape[batchAxis]! }, (_, b) => (b * 2 + 1) % (shape[axis]! + 1))
  const y = reverseSequence(x, tensorOf('int32', [lengths.length], lengths), axis, batchAxis)
  for (const index of indices(shape)) {
    const length = lengths[index[batchAxis]!]!
    const source = index[axis]! < length ? index.with(axis, length - 1 - index[axis]!) : index
    expect(at(y, index)).toBe(at(x, source))
  }
})

test('complex numbers move as pairs', () => {
  const x = tensorOf('complex64', [1, 3], [1, 2, 3, 4, 5, 6])
  expect(valuesOf(reverseSequence(x, tensorOf('int32', [1], [2]), 1, 0))).toEqual([3, 4, 1, 2, 5, 6])
})

test('a strided slice is overwritten, the rest stays', () => {
  const slices = [
    { begin: 1, end: 4, stride: 2 },
    { begin: -2, end: 99, stride: 1 },
  ]
  expect(slices.map((slice, axis) => sliceLength(slice, [5, 3][axis]!))).toEqual([2, 2])
  const y = assignSlice(counted(5, 3), tensorOf('int32', [2, 2], [-1, -2, -3, -4]), slices)
  expect(valuesOf(y)).toEqual([0, 1, 2, 3, -1, -2, 6, 7, 8, 9, -3, -4, 12, 13, 14])
  expect(sliceLength({ begin: -99, end: -1, stride: 3 }, 5)).toBe(2)
})

test('entries of one coordinate are added up', () => {
  const targets = tensorOf('int64', [3], [1, 0, 1])
  const coordinates = tensorOf('int32', [3, 2], [4, 5, 0, 9, 4, 5])
  const sums = coalesce(targets, coordinates, tensorOf('float32', [3, 2], [1, 2, 3, 4, -5, 6]), 2)
  expect(valuesOf(sums.indices)).toEqual([0, 9, 4, 5])
  expect(sums.values).toEqual({ values: Float64Array.of(3, 4, -4, 8), scale: Float64Array.of(0, 0, 6, 8) })
  const five = coalesce(
    tensorOf('int32', [5], Array(5).fill(0)),
    tensorOf('int32', [5, 1], Array(5).fill(7)),
    tensorOf('float16', [5], [1, 1, 1, 1, 1]),
    1,
  )
  // four additions that may all be rounded the same way
  expect(five.values).toEqual({ values: Float64Array.of(5), scale: Float64Array.of(20) })
  const wrapped = coalesce(targets, coordinates, tensorOf('int32', [3], [2 ** 31 - 1, 1, 2]), 2)
  expect(valuesOf('data' in wrapped.values ? wrapped.values : tensorOf('int32', [0], []))).toEqual([1, -(2 ** 31) + 1])
})

test('a sum whose roundings all go one way is right', () => {
  const count = 994
  const addend = 3 * 2 ** -24
  const toFloat16 = (value: number): number => valuesOf(tensorOf('float16', [1], [value]))[0]!
  let sum = 0
  for (let i = 0; i < count; i++) sum = toFloat16(sum + addend)
  const places = tensorOf('int32', [count], Array(count).fill(0))
  const coordinates = tensorOf('int32', [count, 1], Array(count).fill(7))
  const { values } = coalesce(places, coordinates, tensorOf('float16', [count], Array(count).fill(addend)), 1)
  if ('data' in values) throw new TypeError('no scale')
  const error = Math.abs(sum - values.values[0]!)
  expect(values.values).toEqual(Float64Array.of(count * addend))
  // more than roundings at random come to
  expect(error).toBeGreaterThan(2 ** -11 * 3 * Math.sqrt(count) * count * addend)
  expect(error).toBeLessThan(2 ** -11 * values.scale[0]!)
})

test('a vector product is orthogonal to its factors, along any axis', () => {
  for (const shape of [[3], [3, 4], [2, 3, 5], [4, 3]]) {
    const axis = shape.indexOf(3)
    const [x, y] = [random('float32', shape, 1), random('float32', shape, 2)]
    const values = valuesOf(cross(x, y, axis))
    for (const index of indices(shape)) {
      if (index[axis] !== 0) continue
      const component = (k: number) => index.with(axis, k)
      const product = { ...x, data: Float64Array.from(values) }
      for (const factor of [x, y]) {
        const dot = [0, 1, 2].reduce((sum, k) => sum + at(factor, component(k)) * at(product, component(k)), 0)
        expect(dot).toBeCloseTo(0, 14)
      }
    }
  }
  const [one, other] = [tensorOf('float32', [3], [1, 2, 3]), tensorOf('float32', [3], [4, 5, 6])]
  expect(valuesOf(cross(one, other, 0))).toEqual([-3, 6, -3])
  expect(valuesOf(crossInSteps(one, other, 0))).toEqual([-3, 6, -3])
  expect(cross(one, other, 0)).toMatchObject({ scale: Float64Array.of(27, 18, 13) })
})

test('a vector product of integers wraps around', () => {
  const [x, y] = [tensorOf('int8', [3], [100, 2, 3]), tensorOf('int8', [3], [4, 100, 6])]
  expect(valuesOf(cross(x, y, 0))).toEqual([12 - 300 + 256, 12 - 600 + 512, 10000 - 8 - 39 * 256])
})
