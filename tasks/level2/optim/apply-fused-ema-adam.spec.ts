import * as fc from 'fast-check'
import {
  absoluteAndRelative,
  attr,
  dim,
  kernelSuite,
  normal,
  randint,
  scalarTensor,
  tensor,
  widened,
  within,
} from 'vitest-npu'
import { fusedEmaAdam } from '../../../references/golden/optim.ts'

const dtype = ['float32', 'float16', 'bfloat16'] as const

type Rates = readonly [lr: number, emaDecay: number, beta1: number, beta2: number, eps: number]

const row = (
  grad: number[],
  type: string | undefined,
  step: number,
  [lr, decay, beta1, beta2, eps]: Rates,
  mode: number,
  corrected: boolean,
  weight: number,
) => ({
  grad,
  ...(type === undefined ? {} : { dtype: type }),
  step,
  lr,
  ema_decay: decay,
  beta1,
  beta2,
  eps,
  mode,
  bias_correction: corrected,
  weight_decay: weight,
})

// Published as zeros, which hides every term of the old state.
const zeros = randint(0, 0)
const old = widened(zeros, within(-100, 100, normal()))

kernelSuite('ApplyFusedEmaAdam', {
  category: 'Optim',
  kernel: 'apply_fused_ema_adam',
  description:
    'One step of Adam with a moving average s of the variable, in place. g = grad + weight_decay * var for mode 0, else grad; m = beta1 * m + (1 - beta1) * g, v = beta2 * v + (1 - beta2) * g^2; c1 = 1 - beta1^step and c2 = 1 - beta2^step with bias_correction, else 1. u = (m / c1) / (sqrt(v / c2) + eps), plus weight_decay * var for mode 1; var = var - lr * u, s = ema_decay * s + (1 - ema_decay) * var.',
  inputs: {
    grad: tensor({ dtype, shape: ['...shape'], draw: within(-100, 100, normal()) }),
    var: tensor({ dtype, shape: ['...shape'], draw: within(-100, 100, normal()) }),
    m: tensor({ dtype, shape: ['...shape'], draw: old }),
    v: tensor({ dtype, shape: ['...shape'], draw: widened(zeros, within(0, 100, normal(1, 0.5))) }),
    s: tensor({ dtype, shape: ['...shape'], draw: old }),
    step: scalarTensor({ dtype: 'int64' }),
  },
  outputs: {
    var: tensor.like('var', { aliases: 'var' }),
    m: tensor.like('m', { aliases: 'm' }),
    v: tensor.like('v', { aliases: 'v' }),
    s: tensor.like('s', { aliases: 's' }),
  },
  attrs: {
    lr: attr.float(0.001),
    ema_decay: attr.float(0.9999),
    beta1: attr.float(0.9),
    beta2: attr.float(0.999),
    eps: attr.float(1e-8),
    mode: attr.int(1),
    bias_correction: attr.bool(true),
    weight_decay: attr.float(0),
  },
  golden: ({ grad, var: variable, m, v, s, step }, attrs) => fusedEmaAdam([grad, variable, m, v, s], step, attrs),
  domain: fc
    .record({
      grad: dim.list({ min: 1, max: 8 }),
      step: fc.constantFrom(1, 2, 10, 300),
      rates: fc.constantFrom<Rates>(
        [0.001, 0.999, 0.9, 0.999, 1e-8],
        [0.01, 0.9, 0.85, 0.99, 1e-6],
        [0.1, 0.5, 0.5, 0.9, 0.01],
      ),
      mode: fc.constantFrom(0, 1),
      corrected: fc.boolean(),
      weight: fc.constantFrom(0, 0.01, 0.1),
    })
    .map(({ grad, step, rates, mode, corrected, weight }) =>
      row(grad, undefined, step, rates, mode, corrected, weight),
    ),
  // float32 throughout, each output rounded once.
  strict: () => ({ absolute: 2 ** -100, relative: 2 ** -24, scaled: 2 ** -21 }),
  benchmark: {
    tolerance: absoluteAndRelative({ float16: 0.001, float32: 0.001, bfloat16: 0.01 }),
    note: 'm, v and s start at zero',
  },
  cases: [
    row([48, 128, 512], 'float16', 10, [0.001, 0.999, 0.9, 0.999, 1e-8], 0, true, 0.0),
    row([96, 64, 1024], 'bfloat16', 100, [0.002, 0.998, 0.85, 0.998, 1e-6], 1, true, 0.01),
    row([48, 32, 4096], 'float32', 50, [0.0015, 0.997, 0.88, 0.997, 1e-7], 0, true, 0.005),
    row([24, 1024, 64], 'float16', 200, [0.0005, 0.999, 0.92, 0.999, 1e-9], 1, false, 0.02),
    row([48, 32, 128], 'float32', 75, [0.001, 0.995, 0.9, 0.995, 1e-6], 0, true, 0.0),
    row([32, 32, 128], 'bfloat16', 150, [0.003, 0.996, 0.85, 0.996, 1e-8], 1, true, 0.015),
    row([48, 256, 512], 'float32', 25, [0.0008, 0.998, 0.91, 0.998, 1e-7], 0, false, 0.008),
    row([24, 64, 128, 32], 'float16', 300, [0.0012, 0.997, 0.87, 0.997, 1e-8], 1, true, 0.025),
    row([48, 1024], 'float32', 80, [0.002, 0.999, 0.9, 0.999, 1e-6], 0, true, 0.0),
    row([48, 8, 16, 32, 64], 'bfloat16', 250, [0.001, 0.995, 0.93, 0.995, 1e-7], 1, false, 0.03),
  ],
})
