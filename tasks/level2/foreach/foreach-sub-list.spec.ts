import { kernelSuite, scalarTensor, tensorList } from 'vitest-npu'
import { addList, addListInSteps } from '../../../references/golden/foreach.ts'
import {
  columns,
  foreach,
  moderate,
  numbers,
  odd,
  publicLimits,
  rows,
  scalars,
  shapes,
  sumWithProduct,
  twelveTenths,
} from './family.ts'

kernelSuite('ForeachSubList', {
  ...foreach('foreach_sub_list'),
  description:
    'Subtracts two lists tensor by tensor: y[t] = x1[t] - alpha * x2[t]; alpha is one number in device memory. int32 wraps around.',
  inputs: {
    x1: tensorList({ dtype: columns.numbers, draw: moderate }),
    x2: tensorList.like('x1'),
    alpha: scalarTensor({ dtype: columns.scalar, draw: scalars }),
  },
  outputs: { y: tensorList.like('x1') },
  golden: ({ x1, x2, alpha }) => ({ y: addList(x1, x2, alpha, -1) }),
  domain: { x1: shapes },
  // float16 may round the product to float16 before it is subtracted, as the reference does.
  strict: sumWithProduct(1),
  benchmark: {
    tolerance: publicLimits(1e-4, 0.02),
    reference: ({ x1, x2, alpha }) => ({ y: addListInSteps(x1, x2, alpha, -1) }),
    note: 'one float16 unit is an error: the two roundings of its reference are the only accepted ones',
  },
  cases: rows(odd, numbers, { list: 'x1', rest: twelveTenths('alpha') }),
})
