import * as fc from 'fast-check'
import { attr, kernelSuite, tensor } from 'vitest-npu'
import { addRmsNorm } from '../../../references/golden/norm.ts'
import { addRmsNormBound, content, inPlaceRule, rows, width } from './family.ts'

const dtype = ['float16', 'float32', 'bfloat16'] as const

kernelSuite('InplaceAddRmsNorm', {
  category: 'Norm',
  kernel: 'inplace_add_rms_norm',
  description:
    'RMS normalisation of a sum over the last axis, in place: x = x1 + x2, rstd = 1 / sqrt(mean(x^2) + epsilon), x1 = x * rstd * gamma, x2 = x.',
  inputs: {
    x1: tensor({ dtype, shape: ['...rows', 'D'], draw: content }),
    x2: tensor.like('x1'),
    gamma: tensor({ dtype, shape: ['D'], draw: content }),
  },
  outputs: {
    x1: tensor.like('x1', { aliases: 'x1' }),
    rstd: tensor({ dtype: 'float32', shape: ['...rows', 1] }),
    x2: tensor.like('x1', { aliases: 'x2' }),
  },
  attrs: { epsilon: attr.float(1e-6) },
  golden({ x1, x2, gamma }, { epsilon }) {
    const { y, rstd, x } = addRmsNorm(x1, x2, gamma, epsilon)
    return { x1: y, rstd, x2: x }
  },
  domain: { rows, D: width, epsilon: fc.constantFrom(1e-6, 1e-5, 1e-3, 0.5) },
  strict: addRmsNormBound({ sum: 'x2' }),
  benchmark: { tolerance: inPlaceRule, note: '16-bit results are good to two digits only' },
  cases: [
    { x1: [48, 128, 256], dtype: 'float16', epsilon: 1e-5 },
    { x1: [256, 1024], dtype: 'float16', epsilon: 1e-5 },
    { x1: [64, 7168], dtype: 'bfloat16', epsilon: 1e-5 },
    { x1: [512, 128], dtype: 'bfloat16', epsilon: 1e-5 },
    { x1: [24, 128, 1024], dtype: 'float32', epsilon: 1e-5 },
    { x1: [48, 512, 128], dtype: 'float32', epsilon: 1e-5 },
    { x1: [4096, 2048], dtype: 'float16', epsilon: 1e-5 },
    { x1: [64, 1024, 512], dtype: 'float32', epsilon: 1e-5 },
    { x1: [32, 64, 128], dtype: 'float16', epsilon: 1e-5 },
    { x1: [48, 64, 64], dtype: 'float16', epsilon: 1e-5 },
  ],
})
