import { kernelSuite, normal, within } from 'vitest-npu'
import { cos } from '../../../references/golden/elementwise.ts'
import { byFloat32, odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachCos',
  unary({
    kernel: 'foreach_cos',
    description: 'Cosine of every element of every tensor of a list, in radians: y[t] = cos(x[t]).',
    draw: within(-1000, 1000, normal()),
    golden: cos,
    // The argument reduced with a good pi: larger ones are not asked for.
    strict: byFloat32(),
    cases: rows(odd),
  }),
)
