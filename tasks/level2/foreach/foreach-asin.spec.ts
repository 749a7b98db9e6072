import { kernelSuite, uniform } from 'vitest-npu'
import { asin } from '../../../references/golden/elementary.ts'
import { odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachAsin',
  unary({
    kernel: 'foreach_asin',
    description: 'Arc sine of every element of every tensor of a list, in radians: y[t] = asin(x[t]).',
    draw: uniform(-1, 1),
    golden: asin,
    // Near 1 sqrt(1 - x * x) feels the rounding of the square.
    strict: () => ({ absolute: 2 ** -22, relative: 2 ** -20, scaled: 2 ** -24 }),
    cases: rows(odd),
  }),
)
