import { byDtype, eitherSign, kernelSuite, widened, uniform, within } from 'vitest-npu'
import { reciprocal } from '../../../references/golden/elementary.ts'
import { odd, oneInstruction, rows, unary } from './family.ts'

kernelSuite(
  'ForeachReciprocal',
  unary({
    kernel: 'foreach_reciprocal',
    description: 'Reciprocal of every element of every tensor of a list: y[t] = 1 / x[t].',
    // The public draw has ones in place of zeros, here they are the smallest float16.
    draw: widened(
      within(2 ** -24, 1, uniform(0, 1)),
      eitherSign(
        byDtype(within(2 ** -100, 2 ** 100, uniform(0, 1)), { float16: within(2 ** -11, 65504, uniform(0, 1)) }),
      ),
    ),
    golden: reciprocal,
    // A division, not the device's table of reciprocals, which is good to 3e-3.
    strict: oneInstruction(),
    benchmark: {
      note: 'rejects its own reference where a float16 reciprocal overflows, which happens in rows 4 and 5',
    },
    cases: rows(odd),
  }),
)
