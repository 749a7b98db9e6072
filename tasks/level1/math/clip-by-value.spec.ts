import { byDtype, dim, exact, kernelSuite, randint, tensor, uniform, widened, within } from 'vitest-npu'
import { clip } from '../../../references/golden/elementwise.ts'

const dtype = ['float32', 'float16', 'int32'] as const

kernelSuite('ClipByValue', {
  category: 'Math',
  kernel: 'clip_by_value',
  description:
    'Limits every element to a range: y = min(max(x, clip_value_min), clip_value_max), each limit one number in device memory.',
  inputs: {
    x: tensor({
      dtype,
      shape: ['...shape'],
      draw: byDtype(within(-Infinity, Infinity, uniform(1, 10)), {
        int32: widened(randint(1, 10), randint(-(2 ** 31), 2 ** 31 - 1)),
      }),
    }),
    // Never above the upper limit, and of either sign in generated cases.
    clip_value_min: tensor({
      dtype,
      shape: [1],
      draw: byDtype(widened(uniform(1, 3), uniform(-20, 3)), {
        int32: widened(randint(1, 2), randint(-(2 ** 30), 2)),
      }),
    }),
    clip_value_max: tensor({
      dtype,
      shape: [1],
      draw: byDtype(widened(uniform(4, 10), uniform(3, 20)), {
        int32: widened(randint(4, 9), randint(3, 2 ** 30)),
      }),
    }),
  },
  outputs: { y: tensor.like('x') },
  golden: ({ x, clip_value_min: low, clip_value_max: high }) => ({ y: clip(x, low, high) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  strict: exact,
  benchmark: { note: 'limits are positive and below 10; integer rows are drawn as whole numbers here' },
  cases: [
    { x: [512, 128], dtype: 'float32' },
    { x: [32, 128], dtype: 'float16' },
    { x: [4, 3], dtype: 'float16' },
    { x: [129, 1024], dtype: 'int32' },
    { x: [1024, 2048], dtype: 'float16' },
    { x: [2048, 2048], dtype: 'int32' },
  ],
})
