import { float32Roundings, kernelSuite, scalarTensor, tensorList, uniform, withNonFinite } from 'vitest-npu'
import { addScalar } from '../../../references/golden/foreach.ts'
import { columns, foreach, orInt32, scalars, shapes } from './family.ts'

kernelSuite('ForeachAddScalar', {
  ...foreach('foreach_add_scalar'),
  description: 'Adds one number to every tensor of a list: y[t] = x[t] + scalar.',
  inputs: {
    x: tensorList({ dtype: columns.numbers, draw: orInt32(withNonFinite(uniform(0, 1))) }),
    scalar: scalarTensor({ dtype: columns.scalar, draw: scalars }),
  },
  outputs: { y: tensorList.like('x') },
  golden: ({ x, scalar }) => ({ y: addScalar(x, scalar) }),
  domain: { x: shapes },
  strict: float32Roundings(1),
  benchmark: { note: 'the scalar is 1 in every row; neither bfloat16 nor a list of two tensors' },
  cases: [
    { x: [[48, 1024]], dtype: 'float16', scalar: 1 },
    { x: [[512, 2048]], dtype: 'float32', scalar: 1 },
    { x: [[24, 32, 3]], dtype: 'float16', scalar: 1 },
    { x: [[24, 32, 2, 14]], dtype: 'float32', scalar: 1 },
    { x: [[24, 32, 2, 5, 7]], dtype: 'int32', scalar: 1 },
  ],
})
