import * as fc from 'fast-check'
import { attr, dim, kernelSuite, normal, oneOf, type Row, shapeOf, shifted, tensor, widened, within } from 'vitest-npu'
import { crossEntropy } from '../../../references/golden/loss.ts'
import { classesOf, classWeights, ignoredOf } from './family.ts'

const row = (dtype: string, N: number, C: number, rest: Row = {}): Row => ({
  N,
  C,
  dtype,
  result: rest.reduction === 'none' ? [N] : [],
  ...rest,
})

// Differences underflow to probability 0, sums do not overflow.
const logits = within(-200, 200, normal())

kernelSuite('CrossEntropyLoss', {
  category: 'Loss',
  kernel: 'cross_entropy_loss',
  description:
    "Cross entropy of logits [N, C] against class numbers. log_prob = input - max - ln(sum(exp(input - max))) by rows. loss of sample n with t = target[n]: -(1 - label_smoothing) * weight[t] * log_prob[n, t] - label_smoothing / C * sum over c of weight[c] * log_prob[n, c]. reduction 'none' keeps all, 'sum' adds them, 'mean' divides the sum by the sum of weight[target] over the samples that count. weight is 1 where absent. Samples with target == ignore_index count for nothing (a negative ignore_index ignores none). zloss and lse_for_zloss are not judged.",
  inputs: {
    input: tensor({
      dtype: ['float16', 'float32', 'bfloat16'],
      shape: ['N', 'C'],
      // whole tensors far below 0, too: no number stands for the smallest one
      draw: widened(logits, oneOf(logits, logits, shifted(-4096, logits), shifted(-32768, logits))),
    }),
    target: tensor({ dtype: 'int64', shape: ['N'], draw: classesOf('input') }),
    weight: tensor({ dtype: 'float32', shape: ['C'], optional: true, draw: classWeights }),
  },
  outputs: {
    loss: tensor({ dtype: ['float16', 'float32', 'bfloat16'], shape: ['...result'] }),
    log_prob: tensor.like('input'),
    zloss: tensor({ dtype: ['float16', 'float32', 'bfloat16'], shape: [1] }),
    lse_for_zloss: tensor({ dtype: ['float16', 'float32', 'bfloat16'], shape: ['N'] }),
  },
  attrs: {
    reduction: attr.string('mean'),
    ignore_index: attr.int(-100),
    label_smoothing: attr.float(0),
    lse_square_scale_for_zloss: attr.float(0),
    return_zloss: attr.bool(false),
  },
  golden: ({ input, target, weight }, attrs) => crossEntropy(input, target, weight, attrs),
  // The public call never asks for the z-loss, and nobody says what its outputs hold then.
  judged: () => ['loss', 'log_prob'],
  domain: fc
    .record({
      N: dim({ max: 512 }),
      C: dim({ max: 16384 }),
      // float16 sums of many samples overflow.
      reduction: fc.constantFrom('none', 'mean', 'mean', 'sum'),
      ignore_index: fc.constantFrom(-100, -100, 0, 1, 5),
      label_smoothing: fc.constantFrom(0, 0, 0.1, 0.5),
      weighted: fc.boolean(),
    })
    .map(({ N, C, weighted, ...attrs }): Row => {
      const samples = attrs.reduction === 'sum' ? Math.min(N, 128) : N
      return {
        N: samples,
        C,
        result: attrs.reduction === 'none' ? [samples] : [],
        ...(weighted ? {} : { weight: null }),
        ...attrs,
        ignore_index: ignoredOf(C, attrs.ignore_index),
      }
    }),
  // float32: maximum, exponentials, a sum of C, a logarithm, differences; then sums over classes and samples.
  strict: ({ case: kernelCase }) => {
    const [samples = 1, classes = 1] = shapeOf(kernelCase, 'input')
    return { absolute: 2 ** -126, relative: 2 ** -24, scaled: (16 + (classes + samples) / 32) * 2 ** -24 }
  },
  benchmark: { outputs: ['loss', 'log_prob'], note: 'bfloat16 has no slack; a row without weight is sum or mean only' },
  cases: [
    row('float32', 4, 10),
    row('float16', 16, 100),
    row('bfloat16', 32, 50, { weight: null, reduction: 'sum' }),
    row('float32', 64, 200, { ignore_index: 0, reduction: 'none' }),
    row('float16', 128, 500, { ignore_index: 5, label_smoothing: 0.1 }),
    row('float32', 256, 1000, { weight: null, reduction: 'sum' }),
    row('float16', 512, 1024, { reduction: 'none' }),
    row('float32', 1024, 2048, { ignore_index: 0, label_smoothing: 0.2 }),
    row('float16', 4096, 1024, { lse_square_scale_for_zloss: 0.001 }),
    row('float32', 8, 10, { lse_square_scale_for_zloss: 0.005 }),
    row('float32', 16, 100),
    row('float32', 32, 50),
  ],
})
