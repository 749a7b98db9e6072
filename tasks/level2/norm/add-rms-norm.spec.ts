import * as fc from 'fast-check'
import { attr, kernelSuite, tensor } from 'vitest-npu'
import { addRmsNormInSteps } from '../../../references/golden/norm-steps.ts'
import { addRmsNorm } from '../../../references/golden/norm.ts'

import { addRmsNormBound, content, rows, unitLimitsOf, width } from './family.ts'

const dtype = ['float16', 'float32', 'bfloat16'] as const

kernelSuite('AddRmsNorm', {
  category: 'Norm',
  kernel: 'add_rms_norm',
  description:
    'RMS normalisation of a sum over the last axis: x = x1 + x2, rstd = 1 / sqrt(mean(x^2) + epsilon), y = x * rstd * gamma. x and rstd are outputs as well.',
  inputs: {
    x1: tensor({ dtype, shape: ['...rows', 'D'], draw: content }),
    x2: tensor.like('x1'),
    gamma: tensor({ dtype, shape: ['D'], draw: content }),
  },
  outputs: {
    y: tensor.like('x1'),
    rstd: tensor({ dtype: 'float32', shape: ['...rows', 1] }),
    x: tensor.like('x1'),
  },
  attrs: { epsilon: attr.float(1e-6) },
  golden: ({ x1, x2, gamma }, { epsilon }) => addRmsNorm(x1, x2, gamma, epsilon),
  domain: { rows, D: width, epsilon: fc.constantFrom(1e-6, 1e-5, 1e-3, 0.5) },
  strict: addRmsNormBound({ sum: 'x' }),
  benchmark: {
    tolerance: unitLimitsOf('x1'),
    reference: ({ x1, x2, gamma }, { epsilon }) => addRmsNormInSteps(x1, x2, gamma, epsilon),
    note: 'accepts NaN everywhere; its reference rounds every step, so that float16 loses epsilon; no bfloat16 row',
  },
  cases: [
    { x1: [128, 256], dtype: 'float16' },
    { x1: [256, 384], dtype: 'float16' },
    { x1: [128, 384], dtype: 'float32' },
    { x1: [1, 2, 8], dtype: 'float32' },
    { x1: [4096, 2048], dtype: 'float16' },
    { x1: [8, 1024, 512], dtype: 'float32' },
    { x1: [32, 64, 128], dtype: 'float16' },
    { x1: [64, 64], dtype: 'float16' },
  ],
})
