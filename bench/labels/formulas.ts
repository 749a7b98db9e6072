import type { GoldenBlocks, GoldenTensor } from '../../plugin/compare/index.ts'
import { toFloat64 } from '../../plugin/inputs/index.ts'
import { emptyTensor, sizeOf, type Tensor } from '../../plugin/model/index.ts'
import { map } from '../../references/golden/elementwise.ts'
import { product } from '../../references/golden/matmul.ts'

export const eachOf = (x: Tensor, element: (value: number) => number): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = element(values[i]!)
  })

export const seluScale = 1.0507009873554805
export const seluAlpha = 1.6732632423543772
export const selu = (x: number): number => seluScale * (x > 0 ? x : seluAlpha * Math.expm1(x))
export const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

/** One result for each row of the last dimension but those of `inner`. */
export function scanned(x: Tensor, scan: (row: Float64Array) => void): GoldenTensor {
  const values = toFloat64(x)
  const width = x.shape.at(-1)!
  for (let start = 0; start < values.length; start += width) scan(values.subarray(start, start + width))
  return { values }
}

interface Layout {
  transposedA?: boolean
  transposedB?: boolean
}

export function multiplied(a: Tensor, b: Tensor, m: number, k: number, n: number, layout: Layout = {}): Float64Array {
  const { transposedA = false, transposedB = false } = layout
  const left = { tensor: a, start: 0, stride: transposedA ? m : k, transposed: transposedA }
  const right = { tensor: b, start: 0, stride: transposedB ? k : n, transposed: transposedB }
  return product(left, right, { m, k, n }).values
}

/** The windows of a pooling of one tensor whose leading two dimensions stay. */
export interface Window {
  size: number
  stride: number
  padding: number
}

export const pooledExtent = (extent: number, { size, stride, padding }: Window): number =>
  Math.floor((extent + 2 * padding - size) / stride) + 1

/** Largest or mean value of each window, one spatial dimension after the other. */
export function pooled(x: Tensor, window: Window, kind: 'max' | 'mean'): GoldenTensor {
  let values = toFloat64(x)
  const shape = [...x.shape]
  for (let axis = 2; axis < shape.length; axis++) {
    const inner = sizeOf(shape.slice(axis + 1))
    const [extent, outer] = [shape[axis]!, sizeOf(shape.slice(0, axis))]
    const to = pooledExtent(extent, window)
    const next = new Float64Array(outer * to * inner).fill(kind === 'max' ? -Infinity : 0)
    for (let block = 0; block < outer; block++)
      for (let at = 0; at < to; at++)
        for (let step = 0; step < window.size; step++) {
          const from = at * window.stride - window.padding + step
          if (from < 0 || from >= extent) continue
          const [target, source] = [(block * to + at) * inner, (block * extent + from) * inner]
          for (let i = 0; i < inner; i++) {
            const value = values[source + i]!
            if (kind === 'mean') next[target + i]! += value / window.size
            else if (value > next[target + i]!) next[target + i] = value
          }
        }
    shape[axis] = to
    values = next
  }
  return { values }
}

export const logSoftmax = (row: Float64Array): void => {
  const most = row.reduce((one, other) => Math.max(one, other), -Infinity)
  const sum = most + Math.log(row.reduce((all, value) => all + Math.exp(value - most), 0))
  for (let i = 0; i < row.length; i++) row[i]! -= sum
}

export function argmax(x: Tensor): Tensor {
  const [batch = 0, extent = 0, inner = 0] = x.shape
  const values = toFloat64(x)
  const result = emptyTensor('int64', [batch, inner])
  for (let block = 0; block < batch; block++)
    for (let i = 0; i < inner; i++) {
      let best = 0
      for (let at = 1; at < extent; at++)
        if (values[(block * extent + at) * inner + i]! > values[(block * extent + best) * inner + i]!) best = at
      result.data[block * inner + i] = BigInt(best)
    }
  return result
}

/** Mean over rows of max(0, |a - p| - |a - n| + margin), distances of vectors with 1e-6 added to each difference. */
export function tripletLoss([anchor, positive, negative]: readonly Tensor[], margin: number): GoldenTensor {
  const a = toFloat64(anchor!)
  const p = toFloat64(positive!)
  const n = toFloat64(negative!)
  const [rows = 0, width = 0] = anchor!.shape
  let sum = 0
  for (let row = 0; row < rows; row++) {
    let [near, far] = [0, 0]
    for (let i = row * width; i < (row + 1) * width; i++) {
      near += (a[i]! - p[i]! + 1e-6) ** 2
      far += (a[i]! - n[i]! + 1e-6) ** 2
    }
    sum += Math.max(0, Math.sqrt(near) - Math.sqrt(far) + margin)
  }
  return { values: Float64Array.of(sum / rows) }
}

/** A linear layer on input and hidden state, tanh, and a linear layer of each step on the hidden state. */
export function recurrent([x, h0, wHidden, bHidden, wOut, bOut]: readonly Tensor[]): GoldenTensor {
  const [steps = 0, batch = 0, width = 0] = x!.shape
  const [hidden, out] = [h0!.shape[1]!, bOut!.shape[0]!]
  const [xs, w, b, v, c] = [x, wHidden, bHidden, wOut, bOut].map((tensor) => toFloat64(tensor!))
  const values = new Float64Array(steps * batch * out)
  let state = toFloat64(h0!)
  for (let t = 0; t < steps; t++) {
    const next = new Float64Array(batch * hidden)
    for (let row = 0; row < batch; row++) {
      const from = (t * batch + row) * width
      for (let j = 0; j < hidden; j++) {
        let sum = b![j]!
        const weights = j * (width + hidden)
        for (let i = 0; i < width; i++) sum += w![weights + i]! * xs![from + i]!
        for (let i = 0; i < hidden; i++) sum += w![weights + width + i]! * state[row * hidden + i]!
        next[row * hidden + j] = Math.tanh(sum)
      }
      for (let o = 0; o < out; o++) {
        let sum = c![o]!
        for (let j = 0; j < hidden; j++) sum += v![o * hidden + j]! * next[row * hidden + j]!
        values[(t * batch + row) * out + o] = sum
      }
    }
    state = next
  }
  return { values }
}
