import * as fc from 'fast-check'
import { attr, kernelSuite, tensor, uniform, within, type DrawContext, type Row } from 'vitest-npu'
import { combined, layerNormGrad } from '../../../references/golden/norm-gradient.ts'
import { rowsOf } from '../../../references/golden/norm-layout.ts'
import { sumOf } from '../../../references/golden/norm.ts'
import { content, forward, gradientBound, trailing, trailings } from './family.ts'

const dtype = ['float32', 'float16', 'bfloat16'] as const
// Times the largest rstd, 1000, and alpha, results still fit into float16.
const upstream = within(-2, 2, uniform(0, 1))
const options = {
  epsilon: ({ content: { epsilon } }: DrawContext) => Number(epsilon),
  factor: ({ attrs: { alpha } }: DrawContext) => Math.fround(Number(alpha)),
}

const row = (shape: number[], type: string, { axes = 1, ...rest }: Row & { axes?: number } = {}) => ({
  ...trailing(shape, axes),
  dtype: type,
  ...rest,
})

kernelSuite('DeepNormGrad', {
  category: 'Norm',
  kernel: 'deep_norm_grad',
  description:
    "Gradient of DeepNorm: x' = alpha * x + gx, c = x' - mean, g = dy * gamma, by row of D elements (the axes of gamma): dgx = rstd * (g - mean(g) - rstd^2 * mean(g * c) * c), dx = alpha * dgx, dgamma = sum over rows of dy * c * rstd, dbeta = sum over rows of dy.",
  inputs: {
    dy: tensor({ dtype, shape: ['...shape'], draw: upstream }),
    x: tensor({ dtype, shape: ['...shape'], draw: content }),
    gx: tensor.like('x'),
    gamma: tensor({ dtype, shape: ['...normalised'], draw: upstream }),
    mean: tensor({ dtype: 'float32', shape: ['...reduced'], draw: forward('mean', ['x', 'gx'], options) }),
    rstd: tensor({ dtype: 'float32', shape: ['...reduced'], draw: forward('rstd', ['x', 'gx'], options) }),
  },
  outputs: {
    dx: tensor.like('dy'),
    dgx: tensor.like('dy'),
    dbeta: tensor({ dtype: 'float32', shape: ['...normalised'] }),
    dgamma: tensor({ dtype: 'float32', shape: ['...normalised'] }),
  },
  attrs: { alpha: attr.float(0.3) },
  // That of the forward operator, which gave mean and rstd.
  content: { epsilon: attr.float(1e-6) },
  golden({ x, gx, ...given }, { alpha }) {
    const factor = Math.fround(alpha)
    const layout = rowsOf(x.data.length, given.gamma.data.length)
    const { dx: dgx, dgamma, dbeta } = layerNormGrad(sumOf([factor, x], gx), given, layout, 'plain')
    return { dx: combined(factor, dgx, null), dgx, dbeta, dgamma }
  },
  domain: fc
    .record({
      row: trailings({ outer: 1 }),
      alpha: fc.constantFrom(0.3, 0.1, 0.9, 1, 0, -2),
      epsilon: fc.constantFrom(1e-6, 1e-5, 1e-3),
    })
    .map(({ row: shapes, ...rest }) => ({ ...shapes, ...rest })),
  strict: gradientBound,
  benchmark: { note: 'one epsilon' },
  cases: [
    row([128, 512], 'float16'),
    row([256, 16, 384], 'float16', { axes: 2, alpha: 0.5 }),
    row([128, 256, 8], 'float32', { axes: 2 }),
    row([1, 2, 8], 'float32', { alpha: 0.1 }),
    row([4096, 2048], 'float16'),
    row([8, 1024, 512], 'float32', { alpha: 0.9 }),
    row([32, 64, 128], 'float16', { axes: 2 }),
    row([64, 2048], 'float16', { alpha: 0.6 }),
  ],
})
