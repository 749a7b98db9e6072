import { dim, exact, kernelSuite, normal, planted, tensor, uniform, widened, withNonFinite } from 'vitest-npu'
import { isFinite } from '../../../references/golden/condition.ts'

kernelSuite('IsFinite', {
  category: 'Condition',
  kernel: 'is_finite',
  description: 'Tests every element: y = 1 where x is neither infinite nor NaN, else 0, as bool.',
  inputs: {
    x: tensor({
      dtype: ['float16', 'float32', 'bfloat16'],
      shape: ['...shape'],
      // Generated cases also hold subnormals and the largest finite values, which are finite.
      draw: planted(widened(uniform(0, 1), withNonFinite(normal())), [Infinity, -Infinity, NaN, 0]),
    }),
  },
  // The public binding turns the bool into the dtype of x.
  outputs: { y: tensor({ dtype: 'bool', shape: ['...shape'] }) },
  golden: ({ x }) => ({ y: isFinite(x) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  strict: exact,
  benchmark: { note: 'about three elements per tensor are not finite: a kernel that drops a tail passes' },
  cases: [
    { x: [48, 128, 512], dtype: 'float16' },
    { x: [96, 64, 1024], dtype: 'float16' },
    { x: [32, 32, 768], dtype: 'float32' },
    { x: [48, 8192], dtype: 'float32' },
  ],
})
