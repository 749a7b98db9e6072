import * as fc from 'fast-check'
import {
  attr,
  byCase,
  byDtype,
  dim,
  exact,
  kernelSuite,
  normal,
  randint,
  scalarTensor,
  tensor,
  withNonFinite,
} from 'vitest-npu'
import { gather } from '../../../references/golden/index.ts'

const types = [
  'float32',
  'float16',
  'bfloat16',
  'int16',
  'int32',
  'int64',
  'int8',
  'bool',
  'uint16',
  'uint32',
  'uint64',
  'uint8',
] as const
const narrow = types.map(() => 'int32' as const)
const wide = types.map(() => 'int64' as const)

const values = byDtype(withNonFinite(normal()), {
  int8: randint(-128, 127),
  uint8: randint(0, 255),
  int16: randint(-(2 ** 15), 2 ** 15 - 1),
  uint16: randint(0, 2 ** 16 - 1),
  int32: randint(-(2 ** 31), 2 ** 31 - 1),
  uint32: randint(0, 2 ** 32 - 1),
  int64: randint(-(2 ** 53), 2 ** 53),
  uint64: randint(0, 2 ** 53),
  bool: randint(0, 1),
})

const rows = fc
  .record({
    x: dim.list({ min: 1, max: 8, last: { max: 65536 } }),
    axis: fc.nat({ max: 7 }),
    count: dim({ max: 4096 }),
  })
  .map(({ x, axis, count }) => gathering(x, count, axis % x.length))

function gathering(x: number[], count: number, axis: number) {
  return { x, count, axis, gathered: x.with(axis, count), extent: x[axis]! }
}

const halfWithWideIndices = types.length + 1
const half = (x: number[], count: number, axis: number) => ({
  ...gathering(x, count, axis),
  dtype: halfWithWideIndices,
})

kernelSuite('GatherV3', {
  category: 'Index',
  kernel: 'gather_v3',
  description:
    'Takes slices of x along one axis, which a scalar gives: y[..., i, ...] = x[..., indices[i], ...], with i and indices[i] on that axis. Indices lie in 0 ... extent - 1.',
  inputs: {
    x: tensor({ dtype: [...types, ...types], shape: ['...shape'], draw: values }),
    indices: tensor({
      dtype: [...narrow, ...wide],
      shape: ['count'],
      draw: byCase(({ content }) => randint(0, Number(content.extent) - 1)),
    }),
    axis: scalarTensor({ dtype: 'int64' }),
  },
  outputs: { y: tensor({ dtype: [...types, ...types], shape: ['...gathered'] }) },
  // The public call passes neither; negative indices are no part of it.
  attrs: { batchDims: attr.int(0), negativeIndexSupport: attr.bool(false) },
  // x.shape[axis], the end of the indices.
  content: { extent: attr.int() },
  golden: ({ x, indices, axis }) => ({ y: gather(x, indices, Number(axis.data[0])) }),
  domain: rows,
  strict: exact,
  benchmark: { note: 'float16 with int64 indices only, of 12 types and two index types' },
  cases: [
    half([256, 512], 32, 0),
    half([8, 16], 4, 0),
    half([32, 64], 8, 1),
    half([1, 32, 64], 4, 0),
    half([8, 1024], 16, 1),
    half([32, 512, 128], 64, 0),
    half([4, 2], 2, 1),
  ],
})
