import * as fc from 'fast-check'
import {
  absoluteAndRelative,
  attr,
  dim,
  kernelSuite,
  specsOf,
  tensor,
  uniform,
  within,
  type BenchmarkRule,
} from 'vitest-npu'
import { channelsOf } from '../../../references/golden/norm-layout.ts'
import { batchNormInSteps } from '../../../references/golden/norm-steps.ts'
import { batchNorm } from '../../../references/golden/norm.ts'
import { elementsOf, summed } from './family.ts'

const weights = ['float32', 'float16', 'bfloat16', 'float32', 'float32'] as const
const [float32, float16, bfloat16] = [0, 1, 4]
// Results of inference with the smallest running variance still fit into float16.
const content = within(-16, 16, uniform(0, 1))
const factors = within(-8, 8, uniform(0, 1))

// Weights wider than x make the reference of y float32.
const widening: BenchmarkRule = (context) => {
  const [weight] = specsOf(context.case.inputs.weight)
  const wide = context.output === 'y' && weight?.dtype === 'float32'
  return absoluteAndRelative(1e-3, wide ? { promoted: { float16: 'float32', bfloat16: 'float32' } } : {})(context)
}

kernelSuite('BatchNormV3', {
  category: 'Norm',
  kernel: 'batch_norm_v3',
  description:
    'Batch normalisation of [N, C, ...] by channel, weight 1 and bias 0 where absent. Training: mean and variance (divided by the count) of the batch, rstd = 1 / sqrt(variance + epsilon), y = (x - mean) * rstd * weight + bias, save_mean = mean, save_rstd = rstd, running_mean = (1 - momentum) * running_mean + momentum * mean, and running_var alike with the same variance. Inference (is_training false): y by the running statistics, which stay as they are; the saved ones are not judged.',
  inputs: {
    x: tensor({
      dtype: ['float32', 'float16', 'bfloat16', 'float16', 'bfloat16'],
      shape: ['N', 'C', '...spatial'],
      draw: content,
    }),
    weight: tensor({ dtype: weights, shape: ['C'], draw: factors, optional: true }),
    bias: tensor({ dtype: weights, shape: ['C'], draw: factors, optional: true }),
    running_mean: tensor({ dtype: 'float32', shape: ['C'], draw: content }),
    running_var: tensor({ dtype: 'float32', shape: ['C'], draw: within(1e-3, 64, uniform(0.001, 1.001)) }),
  },
  outputs: {
    y: tensor.like('x'),
    running_mean: tensor.like('running_mean', { aliases: 'running_mean' }),
    running_var: tensor.like('running_var', { aliases: 'running_var' }),
    save_mean: tensor({ dtype: 'float32', shape: ['C'] }),
    save_rstd: tensor({ dtype: 'float32', shape: ['C'] }),
  },
  attrs: { epsilon: attr.float(1e-5), momentum: attr.float(0.1), is_training: attr.bool(true) },
  golden: (
    { x, weight, bias, running_mean: mean, running_var: variance },
    { epsilon, momentum, is_training: training },
  ) => batchNorm(x, channelsOf(x), { weight, bias, mean, variance }, { epsilon, momentum, training }),
  // y of inference is right by the running statistics and by those of the batch, which the public reference uses there as
  // well. Nobody says what inference saves.
  judged: ({ attrs }) =>
    attrs.is_training
      ? ['y', 'running_mean', 'running_var', 'save_mean', 'save_rstd']
      : ['y', 'running_mean', 'running_var'],
  domain: fc
    .record({
      N: dim({ max: 512 }),
      C: dim({ max: 2048 }),
      spatial: dim.list({ max: 3, last: { max: 4096 } }),
      affine: fc.boolean(),
      epsilon: fc.constantFrom(1e-5, 1e-6, 1e-3),
      momentum: fc.constantFrom(0.1, 0.01, 0.05, 0.5),
      is_training: fc.boolean(),
    })
    .map(({ N, C, spatial, affine, ...rest }) => ({
      x: [N, C, ...spatial],
      ...(affine ? {} : { weight: null, bias: null }),
      ...rest,
    })),
  // float32 throughout; the variance is that of differences from the mean. The running variance moves to that of the
  // population in the reference and to that of the sample in many libraries: both are right.
  strict({ case: kernelCase, output }) {
    const count = elementsOf(kernelCase, 'x') / elementsOf(kernelCase, 'save_mean')
    const own = summed(count)
    const sample = output === 'running_var' && count > 1 ? 1.01 / (count - 1) : 0
    return { absolute: 2 ** -116, relative: output.startsWith('running') ? 2 ** -22 : 0, scaled: own + sample }
  },
  benchmark: {
    tolerance: widening,
    outputs: ['y', 'save_mean', 'save_rstd'],
    reference: ({ x, weight, bias }, { epsilon }) => batchNormInSteps(x, channelsOf(x), { weight, bias }, epsilon),
    note:
      'inference normalises with the batch as well; 16-bit rows round every step, which kernels of float32 steps fail; ' +
      'running statistics are never looked at; weights are float16 and running statistics of the dtype of x, against the declaration',
  },
  cases: [
    { x: [1, 2, 4], dtype: float32 },
    { x: [128, 64, 32, 32], dtype: float16 },
    { x: [256, 128, 16, 16], dtype: float16, weight: null, bias: null },
    { x: [64, 32, 8, 8], dtype: bfloat16, is_training: false },
    { x: [1, 512], dtype: float32 },
    { x: [10, 20], dtype: float16, is_training: false },
    { x: [32, 3, 224, 224], dtype: float32, momentum: 0.01 },
    { x: [1, 1024], dtype: float16, epsilon: 1e-6 },
    { x: [1, 512, 7, 7], dtype: float32, momentum: 0.05, is_training: false },
    { x: [8, 16, 16, 16], dtype: float16 },
  ],
})
