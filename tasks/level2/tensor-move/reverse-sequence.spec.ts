import * as fc from 'fast-check'
import { attr, byCase, byDtype, dim, exact, kernelSuite, normal, randint, tensor, withNonFinite } from 'vitest-npu'
import { reverseSequence } from '../../../references/golden/movement.ts'

const types = ['float16', 'float32', 'int8', 'uint8', 'int16', 'uint16', 'int32', 'int64', 'bool', 'complex64'] as const
const narrow = types.map(() => 'int32' as const)
const wide = types.map(() => 'int64' as const)

const sequences = (x: number[], seqDim: number, batchDim: number) => ({
  x,
  seq_dim: seqDim,
  batch_dim: batchDim,
  batch: x[batchDim]!,
})

// Every public row has int64 lengths.
const row = (dtype: (typeof types)[number], x: number[], seqDim: number, batchDim: number) => ({
  ...sequences(x, seqDim, batchDim),
  dtype: types.length + types.indexOf(dtype),
})

kernelSuite('ReverseSequence', {
  category: 'TensorMove',
  kernel: 'reverse_sequence',
  description:
    'Reverses the start of sequences: for every index b along batch_dim, the first seq_lengths[b] positions along seq_dim are reversed, all others stay.',
  inputs: {
    x: tensor({
      dtype: [...types, ...types],
      shape: ['...shape'],
      // Integers are published as normal numbers, which their types do not hold: any stand for them.
      draw: byDtype(withNonFinite(normal()), {
        int8: randint(-128, 127),
        uint8: randint(0, 255),
        int16: randint(-(2 ** 15), 2 ** 15 - 1),
        uint16: randint(0, 2 ** 16 - 1),
        int32: randint(-(2 ** 31), 2 ** 31 - 1),
        int64: randint(-(2 ** 53), 2 ** 53),
        bool: randint(0, 1),
      }),
    }),
    seq_lengths: tensor({
      dtype: [...narrow, ...wide],
      shape: ['batch'],
      // Public lengths are at least 1.
      draw: byCase(({ adversarial, shapes, attrs }) =>
        randint(adversarial ? 0 : 1, shapes.x![0]![Number(attrs.seq_dim)]!),
      ),
    }),
  },
  outputs: { y: tensor.like('x') },
  attrs: { seq_dim: attr.int(), batch_dim: attr.int(0) },
  golden: ({ x, seq_lengths: lengths }, { seq_dim: axis, batch_dim: batchAxis }) => ({
    y: reverseSequence(x, lengths, axis, batchAxis),
  }),
  domain: fc
    .record({
      x: dim.list({ min: 2, max: 6, last: { max: 2048 } }),
      first: fc.nat({ max: 5 }),
      second: fc.nat({ max: 4 }),
    })
    .map(({ x, first, second }) => {
      const axis = first % x.length
      return sequences(x, axis, (axis + 1 + (second % (x.length - 1))) % x.length)
    }),
  strict: exact,
  benchmark: { note: 'no length 0, and the innermost axis is never reversed' },
  cases: [
    row('float32', [48, 1024, 1024], 1, 0),
    row('float16', [48, 256, 512], 1, 0),
    row('float32', [1, 512, 1024], 1, 0),
    row('float32', [16, 2048, 1024], 1, 0),
    row('float16', [32, 512, 256, 32], 2, 0),
    row('float32', [1024, 64, 128], 0, 1),
    row('int64', [512, 128, 64], 1, 0),
    row('float32', [16, 8, 4, 16], 2, 0),
    row('float16', [1, 128, 64, 32, 16], 3, 0),
    row('float32', [2, 2, 16], 0, 1),
    row('float32', [100, 200, 300], 0, 1),
    row('float16', [2, 4, 8, 16, 64], 3, 1),
    row('float32', [1, 1, 100, 12], 2, 0),
    row('int32', [64, 16, 32], 1, 0),
    row('float32', [8, 8, 8, 8], 2, 1),
  ],
})
