import { kernelSuite, uniform, within } from 'vitest-npu'
import { erfcOf } from '../../../references/golden/elementary.ts'
import { byFloat32, odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachErfc',
  unary({
    kernel: 'foreach_erfc',
    description: 'Complementary error function of every element of every tensor of a list: y[t] = 1 - erf(x[t]).',
    draw: within(-65504, 65504, uniform(-1, 1)),
    golden: erfcOf,
    // 1 - erf(x) is legal: far to the right the error is one of 1.
    strict: byFloat32(),
    benchmark: { note: 'never goes beyond 1' },
    cases: rows(odd),
  }),
)
