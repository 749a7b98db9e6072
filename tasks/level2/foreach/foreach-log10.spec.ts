import { kernelSuite, uniform, within } from 'vitest-npu'
import { log10 } from '../../../references/golden/elementary.ts'
import { byFloat32, odd, orTooSmall, rows, unary } from './family.ts'

kernelSuite(
  'ForeachLog10',
  unary({
    kernel: 'foreach_log10',
    description: 'Decimal logarithm of every element of every tensor of a list: y[t] = log10(x[t]).',
    draw: orTooSmall(within(2 ** -24, 65504, uniform(1, 11))),
    golden: log10,
    strict: byFloat32(),
    benchmark: { note: 'never goes below 1' },
    cases: rows(odd),
  }),
)
