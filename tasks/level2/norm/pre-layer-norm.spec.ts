import * as fc from 'fast-check'
import { attr, dim, kernelSuite, normal, tensor, within } from 'vitest-npu'
import { rowsOf } from '../../../references/golden/norm-layout.ts'
import { layerNorm, sumOf } from '../../../references/golden/norm.ts'
import { elementsOf, offCentre, rows, summed } from './family.ts'

const draw = within(-64, 64, normal())

kernelSuite('PreLayerNorm', {
  category: 'Norm',
  kernel: 'pre_layer_norm',
  description:
    'Layer normalisation of a sum over the last axis: s = x + y, res_out = (s - mean(s)) / sqrt(mean((s - mean(s))^2) + epsilon) * gamma + beta.',
  inputs: {
    x: tensor({ dtype: 'float32', shape: ['...rows', 'D'], draw: offCentre(draw) }),
    y: tensor.like('x'),
    gamma: tensor({ dtype: 'float32', shape: ['D'], draw }),
    beta: tensor({ dtype: 'float32', shape: ['D'], draw }),
  },
  outputs: { res_out: tensor.like('x') },
  attrs: { epsilon: attr.float() },
  golden({ x, y, gamma, beta }, { epsilon }) {
    const layout = rowsOf(x.data.length, gamma.data.length)
    return { res_out: layerNorm(sumOf(x, y), layout, { gamma, beta, epsilon }).y }
  },
  domain: {
    rows,
    D: dim({ max: 20480, near: [2048, 10240, 20480] }),
    epsilon: fc.double({ min: 1e-7, max: 1e-5, noNaN: true }),
  },
  // float32; the variance is that of differences from the mean.
  strict: ({ case: kernelCase }) => ({
    absolute: 2 ** -116,
    relative: 0,
    scaled: summed(elementsOf(kernelCase, 'gamma')),
  }),
  benchmark: { note: 'epsilon is random in each public run, between 1e-7 and 1e-5; rows 0 and 5 are the same' },
  cases: [
    { x: [4980, 4, 2048], epsilon: 1e-6 },
    { x: [512, 4, 20480], epsilon: 1e-7 },
    { x: [1024, 16, 2048], epsilon: 1e-5 },
    { x: [512, 4, 10240], epsilon: 3e-6 },
    { x: [2048, 8, 2048], epsilon: 5e-7 },
    { x: [4980, 4, 2048], epsilon: 8e-6 },
  ],
})
