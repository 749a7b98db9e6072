import { kernelSuite, uniform, within } from 'vitest-npu'
import { log } from '../../../references/golden/elementary.ts'
import { aligned, oneInstruction, orTooSmall, rows, unary } from './family.ts'

kernelSuite(
  'ForeachLog',
  unary({
    kernel: 'foreach_log',
    description: 'Natural logarithm of every element of every tensor of a list: y[t] = ln(x[t]).',
    draw: orTooSmall(within(2 ** -24, 65504, uniform(1, 11))),
    golden: log,
    strict: oneInstruction(2 ** -21, 2 ** -23),
    benchmark: { note: 'never goes below 1; every tensor is a multiple of 256 bytes' },
    cases: rows(aligned),
  }),
)
