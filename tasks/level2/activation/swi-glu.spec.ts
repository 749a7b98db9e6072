import { absoluteAndRelative, attr, kernelSuite, normal, tensor, uniform, widened, within } from 'vitest-npu'
import { swiGlu } from '../../../references/golden/gated.ts'
import { halvable, halved, withRoundings } from './family.ts'

const dtype = ['float16', 'float32', 'bfloat16'] as const

kernelSuite('SwiGlu', {
  category: 'Activation',
  kernel: 'swi_glu',
  description: 'Gated SiLU. x is cut into halves a and b along dim: y = a / (1 + exp(-a)) * b.',
  inputs: {
    x: tensor({ dtype, shape: ['...shape'], draw: widened(uniform(0, 1), within(-256, 256, normal(0, 2))) }),
  },
  outputs: { y: tensor({ dtype, shape: ['...half'] }) },
  attrs: { dim: attr.int(-1) },
  golden: ({ x }, { dim }) => ({ y: swiGlu(x, dim) }),
  domain: halvable.map(({ shape, half, axis }) => ({ x: shape, half, dim: axis })),
  // float32 inside; 16-bit types may round silu(a), as the reference does, and lose it where it is subnormal.
  strict: (context) =>
    withRoundings(context.dtype, 1, {
      absolute: context.dtype === 'float16' ? 2 ** -17 : 2 ** -108,
      relative: 2 ** -20,
      scaled: 0,
    }),
  benchmark: {
    tolerance: absoluteAndRelative({ float16: 0.01, bfloat16: 0.01, float32: 1e-5 }),
    note: 'x is never negative',
  },
  cases: [
    halved([48, 128, 512], 'float16', -1),
    halved([96, 64, 1024], 'float16', -1),
    halved([32, 32, 768], 'float32', -1),
    halved([48, 32, 4096], 'bfloat16', -1),
    halved([48, 8192], 'float32', -1),
    halved([48, 128, 512], 'float16', 1),
    halved([96, 64, 1024], 'float16', 1),
    halved([32, 32, 768], 'float32', 1),
    halved([48, 32, 4096], 'bfloat16', 1),
    halved([48, 8192], 'float32', 0),
    halved([48, 128, 512], 'float16', 0),
    halved([96, 64, 1024], 'float16', 0),
    halved([32, 32, 768], 'float32', 0),
    halved([48, 32, 4096], 'bfloat16', 0),
  ],
})
