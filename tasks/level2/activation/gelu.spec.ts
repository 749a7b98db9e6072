import { absoluteAndRelative, dim, kernelSuite, normal, tensor, within } from 'vitest-npu'
import { gelu } from '../../../references/golden/activation.ts'

kernelSuite('Gelu', {
  category: 'Activation',
  kernel: 'gelu',
  description: 'GELU of every element in its exact form: y = 0.5 x (1 + erf(x / sqrt(2))).',
  inputs: {
    x: tensor({
      dtype: ['float16', 'float32', 'bfloat16'],
      shape: ['...shape'],
      draw: within(-65504, 65504, normal()),
    }),
  },
  outputs: { y: tensor.like('x') },
  golden: ({ x }) => ({ y: gelu(x) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // float32 inside, one rounding at the end; 1 + erf cancels for negative x, so an error of erf shows in proportion to |x|.
  // The tanh approximation is off by up to 4.7e-4 and fails.
  strict: () => ({ absolute: 2 ** -149, relative: 2 ** -22, scaled: 2 ** -20 }),
  benchmark: {
    tolerance: absoluteAndRelative({ float16: 0.01, bfloat16: 0.01, float32: 0.001 }),
    note: 'wide enough for the tanh approximation',
  },
  cases: [
    { x: [8, 1024], dtype: 'float32' },
    { x: [8, 16, 32], dtype: 'float16' },
    { x: [64, 128], dtype: 'float16' },
    { x: [1, 32, 64, 64], dtype: 'bfloat16' },
    { x: [1, 100], dtype: 'bfloat16' },
    { x: [32, 512, 128], dtype: 'float16' },
    { x: [256, 512], dtype: 'float32' },
  ],
})
