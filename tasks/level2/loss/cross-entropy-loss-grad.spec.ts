import * as fc from 'fast-check'
import {
  attr,
  byCase,
  byDtype,
  dim,
  eitherSign,
  kernelSuite,
  normal,
  shapeOf,
  tensor,
  ulpScaled,
  uniform,
  widened,
  within,
  type Row,
} from 'vitest-npu'
import { crossEntropyGrad } from '../../../references/golden/loss.ts'
import { unitLimits } from '../../unit-limits.ts'
import { classesOf, classWeights, ignoredOf, logSoftmaxOf } from './family.ts'

const dtype = ['bfloat16', 'float16', 'float32'] as const

const row = (type: string, N: number, C: number, rest: Row = {}): Row => ({
  N,
  C,
  dtype: type,
  outer: rest.reduction === 'none' ? [N] : [],
  grad_zloss: null,
  lse_for_zloss: null,
  ...rest,
})

const published = byDtype(logSoftmaxOf(uniform(-1, 1)), { float32: logSoftmaxOf(normal(0, 2)) })
// Near -ln C, like the published ones, but any numbers.
const logProbabilities = byCase(({ shapes }) => {
  const center = -0.7 * (31 - Math.clz32(shapes.log_prob![0]![1]!))
  return byDtype(within(-60, 0, normal(center, 0.6)), { float32: within(-60, 0, normal(center, 2)) })
})

kernelSuite('CrossEntropyLossGrad', {
  category: 'Loss',
  kernel: 'cross_entropy_loss_grad',
  description:
    "Gradient of the cross entropy by the logits: x_grad[n, c] = g * s * weight[t] * (exp(log_prob[n, c]) - [c == t]) with t = target[n]. g is grad_loss[n] for reduction 'none', else its only element; s is 1 / (sum of weight[target] over samples that count) for 'mean', else 1. weight is 1 where absent. Samples with target == ignore_index count for nothing (a negative ignore_index ignores none). grad_zloss and lse_for_zloss are absent, label_smoothing is 0.",
  inputs: {
    grad_loss: tensor({ dtype, shape: ['...outer'], draw: eitherSign(uniform(0, 1)) }),
    log_prob: tensor({ dtype, shape: ['N', 'C'], draw: widened(published, logProbabilities) }),
    target: tensor({ dtype: 'int64', shape: ['N'], draw: classesOf('log_prob') }),
    weight: tensor({ dtype: 'float32', shape: ['C'], optional: true, draw: classWeights }),
    // Never given, and without effect.
    grad_zloss: tensor({ dtype, shape: [1], optional: true }),
    lse_for_zloss: tensor({ dtype, shape: ['N'], optional: true }),
  },
  outputs: { x_grad: tensor({ dtype, shape: ['N', 'C'] }) },
  attrs: {
    reduction: attr.string('mean'),
    ignore_index: attr.int(-100),
    label_smoothing: attr.float(0),
    lse_square_scale_for_zloss: attr.float(0),
  },
  golden: ({ grad_loss: upstream, log_prob: logProb, target, weight }, attrs) => ({
    x_grad: crossEntropyGrad(upstream, logProb, target, weight, attrs),
  }),
  // Without smoothing: the public reference has a term for it that is no derivative.
  domain: fc
    .record({
      N: dim({ max: 512 }),
      C: dim({ max: 16384 }),
      reduction: fc.constantFrom('none', 'mean', 'sum'),
      ignore_index: fc.constantFrom(-100, -100, 0, 1, 5),
      weighted: fc.boolean(),
    })
    .map(({ N, C, weighted, ...attrs }): Row => ({
      N,
      C,
      outer: attrs.reduction === 'none' ? [N] : [],
      ...(weighted ? {} : { weight: null }),
      grad_zloss: null,
      lse_for_zloss: null,
      ...attrs,
      ignore_index: ignoredOf(C, attrs.ignore_index),
    })),
  // float32: a sum of N weights, a division, an exponential, products, and a difference that may cancel.
  strict: ({ case: kernelCase }) => {
    const samples = shapeOf(kernelCase, 'target')[0]!
    return { absolute: 2 ** -126, relative: 2 ** -24, scaled: (12 + samples / 32) * 2 ** -24 }
  },
  benchmark: {
    tolerance: ulpScaled(unitLimits),
    note: 'accepts NaN everywhere, and zeros where a mean over many samples is small',
  },
  cases: [
    row('float32', 4, 10),
    row('float16', 16, 100, { weight: null }),
    row('bfloat16', 32, 50, { weight: null, reduction: 'sum' }),
    row('float32', 64, 200, { weight: null, ignore_index: 0, reduction: 'none' }),
    row('float16', 128, 500, { ignore_index: 5 }),
    row('float32', 256, 1000, { reduction: 'sum' }),
    row('float16', 512, 1024, { reduction: 'none' }),
    row('float32', 1024, 2048, { ignore_index: 0 }),
    row('float16', 4096, 1024),
    row('float32', 8, 10),
    row('float32', 16, 100),
  ],
})
