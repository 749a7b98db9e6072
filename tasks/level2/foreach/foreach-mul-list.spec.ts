import { float32Roundings, kernelSuite, normal, tensorList, withNonFinite } from 'vitest-npu'
import { multiplyLists } from '../../../references/golden/foreach.ts'
import { aligned, columns, floats, foreach, odd, orInt32, rows, shapes } from './family.ts'

kernelSuite('ForeachMulList', {
  ...foreach('foreach_mul_list'),
  description: 'Multiplies two lists tensor by tensor: y[t] = x1[t] * x2[t]. int32 wraps around.',
  inputs: {
    x1: tensorList({ dtype: columns.numbers, draw: orInt32(withNonFinite(normal())) }),
    x2: tensorList.like('x1'),
  },
  outputs: { y: tensorList.like('x1') },
  golden: ({ x1, x2 }) => ({ y: multiplyLists(x1, x2) }),
  domain: { x1: shapes },
  strict: float32Roundings(1),
  benchmark: { note: 'float rows hold multiples of 256 bytes only' },
  cases: [...rows(aligned, floats, { list: 'x1' }), ...rows(odd, ['int32'], { list: 'x1' })],
})
