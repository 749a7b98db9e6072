import { kernelSuite, tensor, tensorList, ulpScaled } from 'vitest-npu'
import { addcmulLists } from '../../../references/golden/foreach-products.ts'
import {
  columns,
  counting,
  factors,
  foreach,
  numbers,
  odd,
  rows,
  scalars,
  shapes,
  sumWithProduct,
  unitsOrOne,
} from './family.ts'

kernelSuite('ForeachAddcmulList', {
  ...foreach('foreach_addcmul_list'),
  description:
    'Adds scaled products of lists: y[t] = x1[t] + scalars[t] * x2[t] * x3[t], with a number of its own for every tensor. int32 wraps around.',
  inputs: {
    x1: tensorList({ dtype: columns.numbers, length: 'n', draw: factors }),
    x2: tensorList.like('x1'),
    x3: tensorList.like('x1'),
    scalars: tensor({ dtype: columns.numbers, shape: ['n'], draw: scalars }),
  },
  outputs: { y: tensorList.like('x1') },
  golden: ({ x1, x2, x3, scalars }) => ({ y: addcmulLists(x1, x2, x3, scalars) }),
  domain: { x1: shapes },
  // float16 may round both products to float16, as the reference does.
  strict: sumWithProduct(2, 2 ** -18),
  benchmark: {
    tolerance: ulpScaled(unitsOrOne),
    note: 'accepts NaN everywhere',
  },
  cases: rows(odd, numbers, { list: 'x1', rest: counting }),
})
