import * as fc from 'fast-check'
import { attr, kernelSuite, publicDefault, tensor } from 'vitest-npu'
import { rowsOf } from '../../../references/golden/norm-layout.ts'
import { layerNorm, sumOf } from '../../../references/golden/norm.ts'
import { content, elementsOf, offCentre, roundedLike, rows, summed, width } from './family.ts'

const dtype = ['float16', 'float32', 'bfloat16'] as const

kernelSuite('DeepNorm', {
  category: 'Norm',
  kernel: 'deep_norm',
  description:
    "Layer normalisation of a weighted sum over the last axis: x' = alpha * x + gx, mean, rstd = 1 / sqrt(mean((x' - mean)^2) + epsilon), y = (x' - mean) * rstd * gamma + beta.",
  inputs: {
    x: tensor({ dtype, shape: ['...rows', 'D'], draw: offCentre(content) }),
    gx: tensor.like('x'),
    beta: tensor({ dtype, shape: ['D'], draw: content }),
    gamma: tensor.like('beta'),
  },
  outputs: {
    mean: tensor({ dtype: 'float32', shape: ['...rows', 1] }),
    rstd: tensor({ dtype: 'float32', shape: ['...rows', 1] }),
    y: tensor.like('x'),
  },
  attrs: { alpha: attr.float(0.3), epsilon: attr.float(1e-6) },
  golden({ x, gx, beta, gamma }, { alpha, epsilon }) {
    const layout = rowsOf(x.data.length, gamma.data.length)
    return layerNorm(sumOf([Math.fround(alpha), x], gx), layout, { gamma, beta, epsilon })
  },
  domain: {
    rows: rows.filter((extents) => extents.length > 0),
    D: width,
    alpha: fc.constantFrom(0.3, 0.1, 0.9, 1, 0, -2),
    epsilon: fc.constantFrom(1e-6, 1e-5, 1e-3, 0.5),
  },
  // float32 throughout; the variance is that of differences from the mean.
  strict: ({ case: kernelCase }) => ({
    absolute: 2 ** -116,
    relative: 0,
    scaled: summed(elementsOf(kernelCase, 'gamma')),
  }),
  benchmark: {
    tolerance: roundedLike('x', publicDefault),
    note: 'mean and rstd are compared with values rounded to float16',
  },
  cases: [
    { x: [48, 128, 256], dtype: 'float16' },
    { x: [24, 256, 1024], dtype: 'float16', alpha: 0.5 },
    { x: [48, 2048], dtype: 'float32' },
    { x: [24, 16, 256], dtype: 'float32', alpha: 0.1 },
    { x: [96, 2048], dtype: 'float16' },
    { x: [48, 1024, 512], dtype: 'float32', alpha: 0.9 },
    { x: [24, 64, 128], dtype: 'float16' },
    { x: [48, 32, 64], dtype: 'float16', alpha: 0.6 },
  ],
})
