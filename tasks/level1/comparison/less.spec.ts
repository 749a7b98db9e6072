import {
  byDtype,
  dim,
  exact,
  kernelSuite,
  normal,
  oneOf,
  randint,
  tensor,
  tiedTo,
  widened,
  withNonFinite,
} from 'vitest-npu'
import { less } from '../../../references/golden/comparison.ts'

// Generated cases use the whole range: neighbours beyond 2^24 fall together in float32, differences overflow.
const values = byDtype(withNonFinite(normal()), {
  int8: widened(randint(-100, 99), randint(-128, 127)),
  uint8: widened(randint(0, 199), randint(0, 255)),
  int32: widened(randint(-100, 99), randint(-(2 ** 31), 2 ** 31 - 1)),
  int64: widened(randint(-100, 99), oneOf(randint(-(2 ** 52), 2 ** 52), randint(-(2 ** 33), 2 ** 33))),
})

kernelSuite('Less', {
  category: 'Comparison',
  kernel: 'less',
  description:
    'Compares two tensors of one shape element by element: y = 1 where x1 < x2, else 0, as bool. A comparison with NaN is 0.',
  inputs: {
    x1: tensor({
      dtype: ['bfloat16', 'float16', 'float32', 'int8', 'uint8', 'int32', 'int64'],
      shape: ['...shape'],
      draw: values,
    }),
    // Equal pairs tell < from <=, which independent float32 numbers do not.
    x2: tensor.like('x1', { draw: widened(values, tiedTo('x1', values)) }),
  },
  outputs: { y: tensor({ dtype: 'bool', shape: ['...shape'] }) },
  golden: ({ x1, x2 }) => ({ y: less(x1, x2) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  strict: exact,
  benchmark: { note: 'its float32 rows hold no equal pair: <= passes them; integers stay between -100 and 99' },
  cases: [
    { x1: [48, 128, 256], dtype: 'float16' },
    { x1: [512, 3], dtype: 'float16' },
    { x1: [1, 3, 224, 224], dtype: 'float16' },
    { x1: [1], dtype: 'bfloat16' },
    { x1: [512, 3], dtype: 'bfloat16' },
    { x1: [1, 3, 224, 224], dtype: 'bfloat16' },
    { x1: [1], dtype: 'float32' },
    { x1: [512, 3], dtype: 'float32' },
    { x1: [1, 3, 224, 224], dtype: 'float32' },
    { x1: [1], dtype: 'int32' },
    { x1: [512, 3], dtype: 'int32' },
    { x1: [1, 3, 224, 224], dtype: 'int32' },
    { x1: [1], dtype: 'int64' },
    { x1: [512, 3], dtype: 'int64' },
    { x1: [1, 3, 224, 224], dtype: 'int64' },
    { x1: [1], dtype: 'int8' },
    { x1: [512, 3], dtype: 'int8' },
    { x1: [1, 3, 224, 224], dtype: 'int8' },
    { x1: [1], dtype: 'uint8' },
    { x1: [512, 3], dtype: 'uint8' },
    { x1: [1, 3, 224, 224], dtype: 'uint8' },
  ],
})
