import { float32Roundings, kernelSuite, normal, scalarTensor, tensorList, withNonFinite } from 'vitest-npu'
import { multiplyScalar } from '../../../references/golden/foreach.ts'
import { columns, foreach, numbers, odd, orInt32, rows, scalars, shapes } from './family.ts'

kernelSuite('ForeachMulScalar', {
  ...foreach('foreach_mul_scalar'),
  description: 'Multiplies every tensor of a list by one number: y[t] = x[t] * scalar. int32 wraps around.',
  inputs: {
    x: tensorList({ dtype: columns.numbers, draw: orInt32(withNonFinite(normal())) }),
    scalar: scalarTensor({ dtype: columns.scalar, draw: scalars }),
  },
  outputs: { y: tensorList.like('x') },
  golden: ({ x, scalar }) => ({ y: multiplyScalar(x, scalar) }),
  domain: { x: shapes },
  strict: float32Roundings(1),
  benchmark: { note: 'its factor is 1 in every row, whatever the list says: a copy passes' },
  cases: rows(odd, numbers, { rest: () => ({ scalar: 1 }) }),
})
