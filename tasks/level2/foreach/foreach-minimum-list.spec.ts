import { exact, kernelSuite, normal, tensorList, withNonFinite } from 'vitest-npu'
import { minimumLists } from '../../../references/golden/foreach.ts'
import { columns, foreach, numbers, odd, orInt32, rows, shapes } from './family.ts'

kernelSuite('ForeachMinimumList', {
  ...foreach('foreach_minimum_list'),
  description: 'The smaller of two lists element by element: y[t] = min(x1[t], x2[t]), NaN where either is NaN.',
  inputs: {
    x1: tensorList({ dtype: columns.numbers, draw: orInt32(withNonFinite(normal())) }),
    x2: tensorList.like('x1'),
  },
  outputs: { y: tensorList.like('x1') },
  golden: ({ x1, x2 }) => ({ y: minimumLists(x1, x2) }),
  domain: { x1: shapes },
  strict: exact,
  cases: rows(odd, numbers, { list: 'x1' }),
})
