import { float32Roundings, kernelSuite, tensor, tensorList, uniform, withNonFinite } from 'vitest-npu'
import { addScalar } from '../../../references/golden/foreach.ts'
import { columns, foreach, orInt32, scalars, shapes } from './family.ts'

kernelSuite('ForeachAddScalarList', {
  ...foreach('foreach_add_scalar_list'),
  description: 'Adds to every tensor of a list a number of its own: y[t] = x[t] + scalars[t].',
  inputs: {
    x: tensorList({ dtype: columns.numbers, length: 'n', draw: orInt32(withNonFinite(uniform(0, 1))) }),
    scalars: tensor({ dtype: columns.hostScalar, shape: ['n'], draw: scalars }),
  },
  outputs: { y: tensorList.like('x') },
  golden: ({ x, scalars }) => ({ y: addScalar(x, scalars) }),
  domain: { x: shapes },
  strict: float32Roundings(1),
  benchmark: { note: 'no bfloat16 row' },
  cases: [
    { x: [[48, 1024]], dtype: 'float16', values: { scalars: [1] } },
    { x: [[512, 2048]], dtype: 'float32', values: { scalars: [1] } },
    {
      x: [
        [24, 32],
        [114, 16],
      ],
      dtype: 'float16',
      values: { scalars: [1, 2] },
    },
    {
      x: [
        [2, 52, 19],
        [8, 10, 20],
      ],
      dtype: 'float32',
      values: { scalars: [1, 3] },
    },
    {
      x: [
        [24, 32, 2, 5],
        [3, 4, 5, 60],
      ],
      dtype: 'int32',
      values: { scalars: [1, 5] },
    },
  ],
})
