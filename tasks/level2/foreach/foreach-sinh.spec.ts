import { byDtype, kernelSuite, normal, within } from 'vitest-npu'
import { sinh } from '../../../references/golden/elementary.ts'
import { byFloat32, odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachSinh',
  unary({
    kernel: 'foreach_sinh',
    description: 'Hyperbolic sine of every element of every tensor of a list: y[t] = (exp(x[t]) - exp(-x[t])) / 2.',
    draw: byDtype(within(-88, 88, normal()), { float16: within(-11, 11, normal()) }),
    golden: sinh,
    // Half the difference of two exponentials: near zero the error is one of 1.
    strict: byFloat32(),
    benchmark: { note: 'an error of 1e-3 near zero passes' },
    cases: rows(odd),
  }),
)
