import * as fc from 'fast-check'
import { attr, kernelSuite, tensor, ulpScaled } from 'vitest-npu'
import { rowsOf } from '../../../references/golden/norm-layout.ts'
import { layerNorm, sumOf } from '../../../references/golden/norm.ts'
import { unitLimits } from '../../unit-limits.ts'
import { biases, content, elementsOf, offCentre, summed, trailing, trailings, withBias, type Bias } from './family.ts'

const sums = [
  'float32',
  'float32',
  'float32',
  'float32',
  'float16',
  'bfloat16',
  'float16',
  'bfloat16',
  'float32',
] as const
const weights = [
  'float32',
  'float32',
  'float32',
  'float32',
  'float32',
  'float32',
  'float16',
  'bfloat16',
  'float32',
] as const
const [float16, bfloat16, float32] = [6, 7, 8]

const row = (shape: number[], dtype: number, bias: Bias, additional_output: boolean) => ({
  ...withBias(trailing(shape, 1), bias),
  dtype,
  additional_output,
})

kernelSuite('AddLayerNorm', {
  category: 'Norm',
  kernel: 'add_layer_norm',
  description:
    'Layer normalisation of a sum: x = x1 + x2 (+ bias where present, of the shape of x or of one row), over the last axes (those of gamma): mean, rstd = 1 / sqrt(mean((x - mean)^2) + epsilon), y = (x - mean) * rstd * gamma + beta. The sum x is an output that is judged where additional_output is true.',
  inputs: {
    x1: tensor({
      dtype: ['float32', 'float32', 'float16', 'bfloat16', 'float16', 'bfloat16', 'float16', 'bfloat16', 'float32'],
      shape: ['...shape'],
      draw: offCentre(content),
    }),
    x2: tensor({
      dtype: ['float16', 'bfloat16', 'float32', 'float32', 'float16', 'bfloat16', 'float16', 'bfloat16', 'float32'],
      shape: ['...shape'],
      draw: offCentre(content),
    }),
    gamma: tensor({ dtype: weights, shape: ['...normalised'], draw: content }),
    beta: tensor({ dtype: weights, shape: ['...normalised'], draw: content }),
    bias: tensor({ dtype: sums, shape: ['...added'], draw: content, optional: true }),
  },
  outputs: {
    y: tensor({ dtype: sums, shape: ['...shape'] }),
    mean: tensor({ dtype: 'float32', shape: ['...reduced'] }),
    rstd: tensor({ dtype: 'float32', shape: ['...reduced'] }),
    x: tensor({ dtype: sums, shape: ['...shape'] }),
  },
  attrs: { epsilon: attr.float(1e-5), additional_output: attr.bool(false) },
  golden({ x1, x2, gamma, beta, bias }, { epsilon }) {
    const x = bias ? sumOf(x1, x2, bias) : sumOf(x1, x2)
    return { ...layerNorm(x, rowsOf(x.length, gamma.data.length), { gamma, beta, epsilon }), x }
  },
  judged: ({ attrs }) => (attrs.additional_output ? ['y', 'mean', 'rstd', 'x'] : ['y', 'mean', 'rstd']),
  domain: fc
    .record({
      row: trailings(),
      bias: biases,
      epsilon: fc.constantFrom(1e-5, 1e-6, 1e-3, 0.5),
      additional_output: fc.boolean(),
    })
    .map(({ row: shapes, bias, ...rest }) => ({ ...withBias(shapes, bias), ...rest })),
  // float32 throughout, the sum included; the variance is that of differences from the mean.
  strict: ({ case: kernelCase, output }) =>
    output === 'x'
      ? { absolute: 0, relative: 0, scaled: 2 ** -23 }
      : { absolute: 2 ** -116, relative: 0, scaled: summed(elementsOf(kernelCase, 'gamma')) },
  benchmark: {
    tolerance: ulpScaled(unitLimits),
    outputs: ({ attrs }) => (attrs.additional_output ? ['x', 'y'] : ['y']),
    note: 'accepts NaN everywhere and never looks at mean and rstd',
  },
  cases: [
    row([48, 128, 256], float16, 'present', false),
    row([256, 1024], float16, 'present', true),
    row([64, 7168], bfloat16, null, false),
    row([512, 128], bfloat16, null, true),
    row([24, 128, 1024], float32, 'broadcast', true),
    row([48, 512, 128], float32, null, false),
    row([4096, 2048], float16, 'broadcast', true),
    row([64, 1024, 512], float32, 'present', false),
    row([32, 64, 128], float16, 'broadcast', true),
    row([48, 64, 64], float16, 'present', false),
  ],
})
