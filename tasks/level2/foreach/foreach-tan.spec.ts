import { kernelSuite, normal, widened, uniform, within } from 'vitest-npu'
import { tan } from '../../../references/golden/elementary.ts'
import { odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachTan',
  unary({
    kernel: 'foreach_tan',
    description: 'Tangent of every element of every tensor of a list, in radians: y[t] = tan(x[t]).',
    draw: widened(normal(), within(-1.5, 1.5, uniform(-1.5, 1.5))),
    golden: tan,
    // Generated arguments stay clear of the poles; near those of the public rows errors grow with the slope.
    strict: () => ({ absolute: 2 ** -22, relative: 2 ** -20, scaled: 2 ** -22 }),
    cases: rows(odd),
  }),
)
