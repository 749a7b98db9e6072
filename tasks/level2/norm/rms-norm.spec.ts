import * as fc from 'fast-check'
import { attr, dim, dtypeOf, kernelSuite, shapeOf, tensor, ulpScaled, uniform, within } from 'vitest-npu'
import { rmsNorm } from '../../../references/golden/norm.ts'
import { unitLimits } from '../../unit-limits.ts'

kernelSuite('RmsNorm', {
  category: 'Norm',
  kernel: 'rms_norm',
  description: 'RMS normalisation over the last axis: rstd = 1 / sqrt(mean(x^2) + epsilon), y = x * rstd * gamma.',
  inputs: {
    x: tensor({
      dtype: ['float16', 'bfloat16', 'float16', 'float32', 'bfloat16'],
      shape: ['...rows', 'D'],
      draw: within(-64, 64, uniform(0, 1)),
    }),
    gamma: tensor({
      dtype: ['float32', 'float32', 'float16', 'float32', 'bfloat16'],
      shape: ['D'],
      draw: within(-64, 64, uniform(0, 1)),
    }),
  },
  outputs: { y: tensor.like('x'), rstd: tensor({ dtype: 'float32', shape: ['...rows', 1] }) },
  attrs: { epsilon: attr.float(1e-6) },
  golden: ({ x, gamma }, { epsilon }) => rmsNorm(x, gamma, epsilon),
  domain: {
    rows: dim.list({ max: 7, last: { max: 512 } }),
    D: dim({ max: 16384, near: [8, 64, 128, 4096] }),
    epsilon: fc.constantFrom(1e-6, 1e-5, 1e-3, 0.5),
  },
  // float32 throughout: a sum of D squares in any order, a root, a division, two products (one of them may be subnormal).
  // Kernels whose gamma is float16 may round x * rstd to float16 before they multiply.
  strict: ({ case: kernelCase, output }) => {
    const float32 = (16 + shapeOf(kernelCase, 'gamma')[0]! / 4) * 2 ** -24
    const halfProduct = output === 'y' && dtypeOf(kernelCase, 'gamma') === 'float16'
    return { absolute: halfProduct ? 2 ** -18 : 2 ** -139, relative: float32 + (halfProduct ? 2 ** -11 : 0) }
  },
  benchmark: {
    tolerance: ulpScaled(unitLimits),
    outputs: ['y'],
    note: 'accepts NaN everywhere and never looks at rstd',
  },
  cases: [
    { x: [128, 256], dtype: 2 },
    { x: [256, 384], dtype: 2 },
    { x: [64, 128], dtype: 4 },
    { x: [512, 128], dtype: 4 },
    { x: [128, 384], dtype: 3 },
    { x: [1, 2, 8], dtype: 3 },
    { x: [4096, 2048], dtype: 2 },
    { x: [32, 64, 128], dtype: 2 },
    { x: [64, 64], dtype: 2 },
  ],
})
