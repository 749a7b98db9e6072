import * as fc from 'fast-check'
import { attr, dim, exact, kernelSuite, randint, tensor } from 'vitest-npu'
import { eye } from '../../../references/golden/creation.ts'

kernelSuite('Eye', {
  category: 'TensorCreation',
  kernel: 'eye',
  description:
    'Writes, in place, an identity matrix into every matrix of a batch that holds zeros: y[..., i, i] = 1, everything else 0.',
  inputs: {
    y: tensor({
      dtype: ['float32', 'float16', 'int32'],
      shape: ['...batch_shape', 'num_rows', 'num_columns'],
      // The public contract: y arrives filled with zeros.
      draw: randint(0, 0),
    }),
  },
  outputs: { y: tensor.like('y', { aliases: 'y' }) },
  // The codes of the attribute dtype are the columns of the types: one field of a row gives both.
  attrs: {
    num_rows: attr.int(),
    num_columns: attr.int(0),
    batch_shape: attr.listInt([]),
    dtype: attr.int(0),
  },
  golden: ({ y }) => ({ y: eye(y.dtype, y.shape) }),
  domain: {
    batch_shape: dim.list({ max: 6, last: { max: 512 } }),
    num_rows: dim({ max: 1024 }),
    num_columns: dim({ max: 4096 }),
    dtype: fc.nat({ max: 2 }),
  },
  strict: exact,
  benchmark: { note: 'writing the ones alone is enough' },
  cases: [
    { batch_shape: [48], num_rows: 128, num_columns: 128, dtype: 1 },
    { batch_shape: [32], num_rows: 64, num_columns: 64, dtype: 0 },
    { batch_shape: [96], num_rows: 256, num_columns: 256, dtype: 0 },
    { batch_shape: [64], num_rows: 512, num_columns: 512, dtype: 2 },
    { batch_shape: [32], num_rows: 16, num_columns: 32, dtype: 1 },
    { batch_shape: [48], num_rows: 256, num_columns: 512, dtype: 2 },
  ],
})
