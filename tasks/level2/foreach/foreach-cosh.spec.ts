import { byDtype, kernelSuite, normal, within } from 'vitest-npu'
import { cosh } from '../../../references/golden/elementary.ts'
import { byFloat32, odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachCosh',
  unary({
    kernel: 'foreach_cosh',
    description: 'Hyperbolic cosine of every element of every tensor of a list: y[t] = (exp(x[t]) + exp(-x[t])) / 2.',
    draw: byDtype(within(-88, 88, normal()), { float16: within(-11, 11, normal()) }),
    golden: cosh,
    strict: byFloat32(0),
    cases: rows(odd),
  }),
)
