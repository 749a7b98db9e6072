import * as fc from 'fast-check'
import { attr, kernelSuite, normal, tensor, uniform, widened, within } from 'vitest-npu'
import { geGlu, geGluInSteps } from '../../../references/golden/gated.ts'
import { halvable, halved, withRoundings } from './family.ts'

const dtype = ['float16', 'bfloat16', 'float32'] as const

kernelSuite('GeGluV2', {
  category: 'Activation',
  kernel: 'ge_glu_v2',
  description:
    'Gated GELU. x is cut into halves a and b along dim. With activate_left gelu = GELU(a) and y = GELU(a) * b, else gelu = GELU(b) and y = GELU(b) * a. approximate 0: GELU(t) = 0.5 t (1 + erf(t / sqrt(2))); 1: GELU(t) = 0.5 t (1 + tanh(sqrt(2 / pi) (t + 0.044715 t^3))).',
  inputs: {
    x: tensor({ dtype, shape: ['...shape'], draw: widened(uniform(0, 1), within(-128, 128, normal(0, 2))) }),
  },
  outputs: { y: tensor({ dtype, shape: ['...half'] }), gelu: tensor({ dtype, shape: ['...half'] }) },
  // approximate: 0 the error function, 1 tanh; activate_left: whether GELU applies to the first half.
  attrs: { dim: attr.int(-1), approximate: attr.int(0), activate_left: attr.bool(true) },
  golden: ({ x }, { dim, approximate, activate_left: left }) =>
    geGlu(x, { dim, form: approximate === 0 ? 'erf' : 'tanh', left }),
  domain: fc
    .record({ parts: halvable, approximate: fc.constantFrom(0, 1), activate_left: fc.boolean() })
    .map(({ parts: { shape, half, axis }, ...rest }) => ({ x: shape, half, dim: axis, ...rest })),
  // float32 inside, where 1 + erf cancels; y may be the product with the rounded GELU, as in the reference.
  strict: ({ output, dtype: type }) =>
    withRoundings(type, output === 'y' ? 1 : 0, {
      absolute: type === 'float16' && output === 'y' ? 2 ** -18 : 2 ** -110,
      relative: 2 ** -22,
      scaled: 2 ** -20,
    }),
  benchmark: {
    reference: ({ x }, { dim, approximate, activate_left: left }) =>
      geGluInSteps(x, { dim, form: approximate === 0 ? 'erf' : 'tanh', left }),
    note: 'last axis, exact form and first half only; x is never negative',
  },
  cases: [
    halved([128, 512], 'float16', -1),
    halved([64, 1024], 'float16', -1),
    halved([32, 768], 'float32', -1),
    halved([1, 4096], 'float16', -1),
    halved([256, 384], 'float32', -1),
  ],
})
