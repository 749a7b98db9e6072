import { decode, type GoldenBlocks, type Tensor } from 'vitest-npu'
import { erfc } from './erf.ts'
import { map } from './elementwise.ts'

/** x * P(X <= x) for a standard normal X: the exact GELU. The scale is |x|: 1 + erf(x / sqrt 2) cancels for negative x. */
export const gelu = (x: Tensor): GoldenBlocks => ({
  ...map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = (values[i]! / 2) * erfc(-values[i]! * Math.SQRT1_2)
  }),
  scaleBlock(start, scale) {
    decode(x, start, scale)
    for (let i = 0; i < scale.length; i++) scale[i] = Math.abs(scale[i]!)
  },
})
