import { eitherSign, kernelSuite, normal, tensorList, uniform, within, withNonFinite } from 'vitest-npu'
import { divideLists } from '../../../references/golden/foreach.ts'
import { columns, floats, foreach, odd, oneInstruction, rows, shapes } from './family.ts'

kernelSuite('ForeachDivList', {
  ...foreach('foreach_div_list'),
  description: 'Divides two lists tensor by tensor: y[t] = x1[t] / x2[t].',
  inputs: {
    x1: tensorList({ dtype: columns.floats, draw: withNonFinite(normal()) }),
    x2: tensorList.like('x1', { draw: eitherSign(within(2 ** -10, 2 ** 10, uniform(1, 2))) }),
  },
  outputs: { y: tensorList.like('x1') },
  golden: ({ x1, x2 }) => ({ y: divideLists(x1, x2) }),
  domain: { x1: shapes },
  strict: oneInstruction(2 ** -22),
  cases: rows(odd, floats, { list: 'x1' }),
})
