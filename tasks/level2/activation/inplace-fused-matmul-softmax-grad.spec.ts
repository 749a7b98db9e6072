import { dim, drawn, kernelSuite, normal, tensor, ulpScaled, uniform, widened, within } from 'vitest-npu'
import { matmulSoftmaxGrad } from '../../../references/golden/softmax.ts'
import { unitLimits } from '../../unit-limits.ts'
import { halfUnit } from './family.ts'

const dtype = ['float16', 'float32', 'bfloat16'] as const
const small = uniform(-0.01, 0.01)

// Rows of positive numbers that add up to 1, a few of them large.
const probabilities = drawn(({ shape, data: { length } }, { random }) => {
  const width = shape.at(-1)!
  const values = Float64Array.from({ length }, () => Math.exp(6 * (random.next() / 2 ** 32)))
  for (let start = 0; start < length; start += width) {
    const row = values.subarray(start, start + width)
    const sum = row.reduce((total, value) => total + value, 0)
    for (let i = 0; i < width; i++) row[i] = row[i]! / sum
  }
  return values
})

const row = (m: number, n: number, d: number, type: (typeof dtype)[number], id: number) => ({
  id,
  softmaxOutput: [m, n],
  gradOutput: [m, d],
  dtype: type,
})

kernelSuite('InplaceFusedMatmulSoftmaxGrad', {
  category: 'Activation',
  kernel: 'inplace_fused_matmul_softmax_grad',
  description:
    'Gradient of a softmax whose upstream gradient is a matrix product, in place: g = gradOutput @ transpose(values) ([..., M, D] times [..., D, N]), then softmaxOutput = softmaxOutput * (g - sum(softmaxOutput * g over the last axis)).',
  inputs: {
    softmaxOutput: tensor({ dtype, shape: ['...batch', 'M', 'N'], draw: widened(small, probabilities) }),
    gradOutput: tensor({ dtype, shape: ['...batch', 'M', 'D'], draw: widened(small, within(-8, 8, normal())) }),
    values: tensor({ dtype, shape: ['...batch', 'N', 'D'], draw: widened(small, within(-8, 8, normal())) }),
  },
  outputs: { softmaxOutput: tensor.like('softmaxOutput', { aliases: 'softmaxOutput' }) },
  // float32 sums of D and N terms; 16-bit types may round the product, its products with the rows and their sum to the
  // dtype, as the reference does.
  golden: ({ softmaxOutput, gradOutput, values }) => ({
    softmaxOutput: matmulSoftmaxGrad(softmaxOutput, gradOutput, values, (type) => ({
      result: 2 * halfUnit(type) + 2 ** -22,
      sum: (8 + Math.sqrt(values.shape.at(-1)!) + Math.sqrt(values.shape.at(-2)!)) * 2 ** -24,
      // N products with a row of float16 may be subnormal: their errors have any sign
      least: type === 'float16' ? 4 * Math.sqrt(values.shape.at(-2)!) * 2 ** -25 : 0,
    })),
  }),
  domain: {
    batch: dim.list({ max: 2, last: { max: 4 } }),
    M: dim({ max: 256, near: [16] }),
    N: dim({ max: 8192, near: [16, 128, 5000] }),
    D: dim({ max: 256, near: [16, 64, 128] }),
  },
  // Two products that may be subnormal make up a result.
  strict: ({ dtype: type }) => ({
    absolute: type === 'float16' ? 2 ** -24 : 2 ** -126,
    relative: halfUnit(type) + 2 ** -22,
    scaled: 1,
  }),
  benchmark: {
    tolerance: ulpScaled(unitLimits),
    note: 'every result is below its limit: zeros, NaN and doing nothing pass all rows',
  },
  cases: [
    row(6, 5000, 64, 'float16', 0),
    row(4, 10000, 100, 'float16', 1),
    row(12, 20000, 128, 'float32', 2),
    row(8, 10000, 200, 'float32', 4),
    row(10, 20000, 100, 'bfloat16', 5),
    row(9, 30000, 128, 'bfloat16', 8),
  ],
})
