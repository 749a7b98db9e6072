import { byDtype, exact, kernelSuite, randint, tensorList, uniform, within, withNonFinite } from 'vitest-npu'
import { zeros } from '../../../references/golden/elementary.ts'
import { aligned, foreach, rows, shapes } from './family.ts'

kernelSuite('ForeachZeroInplace', {
  ...foreach('foreach_zero_inplace'),
  description: 'Overwrites every tensor of a list with zeros, whatever it held, NaN included.',
  inputs: {
    x: tensorList({
      dtype: ['float16', 'float32', 'int32', 'int16', 'bfloat16'],
      // A product with zero keeps NaN.
      draw: byDtype(withNonFinite(within(-Infinity, Infinity, uniform(1, 11))), {
        int32: randint(-(2 ** 31), 2 ** 31 - 1),
        int16: randint(-(2 ** 15), 2 ** 15 - 1),
      }),
    }),
  },
  outputs: { x: tensorList.like('x', { aliases: 'x' }) },
  golden: ({ x }) => ({ x: x.map(zeros) }),
  domain: { x: shapes },
  strict: exact,
  benchmark: { note: 'every tensor is a multiple of 256 bytes, so tails and overruns are never tested' },
  cases: rows(aligned),
})
