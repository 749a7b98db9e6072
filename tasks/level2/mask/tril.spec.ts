import * as fc from 'fast-check'
import { attr, dim, exact, kernelSuite, normal, tensor, withNonFinite } from 'vitest-npu'
import { tril } from '../../../references/golden/mask.ts'

kernelSuite('Tril', {
  category: 'Mask',
  kernel: 'tril',
  description:
    'Lower triangle of every matrix of a batch: y[i, j] = x[i, j] where j <= i + diagonal, else 0, also where x is NaN or infinite there.',
  inputs: {
    x: tensor({
      dtype: ['float16', 'float32'],
      shape: ['...batch', 'rows', 'columns'],
      // NaN and infinities above the diagonal must become 0: a product with a mask fails.
      draw: withNonFinite(normal()),
    }),
  },
  outputs: { y: tensor.like('x') },
  attrs: { diagonal: attr.int(0) },
  golden: ({ x }, { diagonal }) => ({ y: tril(x, diagonal) }),
  domain: {
    batch: dim.list({ max: 6, last: { max: 64 } }),
    rows: dim({ max: 2048 }),
    columns: dim({ max: 4096 }),
    diagonal: fc.oneof(
      fc.integer({ min: -2, max: 2 }),
      fc.integer({ min: -300, max: 300 }),
      fc.constantFrom(-99999, 99999),
    ),
  },
  strict: exact,
  benchmark: { note: 'rank 2 only; the diagonal is drawn from -1, 0, 1 in every run, here it goes round by row' },
  cases: [
    { x: [48, 64], dtype: 'float32', diagonal: -1 },
    { x: [256, 512], dtype: 'float32', diagonal: 0 },
    { x: [564, 128], dtype: 'float32', diagonal: 1 },
    { x: [192, 32], dtype: 'float16', diagonal: -1 },
    { x: [192, 128], dtype: 'float16', diagonal: 0 },
    { x: [256, 256], dtype: 'float32', diagonal: 1 },
  ],
})
