import { eitherSign, kernelSuite, scalarTensor, tensorList, uniform, within } from 'vitest-npu'
import { addcdivLists, addcdivListsInSteps } from '../../../references/golden/foreach-products.ts'
import {
  columns,
  floats,
  foreach,
  moderate,
  odd,
  publicLimits,
  rows,
  scalars,
  shapes,
  sumWithProduct,
  twelveTenths,
} from './family.ts'

kernelSuite('ForeachAddcdivScalar', {
  ...foreach('foreach_addcdiv_scalar'),
  description:
    'Adds scaled quotients of lists: y[t] = x1[t] + scalar * x2[t] / x3[t], with one number for all tensors.',
  inputs: {
    x1: tensorList({ dtype: columns.floats, draw: moderate }),
    x2: tensorList.like('x1'),
    x3: tensorList.like('x1', { draw: eitherSign(within(0.5, 1024, uniform(100, 101))) }),
    scalar: scalarTensor({ dtype: columns.floatScalar, draw: scalars }),
  },
  outputs: { y: tensorList.like('x1') },
  golden: ({ x1, x2, x3, scalar }) => ({ y: addcdivLists(x1, x2, x3, scalar) }),
  domain: { x1: shapes },
  // float16 may round quotient and product to float16, as the reference does.
  strict: sumWithProduct(3, 2 ** -22),
  benchmark: {
    tolerance: publicLimits(1e-3, 0.02),
    reference({ x1, x2, x3, scalar }) {
      const quotient = x1[0]!.dtype
      const product = quotient === 'bfloat16' ? 'float32' : quotient
      return { y: addcdivListsInSteps(x1, x2, x3, scalar, { quotient, product }) }
    },
    note: 'the divisor is 100: x1 alone is almost the result',
  },
  cases: rows(odd, floats, { list: 'x1', rest: twelveTenths('scalar') }),
})
