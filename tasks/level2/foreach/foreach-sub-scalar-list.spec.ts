import { float32Roundings, kernelSuite, normal, tensor, tensorList, withNonFinite } from 'vitest-npu'
import { addScalar } from '../../../references/golden/foreach.ts'
import { columns, counting, foreach, numbers, odd, orInt32, rows, scalars, shapes } from './family.ts'

kernelSuite('ForeachSubScalarList', {
  ...foreach('foreach_sub_scalar_list'),
  description: 'Subtracts from every tensor of a list a number of its own: y[t] = x[t] - scalars[t].',
  inputs: {
    x: tensorList({ dtype: columns.numbers, length: 'n', draw: orInt32(withNonFinite(normal())) }),
    scalars: tensor({ dtype: columns.hostScalar, shape: ['n'], draw: scalars }),
  },
  outputs: { y: tensorList.like('x') },
  golden: ({ x, scalars }) => ({ y: addScalar(x, scalars, -1) }),
  domain: { x: shapes },
  strict: float32Roundings(1),
  cases: rows(odd, numbers, { rest: counting }),
})
