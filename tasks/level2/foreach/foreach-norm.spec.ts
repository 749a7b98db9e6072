import * as fc from 'fast-check'
import {
  absoluteAndRelative,
  dim,
  kernelSuite,
  scalarTensor,
  sizeOf,
  specsOf,
  tensorList,
  uniform,
  within,
  type DType,
} from 'vitest-npu'
import { norm } from '../../../references/golden/foreach-reductions.ts'
import { floats, foreach, odd, rows } from './family.ts'

const dtypes: readonly DType[] = ['float16', 'float16', 'float32', 'float32', 'bfloat16', 'bfloat16']

kernelSuite('ForeachNorm', {
  ...foreach('foreach_norm'),
  description:
    'Norm of all elements of each tensor of a list, one number for each: order 1, y[t] = sum of |x[t]|; order 2, y[t] = sqrt(sum of x[t]^2). scalar is the order, 1 or 2.',
  inputs: {
    x: tensorList({
      dtype: dtypes,
      length: 'n',
      // Squares of float16 numbers overflow float16; those of float32 do not get near their limits here.
      draw: within(-8192, 8192, uniform(0, 1)),
    }),
    scalar: scalarTensor({ dtype: ['float32', 'int64', 'float32', 'int64', 'float32', 'int64'] }),
  },
  outputs: {
    y: tensorList({
      dtype: dtypes,
      shape: [],
      length: 'n',
    }),
  },
  golden: ({ x, scalar }) => ({ y: norm(x, scalar) }),
  domain: { x: dim.shapes({ max: 256, rank: 8 }), scalar: fc.constantFrom(1, 2) },
  // Terms of one sign, added in float32 in any order: rounding errors grow like the root of their number. The root of a sum
  // of squares too small for float32 is 0.
  strict: ({ case: { inputs } }) => {
    const terms = Math.max(...specsOf(inputs.x).map(({ shape }) => sizeOf(shape)))
    return { absolute: 2 ** -62 * Math.sqrt(terms), relative: (16 + Math.sqrt(terms)) * 2 ** -24 }
  },
  benchmark: {
    tolerance: absoluteAndRelative({ float16: 0.005, float32: 0.005, bfloat16: 0.01 }),
    note: 'the order is 2 in every row',
  },
  // The columns whose order is an int64.
  cases: rows(odd, floats, { rest: ({ dtype }) => ({ dtype: dtypes.lastIndexOf(dtype), scalar: 2 }) }),
})
