import { kernelSuite, normal, within } from 'vitest-npu'
import { sin } from '../../../references/golden/elementary.ts'
import { odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachSin',
  unary({
    kernel: 'foreach_sin',
    draw: within(-1000, 1000, normal()),
    golden: sin,
    // Reducing the argument by multiples of pi in float32 costs digits in proportion to it.
    strict: () => ({ absolute: 2 ** -22, relative: 2 ** -20, scaled: 2 ** -23 }),
    cases: rows(odd),
  }),
)
