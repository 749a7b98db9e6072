import { byDtype, dim, kernelSuite, normal, oneOf, shapeOf, shifted, tensor, widened, within } from 'vitest-npu'
import { softmax } from '../../../references/golden/softmax.ts'

// Exponentials overflow unless the largest element of a row is taken off first.
const elements = within(-65504, 65504, normal())
// No number stands for the smallest one.
const low = byDtype(shifted(-100000, within(-128, 128, normal())), {
  float16: shifted(-4096, within(-128, 128, normal())),
})

kernelSuite('InplaceAttnSoftmax', {
  category: 'Activation',
  kernel: 'inplace_attn_softmax',
  description: 'Softmax over the last axis, in place: x = exp(x - max(x)) / sum(exp(x - max(x))).',
  inputs: {
    x: tensor({
      dtype: ['float16', 'float32', 'bfloat16'],
      shape: ['...rows', 'D'],
      draw: widened(elements, oneOf(elements, elements, low)),
    }),
  },
  outputs: { x: tensor.like('x', { aliases: 'x' }) },
  golden: ({ x }) => ({ x: softmax(x) }),
  domain: { rows: dim.list({ max: 7, last: { max: 512 } }), D: dim({ max: 8192, near: [256, 1024, 2048] }) },
  // float32 inside: a rounded exponent, a sum of D terms of one sign in any order, a quotient.
  strict: ({ case: kernelCase }) => ({
    absolute: 2 ** -125,
    relative: (16 + Math.sqrt(shapeOf(kernelCase, 'x').at(-1)!)) * 2 ** -24,
    scaled: 2 ** -22,
  }),
  benchmark: { note: 'long rows hold mostly probabilities below its limit of 1e-3, which are unchecked' },
  cases: [
    { x: [32, 256], dtype: 'float32' },
    { x: [32, 256, 512], dtype: 'float32' },
    { x: [128, 1024], dtype: 'float16' },
    { x: [1024, 2048], dtype: 'float16' },
    { x: [128, 2048, 2048], dtype: 'bfloat16' },
  ],
})
