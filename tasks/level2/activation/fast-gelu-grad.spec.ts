import { dim, kernelSuite, normal, tensor, ulpScaled, uniform, widened, within } from 'vitest-npu'
import { fastGeluGrad } from '../../../references/golden/activation.ts'
import { unitLimits } from '../../unit-limits.ts'

const dtype = ['float32', 'float16'] as const

kernelSuite('FastGeluGrad', {
  category: 'Activation',
  kernel: 'fast_gelu_grad',
  description:
    'Gradient of the fast GELU x * sigmoid(1.702 x): with s = 1 / (1 + exp(-1.702 x)), z = dy * s * (1 + 1.702 x * (1 - s)).',
  inputs: {
    dy: tensor({ dtype, shape: ['...shape'], draw: widened(uniform(0, 1), within(-64, 64, normal())) }),
    x: tensor({ dtype, shape: ['...shape'], draw: widened(uniform(0, 1), within(-1000, 1000, normal(0, 5))) }),
  },
  outputs: { z: tensor.like('x') },
  golden: ({ dy, x }) => ({ z: fastGeluGrad(dy, x) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // float16 may round every step, as the reference does; the sum of terms cancels where the derivative changes its sign.
  strict: (context) =>
    context.dtype === 'float16'
      ? { absolute: 2 ** -25, relative: 0, scaled: 5 * 2 ** -11 }
      : { absolute: 2 ** -149, relative: 0, scaled: 2 ** -21 },
  benchmark: { tolerance: ulpScaled(unitLimits), note: 'accepts NaN everywhere; x is never negative' },
  cases: [
    { dy: [6, 6], dtype: 'float32' },
    { dy: [256, 512], dtype: 'float32' },
    { dy: [564, 128], dtype: 'float32' },
    { dy: [3, 3], dtype: 'float16' },
    { dy: [8, 16], dtype: 'float16' },
    { dy: [256, 256], dtype: 'float32' },
  ],
})
