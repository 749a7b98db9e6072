import * as fc from 'fast-check'
import { attr, kernelSuite, publicDefault, tensor, type Row } from 'vitest-npu'
import { rowsOf } from '../../../references/golden/norm-layout.ts'
import { layerNorm, sumOf } from '../../../references/golden/norm.ts'
import { content, elementsOf, offCentre, roundedLike, summed, trailing, trailings } from './family.ts'

const weights = ['float32', 'float32', 'float16', 'float32', 'bfloat16'] as const
const [float32, float16] = [0, 2]

// normalized_shape is an input whose values are the last extents of x.
const named = (row: Row): Row => {
  const { normalised } = row
  if (!Array.isArray(normalised)) throw new TypeError('a row of trailing axes expected')
  return { ...row, axes: normalised.length, values: { normalized_shape: normalised } }
}

const row = (shape: number[], dtype: number, rest: Row & { axes?: number } = {}) => {
  const { axes = 1, ...others } = rest
  return { ...named(trailing(shape, axes)), dtype, ...others }
}

kernelSuite('LayerNormV4', {
  category: 'Norm',
  kernel: 'layer_norm_v4',
  description:
    'Layer normalisation over the last axes of x, whose extents are the values of normalized_shape: mean, rstd = 1 / sqrt(mean((x - mean)^2) + epsilon), y = (x - mean) * rstd * gamma + beta; gamma is 1 and beta 0 where absent.',
  inputs: {
    x: tensor({
      dtype: ['float32', 'float16', 'float16', 'bfloat16', 'bfloat16'],
      shape: ['...shape'],
      draw: offCentre(content),
    }),
    normalized_shape: tensor({ dtype: 'int32', shape: ['axes'] }),
    gamma: tensor({ dtype: weights, shape: ['...normalised'], draw: content, optional: true }),
    beta: tensor({ dtype: weights, shape: ['...normalised'], draw: content, optional: true }),
  },
  outputs: {
    y: tensor.like('x'),
    mean: tensor({ dtype: 'float32', shape: ['...reduced'] }),
    rstd: tensor({ dtype: 'float32', shape: ['...reduced'] }),
  },
  attrs: { epsilon: attr.float(1e-5) },
  golden({ x, normalized_shape: normalised, gamma, beta }, { epsilon }) {
    const width = [...normalised.data].reduce<number>((size, extent) => size * Number(extent), 1)
    return layerNorm(sumOf(x), rowsOf(x.data.length, width), { gamma, beta, epsilon })
  },
  domain: fc
    .record({
      row: trailings(),
      weighted: fc.boolean(),
      biased: fc.boolean(),
      epsilon: fc.constantFrom(1e-5, 1e-6, 1e-3, 0.5),
    })
    .map(({ row: shapes, weighted, biased, epsilon }) => ({
      ...named(shapes),
      ...(weighted ? {} : { gamma: null }),
      ...(biased ? {} : { beta: null }),
      epsilon,
    })),
  // float32 throughout; the variance is that of differences from the mean.
  strict: ({ case: kernelCase }) => ({
    absolute: 2 ** -116,
    relative: 0,
    scaled: summed(elementsOf(kernelCase, 'x') / elementsOf(kernelCase, 'rstd')),
  }),
  benchmark: {
    tolerance: roundedLike('x', publicDefault),
    note: 'mean and rstd are compared with values rounded to float16',
  },
  cases: [
    row([128, 256], float16),
    row([256, 384], float16),
    row([128, 384], float32, { gamma: null }),
    row([1, 2, 8], float32),
    row([4096, 2048], float16),
    row([8, 1024, 512], float32),
    row([32, 64, 128], float16),
    row([64, 64], float16),
    row([128, 256], float16, { epsilon: 1e-6 }),
    row([10, 5, 20], float32, { axes: 2 }),
    row([10, 5, 20], float32),
  ],
})
