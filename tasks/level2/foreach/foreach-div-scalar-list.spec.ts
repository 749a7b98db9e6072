import { float32Roundings, kernelSuite, normal, tensor, tensorList, withNonFinite } from 'vitest-npu'
import { divideScalar } from '../../../references/golden/foreach.ts'
import { columns, counting, divisors, floats, foreach, odd, rows, shapes } from './family.ts'

kernelSuite('ForeachDivScalarList', {
  ...foreach('foreach_div_scalar_list'),
  description: 'Divides every tensor of a list by a number of its own: y[t] = x[t] / scalars[t].',
  inputs: {
    x: tensorList({ dtype: columns.floats, length: 'n', draw: withNonFinite(normal()) }),
    scalars: tensor({ dtype: 'float32', shape: ['n'], draw: divisors }),
  },
  outputs: { y: tensorList.like('x') },
  golden: ({ x, scalars }) => ({ y: divideScalar(x, scalars) }),
  domain: { x: shapes },
  // The divisor stays in float32, whatever the dtype of its tensor.
  strict: float32Roundings(4),
  cases: rows(odd, floats, { rest: counting }),
})
