import { attr, kernelSuite, normal, tensor, ulpScaled, uniform, widened, within } from 'vitest-npu'
import { swiGluGrad } from '../../../references/golden/gated.ts'
import { unitLimits } from '../../unit-limits.ts'
import { halvable, halved } from './family.ts'

const dtype = ['float16', 'float32', 'bfloat16'] as const
const draw = widened(uniform(0, 1), within(-256, 256, normal(0, 2)))

kernelSuite('SwiGluGrad', {
  category: 'Activation',
  kernel: 'swi_glu_grad',
  description:
    'Gradient of SwiGLU. x is cut into halves a and b along dim, s = sigmoid(a). x_grad has the shape of x: its first half is y_grad * b * s * (1 + a * (1 - s)), its second y_grad * a * s.',
  inputs: {
    y_grad: tensor({ dtype, shape: ['...half'], draw: widened(uniform(0, 1), within(-64, 64, normal())) }),
    x: tensor({ dtype, shape: ['...shape'], draw }),
  },
  outputs: { x_grad: tensor({ dtype, shape: ['...shape'] }) },
  attrs: { dim: attr.int(-1) },
  golden: ({ y_grad, x }, { dim }) => ({ x_grad: swiGluGrad(y_grad, x, dim) }),
  domain: halvable.map(({ shape, half, axis }) => ({ x: shape, y_grad: half, dim: axis })),
  // float32 inside; the derivative of silu changes its sign, where its terms cancel.
  strict: () => ({ absolute: 2 ** -100, relative: 2 ** -22, scaled: 2 ** -20 }),
  benchmark: { tolerance: ulpScaled(unitLimits), note: 'accepts NaN everywhere; no input is ever negative' },
  cases: [
    halved([48, 128, 512], 'float16', -1),
    halved([96, 64, 1024], 'float16', -1),
    halved([32, 32, 768], 'float32', -1),
    halved([48, 32, 4096], 'bfloat16', -1),
    halved([48, 8192], 'float32', -1),
    halved([48, 128, 512], 'float16', 0),
    halved([96, 64, 1024], 'float16', 0),
    halved([32, 32, 768], 'float32', 0),
    halved([48, 32, 4096], 'bfloat16', 0),
    halved([48, 8192], 'float32', 1),
    halved([48, 128, 512], 'float16', 1),
    halved([96, 64, 1024], 'float16', 1),
    halved([32, 32, 768], 'float32', 1),
    halved([48, 32, 4096], 'bfloat16', 1),
  ],
})
