import { kernelSuite, normal, within } from 'vitest-npu'
import { sigmoid } from '../../../references/golden/elementary.ts'
import { byFloat32, odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachSigmoid',
  unary({
    kernel: 'foreach_sigmoid',
    description: 'Sigmoid of every element of every tensor of a list: y[t] = 1 / (1 + exp(-x[t])).',
    draw: within(-65504, 65504, normal()),
    golden: sigmoid,
    // Where e^-x overflows, 0 is as good as the subnormal result.
    strict: byFloat32(2 ** -126),
    cases: rows(odd),
  }),
)
