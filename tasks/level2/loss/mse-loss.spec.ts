import * as fc from 'fast-check'
import { attr, byCase, dim, kernelSuite, shapeOf, sizeOf, tensor, uniform, within } from 'vitest-npu'
import { mse } from '../../../references/golden/loss.ts'

// A float16 sum of the largest generated case stays below 65504; the public list has none.
const values = byCase(({ attrs, adversarial }) =>
  adversarial && attrs.reduction === 'sum' ? uniform(-0.5, 0.5) : within(-100, 100, uniform(0, 1)),
)

const row = (predict: number[], reduction: string) => ({
  predict,
  reduction,
  result: reduction === 'none' ? predict : [1],
})

kernelSuite('MseLoss', {
  category: 'Loss',
  kernel: 'mse_loss',
  description:
    "Squared error: (predict - label)^2 of every element for reduction 'none', their sum for 'sum', their mean for 'mean' (one element).",
  inputs: {
    predict: tensor({ dtype: ['float16', 'float32'], shape: ['...shape'], draw: values }),
    label: tensor.like('predict'),
  },
  outputs: { y: tensor({ dtype: ['float16', 'float32'], shape: ['...result'] }) },
  attrs: { reduction: attr.string('mean') },
  golden: ({ predict, label }, { reduction }) => ({ y: mse(predict, label, reduction) }),
  domain: fc
    .record({ predict: dim.list({ min: 1, max: 8 }), reduction: fc.constantFrom('none', 'mean', 'sum') })
    .map(({ predict, reduction }) => row(predict, reduction)),
  maxElements: 60_000,
  // float16 may round difference and square, as the reference does; sums are float32, in lanes or one after the other.
  strict: ({ case: kernelCase, dtype }) => {
    const { reduction } = kernelCase.attrs
    const elements = reduction === 'none' ? 0 : sizeOf(shapeOf(kernelCase, 'predict'))
    const sum = elements === 0 ? 0 : (32 + elements / 32) * 2 ** -24
    if (dtype === 'float32') return { absolute: 2 ** -126, relative: 4 * 2 ** -24 + sum }
    // Squares may be subnormal, each off by half of the smallest.
    const absolute = (reduction === 'sum' ? Math.max(2, elements) : 2) * 2 ** -25
    return { absolute, relative: (elements === 0 ? 2.01 : 3.01) * 2 ** -11 + sum }
  },
  benchmark: { note: 'differences below 1 only' },
  cases: [
    { ...row([128], 'mean'), dtype: 'float16' },
    { ...row([48, 256], 'mean'), dtype: 'float16' },
    { ...row([64, 1024], 'sum'), dtype: 'float32' },
    { ...row([48, 128, 1024], 'none'), dtype: 'float16' },
    { ...row([32, 1024], 'sum'), dtype: 'float32' },
    { ...row([32, 512, 128], 'none'), dtype: 'float16' },
    { ...row([256, 512], 'mean'), dtype: 'float32' },
  ],
})
