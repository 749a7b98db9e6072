import * as fc from 'fast-check'
import { attr, dim, kernelSuite, normal, tensor, within } from 'vitest-npu'
import { swish, swishInSteps } from '../../../references/golden/activation.ts'

kernelSuite('Swish', {
  category: 'Activation',
  kernel: 'swish',
  description: 'Swish of every element: y = x / (1 + exp(-scale * x)).',
  inputs: {
    x: tensor({
      dtype: ['float16', 'float32', 'bfloat16'],
      shape: ['...shape'],
      draw: within(-16384, 16384, normal()),
    }),
  },
  outputs: { y: tensor.like('x') },
  attrs: { scale: attr.float(1) },
  // The device receives the scale as float32.
  golden: ({ x }, { scale }) => ({ y: swish(x, Math.fround(scale)) }),
  domain: { shape: dim.list({ min: 1, max: 8 }), scale: fc.constantFrom(1, 1.4, 0.75, -0.5, 2, 0) },
  // The rounded exponent scale * x counts as much as it is large; float16 may round every step, as the reference does.
  strict: ({ dtype }) =>
    dtype === 'float16'
      ? { absolute: 2 ** -11, relative: 0, scaled: 3 * 2 ** -11 }
      : { absolute: 2 ** -110, relative: 0, scaled: 2 ** -21 },
  benchmark: {
    reference: ({ x }, { scale }) => ({ y: swishInSteps(x, scale) }),
    note: 'no bfloat16 row; |x| up to 6',
  },
  cases: [
    { x: [32, 32], dtype: 'float32', scale: 1.11753 },
    { x: [16, 256], dtype: 'float32', scale: 1.01484 },
    { x: [32, 128], dtype: 'float32', scale: 1.31495 },
    { x: [1024, 256], dtype: 'float16', scale: 0.750252 },
    { x: [128, 512], dtype: 'float16', scale: 1.40233 },
    { x: [64, 128, 256], dtype: 'float32', scale: 0.831271 },
  ],
})
