import { kernelSuite, normal, within } from 'vitest-npu'
import { cos } from '../../../references/golden/elementary.ts'
import { odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachCos',
  unary({
    kernel: 'foreach_cos',
    draw: within(-1000, 1000, normal()),
    golden: cos,
    // Reducing the argument by multiples of pi in float32 costs digits in proportion to it.
    strict: () => ({ absolute: 2 ** -21, relative: 0, scaled: 2 ** -23 }),
    cases: rows(odd),
  }),
)
