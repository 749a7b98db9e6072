import { dim, kernelSuite, normal, tensor, uniform, widened, within } from 'vitest-npu'
import { fastGelu } from '../../../references/golden/activation.ts'
import { hundredth } from './family.ts'

kernelSuite('FastGelu', {
  category: 'Activation',
  kernel: 'fast_gelu',
  description: 'Fast GELU of every element: y = x / (1 + exp(-1.702 x)).',
  inputs: {
    x: tensor({
      dtype: ['float32', 'float16'],
      shape: ['...shape'],
      draw: widened(uniform(0, 1), within(-1000, 1000, normal(0, 5))),
    }),
  },
  outputs: { y: tensor.like('x') },
  golden: ({ x }) => ({ y: fastGelu(x) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // The form with |x|, whose exponentials never overflow. float16 may round every step, as the reference does: two
  // exponents, two exponentials, a sum, a product, a quotient; an exponential below its normal numbers loses 2^-25 x.
  strict: ({ dtype }) =>
    dtype === 'float16'
      ? { absolute: 2 ** -20, relative: 2 ** -9, scaled: 3 * 2 ** -11 }
      : { absolute: 2 ** -115, relative: 0, scaled: 2 ** -21 },
  benchmark: { tolerance: hundredth, note: 'x is never negative' },
  cases: [
    { x: [48, 256], dtype: 'float32' },
    { x: [256, 512], dtype: 'float32' },
    { x: [512, 128], dtype: 'float32' },
    { x: [48, 32], dtype: 'float16' },
    { x: [8, 16384], dtype: 'float16' },
    { x: [256, 256], dtype: 'float32' },
  ],
})
