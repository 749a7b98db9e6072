import { kernelSuite, uniform, within } from 'vitest-npu'
import { atan } from '../../../references/golden/elementary.ts'
import { byFloat32, odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachAtan',
  unary({
    kernel: 'foreach_atan',
    description: 'Arc tangent of every element of every tensor of a list, in radians: y[t] = atan(x[t]).',
    draw: within(-65504, 65504, uniform(-1, 1)),
    golden: atan,
    strict: byFloat32(),
    benchmark: { note: 'never goes beyond 1' },
    cases: rows(odd).slice(0, 17),
  }),
)
