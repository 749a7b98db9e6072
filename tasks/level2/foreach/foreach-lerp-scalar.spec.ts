import * as fc from 'fast-check'
import { kernelSuite, scalarTensor, tensorList, uniform, within } from 'vitest-npu'
import { lerp } from '../../../references/golden/foreach-products.ts'
import { columns, foreach, shapes } from './family.ts'

kernelSuite('ForeachLerpScalar', {
  ...foreach('foreach_lerp_scalar'),
  description: 'Linear interpolation between two lists with one weight: y[t] = x1[t] + weight * (x2[t] - x1[t]).',
  inputs: {
    x1: tensorList({ dtype: columns.floats, draw: within(-8192, 8192, uniform(0, 1)) }),
    x2: tensorList.like('x1'),
    weight: scalarTensor({ dtype: 'float32' }),
  },
  outputs: { y: tensorList.like('x1') },
  golden: ({ x1, x2, weight }) => ({ y: lerp(x1, x2, weight) }),
  domain: { x1: shapes, weight: fc.constantFrom(0, 0.1, 0.25, 0.5, 0.75, 1, -0.5, 1.5) },
  // float32 steps in either form, x1 + weight * (x2 - x1) or x2 - (1 - weight) * (x2 - x1).
  strict: () => ({ absolute: 2 ** -149, relative: 2 ** -24, scaled: 2 ** -22 }),
  cases: [
    { x1: [[25]], dtype: 'float16', weight: 0.5 },
    {
      x1: [
        [32, 768, 10],
        [16, 256, 5],
      ],
      dtype: 'float32',
      weight: 0.25,
    },
    { x1: [[100]], dtype: 'float16', weight: 0.75 },
    {
      x1: [
        [2, 2, 2, 2],
        [3, 3, 3, 3],
        [4, 4, 4, 4],
      ],
      dtype: 'float32',
      weight: 1,
    },
    {
      x1: [
        [1, 1, 1, 1, 1, 1],
        [2, 2, 2, 2, 2, 2],
      ],
      dtype: 'bfloat16',
      weight: 0,
    },
  ],
})
