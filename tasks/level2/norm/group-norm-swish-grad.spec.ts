import * as fc from 'fast-check'
import { attr, kernelSuite, tensor, uniform, widened, within } from 'vitest-npu'
import { groupNormSwishGrad } from '../../../references/golden/norm-gradient.ts'
import { groupsOf } from '../../../references/golden/norm-layout.ts'
import { columnBound, elementsOf, images, summed } from './family.ts'

const dtype = ['float32', 'float16', 'bfloat16'] as const
const factors = within(-4, 4, uniform(-2, 2))

kernelSuite('GroupNormSwishGrad', {
  category: 'Norm',
  kernel: 'group_norm_swish_grad',
  description:
    'Gradient of swish after a group normalisation of [N, C, ...], mean and rstd given for every image and group: c = x - mean, z = c * rstd * gamma + beta by channel, s = sigmoid(swish_scale * z), u = dy * s * (1 + z * (1 - s)), g = u * gamma, dx = rstd * (g - mean(g) - rstd^2 * mean(g * c) * c) with means over a group, dgamma = sum over images and positions of u * c * rstd, dbeta = that of u. dgamma and dbeta are judged where they are required.',
  inputs: {
    dy: tensor({
      dtype,
      shape: ['N', 'C', '...spatial'],
      draw: widened(uniform(-0.1, 0.1), within(-1, 1, uniform(-1, 1))),
    }),
    // Statistics that have nothing to do with x, as published: mean and rstd are arguments like others.
    mean: tensor({ dtype, shape: ['N', 'num_groups'], draw: widened(uniform(0, 0.1), within(-1, 1, uniform(-1, 1))) }),
    rstd: tensor({
      dtype,
      shape: ['N', 'num_groups'],
      draw: widened(uniform(0.001, 0.101), within(2 ** -6, 2, uniform(0.5, 2))),
    }),
    x: tensor({
      dtype,
      shape: ['N', 'C', '...spatial'],
      draw: widened(uniform(-0.1, 0.1), within(-4, 4, uniform(-2, 2))),
    }),
    gamma: tensor({ dtype, shape: ['C'], draw: widened(uniform(0.5, 0.6), factors) }),
    beta: tensor({ dtype, shape: ['C'], draw: widened(uniform(0, 0.1), factors) }),
  },
  outputs: {
    dx: tensor.like('x'),
    dgamma: tensor({ dtype, shape: ['C'] }),
    dbeta: tensor({ dtype, shape: ['C'] }),
  },
  attrs: {
    num_groups: attr.int(),
    data_format: attr.string('NCHW'),
    swish_scale: attr.float(1),
    dgamma_is_require: attr.bool(true),
    dbeta_is_require: attr.bool(true),
  },
  // Right by the published slope, and by the derivative, where the two differ: with a factor other than 1.
  golden: (inputs, { num_groups: groups, swish_scale: scale }) =>
    groupNormSwishGrad(inputs, groupsOf(inputs.x, groups), scale),
  judged: ({ attrs }) => [
    'dx',
    ...(attrs.dgamma_is_require ? (['dgamma'] as const) : []),
    ...(attrs.dbeta_is_require ? (['dbeta'] as const) : []),
  ],
  domain: fc
    .record({
      image: images,
      dtype: fc.nat({ max: 2 }),
      swish_scale: fc.constantFrom(1, 1, 0.5, 2),
      dgamma_is_require: fc.boolean(),
      dbeta_is_require: fc.boolean(),
    })
    .map(({ image: { shape, num_groups }, ...rest }) => ({ x: shape, num_groups, ...rest })),
  // Sums of float16 results mostly stay below 65504.
  maxElements: 40_000,
  // float32 throughout, an exponential among it.
  strict({ case: kernelCase, output }) {
    const elements = elementsOf(kernelCase, 'x')
    if (output !== 'dx') return columnBound(elements / elementsOf(kernelCase, 'gamma'))
    return { absolute: 2 ** -110, relative: 0, scaled: summed(elements / elementsOf(kernelCase, 'mean')) }
  },
  benchmark: {
    outputs: ['dx'],
    note: 'most of dx is below the limit of 0.001, so never looked at; dgamma and dbeta are not either',
  },
  cases: [
    { x: [1, 32, 10, 10], dtype: 'float32', num_groups: 8 },
    { x: [4, 64, 5, 5], dtype: 'float16', num_groups: 16 },
    { x: [2, 16, 20, 20], dtype: 'bfloat16', num_groups: 4, dgamma_is_require: false, dbeta_is_require: false },
    { x: [8, 128, 7, 7], dtype: 'float32', num_groups: 32, swish_scale: 0.5, dbeta_is_require: false },
    { x: [16, 32, 2, 2], dtype: 'float16', num_groups: 8, dgamma_is_require: false },
    { x: [100, 32], dtype: 'float16', num_groups: 8 },
    { x: [64, 256, 1, 1], dtype: 'float32', num_groups: 64 },
  ],
})
