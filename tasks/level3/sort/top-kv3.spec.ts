import * as fc from 'fast-check'
import { attr, byCase, dim, exact, kernelSuite, normal, randint, scalarTensor, tensor, withNonFinite } from 'vitest-npu'
import { topK } from '../../../references/golden/top-k.ts'

// Every third generated case consists of ties.
const values = byCase(({ adversarial, random }) =>
  adversarial && random.below(3) === 0 ? randint(-3, 3) : withNonFinite(normal()),
)

const row = (x: number[], k: number, axis: number, rest: { largest?: boolean; sorted?: boolean } = {}) => ({
  x,
  k,
  top: x.with(axis, k),
  dim: axis,
  ...rest,
})

const rows = fc
  .record({
    x: dim.list({ min: 1, max: 8, last: { max: 16384 } }),
    axis: fc.oneof({ weight: 3, arbitrary: fc.constant(7) }, { weight: 1, arbitrary: fc.nat({ max: 7 }) }),
    k: fc.oneof(dim({ max: 64 }), dim({ max: 8192 })),
    largest: fc.boolean(),
    fromEnd: fc.boolean(),
    sorted: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  })
  .map(({ x, axis, k, fromEnd, ...rest }) => {
    const last = Math.min(axis, x.length - 1)
    return { ...row(x, Math.min(k, x[last]!), last, rest), ...(fromEnd && { dim: last - x.length }) }
  })

kernelSuite('TopKV3', {
  category: 'Sort',
  kernel: 'top_kv3',
  description:
    'The k largest (largest true) or smallest elements along the axis dim, with their int32 positions there; in that order where sorted is true, else in any. k is one number in device memory. NaN is larger than every number; of equal elements any may be taken, each position once.',
  inputs: {
    x: tensor({ dtype: 'float16', shape: ['...shape'], draw: values }),
    k: scalarTensor({ dtype: 'int32' }),
  },
  outputs: {
    values: tensor({ dtype: 'float16', shape: ['...top'] }),
    indices: tensor({ dtype: 'int32', shape: ['...top'] }),
  },
  attrs: { sorted: attr.bool(true), dim: attr.int(-1), largest: attr.bool(true) },
  golden: ({ x, k }, { dim: axis, largest, sorted }) =>
    topK(x, { k: Number(k.data[0]), axis: axis < 0 ? axis + x.shape.length : axis, largest, sorted }),
  domain: rows,
  strict: exact,
  benchmark: {
    note: 'it wants the index that its own reference found among equal elements; any of them is taken here. Above 1000 it takes a neighbour',
  },
  cases: [
    row([8, 2048], 2, 1),
    row([8, 16, 32], 3, 2),
    row([64, 128], 4, 0),
    row([1, 32, 64, 64], 1, 3),
    row([8, 1024], 4, 1),
    row([32, 512, 128], 3, 2),
    row([256, 512], 4, 0),
  ],
})
