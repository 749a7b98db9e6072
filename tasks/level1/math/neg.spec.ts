import { byDtype, dim, exact, kernelSuite, normal, randint, tensor, widened, withNonFinite } from 'vitest-npu'
import { neg } from '../../../references/golden/elementwise.ts'

const published = randint(-100, 99)

kernelSuite('Neg', {
  category: 'Math',
  kernel: 'neg',
  description: 'Changes the sign of every element: y = -x. The smallest integer stays what it is.',
  inputs: {
    x: tensor({
      dtype: ['float32', 'float16', 'bfloat16', 'int32', 'int8'],
      shape: ['...shape'],
      draw: byDtype(withNonFinite(normal()), {
        int32: widened(published, randint(-(2 ** 31), 2 ** 31 - 1)),
        int8: widened(published, randint(-128, 127)),
      }),
    }),
  },
  outputs: { y: tensor.like('x') },
  golden: ({ x }) => ({ y: neg(x) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  strict: exact,
  benchmark: { note: 'an int8 result off by 128 passes: differences wrap around' },
  cases: [
    { x: [1], dtype: 'float16' },
    { x: [512, 3], dtype: 'float16' },
    { x: [1, 3, 224, 224], dtype: 'float16' },
    { x: [1], dtype: 'bfloat16' },
    { x: [512, 3], dtype: 'bfloat16' },
    { x: [1, 3, 224, 224], dtype: 'bfloat16' },
    { x: [1], dtype: 'float32' },
    { x: [512, 3], dtype: 'float32' },
    { x: [1, 3, 224, 224], dtype: 'float32' },
    { x: [1], dtype: 'int32' },
    { x: [512, 3], dtype: 'int32' },
    { x: [1, 3, 224, 224], dtype: 'int32' },
    { x: [1], dtype: 'int8' },
    { x: [512, 3], dtype: 'int8' },
    { x: [1, 3, 224, 224], dtype: 'int8' },
  ],
})
