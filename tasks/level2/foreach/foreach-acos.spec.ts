import { kernelSuite, ulpScaled, uniform } from 'vitest-npu'
import { acos } from '../../../references/golden/elementary.ts'
import { odd, rows, unary } from './family.ts'
import { unitLimits } from '../../unit-limits.ts'

kernelSuite(
  'ForeachAcos',
  unary({
    kernel: 'foreach_acos',
    description: 'Arc cosine of every element of every tensor of a list, in radians: y[t] = acos(x[t]).',
    draw: uniform(-1, 1),
    golden: acos,
    // The result vanishes at 1, where pi / 2 - asin(x) cancels and sqrt(1 - x * x) feels the rounding of the square.
    strict: () => ({ absolute: 2 ** -21, relative: 2 ** -20, scaled: 2 ** -24 }),
    benchmark: { tolerance: ulpScaled(unitLimits), note: 'accepts NaN everywhere; no float32 row' },
    cases: rows(odd).slice(0, 9),
  }),
)
