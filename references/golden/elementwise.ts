import { decode, type GoldenBlocks, type Tensor } from 'vitest-npu'

/** x + y, element by element. Exact in float64 for 16-bit floats; one float64 rounding otherwise. */
export function add(x: Tensor, y: Tensor): GoldenBlocks {
  const other = new Float64Array(BLOCK)
  return map(x, (values, start) => {
    const addend = other.subarray(0, values.length)
    decode(y, start, addend)
    for (let i = 0; i < values.length; i++) values[i] = values[i]! + addend[i]!
  })
}

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

const BLOCK = 4096
