import * as fc from 'fast-check'
import { attr, dim, exact, kernelSuite, randint, tensor, widened } from 'vitest-npu'
import { expand } from '../../../references/golden/movement.ts'

// x is the tail of the target shape, with extent 1 on some axes.
const rows = fc
  .record({
    shape: dim.list({ min: 1, max: 8, last: { max: 4096 } }),
    kept: fc.integer({ min: 1, max: 8 }),
    ones: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 8, maxLength: 8 }),
  })
  .map(({ shape, kept, ones }) => ({
    shape,
    x: shape.slice(-kept).map((extent, axis) => (ones[axis] === 0 ? 1 : extent)),
  }))

kernelSuite('ExpandV2', {
  category: 'TensorMove',
  kernel: 'expand_v2',
  description:
    'Broadcasts x to the attribute shape: axes are aligned at the end, missing leading axes and axes of extent 1 are repeated.',
  inputs: {
    x: tensor({ dtype: 'int64', shape: ['...source'], draw: widened(randint(0, 9), randint(-(2 ** 53), 2 ** 53)) }),
  },
  outputs: { y: tensor({ dtype: 'int64', shape: ['...shape'] }) },
  attrs: { shape: attr.listInt() },
  golden: ({ x }, { shape }) => ({ y: expand(x, shape) }),
  domain: rows,
  strict: exact,
  benchmark: { note: 'one new leading axis only; values below 10' },
  cases: [
    { x: [4], shape: [4, 4] },
    { x: [32], shape: [8, 32] },
    { x: [16], shape: [128, 16] },
    { x: [48], shape: [12, 48] },
  ],
})
