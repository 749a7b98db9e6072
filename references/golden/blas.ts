import { decode, emptyTensor, toFloat64, type GoldenBlocks, type Tensor } from 'vitest-npu'
import { mapAll, mapPairs } from './elementwise.ts'

/** Elements 0, increment, 2 * increment, …, `count` of them, of a flattened complex tensor. */
export function ccopy(x: Tensor, count: number, increment: number): Tensor {
  const result = emptyTensor(x.dtype, [count])
  for (let i = 0; i < count; i++) {
    result.data[2 * i] = x.data[2 * i * increment]!
    result.data[2 * i + 1] = x.data[2 * i * increment + 1]!
  }
  return result
}

/** x * y, element by element, complex. The scale of each part is the sum of the magnitudes of its two products. */
export const complexProduct = (x: Tensor, y: Tensor): GoldenBlocks => ({
  ...mapPairs(x, y, (values, others) => {
    for (let i = 0; i < values.length; i += 2) {
      const [a, b, c, d] = [values[i]!, values[i + 1]!, others[i]!, others[i + 1]!]
      values[i] = a * c - b * d
      values[i + 1] = a * d + b * c
    }
  }),
  scaleBlock: mapAll([x, y], (values, others) => {
    for (let i = 0; i < values.length; i += 2) {
      const [a, b] = [Math.abs(values[i]!), Math.abs(values[i + 1]!)]
      const [c, d] = [Math.abs(others[i]!), Math.abs(others[i + 1]!)]
      values[i] = a * c + b * d
      values[i + 1] = a * d + b * c
    }
  }).block,
})

/** The `count` values x[0], x[increment], …; of a complex tensor |re| + |im| of each, in float32. */
function strided(x: Tensor, count: number, increment: number): Float64Array {
  const values = toFloat64(x)
  if (x.dtype !== 'complex64') return Float64Array.from({ length: count }, (_, i) => values[i * increment]!)
  return Float64Array.from({ length: count }, (_, i) => {
    const at = 2 * i * increment
    return Math.fround(Math.abs(values[at]!) + Math.abs(values[at + 1]!))
  })
}

/** Position, from 1, of the first of the largest (`sign` 1) or smallest (-1) magnitudes among `count` strided elements. */
export function extremeMagnitude(x: Tensor, count: number, increment: number, sign: 1 | -1): Tensor {
  const magnitudes = strided(x, count, increment)
  let best = 0
  for (let i = 1; i < count; i++) {
    if (sign * (Math.abs(magnitudes[i]!) - Math.abs(magnitudes[best]!)) > 0) best = i
  }
  const result = emptyTensor('int32', [])
  result.data[0] = best + 1
  return result
}

/** The sum of the magnitudes of `count` strided elements. */
export const asum = (x: Tensor, count: number, increment: number): { values: Float64Array } => ({
  values: Float64Array.of(strided(x, count, increment).reduce((sum, value) => sum + Math.abs(value), 0)),
})

/** The Euclidean norm of `count` strided elements. */
export const nrm2 = (x: Tensor, count: number, increment: number): { values: Float64Array } => ({
  values: Float64Array.of(Math.sqrt(strided(x, count, increment).reduce((sum, value) => sum + value * value, 0))),
})

/** alpha * x, alpha as the float32 the device receives. */
export const scal = (x: Tensor, alpha: number): GoldenBlocks => ({
  length: x.data.length,
  block(start, values) {
    decode(x, start, values)
    const factor = Math.fround(alpha)
    for (let i = 0; i < values.length; i++) values[i] = values[i]! * factor
  },
})
