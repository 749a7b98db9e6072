import { absoluteAndRelative, eitherSign, kernelSuite, tensor, tensorList, uniform, within } from 'vitest-npu'
import { addcdivLists, addcdivListsInSteps } from '../../../references/golden/foreach-products.ts'
import { columns, counting, floats, foreach, moderate, odd, rows, scalars, shapes, sumWithProduct } from './family.ts'

kernelSuite('ForeachAddcdivScalarList', {
  ...foreach('foreach_addcdiv_scalar_list'),
  description:
    'Adds scaled quotients of lists: y[t] = x1[t] + scalars[t] * x2[t] / x3[t], with a number of its own for every tensor.',
  inputs: {
    x1: tensorList({ dtype: columns.floats, length: 'n', draw: moderate }),
    x2: tensorList.like('x1'),
    x3: tensorList.like('x1', { draw: eitherSign(within(0.5, 1024, uniform(1, 2))) }),
    scalars: tensor({ dtype: columns.floats, shape: ['n'], draw: scalars }),
  },
  outputs: { y: tensorList.like('x1') },
  golden: ({ x1, x2, x3, scalars }) => ({ y: addcdivLists(x1, x2, x3, scalars) }),
  domain: { x1: shapes },
  // float16 may round quotient and product to float16, as the reference does.
  strict: sumWithProduct(3, 2 ** -22),
  benchmark: {
    tolerance: absoluteAndRelative({ float16: 1e-4, float32: 1e-4, bfloat16: 0.02 }),
    reference: ({ x1, x2, x3, scalars }) => ({
      y: addcdivListsInSteps(x1, x2, x3, scalars, { quotient: x1[0]!.dtype, product: x1[0]!.dtype }),
    }),
    note: 'one float16 unit is an error: the three roundings of its reference are the only accepted ones; no list of six in bfloat16',
  },
  cases: rows(odd, floats, { list: 'x1', rest: counting }).toSpliced(11, 1),
})
