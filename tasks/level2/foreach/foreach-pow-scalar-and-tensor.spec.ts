import { byDtype, kernelSuite, randint, scalarTensor, tensorList, uniform, within } from 'vitest-npu'
import { powerOf } from '../../../references/golden/foreach-power.ts'
import { columns, foreach, pick, shapes } from './family.ts'

const [float16, float32, bfloat16] = [0, 1, 3]

kernelSuite('ForeachPowScalarAndTensor', {
  ...foreach('foreach_pow_scalar_and_tensor'),
  description: 'One number to the power of every element of every tensor of a list: y[t] = scalar ^ x[t].',
  // The base comes first in the kernel's arguments.
  inputs: {
    scalar: scalarTensor({
      dtype: columns.hostScalar,
      // Exact in every dtype, so that it does not matter where a kernel rounds it.
      draw: byDtype(pick([0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3]), { int64: randint(0, 9) }),
    }),
    x: tensorList({
      dtype: columns.numbers,
      draw: byDtype(within(-8, 8, uniform(0, 1)), { int32: randint(0, 9) }),
    }),
  },
  outputs: { y: tensorList.like('x') },
  golden: ({ scalar, x }) => ({ y: powerOf(scalar, x) }),
  domain: { x: shapes },
  // exp(x * ln scalar) in float32: the exponent, up to 11, is good to a few of its units. Integers are exact.
  strict: ({ dtype }) =>
    dtype === 'int32' ? { absolute: 0, relative: 0 } : { absolute: 2 ** -149, relative: 2 ** -18 },
  benchmark: { note: 'no base above 1' },
  cases: [
    { x: [[25]], dtype: float16, scalar: 0.5 },
    {
      x: [
        [32, 768, 10],
        [16, 256, 5],
      ],
      dtype: float32,
      scalar: 0.25,
    },
    { x: [[100]], dtype: float16, scalar: 0.75 },
    {
      x: [
        [2, 2, 2, 2],
        [3, 3, 3, 3],
        [4, 4, 4, 4],
      ],
      dtype: float32,
      scalar: 1,
    },
    {
      x: [
        [1, 1, 1, 1, 1, 1],
        [2, 2, 2, 2, 2, 2],
      ],
      dtype: bfloat16,
      scalar: 0,
    },
  ],
})
