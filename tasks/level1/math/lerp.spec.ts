import { dim, kernelSuite, tensor, uniform, within } from 'vitest-npu'
import { lerp } from '../../../references/golden/elementwise.ts'

const ends = within(-8192, 8192, uniform(0, 1))

kernelSuite('Lerp', {
  category: 'Math',
  kernel: 'lerp',
  description: 'Linear interpolation element by element: y = start + weight * (end - start).',
  inputs: {
    start: tensor({ dtype: ['float16', 'float32'], shape: ['...shape'], draw: ends }),
    end: tensor.like('start'),
    weight: tensor.like('start', { draw: within(-2, 2, uniform(0, 1)) }),
  },
  outputs: { y: tensor.like('start') },
  golden: ({ start, end, weight }) => ({ y: lerp(start, end, weight) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // Four float32 steps in either form, from start or from end; float16 is widened first.
  strict: () => ({ absolute: 2 ** -147, relative: 2 ** -24, scaled: 2 ** -22 }),
  benchmark: { note: 'between 0 and 1 nothing overflows or cancels: steps in float16 pass' },
  cases: [
    { start: [48, 128, 512], dtype: 'float16' },
    { start: [96, 64, 1024], dtype: 'float16' },
    { start: [32, 32, 768], dtype: 'float32' },
    { start: [48, 32, 4096], dtype: 'float16' },
    { start: [48, 8192], dtype: 'float32' },
  ],
})
