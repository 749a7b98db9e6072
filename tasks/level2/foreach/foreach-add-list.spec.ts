import * as fc from 'fast-check'
import { byDtype, dim, kernelSuite, normal, randint, scalarTensor, tensorList, within } from 'vitest-npu'
import { addList, addListInSteps } from '../../../references/golden/foreach.ts'

const values = byDtype(within(-8192, 8192, normal()), { int32: randint(-(2 ** 31), 2 ** 31 - 1) })
const small = [
  [512, 3],
  [1024, 512, 128],
  [24, 1023],
]
const mixed = [[1], [15], [512, 3], [1024, 512, 128], [1, 3, 224, 224], [24, 1023]]

kernelSuite('ForeachAddList', {
  category: 'Foreach',
  kernel: 'foreach_add_list',
  description:
    'Adds two lists tensor by tensor: y[t] = x1[t] + alpha * x2[t]; alpha is one number in device memory. int32 wraps around.',
  inputs: {
    x1: tensorList({ dtype: ['float16', 'float32', 'int32', 'bfloat16'], draw: values }),
    x2: tensorList.like('x1'),
    // bfloat16 lists take a float32 factor.
    alpha: scalarTensor({ dtype: ['float16', 'float32', 'int32', 'float32'] }),
  },
  outputs: { y: tensorList.like('x1') },
  golden: ({ x1, x2, alpha }) => ({ y: addList(x1, x2, alpha) }),
  domain: { x1: dim.shapes({ max: 50, rank: 8 }), alpha: fc.constantFrom(1, 2, 3, 5, -2, 0) },
  // float16 rounds the product to float16 before it is added, as the reference does; every other type computes in float32.
  strict: ({ dtype }) =>
    dtype === 'float16'
      ? { absolute: 2 ** -25, relative: 2 ** -24, scaled: 2 ** -11 }
      : { absolute: 2 ** -149, relative: 2 ** -24, scaled: 2 ** -23 },
  benchmark: {
    reference: ({ x1, x2, alpha }) => ({ y: addListInSteps(x1, x2, alpha) }),
    note: 'no int32 row; any error of one unit in float16 passes',
  },
  cases: [
    { x1: [[1]], dtype: 'float16', alpha: 1 },
    { x1: [[512, 3]], dtype: 'float16', alpha: 1 },
    { x1: [[1, 3, 224, 224]], dtype: 'float16', alpha: 1 },
    { x1: [[1], [15]], dtype: 'float16', alpha: 2 },
    { x1: small, dtype: 'float16', alpha: 3 },
    { x1: mixed, dtype: 'float16', alpha: 5 },
    { x1: [[1]], dtype: 'bfloat16', alpha: 1 },
    { x1: [[512, 3]], dtype: 'bfloat16', alpha: 1 },
    { x1: [[1, 3, 224, 224]], dtype: 'bfloat16', alpha: 1 },
    { x1: [[1], [15]], dtype: 'bfloat16', alpha: 1 },
    { x1: small, dtype: 'bfloat16', alpha: 1 },
    { x1: mixed, dtype: 'bfloat16', alpha: 5 },
    { x1: [[1]], dtype: 'float32', alpha: 1 },
    { x1: [[512, 3]], dtype: 'float32', alpha: 1 },
    { x1: [[1, 3, 224, 224]], dtype: 'float32', alpha: 1 },
    { x1: [[1], [15]], dtype: 'float32', alpha: 1 },
    { x1: small, dtype: 'float32', alpha: 3 },
    { x1: mixed, dtype: 'float32', alpha: 5 },
  ],
})
