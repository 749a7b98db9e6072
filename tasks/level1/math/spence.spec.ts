import { comparedIn, dim, kernelSuite, publicDefault, tensor, uniform, within } from 'vitest-npu'
import { spenceOf } from '../../../references/golden/spence.ts'

kernelSuite('Spence', {
  category: 'Math',
  kernel: 'spence',
  description:
    "Spence's function of every element: y = integral of ln(t) / (1 - t) for t from 1 to x, which is the dilogarithm Li2(1 - x). Arguments are not negative; the value at 0 is pi^2 / 6.",
  inputs: {
    x: tensor({ dtype: ['float16', 'float32'], shape: ['...shape'], draw: within(0, 65504, uniform(0, 10)) }),
  },
  outputs: { y: tensor.like('x') },
  golden: ({ x }) => ({ y: spenceOf(x) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // float32 logarithms and series; ln(x) * ln(1 - x) forgets x below 2^-24, which is worth 2^-20. pi^2 / 6 at 0.
  strict: () => ({ absolute: 2 ** -19, relative: 2 ** -20 }),
  benchmark: {
    tolerance: comparedIn('float32', publicDefault),
    note: 'its reference stays in float32; x stays below 10, and 0 hardly ever occurs',
  },
  cases: [
    { x: [1536], dtype: 'float32' },
    { x: [192], dtype: 'float32' },
    { x: [1920], dtype: 'float16' },
    { x: [512], dtype: 'float16' },
    { x: [384], dtype: 'float32' },
    { x: [768], dtype: 'float16' },
  ],
})
