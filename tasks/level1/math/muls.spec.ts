import * as fc from 'fast-check'
import {
  byDtype,
  dim,
  exact,
  float32Roundings,
  kernelSuite,
  normal,
  randint,
  scalarTensor,
  tensor,
  ulpScaled,
  widened,
} from 'vitest-npu'
import { muls } from '../../../references/golden/elementwise.ts'
import { unitLimits } from '../../unit-limits.ts'

const published = randint(-100, 99)

const shape = dim.list({ min: 1, max: 8 })
const floats = fc.record({
  x: shape,
  dtype: fc.constantFrom(0, 1, 2, 6),
  value: fc.constantFrom(1.2, 1, -0.3, 0, 7.5, 1e-3),
})
// Every product is a number of the type.
const integers = fc.record({ x: shape, dtype: fc.constantFrom(3, 4, 5), value: fc.constantFrom(1, -1, 2, 3, -7, 0) })

kernelSuite('Muls', {
  category: 'Math',
  kernel: 'muls',
  description:
    'Multiplies every element by one number: y = x * value. value is a float32 in device memory; of a complex number both parts are multiplied.',
  inputs: {
    x: tensor({
      dtype: ['bfloat16', 'float16', 'float32', 'int32', 'int16', 'int64', 'complex64'],
      shape: ['...shape'],
      draw: byDtype(normal(), {
        int32: widened(published, randint(-(2 ** 28), 2 ** 28)),
        int16: widened(published, randint(-(2 ** 12), 2 ** 12)),
        int64: widened(published, randint(-(2 ** 40), 2 ** 40)),
      }),
    }),
    value: scalarTensor({ dtype: 'float32' }),
  },
  outputs: { y: tensor.like('x') },
  golden: ({ x, value }) => ({ y: muls(x, value) }),
  domain: fc.oneof(floats, integers),
  // One float32 product, rounded once more to 16-bit types.
  strict: (context) => (context.dtype.startsWith('int') ? exact(context) : float32Roundings(1)(context)),
  benchmark: {
    tolerance: ulpScaled(unitLimits),
    note: 'accepts NaN everywhere; integers and complex numbers are always multiplied by 1',
  },
  cases: [
    { x: [1], dtype: 'float16', value: 1.2 },
    { x: [512, 3], dtype: 'float16', value: 1.2 },
    { x: [1, 3, 224, 224], dtype: 'float16', value: 1.2 },
    { x: [1], dtype: 'bfloat16', value: 1.2 },
    { x: [512, 3], dtype: 'bfloat16', value: 1.2 },
    { x: [1, 3, 224, 224], dtype: 'bfloat16', value: 1.2 },
    { x: [1], dtype: 'float32', value: 1.2 },
    { x: [512, 3], dtype: 'float32', value: 1.2 },
    { x: [1, 3, 224, 224], dtype: 'float32', value: 1.2 },
    { x: [1], dtype: 'int32', value: 1 },
    { x: [512, 3], dtype: 'int32', value: 1 },
    { x: [1, 3, 224, 224], dtype: 'int32', value: 1 },
    { id: 15, x: [1], dtype: 'int16', value: 1 },
    { x: [512, 3], dtype: 'int16', value: 1 },
    { x: [1, 3, 224, 224], dtype: 'int16', value: 1 },
    { x: [1], dtype: 'complex64', value: 1 },
    { x: [512, 3], dtype: 'complex64', value: 1 },
    { x: [1, 3, 224, 224], dtype: 'complex64', value: 1 },
  ],
})
