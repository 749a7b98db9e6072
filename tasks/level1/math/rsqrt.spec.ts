import {
  dim,
  float32Roundings,
  kernelSuite,
  oneOf,
  planted,
  tensor,
  ulpScaled,
  uniform,
  widened,
  within,
} from 'vitest-npu'
import { rounded, rsqrt } from '../../../references/golden/elementwise.ts'
import { unitLimits } from '../../unit-limits.ts'

// Every normal positive number.
const positive = within(2 ** -126, (2 - 2 ** -23) * 2 ** 127, uniform(1, 1001))

kernelSuite('Rsqrt', {
  category: 'Math',
  kernel: 'rsqrt',
  description: 'Reciprocal square root of every element: y = 1 / sqrt(x).',
  inputs: {
    x: tensor({
      dtype: ['float16', 'float32', 'bfloat16'],
      shape: ['...shape'],
      // infinity and NaN
      draw: widened(positive, oneOf(positive, planted(positive, [0, -1, -100]))),
    }),
  },
  outputs: { y: tensor.like('x') },
  golden: ({ x }) => ({ y: rsqrt(x) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // A float32 root and a division. The instruction Rsqrt alone is good to three digits and fails.
  strict: float32Roundings(6),
  benchmark: {
    tolerance: ulpScaled(unitLimits),
    reference: ({ x }) => ({ y: rounded(x.dtype, rsqrt(x)) }),
    note: 'accepts NaN everywhere; an absolute limit for results of 0.03 to 1, so relative errors of 2 to 12 % pass',
  },
  cases: [
    { x: [48, 128, 512], dtype: 'float16' },
    { x: [96, 64, 1024], dtype: 'float16' },
    { x: [32, 32, 768], dtype: 'float32' },
    { x: [48, 32, 4096], dtype: 'bfloat16' },
    { x: [48, 8192], dtype: 'float32' },
  ],
})
