import { float32Roundings, kernelSuite, normal, scalarTensor, tensorList, withNonFinite } from 'vitest-npu'
import { divideScalar } from '../../../references/golden/foreach.ts'
import { columns, divisors, floats, foreach, odd, publicLimits, rows, shapes, twelveTenths } from './family.ts'

kernelSuite('ForeachDivScalar', {
  ...foreach('foreach_div_scalar'),
  description: 'Divides every tensor of a list by one number: y[t] = x[t] / scalar.',
  inputs: {
    x: tensorList({ dtype: columns.floats, draw: withNonFinite(normal()) }),
    scalar: scalarTensor({ dtype: columns.floatScalar, draw: divisors }),
  },
  outputs: { y: tensorList.like('x') },
  golden: ({ x, scalar }) => ({ y: divideScalar(x, scalar) }),
  domain: { x: shapes },
  // A float32 division, or a product with the float32 reciprocal; the float16 one is no longer right.
  strict: float32Roundings(4),
  benchmark: {
    tolerance: publicLimits(1e-4, 0.02),
    note: 'bfloat16 rows are compared with a float32 reference',
  },
  cases: rows(odd, floats, { rest: twelveTenths('scalar') }),
})
