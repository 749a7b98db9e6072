import { float32Roundings, kernelSuite, normal, tensor, tensorList, withNonFinite } from 'vitest-npu'
import { multiplyScalar } from '../../../references/golden/foreach.ts'
import { columns, counting, foreach, numbers, odd, orInt32, rows, scalars, shapes } from './family.ts'

kernelSuite('ForeachMulScalarList', {
  ...foreach('foreach_mul_scalar_list'),
  description:
    'Multiplies every tensor of a list by a number of its own: y[t] = x[t] * scalars[t]. int32 wraps around.',
  inputs: {
    x: tensorList({ dtype: columns.numbers, length: 'n', draw: orInt32(withNonFinite(normal())) }),
    scalars: tensor({ dtype: columns.hostScalar, shape: ['n'], draw: scalars }),
  },
  outputs: { y: tensorList.like('x') },
  golden: ({ x, scalars }) => ({ y: multiplyScalar(x, scalars) }),
  domain: { x: shapes },
  strict: float32Roundings(1),
  cases: rows(odd, numbers, { rest: counting }),
})
