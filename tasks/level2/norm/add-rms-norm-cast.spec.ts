import * as fc from 'fast-check'
import { absoluteAndRelative, attr, kernelSuite, tensor } from 'vitest-npu'
import { addRmsNorm } from '../../../references/golden/norm.ts'
import { content, elementsOf, rows, summed, width } from './family.ts'

const dtype = ['float16', 'bfloat16'] as const

kernelSuite('AddRmsNormCast', {
  category: 'Norm',
  kernel: 'add_rms_norm_cast',
  description:
    'RMS normalisation of a sum over the last axis, in two dtypes: x = x1 + x2, rstd = 1 / sqrt(mean(x^2) + epsilon), y1 = y2 = x * rstd * gamma, y1 as float32 and y2 as the dtype of x. x and rstd are outputs as well.',
  inputs: {
    x1: tensor({ dtype, shape: ['...rows', 'D'], draw: content }),
    x2: tensor.like('x1'),
    gamma: tensor({ dtype, shape: ['D'], draw: content }),
  },
  outputs: {
    y1: tensor({ dtype: 'float32', shape: ['...rows', 'D'] }),
    y2: tensor.like('x1'),
    rstd: tensor({ dtype: 'float32', shape: ['...rows', 1] }),
    x: tensor.like('x1'),
  },
  attrs: { epsilon: attr.float(1e-6) },
  golden({ x1, x2, gamma }, { epsilon }) {
    const { y, rstd, x } = addRmsNorm(x1, x2, gamma, epsilon)
    return { y1: y, y2: y, rstd, x }
  },
  domain: { rows, D: width, epsilon: fc.constantFrom(1e-5, 1e-6, 1e-3, 0.5) },
  // float32 throughout: y1 is promised in full precision, from a sum that was not rounded to 16 bits.
  strict: ({ case: kernelCase, output }) =>
    output === 'x'
      ? { absolute: 0, relative: 2 ** -24 }
      : { absolute: 2 ** -126, relative: summed(elementsOf(kernelCase, 'gamma')) },
  benchmark: {
    tolerance: absoluteAndRelative(0.01, { promoted: { float16: 'float32', bfloat16: 'float32' } }),
    note: 'float32 results are good to two digits only',
  },
  cases: [
    { x1: [48, 128, 256], dtype: 'float16', epsilon: 1e-5 },
    { x1: [256, 1024], dtype: 'float16', epsilon: 1e-5 },
    { x1: [64, 7168], dtype: 'bfloat16', epsilon: 1e-5 },
    { x1: [512, 128], dtype: 'bfloat16', epsilon: 1e-5 },
    { x1: [24, 128, 1024], dtype: 'float16', epsilon: 1e-5 },
    { x1: [48, 512, 128], dtype: 'bfloat16', epsilon: 1e-5 },
    { x1: [4096, 2048], dtype: 'float16', epsilon: 1e-5 },
    { x1: [64, 1024, 512], dtype: 'bfloat16', epsilon: 1e-5 },
    { x1: [32, 64, 128], dtype: 'float16', epsilon: 1e-5 },
    { x1: [48, 64, 64], dtype: 'float16', epsilon: 1e-5 },
  ],
})
