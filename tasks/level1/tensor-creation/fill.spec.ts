import * as fc from 'fast-check'
import { dim, exact, kernelSuite, scalarTensor, shapeOf, tensor } from 'vitest-npu'
import { fill } from '../../../references/golden/creation.ts'

const types = ['float16', 'float32', 'int32', 'int8', 'int64', 'bfloat16', 'bool'] as const
type Type = (typeof types)[number]

const filled = (shape: readonly number[], dtype: Type, value: number) => ({
  shape,
  rank: shape.length,
  values: { dims: shape },
  dtype: types.indexOf(dtype),
  value,
})

const extremes: Record<Type, readonly number[]> = {
  float16: [1.2, 0, -1, 65504, 2 ** -24],
  float32: [1.2, 0, -1, 3e38, 2 ** -149],
  int32: [1, 0, -200, 2 ** 31 - 1, -(2 ** 31)],
  int8: [5, 0, -10, 127, -128],
  int64: [1000, 0, -2000, 2 ** 53, -(2 ** 40) - 1],
  bfloat16: [1.2, 0, -1, 3e38, 2 ** -133],
  bool: [1, 0],
}

kernelSuite('Fill', {
  category: 'TensorCreation',
  kernel: 'fill',
  description: 'Fills a tensor with one number: every element of y is value. dims holds the shape of y.',
  inputs: {
    // The shape of y, known to the host.
    dims: tensor({ dtype: 'int64', shape: ['rank'] }),
    value: scalarTensor({ dtype: types }),
  },
  outputs: { y: tensor({ dtype: types, shape: ['...shape'] }) },
  golden: ({ value }, _, kernelCase) => ({ y: fill(value, shapeOf(kernelCase, 'y')) }),
  domain: fc
    .record({ shape: dim.list({ min: 1, max: 8 }), type: fc.constantFrom(...types), pick: fc.nat({ max: 4 }) })
    .map(({ shape, type, pick }) => filled(shape, type, extremes[type][pick % extremes[type].length]!)),
  strict: exact,
  benchmark: { note: 'y arrives filled with zeros: row 16 passes without a kernel' },
  cases: [
    filled([128], 'int32', 1),
    filled([512, 3], 'float16', 1.2),
    filled([1, 3, 224, 224], 'float16', 1.2),
    filled([1], 'float32', 1.2),
    filled([512, 3], 'float32', 1.2),
    filled([1, 3, 224, 224], 'float32', 1.2),
    filled([1], 'int8', 5),
    filled([512, 3], 'int8', -10),
    filled([1, 3, 224, 224], 'int8', 3),
    filled([1], 'int32', 100),
    filled([512, 3], 'int32', -200),
    filled([1, 3, 224, 224], 'int32', 50),
    filled([1], 'int64', 1000),
    filled([512, 3], 'int64', -2000),
    filled([1, 3, 224, 224], 'int64', 500),
    filled([1], 'bool', 1),
    filled([512, 3], 'bool', 0),
    filled([1, 3, 224, 224], 'bool', 1),
    filled([1], 'bfloat16', 1.2),
    filled([512, 3], 'bfloat16', 3.5),
    filled([1, 3, 224, 224], 'bfloat16', 0.8),
  ],
})
