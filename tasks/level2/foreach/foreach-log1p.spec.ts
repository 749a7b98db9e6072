import { absoluteAndRelative, kernelSuite, uniform, within } from 'vitest-npu'
import { log1p } from '../../../references/golden/elementary.ts'
import { odd, orTooSmall, rows, unary } from './family.ts'

kernelSuite(
  'ForeachLog1p',
  unary({
    kernel: 'foreach_log1p',
    description: 'Logarithm of one more than every element of every tensor of a list: y[t] = ln(1 + x[t]).',
    draw: orTooSmall(within(-0.9375, 60000, uniform(1, 11)), [-1, -2, -100]),
    golden: log1p,
    // ln(x + 1) with a rounded sum is legal, in float16 too: that is how the operator is published.
    strict: ({ dtype }) =>
      dtype === 'float16' ? { absolute: 2 ** -11, relative: 2 ** -11 } : { absolute: 2 ** -22, relative: 2 ** -20 },
    benchmark: {
      tolerance: absoluteAndRelative({ float16: 1e-3, bfloat16: 0.01, float32: 1e-3 }),
      note: 'its reference is ln(x + 1), with the sum rounded to the dtype',
    },
    cases: rows(odd),
  }),
)
