import { byDtype, dim, exact, kernelSuite, normal, randint, tensor, tiedTo, widened, withNonFinite } from 'vitest-npu'
import { equal } from '../../../references/golden/comparison.ts'

// The public list draws normal numbers in integer types too, which its own framework refuses: small ones stand for them.
// Full ranges catch a detour through float32, where neighbours fall together.
const values = byDtype(withNonFinite(normal()), {
  int8: widened(randint(-10, 9), randint(-128, 127)),
  uint8: widened(randint(0, 9), randint(0, 255)),
  int32: widened(randint(-10, 9), randint(-(2 ** 31), 2 ** 31 - 1)),
  uint32: randint(0, 2 ** 32 - 1),
})

kernelSuite('Equal', {
  category: 'Comparison',
  kernel: 'equal',
  description:
    'Compares two tensors of one shape element by element: y = 1 where x1 == x2, else 0, as bool. +0 equals -0, NaN equals nothing.',
  inputs: {
    x1: tensor({
      dtype: ['float16', 'bfloat16', 'float32', 'int8', 'uint8', 'int32', 'uint32'],
      shape: ['...shape'],
      draw: values,
    }),
    // Independent random floats are hardly ever equal: ties catch all-false, neighbours a comparison with an epsilon.
    x2: tensor.like('x1', { draw: widened(values, tiedTo('x1', values)) }),
  },
  outputs: { y: tensor({ dtype: 'bool', shape: ['...shape'] }) },
  golden: ({ x1, x2 }) => ({ y: equal(x1, x2) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  strict: exact,
  benchmark: { note: 'its float32 rows hold no equal pair: an all-false kernel passes them' },
  cases: [
    { x1: [4, 3], dtype: 'float16' },
    { x1: [4, 1, 5], dtype: 'float32' },
    { x1: [32, 64, 128], dtype: 'float32' },
    { x1: [128, 512], dtype: 'bfloat16' },
    { x1: [32, 64, 512], dtype: 'float16' },
    { x1: [512, 2048], dtype: 'float32' },
    { x1: [1024, 2048], dtype: 'int8' },
    { x1: [16, 32, 512], dtype: 'uint8' },
    { x1: [4, 128], dtype: 'int32' },
  ],
})
