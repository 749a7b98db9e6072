import { kernelSuite, normal, within } from 'vitest-npu'
import { tanh } from '../../../references/golden/elementwise.ts'
import { byFloat32, odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachTanh',
  unary({
    kernel: 'foreach_tanh',
    description: 'Hyperbolic tangent of every element of every tensor of a list: y[t] = tanh(x[t]).',
    draw: within(-65504, 65504, normal()),
    golden: tanh,
    // Formed of exponentials, the error near zero is one of 1. Arguments whose exponential overflows are legal.
    strict: byFloat32(),
    cases: rows(odd).slice(0, 17),
  }),
)
