import { byDtype, kernelSuite, uniform, within } from 'vitest-npu'
import { expm1 } from '../../../references/golden/elementary.ts'
import { byFloat32, odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachExpm1',
  unary({
    kernel: 'foreach_expm1',
    description: 'Exponential less one of every element of every tensor of a list: y[t] = exp(x[t]) - 1.',
    draw: byDtype(within(-100, 88, uniform(-1, 1)), { float16: within(-17, 11, uniform(-1, 1)) }),
    golden: expm1,
    // e^x - 1 is legal: near zero the error is one of 1.
    strict: byFloat32(),
    benchmark: { note: 'e^x - 1 in float16 passes near zero' },
    cases: rows(odd).slice(0, 17),
  }),
)
