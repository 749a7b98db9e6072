import { decode, toFloat64, type GoldenBlocks, type Tensor } from 'vitest-npu'
import { map } from './elementwise.ts'

/**
 * Root-mean-square normalisation over the last axis of x, whose extent is that of gamma: rstd = 1 / sqrt(mean(x^2) +
 * epsilon), one per row, and y = x * rstd * gamma. The device receives epsilon as float32.
 */
export function rmsNorm(
  x: Tensor,
  gamma: Tensor,
  epsilon: number,
): { y: GoldenBlocks; rstd: { values: Float64Array } } {
  const weights = toFloat64(gamma)
  const width = weights.length
  const rstd = new Float64Array(x.data.length / width)
  const row = new Float64Array(width)
  for (let index = 0; index < rstd.length; index++) {
    decode(x, index * width, row)
    let squares = 0
    for (let i = 0; i < width; i++) squares += row[i]! * row[i]!
    rstd[index] = 1 / Math.sqrt(squares / width + Math.fround(epsilon))
  }
  const y = map(x, (values, start) => {
    let index = Math.floor(start / width)
    let column = start - index * width
    for (let i = 0; i < values.length; i++) {
      values[i] = values[i]! * rstd[index]! * weights[column]!
      if (++column === width) {
        column = 0
        index++
      }
    }
  })
  return { y, rstd: { values: rstd } }
}
