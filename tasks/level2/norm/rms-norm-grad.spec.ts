import * as fc from 'fast-check'
import { attr, dim, dtypeOf, kernelSuite, tensor, uniform, within } from 'vitest-npu'
import { rmsNormGrad } from '../../../references/golden/norm-gradient.ts'
import { rowsOf } from '../../../references/golden/norm-layout.ts'
import { rmsNormGradInSteps } from '../../../references/golden/norm-steps.ts'
import { content, forward, gradientBound, unitLimitsOf, units, width } from './family.ts'

const dtype = ['float16', 'bfloat16', 'float16', 'float32', 'bfloat16'] as const
const [float16, bfloat16, float32] = [0, 1, 3]
// Times the largest rstd, 1000, results still fit into float16.
const upstream = within(-4, 4, uniform(0, 1))

kernelSuite('RmsNormGrad', {
  category: 'Norm',
  kernel: 'rms_norm_grad',
  description:
    'Gradient of an RMS normalisation over the last axis, rstd given by row: g = dy * gamma, dx = rstd * (g - rstd^2 * mean(g * x) * x), dgamma = sum over rows of dy * x * rstd.',
  inputs: {
    dy: tensor({ dtype, shape: ['...rows', 'D'], draw: upstream }),
    x: tensor({ dtype, shape: ['...rows', 'D'], draw: content }),
    rstd: tensor({
      dtype: 'float32',
      shape: ['...rows', 1],
      draw: forward('root', ['x'], { epsilon: ({ content: { epsilon } }) => Number(epsilon) }),
    }),
    gamma: tensor({
      dtype: ['float32', 'float32', 'float16', 'float32', 'bfloat16'],
      shape: ['D'],
      draw: upstream,
    }),
  },
  outputs: { dx: tensor.like('dy'), dgamma: tensor({ dtype: 'float32', shape: ['D'] }) },
  // That of the forward operator, which gave rstd.
  content: { epsilon: attr.float(1e-6) },
  golden: (inputs) => rmsNormGrad(inputs, rowsOf(inputs.x.data.length, inputs.gamma.data.length)),
  domain: {
    rows: dim.list({ min: 1, max: 7, last: { max: 4096 } }),
    D: width,
    epsilon: fc.constantFrom(1e-6, 1e-5, 1e-3),
  },
  // dgamma may be a sum of products that 16-bit kernels have rounded, as the reference does.
  strict(context) {
    const { absolute, relative, scaled = 0 } = gradientBound(context)
    const unit = units[dtypeOf(context.case, 'dy')] ?? 0
    return { absolute, relative, scaled: scaled + (context.output === 'dgamma' ? unit : 0) }
  },
  benchmark: {
    tolerance: unitLimitsOf('dy'),
    reference: ({ dy, x, rstd }) => ({ dgamma: rmsNormGradInSteps(dy, x, rstd) }),
    note: 'accepts NaN everywhere; gamma is always float32; dy * x is rounded before the sum of dgamma',
  },
  cases: [
    { x: [128, 256], dtype: float16 },
    { x: [256, 384], dtype: float16 },
    { x: [64, 128], dtype: bfloat16 },
    { x: [512, 128], dtype: bfloat16 },
    { x: [128, 384], dtype: float32 },
    { x: [1, 2, 8], dtype: float32 },
    { x: [4096, 2048], dtype: float16 },
    { x: [8, 1024, 512], dtype: float32 },
    { x: [32, 64, 128], dtype: float16 },
    { x: [64, 64], dtype: float16 },
  ],
})
