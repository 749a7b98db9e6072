import { dim, kernelSuite, normal, tensor } from 'vitest-npu'
import { tanh } from '../../../references/golden/elementwise.ts'

kernelSuite('TanhMath', {
  category: 'Math',
  kernel: 'tanh_math',
  description: 'Hyperbolic tangent of every element: y = tanh(x).',
  inputs: {
    x: tensor({ dtype: ['float16', 'float32', 'bfloat16'], shape: ['...shape'], draw: normal() }),
  },
  outputs: { y: tensor.like('x') },
  golden: ({ x }) => ({ y: tanh(x) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // A float32 quotient of exponentials, which cancels near 0; large arguments give 1, never inf / inf.
  strict: () => ({ absolute: 2 ** -21, relative: 2 ** -22 }),
  benchmark: { note: 'no |x| above 6: exponentials that overflow pass; leaves bfloat16 no slack' },
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
  ],
})
