import { dim, kernelSuite, normal, tensor, within } from 'vitest-npu'
import { sin } from '../../../references/golden/elementwise.ts'

kernelSuite('SinMath', {
  category: 'Math',
  kernel: 'sin_math',
  description: 'Sine of every element, in radians: y = sin(x).',
  inputs: {
    x: tensor({ dtype: ['float16', 'float32', 'bfloat16'], shape: ['...shape'], draw: within(-1000, 1000, normal()) }),
  },
  outputs: { y: tensor.like('x') },
  golden: ({ x }) => ({ y: sin(x) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // A float32 sine a few units of 1 off, its argument reduced with a good pi: larger arguments are not asked for.
  strict: () => ({ absolute: 2 ** -21, relative: 2 ** -22 }),
  benchmark: { note: 'no |x| above 6: a series without argument reduction passes; leaves bfloat16 no slack' },
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
