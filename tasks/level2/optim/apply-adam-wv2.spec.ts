import * as fc from 'fast-check'
import { attr, dim, kernelSuite, oneOf, randint, scalarTensor, tensor, uniform, widened, within } from 'vitest-npu'
import { adamW, adamWInSteps } from '../../../references/golden/optim.ts'

const state = [
  'float32',
  'float16',
  'bfloat16',
  'float32',
  'float16',
  'bfloat16',
  'float32',
  'float32',
  'float32',
  'float32',
] as const
const other = [...state.slice(0, 6), 'float16', 'bfloat16', 'float16', 'bfloat16'] as const
const step = [
  'float32',
  'float32',
  'float32',
  'int64',
  'int64',
  'int64',
  'float32',
  'float32',
  'int64',
  'int64',
] as const
/** Columns whose step is int64, as in every public row. */
const int64Step = { float32: 3, float16: 4, bfloat16: 5 }

const published = uniform(0.1, 1)
const signed = widened(published, within(-16, 16, uniform(-2, 2)))
// Not so small that float16 loses it, not so large that v / (1 - beta2) overflows there.
const positive = widened(published, within(2 ** -6, 16, uniform(0.1, 2)))

const common = { lr: 0.01, beta1: 0.9, beta2: 0.99, weight_decay: 0.005, eps: 1e-6 }
const slow = { lr: 0.001, beta1: 0.9, beta2: 0.999, weight_decay: 0.0001, eps: 1e-8 }
const quick = { lr: 0.01, beta1: 0.85, beta2: 0.95, weight_decay: 0.001, eps: 1e-7 }
// No public row: what is published of weight_decay and eps hardly shows in a result.
const strong = { lr: 0.5, beta1: 0.5, beta2: 0.75, weight_decay: 0.5, eps: 0.5 }
const plain = { ...common, weight_decay: 0 }

const unit = { float32: 2 ** -22, float16: 2 ** -11, bfloat16: 2 ** -8 }

kernelSuite('ApplyAdamWV2', {
  category: 'Optim',
  kernel: 'apply_adam_wv2',
  description:
    "One step of AdamW in place. k = step + 1; g = -grad where maximize is true, else grad. var' = var * (1 - lr * weight_decay), m = m + (1 - beta1) * (g - m), v = beta2 * v + (1 - beta2) * g^2; with amsgrad w = max(max_grad_norm, v) and max_grad_norm = w, else w = v and max_grad_norm stays. var = var' - lr / (1 - beta1^k) * m / (sqrt(w / (1 - beta2^k)) + eps).",
  inputs: {
    var: tensor({ dtype: state, shape: ['...shape'], draw: signed }),
    m: tensor({ dtype: state, shape: ['...shape'], draw: signed }),
    v: tensor({ dtype: state, shape: ['...shape'], draw: positive }),
    grad: tensor({ dtype: other, shape: ['...shape'], draw: signed }),
    // The published column of steps is never read: they are drawn.
    step: scalarTensor({ dtype: step, draw: widened(randint(0, 9), oneOf(randint(0, 9), randint(0, 999))) }),
    // With amsgrad the largest v so far, whatever its name says.
    max_grad_norm: tensor({ dtype: other, shape: ['...shape'], optional: true, draw: positive }),
  },
  outputs: {
    var: tensor.like('var', { aliases: 'var' }),
    m: tensor.like('m', { aliases: 'm' }),
    v: tensor.like('v', { aliases: 'v' }),
    max_grad_norm: tensor.like('max_grad_norm', { aliases: 'max_grad_norm' }),
  },
  attrs: {
    lr: attr.float(0.1),
    beta1: attr.float(0.1),
    beta2: attr.float(0.1),
    weight_decay: attr.float(0.1),
    eps: attr.float(0.1),
    amsgrad: attr.bool(false),
    maximize: attr.bool(false),
  },
  golden: ({ grad, var: variable, m, v, max_grad_norm: largest, step: count }, attrs) => {
    const { s, ...rest } = adamW([grad, variable, m, v, largest ?? v], count, attrs)
    return { ...rest, max_grad_norm: s }
  },
  domain: fc
    .record({
      var: dim.list({ min: 1, max: 8 }),
      setting: fc.constantFrom(common, slow, quick, plain, strong, strong),
      amsgrad: fc.boolean(),
      maximize: fc.boolean(),
    })
    .map(({ setting, ...row }) => ({ ...row, ...setting })),
  // Steps in the dtype of the state, as the reference takes them, or in float32.
  strict: ({ case: { inputs }, output }) => {
    const dtype = inputs.var && 'dtype' in inputs.var ? inputs.var.dtype : 'float32'
    const error = dtype === 'float16' || dtype === 'bfloat16' ? unit[dtype] : unit.float32
    return { absolute: 2 ** -24 * error, relative: 0, scaled: output === 'var' ? error : 3 * error }
  },
  benchmark: {
    reference: ({ grad, var: variable, m, v, max_grad_norm: largest, step: count }, attrs) => {
      const { s, ...rest } = adamWInSteps([grad, variable, m, v, largest ?? v], count, attrs)
      return { ...rest, max_grad_norm: s }
    },
    outputs: ({ attrs }) => (attrs.amsgrad === true ? ['var', 'm', 'v', 'max_grad_norm'] : ['var', 'm', 'v']),
    note: 'bfloat16 has no slack: float32 inside, rounded once, is rejected; inputs are the same in every run',
  },
  cases: [
    { var: [48, 128, 512], dtype: int64Step.bfloat16, ...common },
    { var: [96, 64, 1024], dtype: int64Step.float16, ...common, amsgrad: true },
    { var: [48, 32, 4096], dtype: int64Step.float16, ...common, maximize: true },
    { var: [32, 8192], dtype: int64Step.float16, ...common, amsgrad: true, maximize: true },
    { var: [48, 128, 512], dtype: int64Step.float16, ...slow },
    { var: [96, 64, 1024], dtype: int64Step.float16, ...slow, amsgrad: true },
    { var: [48, 32, 4096], dtype: int64Step.float16, ...quick },
    { var: [32, 8192], dtype: int64Step.float16, ...common },
    { var: [48, 128, 512], dtype: int64Step.float16, ...common },
    { var: [96, 64, 1024], dtype: int64Step.bfloat16, ...common, amsgrad: true },
    { var: [48, 32, 4096], dtype: int64Step.bfloat16, ...slow },
    { var: [32, 8192], dtype: int64Step.bfloat16, ...quick },
    { var: [48, 128, 512], dtype: int64Step.float32, ...common },
    { var: [48, 32, 4096], dtype: int64Step.float32, ...common, amsgrad: true },
    { var: [48, 8192], dtype: int64Step.float32, ...slow },
    { var: [24, 128, 512], dtype: int64Step.float32, ...quick },
    { var: [48, 32, 4096], dtype: int64Step.float32, ...plain },
    { var: [96, 64, 1024], dtype: int64Step.float32, ...plain, amsgrad: true },
    { var: [48, 128, 512], dtype: int64Step.float16, ...plain },
    { var: [48, 8192], dtype: int64Step.bfloat16, ...plain },
  ],
})
