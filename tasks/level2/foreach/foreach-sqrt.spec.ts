import { absolute, kernelSuite, normal } from 'vitest-npu'
import { sqrt } from '../../../references/golden/elementwise.ts'
import { odd, oneInstruction, orTooSmall, rows, unary } from './family.ts'

kernelSuite(
  'ForeachSqrt',
  unary({
    kernel: 'foreach_sqrt',
    description: 'Square root of every element of every tensor of a list: y[t] = sqrt(x[t]).',
    draw: orTooSmall(absolute(normal())),
    golden: sqrt,
    strict: oneInstruction(2 ** -22),
    cases: rows(odd),
  }),
)
