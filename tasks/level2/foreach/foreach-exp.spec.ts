import { byDtype, kernelSuite, normal, within } from 'vitest-npu'
import { exp } from '../../../references/golden/elementary.ts'
import { odd, oneInstruction, rows, unary } from './family.ts'

kernelSuite(
  'ForeachExp',
  unary({
    kernel: 'foreach_exp',
    description: 'Exponential of every element of every tensor of a list: y[t] = exp(x[t]).',
    draw: byDtype(within(-100, 88, normal()), { float16: within(-17, 11, normal()) }),
    golden: exp,
    strict: oneInstruction(),
    cases: rows(odd),
  }),
)
