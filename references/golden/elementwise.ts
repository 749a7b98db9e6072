import { decode, type GoldenBlocks, type Tensor } from 'vitest-npu'

/** x + y, element by element. Exact in float64 for 16-bit floats; one float64 rounding otherwise. */
export const add = (x: Tensor, y: Tensor): GoldenBlocks =>
  mapPairs(x, y, (values, others) => {
    for (let i = 0; i < values.length; i++) values[i] = values[i]! + others[i]!
  })

/** The square root of every element, correctly rounded to float64; NaN below zero. */
export const sqrt = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.sqrt(values[i]!)
  })

/** Golden of an element-wise operator: `apply` turns a block of x, read from component `start` on, into results in place. */
export const map = (x: Tensor, apply: (values: Float64Array, start: number) => void): GoldenBlocks => ({
  length: x.data.length,
  block(start, values) {
    decode(x, start, values)
    apply(values, start)
  },
})

/** The same for two arguments of one size: `apply` leaves its results in the block of x. */
export function mapPairs(
  x: Tensor,
  y: Tensor,
  apply: (values: Float64Array, others: Float64Array) => void,
): GoldenBlocks {
  let others = new Float64Array(0)
  return map(x, (values, start) => {
    if (others.length !== values.length) others = new Float64Array(values.length)
    decode(y, start, others)
    apply(values, others)
  })
}
