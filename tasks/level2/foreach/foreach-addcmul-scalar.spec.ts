import { kernelSuite, scalarTensor, tensorList, ulpScaled } from 'vitest-npu'
import { addcmulLists } from '../../../references/golden/foreach-products.ts'
import {
  columns,
  factors,
  foreach,
  mislabelled,
  odd,
  rows,
  scalars,
  shapes,
  sumWithProduct,
  twelveTenths,
} from './family.ts'

kernelSuite('ForeachAddcmulScalar', {
  ...foreach('foreach_addcmul_scalar'),
  description:
    'Adds scaled products of lists: y[t] = x1[t] + scalar * x2[t] * x3[t], with one number for all tensors. int32 wraps around.',
  inputs: {
    x1: tensorList({ dtype: columns.numbers, draw: factors }),
    x2: tensorList.like('x1'),
    x3: tensorList.like('x1'),
    scalar: scalarTensor({ dtype: columns.scalar, draw: scalars }),
  },
  outputs: { y: tensorList.like('x1') },
  golden: ({ x1, x2, x3, scalar }) => ({ y: addcmulLists(x1, x2, x3, scalar) }),
  domain: { x1: shapes },
  // float16 may round both products to float16, as the reference does.
  strict: sumWithProduct(2, 2 ** -18),
  benchmark: {
    tolerance: ulpScaled(mislabelled),
    note: 'accepts NaN everywhere; rows 6 … 11 are called bfloat16 but hold float32',
  },
  cases: rows(odd, ['float16', 'float32', 'float32', 'int32'], { list: 'x1', rest: twelveTenths('scalar') }),
})
