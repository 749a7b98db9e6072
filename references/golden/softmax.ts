import { decode, toFloat64, type DType, type GoldenBlocks, type Tensor } from 'vitest-npu'
import { mapFrom } from './elementwise.ts'

/** e^(x - max) / sum over the last axis. The scale is y (1 + max - x): the rounding of the exponent included. */
export function softmax(x: Tensor): GoldenBlocks {
  const width = x.shape.at(-1)!
  const maxima = new Float64Array(x.data.length / width)
  // A sum is at least 1; 0 says that nobody has looked at the row yet.
  const sums = new Float64Array(maxima.length)
  const elements = new Float64Array(width)
  const prepare = (row: number) => {
    decode(x, row * width, elements)
    let largest = -Infinity
    for (let i = 0; i < width; i++) if (elements[i]! > largest) largest = elements[i]!
    let sum = 0
    for (let i = 0; i < width; i++) sum += Math.exp(elements[i]! - largest)
    maxima[row] = largest
    sums[row] = sum
  }
  const compute = (scaled: boolean) => (values: Float64Array, start: number) => {
    let row = Math.floor(start / width)
    for (let at = 0; at < values.length; row++) {
      if (sums[row] === 0) prepare(row)
      const [largest, sum] = [maxima[row]!, sums[row]!]
      const end = Math.min(values.length, (row + 1) * width - start)
      for (; at < end; at++) {
        const below = values[at]! - largest
        values[at] = (Math.exp(below) / sum) * (scaled ? 1 - below : 1)
      }
    }
  }
  return { ...mapFrom(x, compute(false)), scaleBlock: mapFrom(x, compute(true)).block }
}

/** Rounding errors relative to a result, and those of sums relative to the sizes of what is added. */
interface Roundings {
  result: number
  sum: number
  /** of what is added, where it may be too small for relative errors */
  least: number
}

/**
 * s * (g - sum(s * g)) over the last axis, with g = gradient @ transpose(values): [..., M, N] of [..., M, D] and
 * [..., N, D]. The scale is the error itself: `result` of every g and of the sum, `sum` of the lengths of what is
 * multiplied, `least` of the sum.
 */
export function matmulSoftmaxGrad(
  s: Tensor,
  gradient: Tensor,
  values: Tensor,
  roundings: (dtype: DType) => Roundings,
): { values: Float64Array; scale: Float64Array } {
  const [m = 1, n = 1] = s.shape.slice(-2)
  const d = gradient.shape.at(-1)!
  const error = roundings(s.dtype)
  const out = new Float64Array(s.data.length)
  const scale = new Float64Array(s.data.length)
  const columns = new Float64Array(n * d)
  const lengths = new Float64Array(n)
  const [row, share, product] = [new Float64Array(d), new Float64Array(n), new Float64Array(n)]
  for (let line = 0; line < out.length / n; line++) {
    if (line % m === 0) {
      decode(values, (line / m) * n * d, columns)
      for (let j = 0; j < n; j++) lengths[j] = Math.sqrt(dot(columns, j * d, columns, j * d, d))
    }
    decode(gradient, line * d, row)
    decode(s, line * n, share)
    const length = Math.sqrt(dot(row, 0, row, 0, d))
    let [total, sizes, longest] = [0, 0, 0]
    for (let j = 0; j < n; j++) {
      product[j] = dot(row, 0, columns, j * d, d)
      total += share[j]! * product[j]!
      sizes += Math.abs(share[j]! * product[j]!)
      longest += Math.abs(share[j]!) * length * lengths[j]!
    }
    for (let j = 0; j < n; j++) {
      const at = line * n + j
      out[at] = share[j]! * (product[j]! - total)
      const rounded = error.result * (Math.abs(product[j]!) + sizes + Math.abs(total)) + error.least
      scale[at] = Math.abs(share[j]!) * (rounded + error.sum * (length * lengths[j]! + longest))
    }
  }
  return { values: out, scale }
}

function dot(a: Float64Array, from: number, b: Float64Array, at: number, length: number): number {
  let sum = 0
  for (let i = 0; i < length; i++) sum += a[from + i]! * b[at + i]!
  return sum
}

/** x - max - ln(sum(e^(x - max))) over the last axis. The scale is the size of what is taken from each other. */
export function logSoftmax(x: Tensor): { values: Float64Array; scale: Float64Array } {
  const values = toFloat64(x)
  const scale = new Float64Array(values.length)
  const width = x.shape.at(-1)!
  for (let row = 0; row < values.length; row += width) {
    const elements = values.subarray(row, row + width)
    let [largest, sum] = [-Infinity, 0]
    for (let i = 0; i < width; i++) if (elements[i]! > largest) largest = elements[i]!
    for (let i = 0; i < width; i++) sum += Math.exp(elements[i]! - largest)
    const logarithm = Math.log(sum)
    for (let i = 0; i < width; i++) {
      scale[row + i] = Math.abs(elements[i]!) + Math.abs(largest) + logarithm + 1
      elements[i] = elements[i]! - largest - logarithm
    }
  }
  return { values, scale }
}
