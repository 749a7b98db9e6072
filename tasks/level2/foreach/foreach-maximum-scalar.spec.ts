import { exact, kernelSuite, normal, scalarTensor, tensorList, withNonFinite } from 'vitest-npu'
import { maximumScalar } from '../../../references/golden/foreach.ts'
import { columns, foreach, numbers, odd, orInt32, publicLimits, rows, scalars, shapes, twelveTenths } from './family.ts'

kernelSuite('ForeachMaximumScalar', {
  ...foreach('foreach_maximum_scalar'),
  description: 'The larger of every element and one number: y[t] = max(x[t], scalar), NaN where either is NaN.',
  inputs: {
    x: tensorList({ dtype: columns.numbers, draw: orInt32(withNonFinite(normal())) }),
    scalar: scalarTensor({ dtype: columns.scalar, draw: scalars }),
  },
  outputs: { y: tensorList.like('x') },
  golden: ({ x, scalar }) => ({ y: maximumScalar(x, scalar) }),
  domain: { x: shapes },
  strict: exact,
  benchmark: {
    tolerance: publicLimits(1e-4, 0.005),
    note: 'bfloat16 rows are compared with a float32 reference',
  },
  cases: rows(odd, numbers, { rest: twelveTenths('scalar') }),
})
