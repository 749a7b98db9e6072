import { kernelSuite, uniform, within } from 'vitest-npu'
import { erfOf } from '../../../references/golden/elementary.ts'
import { byFloat32, odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachErf',
  unary({
    kernel: 'foreach_erf',
    description: 'Error function of every element of every tensor of a list: y[t] = erf(x[t]).',
    draw: within(-65504, 65504, uniform(-1, 1)),
    golden: erfOf,
    strict: byFloat32(),
    benchmark: { note: 'never goes beyond 1' },
    cases: rows(odd),
  }),
)
