import { describe, expect, test, vi } from 'vitest'
import { encode, RandomStream, toFloat64 } from '../../plugin/inputs/index.ts'
import { emptyTensor, type Tensor } from '../../plugin/model/index.ts'
import { batchedMatmul, groupGemm, matmul, quantMatmul, sliceK, sliceM } from './matmul.ts'
import { random, scaleOf, tensorOf, valuesOf } from './small-tensors.ts'

// The sources rather than the built package.
vi.mock('vitest-npu', () => import('../../plugin/task/index.ts'))

type Element = (row: number, column: number) => number

// The definition, element by element.
const naive = (m: number, k: number, n: number, a: Element, b: Element): number[] =>
  Array.from({ length: m * n }, (_, index) => {
    let sum = 0
    for (let p = 0; p < k; p++) sum += a(Math.floor(index / n), p) * b(p, index % n)
    return sum
  })

const at = (tensor: Tensor, stride: number, start = 0): Element => {
  const values = toFloat64(tensor)
  return (row, column) => values[start + row * stride + column]!
}

function integers(shape: number[], seed: number): Tensor {
  const tensor = emptyTensor('int8', shape)
  const stream = new RandomStream(seed)
  encode(
    Float64Array.from({ length: tensor.data.length }, () => stream.below(256) - 128),
    tensor,
  )
  return tensor
}

function expectClose(actual: number[], expected: number[]) {
  expect(actual).toHaveLength(expected.length)
  for (const [i, value] of actual.entries()) expect(Math.abs(value - expected[i]!), `element ${i}`).toBeLessThan(1e-11)
}

describe('one product', () => {
  // Beyond one panel of columns and one block of terms, with a rest of each.
  const [m, k, n] = [6, 515, 67]
  const a = random('float16', [m, k], 1)
  const b = random('float16', [k, n], 2)
  const left = [...toFloat64(a)]
  const right = [...toFloat64(b)]
  const sums = naive(
    m,
    k,
    n,
    (i, p) => left[i * k + p]!,
    (p, j) => right[p * n + j]!,
  )

  test('is the sum of products, its scale at least the sum of their magnitudes', () => {
    const product = matmul(a, b)
    expectClose(valuesOf(product), sums)
    const magnitudes = naive(
      m,
      k,
      n,
      (i, p) => Math.abs(left[i * k + p]!),
      (p, j) => Math.abs(right[p * n + j]!),
    )
    for (const [i, scale] of scaleOf(product).entries()) {
      expect(scale).toBeGreaterThanOrEqual(magnitudes[i]!)
      expect(scale).toBeLessThan(1.5 * magnitudes[i]!)
    }
  })

  test('adds a matrix, with both factors', () => {
    const c = random('float32', [m, n], 3)
    const added = toFloat64(c)
    const result = matmul(a, b, { alpha: -0.5, beta: 3, c })
    expectClose(
      valuesOf(result),
      sums.map((sum, i) => -0.5 * sum + 3 * added[i]!),
    )
    const plain = scaleOf(matmul(a, b))
    expectClose(
      scaleOf(result),
      plain.map((scale, i) => 0.5 * scale + 3 * Math.abs(added[i]!)),
    )
  })

  test('adds a bias to every row', () => {
    const c = random('float16', [n], 4)
    expectClose(
      valuesOf(matmul(a, b, { c })),
      sums.map((sum, i) => sum + toFloat64(c)[i % n]!),
    )
  })

  test('of a vector, plus a vector', () => {
    const x = random('float32', [k], 5)
    const y = random('float32', [m], 6)
    const expected = naive(m, k, 1, at(a, k), (p) => toFloat64(x)[p]!).map((sum, i) => 2 * sum - toFloat64(y)[i]!)
    expectClose(valuesOf(matmul(a, x, { alpha: 2, beta: -1, c: y })), expected)
  })
})

test('a batch of products', () => {
  const a = random('float16', [3, 2, 5], 1)
  const b = random('float16', [3, 5, 7], 2)
  const expected = [0, 1, 2].flatMap((t) => naive(2, 5, 7, at(a, 5, t * 10), at(b, 7, t * 35)))
  expectClose(valuesOf(batchedMatmul(a, b)), expected)
  expect(scaleOf(batchedMatmul(a, b))).toHaveLength(42)
})

test('groups of any shape, one after the other', () => {
  const groups = [
    { m: 3, k: 5, n: 1 },
    { m: 1, k: 2, n: 7 },
  ]
  const a = random('float16', [15 + 2], 1)
  const b = random('float16', [5 + 14], 2)
  const c = random('float16', [3 + 7], 3)
  const alpha = tensorOf('float32', [2], [2, -1])
  const beta = tensorOf('float32', [2], [0.5, 4])
  const added = toFloat64(c)
  const first = naive(3, 5, 1, at(a, 5), at(b, 1)).map((sum, i) => 2 * sum + 0.5 * added[i]!)
  const second = naive(1, 2, 7, at(a, 2, 15), at(b, 7, 5)).map((sum, i) => -sum + 4 * added[3 + i]!)
  expectClose(valuesOf(groupGemm([a, b, c], [alpha, beta], groups)), [...first, ...second])
})

const magnitudes =
  (element: Element): Element =>
  (i, j) =>
    Math.abs(element(i, j))

describe('integer products', () => {
  const scale = random('bfloat16', [3, 4], 8)
  const a = integers([5, 6], 1)

  test('are exact, then scaled by column and row', () => {
    const b = integers([6, 4], 2)
    const [columns, rows] = [random('float16', [4], 3), random('float16', [5], 4)]
    const expected = naive(5, 6, 4, at(a, 6), at(b, 4)).map(
      (sum, i) => sum * toFloat64(columns)[i % 4]! * toFloat64(rows)[Math.floor(i / 4)]!,
    )
    const result = quantMatmul(a, b, columns, rows)
    expect(valuesOf(result)).toEqual(expected)
    // as large as the terms are by then: what is added up is scaled, too
    const terms = naive(5, 6, 4, magnitudes(at(a, 6)), magnitudes(at(b, 4))).map(
      (sum, i) => sum * Math.abs(toFloat64(columns)[i % 4]! * toFloat64(rows)[Math.floor(i / 4)]!),
    )
    for (const [i, size] of scaleOf(result).entries()) {
      expect(size).toBeGreaterThanOrEqual(terms[i]! * (1 - 1e-12))
      expect(size).toBeLessThan(2.5 * terms[i]!)
    }
  })

  test('of slices of rows: factors by group and column, and by row', () => {
    const b = integers([3, 6, 4], 5)
    const ends = tensorOf('int64', [3], [2, 2, 5])
    const rows = random('bfloat16', [5], 6)
    const groupOf = [0, 0, 2, 2, 2]
    const expected = groupOf.flatMap((g, i) =>
      naive(1, 6, 4, at(a, 6, i * 6), at(b, 4, g * 24)).map(
        (sum, j) => sum * toFloat64(scale)[g * 4 + j]! * toFloat64(rows)[i]!,
      ),
    )
    expect(valuesOf(sliceM(a, b, ends, [scale, rows]))).toEqual(expected)
  })

  test('of slices of terms, a being stored by columns: an empty group is zero, a rest is left out', () => {
    const b = integers([6, 4], 7)
    const ends = tensorOf('int64', [3], [0, 2, 5])
    const rows = random('bfloat16', [3, 5], 9)
    const columnwise: Element = (i, p) => Number(a.data[p * 5 + i])
    const from = [0, 0, 2]
    const expected = [0, 2, 5].flatMap((end, g) =>
      naive(
        5,
        end - from[g]!,
        4,
        (i, p) => columnwise(i, from[g]! + p),
        (p, j) => Number(b.data[(from[g]! + p) * 4 + j]),
      ).map((sum, i) => sum * toFloat64(scale)[g * 4 + (i % 4)]! * toFloat64(rows)[g * 5 + Math.floor(i / 4)]!),
    )
    expect(valuesOf(sliceK(a, b, ends, [scale, rows])).map((value) => value + 0)).toEqual(
      expected.map((value) => value + 0),
    )
  })
})

test('slices of floats have a scale, zero where no term is', () => {
  const a = random('float16', [2, 4], 1)
  const b = random('float16', [4, 3], 2)
  const scales = scaleOf(sliceK(a, b, tensorOf('int64', [2], [0, 4])))
  expect(scales.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 0])
  expect(Math.min(...scales.slice(6))).toBeGreaterThan(0)
})
