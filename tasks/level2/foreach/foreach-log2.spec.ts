import { kernelSuite, uniform, within } from 'vitest-npu'
import { log2 } from '../../../references/golden/elementary.ts'
import { byFloat32, odd, orTooSmall, rows, unary } from './family.ts'

kernelSuite(
  'ForeachLog2',
  unary({
    kernel: 'foreach_log2',
    description: 'Binary logarithm of every element of every tensor of a list: y[t] = log2(x[t]).',
    draw: orTooSmall(within(2 ** -24, 65504, uniform(1, 11))),
    golden: log2,
    strict: byFloat32(),
    benchmark: { note: 'never goes below 1' },
    cases: rows(odd),
  }),
)
