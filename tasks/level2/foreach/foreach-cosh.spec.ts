import { byDtype, kernelSuite, normal, within } from 'vitest-npu'
import { cosh } from '../../../references/golden/elementary.ts'
import { byFloat32, odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachCosh',
  unary({
    kernel: 'foreach_cosh',
    draw: byDtype(within(-88, 88, normal()), { float16: within(-11, 11, normal()) }),
    golden: cosh,
    strict: byFloat32(0),
    cases: rows(odd),
  }),
)
