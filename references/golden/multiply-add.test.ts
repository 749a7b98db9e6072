import { expect, test } from 'vitest'
import { RandomStream } from '../../plugin/inputs/index.ts'
import { multiplyAdd } from './multiply-add.ts'

const stream = new RandomStream(7)
const random = (length: number): Float64Array => Float64Array.from({ length }, () => stream.below(2001) / 1000 - 1)

// Sizes around the strips, blocks and depths that are worked on at a time.
test.each([
  [1, 1, 5000],
  [5, 3, 2001],
  [4, 2, 512],
  [70, 130, 513],
  [130, 65, 77],
  [3, 9, 1025],
])('adds products of %i rows and %i rows over %i elements, and touches nothing else', (m, n, k) => {
  // a product before leaves its rows behind
  multiplyAdd({ data: random(2 ** 16).fill(NaN), stride: 512 }, { data: random(2 ** 15), stride: 512 }, 64, 64, 512, {
    data: new Float64Array(4096),
    stride: 64,
  })
  const a = { data: random(m * (k + 3)), start: 1, stride: k + 3 }
  const b = { data: random(n * (k + 2)), start: 2, stride: k + 2 }
  const c = { data: random(m * (n + 2)), start: 2, stride: n + 2 }
  const expected = c.data.slice()
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      for (let p = 0; p < k; p++) {
        expected[2 + i * c.stride + j]! += a.data[1 + i * a.stride + p]! * b.data[2 + j * b.stride + p]!
      }
    }
  }
  multiplyAdd(a, b, m, n, k, c)
  const error = c.data.map((value, i) => Math.abs(value - expected[i]!))
  expect(Math.max(...error)).toBeLessThan(1e-11)
})

test('carries infinities and NaN to their own sums only', () => {
  const [m, n, k] = [8, 16, 64]
  const a = random(m * k).map(Math.abs)
  const b = random(n * k).map(Math.abs)
  a[3 * k + 5] = Infinity
  b[7 * k + 5] = NaN
  const c = new Float64Array(m * n)
  multiplyAdd({ data: a, stride: k }, { data: b, stride: k }, m, n, k, { data: c, stride: n })
  for (const [at, value] of c.entries()) {
    if (at % n === 7) expect(value).toBeNaN()
    else if (Math.floor(at / n) === 3) expect(value).toBe(Infinity)
    else expect(value).toBeLessThan(k)
  }
})
