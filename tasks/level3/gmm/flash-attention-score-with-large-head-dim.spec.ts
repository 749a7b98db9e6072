import * as fc from 'fast-check'
import { attr, dim, kernelSuite, oneOf, publicDefault, tensor, uniform, widened } from 'vitest-npu'
import { attentionScore } from '../../../references/golden/attention.ts'
import { gmm, unit } from './family.ts'

const published = uniform(-0.01, 0.01)

const row = ([B, S, H]: readonly [number, number, number], headNum: number, scaleValue: number) => ({
  query: [B, S, H],
  head_num: headNum,
  N: headNum,
  scale_value: scaleValue,
})

// Head dimensions up to 576, no argument of more than 65536 elements.
const wide = fc
  .record({
    B: dim({ max: 4 }),
    S: dim({ max: 512, near: [16, 128] }),
    heads: dim({ max: 16 }),
    depth: dim({ max: 576, near: [16, 32, 64, 128] }),
    scale: fc.constantFrom(1, 0.875, 0.5, 0.125, 0.0625, -0.5),
  })
  .map(({ B, S, heads, depth, scale }) => {
    const count = Math.min(heads, Math.floor(2 ** 16 / (S * depth)) || 1)
    const width = Math.min(depth, Math.floor(2 ** 16 / (S * count)))
    return row([Math.min(B, Math.floor(2 ** 16 / (S * count * width))), S, count * width], count, scale)
  })
// More keys than one tile takes: one narrow head, so that they cost little.
const long = fc
  .record({
    S: dim({ min: 1025, max: 2304, near: [1536, 2048] }),
    depth: fc.constantFrom(8, 16, 24, 28),
    scale: fc.constantFrom(1, 0.5, 0.125),
  })
  .map(({ S, depth, scale }) => row([1, S, depth], 1, scale))
const rows = fc.oneof({ weight: 4, arbitrary: wide }, { weight: 1, arbitrary: long })

kernelSuite('FlashAttentionScoreWithLargeHeadDim', {
  ...gmm('flash_attention_score_with_large_head_dim'),
  description:
    'Attention of head_num heads that lie side by side in the last axis of [B, S, H]: for every head, p = scale_value * query @ transpose(key), softmax_max = max of p by row, softmax_sum = sum(exp(p - max)), attention_out = exp(p - max) / sum @ value. Every statistic is written eight times in its last axis.',
  inputs: {
    // Generated scores spread far enough for some keys to matter more than others.
    query: tensor({
      dtype: 'float16',
      shape: ['B', 'S', 'H'],
      draw: widened(published, oneOf(uniform(-4, 4), uniform(60, 64))),
    }),
    key: tensor({ dtype: 'float16', shape: ['B', 'S', 'H'], draw: widened(published, oneOf(unit, uniform(-1, -0.9))) }),
    value: tensor({ dtype: 'float16', shape: ['B', 'S', 'H'], draw: widened(published, unit) }),
  },
  // Every statistic eight times.
  outputs: {
    softmax_max: tensor({ dtype: 'float32', shape: ['B', 'N', 'S', 8] }),
    softmax_sum: tensor({ dtype: 'float32', shape: ['B', 'N', 'S', 8] }),
    attention_out: tensor({ dtype: 'float16', shape: ['B', 'S', 'H'] }),
  },
  attrs: { scale_value: attr.float(1), head_num: attr.int() },
  // By heads, as the operator is defined. The public reference takes all heads for one; on the numbers of the static rows that
  // is as right, within the bound.
  golden: ({ query, key, value }, { scale_value: scale, head_num: heads }) => ({
    ...attentionScore([query, key, value], scale, heads),
  }),
  domain: rows,
  // Scores are float32 sums of one head; what follows from their errors, and from probabilities cast to float16, is the
  // scale of the other two.
  strict: ({ case: { inputs, attrs }, output }) => {
    if (output !== 'softmax_max') return { absolute: 2 ** -149, relative: 2 ** -22, scaled: 1 }
    const { query } = inputs
    const depth = query && 'shape' in query ? query.shape[2]! / Number(attrs.head_num) : 1
    return { absolute: depth * 2 ** -149, relative: 2 ** -24, scaled: (8 + Math.sqrt(depth)) * 2 ** -24 }
  },
  benchmark: {
    tolerance: publicDefault,
    outputs: ['attention_out'],
    reference: ({ query, key, value }, { scale_value: scale }) => {
      const { attention_out: out } = attentionScore([query, key, value], scale, 1)
      return { attention_out: out }
    },
    note: 'its reference takes all heads for one, and zeros pass: its inputs are so small that every result is below its limit',
  },
  cases: [
    row([2, 2048, 1024], 8, 0.0625),
    row([1, 4096, 512], 4, 0.875),
    row([1, 2048, 1024], 16, 0.0625),
    row([2, 4096, 256], 2, 1),
    row([1, 2048, 512], 16, 0.5),
  ],
})
