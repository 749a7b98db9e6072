import { float32Roundings, kernelSuite, normal, scalarTensor, tensorList, withNonFinite } from 'vitest-npu'
import { addScalar } from '../../../references/golden/foreach.ts'
import { columns, foreach, numbers, odd, orInt32, publicLimits, rows, scalars, shapes, twelveTenths } from './family.ts'

kernelSuite('ForeachSubScalar', {
  ...foreach('foreach_sub_scalar'),
  description: 'Subtracts one number from every tensor of a list: y[t] = x[t] - scalar.',
  inputs: {
    x: tensorList({ dtype: columns.numbers, draw: orInt32(withNonFinite(normal())) }),
    scalar: scalarTensor({ dtype: columns.scalar, draw: scalars }),
  },
  outputs: { y: tensorList.like('x') },
  golden: ({ x, scalar }) => ({ y: addScalar(x, scalar, -1) }),
  domain: { x: shapes },
  strict: float32Roundings(1),
  benchmark: {
    tolerance: publicLimits(1e-4, 0.02),
    note: 'bfloat16 rows are compared with a float32 reference',
  },
  cases: rows(odd, numbers, { rest: twelveTenths('scalar') }),
})
