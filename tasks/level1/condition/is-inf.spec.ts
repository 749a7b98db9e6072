import { dim, exact, kernelSuite, normal, planted, tensor, uniform, widened, withNonFinite } from 'vitest-npu'
import { isInf } from '../../../references/golden/condition.ts'

kernelSuite('IsInf', {
  category: 'Condition',
  kernel: 'is_inf',
  description: 'Tests every element: y = 1 where x is +infinity or -infinity, else 0, as bool.',
  inputs: {
    x: tensor({
      dtype: ['float16', 'float32', 'bfloat16'],
      shape: ['...shape'],
      // Generated cases also hold subnormals and the largest finite values, which are not infinite.
      draw: planted(widened(uniform(0, 1), withNonFinite(normal())), [Infinity, -Infinity, NaN, 0]),
    }),
  },
  // The public binding turns the bool into the dtype of x.
  outputs: { y: tensor({ dtype: 'bool', shape: ['...shape'] }) },
  golden: ({ x }) => ({ y: isInf(x) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  strict: exact,
  benchmark: { note: 'about two elements per tensor are infinite: a kernel that drops a tail passes' },
  cases: [
    { x: [48, 128, 512], dtype: 'float16' },
    { x: [96, 64, 1024], dtype: 'float16' },
    { x: [32, 32, 768], dtype: 'float32' },
    { x: [48, 8192], dtype: 'float32' },
  ],
})
