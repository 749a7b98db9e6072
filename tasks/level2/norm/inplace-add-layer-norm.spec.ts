import * as fc from 'fast-check'
import { attr, kernelSuite, tensor } from 'vitest-npu'
import { rowsOf } from '../../../references/golden/norm-layout.ts'
import { layerNorm, sumOf } from '../../../references/golden/norm.ts'
import {
  biases,
  content,
  elementsOf,
  inPlaceRule,
  offCentre,
  rows,
  summed,
  trailing,
  width,
  withBias,
  type Bias,
} from './family.ts'

const dtype = ['float16', 'bfloat16', 'float32'] as const

const row = (shape: number[], type: string, bias: Bias, additional_output: boolean) => ({
  ...withBias(trailing(shape, 1), bias),
  dtype: type,
  additional_output,
})

kernelSuite('InplaceAddLayerNorm', {
  category: 'Norm',
  kernel: 'inplace_add_layer_norm',
  description:
    'Layer normalisation of a sum, in place: x = x1 + x2 (+ bias where present, of the shape of x or of one row), over the last axes (those of gamma): mean, rstd = 1 / sqrt(mean((x - mean)^2) + epsilon), x1 = (x - mean) * rstd * gamma + beta; x2 = x where additional_output is true, else it stays as it is.',
  inputs: {
    x1: tensor({ dtype, shape: ['...shape'], draw: offCentre(content) }),
    x2: tensor.like('x1'),
    gamma: tensor({ dtype, shape: ['...normalised'], draw: content }),
    beta: tensor.like('gamma'),
    bias: tensor({ dtype, shape: ['...added'], draw: content, optional: true }),
  },
  outputs: {
    x1: tensor.like('x1', { aliases: 'x1' }),
    mean: tensor({ dtype: 'float32', shape: ['...reduced'] }),
    rstd: tensor({ dtype: 'float32', shape: ['...reduced'] }),
    x2: tensor.like('x1', { aliases: 'x2' }),
  },
  attrs: { epsilon: attr.float(1e-5), additional_output: attr.bool(false) },
  golden({ x1, x2, gamma, beta, bias }, { epsilon, additional_output: additional }) {
    const x = bias ? sumOf(x1, x2, bias) : sumOf(x1, x2)
    const { y, mean, rstd } = layerNorm(x, rowsOf(x.length, gamma.data.length), { gamma, beta, epsilon })
    return { x1: y, mean, rstd, x2: additional ? x : x2 }
  },
  domain: fc
    .record({
      rows,
      D: width,
      bias: biases,
      epsilon: fc.constantFrom(1e-5, 1e-6, 1e-3, 0.5),
      additional_output: fc.boolean(),
    })
    .map(({ rows: leading, D, bias, ...rest }) => ({ ...withBias(trailing([...leading, D], 1), bias), ...rest })),
  // float32 throughout, the sum included; the variance is that of differences from the mean.
  strict: ({ case: kernelCase, output }) =>
    output === 'x2'
      ? { absolute: 0, relative: 0, scaled: 2 ** -23 }
      : { absolute: 2 ** -116, relative: 0, scaled: summed(elementsOf(kernelCase, 'gamma')) },
  benchmark: {
    tolerance: inPlaceRule,
    outputs: ({ attrs }) => (attrs.additional_output ? ['x1', 'mean', 'rstd', 'x2'] : ['x1']),
    note: 'a float16 result of exactly 0 may be off by 0.0078 only: the relative error overflows',
  },
  cases: [
    row([48, 128, 256], 'float16', 'present', false),
    row([256, 1024], 'float16', 'present', true),
    row([64, 7168], 'bfloat16', null, false),
    row([512, 128], 'bfloat16', null, true),
    row([24, 128, 1024], 'float32', 'broadcast', true),
    row([48, 512, 128], 'float32', null, false),
    row([4096, 2048], 'float16', 'broadcast', true),
    row([64, 1024, 512], 'float32', 'present', false),
    row([32, 64, 128], 'float16', 'broadcast', true),
    row([48, 64, 64], 'float16', 'present', false),
  ],
})
