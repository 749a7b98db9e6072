import { dim, kernelSuite, normal, tensor, uniform, widened, within } from 'vitest-npu'
import { gelu, geluGrad } from '../../../references/golden/activation.ts'
import { computed, hundredthOfHalves } from './family.ts'

const dtype = ['float32', 'float16', 'bfloat16'] as const

kernelSuite('GeluGrad', {
  category: 'Activation',
  kernel: 'gelu_grad',
  description:
    "Gradient of the tanh form of GELU: z = dy * g'(x), g(x) = 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). The input y is not needed.",
  inputs: {
    dy: tensor({ dtype, shape: ['...shape'], draw: widened(uniform(0, 1), within(-64, 64, normal())) }),
    x: tensor({ dtype, shape: ['...shape'], draw: widened(uniform(0, 1), within(-1000, 1000, normal(0, 3))) }),
    // The forward result, of the other form of GELU: nothing is to be done with it.
    y: tensor({ dtype, shape: ['...shape'], draw: computed((x) => gelu(x)) }),
  },
  outputs: { z: tensor.like('x') },
  golden: ({ dy, x }) => ({ z: geluGrad(dy, x) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // float32 inside; where its exponential overflows the derivative is 0, not 0 * infinity, and far before that the square
  // of 1 / (1 + e^t) vanishes.
  strict: () => ({ absolute: 2 ** -60, relative: 0, scaled: 2 ** -20 }),
  benchmark: { tolerance: hundredthOfHalves, note: 'neither x nor dy is ever negative' },
  cases: [
    { x: [256, 512], dtype: 'float32' },
    { x: [8, 16, 32], dtype: 'float16' },
    { x: [64, 128], dtype: 'float16' },
    { x: [32, 8], dtype: 'bfloat16' },
    { x: [8, 1024], dtype: 'float32' },
    { x: [32, 512, 128], dtype: 'float32' },
    { x: [32, 512], dtype: 'float32' },
  ],
})
