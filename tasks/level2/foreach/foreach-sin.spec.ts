import { kernelSuite, normal, within } from 'vitest-npu'
import { sin } from '../../../references/golden/elementwise.ts'
import { byFloat32, odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachSin',
  unary({
    kernel: 'foreach_sin',
    description: 'Sine of every element of every tensor of a list, in radians: y[t] = sin(x[t]).',
    draw: within(-1000, 1000, normal()),
    golden: sin,
    // The argument reduced with a good pi: larger ones are not asked for.
    strict: byFloat32(),
    cases: rows(odd),
  }),
)
