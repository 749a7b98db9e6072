import * as fc from 'fast-check'
import { attr, dim, kernelSuite, tensor, ulpScaled, uniform } from 'vitest-npu'
import { mseGrad } from '../../../references/golden/loss.ts'
import { unitLimits } from '../../unit-limits.ts'

kernelSuite('MseLossGradV2', {
  category: 'Loss',
  kernel: 'mse_loss_grad_v2',
  description:
    "Gradient of the mean squared error by predict: y = 2 * (predict - label) * dout, divided by the number of elements where reduction is 'mean'.",
  inputs: {
    // Up to 40000 for the result, which float16 holds.
    predict: tensor({
      dtype: ['float16', 'float32', 'bfloat16'],
      shape: ['...shape'],
      draw: uniform(-100, 100),
    }),
    label: tensor.like('predict'),
    dout: tensor.like('predict'),
  },
  outputs: { y: tensor.like('predict') },
  attrs: { reduction: attr.string('mean') },
  golden: ({ predict, label, dout }, { reduction }) => ({ y: mseGrad(predict, label, dout, reduction) }),
  domain: { shape: dim.list({ min: 1, max: 8 }), reduction: fc.constantFrom('none', 'mean', 'sum') },
  // float32: a difference, the factor, two products, any of which may be subnormal.
  strict: () => ({ absolute: 2 ** -120, relative: 6 * 2 ** -24 }),
  benchmark: { tolerance: ulpScaled(unitLimits), note: 'accepts NaN everywhere' },
  cases: [
    { predict: [48, 128], dtype: 'float32', reduction: 'mean' },
    { predict: [16, 2048], dtype: 'float16', reduction: 'mean' },
    { predict: [64, 128], dtype: 'float32', reduction: 'sum' },
    { predict: [8, 4096], dtype: 'float16', reduction: 'none' },
    { predict: [192, 256, 32], dtype: 'float32', reduction: 'mean' },
    { predict: [16, 64, 32], dtype: 'float16', reduction: 'sum' },
    { predict: [4096], dtype: 'float32', reduction: 'mean' },
    { predict: [8, 1024], dtype: 'bfloat16', reduction: 'mean' },
    { predict: [32, 64, 128, 64], dtype: 'float32', reduction: 'sum' },
    { predict: [32, 1024], dtype: 'float16', reduction: 'none' },
  ],
})
