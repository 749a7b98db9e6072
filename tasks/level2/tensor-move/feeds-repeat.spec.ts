import * as fc from 'fast-check'
import { attr, dim, drawn, exact, kernelSuite, normal, tensor, withNonFinite } from 'vitest-npu'
import { repeatRows } from '../../../references/golden/movement.ts'

// 0 to 9 times each, as far as the output has room; in every other generated case now and then as often as there is any.
const times = drawn((target, { random, attrs, adversarial }) => {
  let room = Number(attrs.output_feeds_size)
  const isUneven = adversarial && random.below(2) === 0
  return Array.from({ length: target.data.length }, () => {
    const most = isUneven && random.below(4) === 0 ? room + 1 : 10
    const repeats = Math.min(room, random.below(most))
    room -= repeats
    return repeats
  })
})

kernelSuite('FeedsRepeat', {
  category: 'TensorMove',
  kernel: 'feeds_repeat',
  description:
    'Repeats rows: row i of feeds stands feeds_repeat_times[i] times in y, in order; rows that are left of output_feeds_size are filled with 0.',
  inputs: {
    feeds: tensor({
      dtype: ['float16', 'float16', 'float32', 'float32', 'bfloat16', 'bfloat16'],
      shape: ['L', '...tail'],
      draw: withNonFinite(normal()),
    }),
    feeds_repeat_times: tensor({
      dtype: ['int32', 'int64', 'int32', 'int64', 'int32', 'int64'],
      shape: ['L'],
      draw: times,
    }),
  },
  outputs: {
    y: tensor({
      dtype: ['float16', 'float16', 'float32', 'float32', 'bfloat16', 'bfloat16'],
      shape: ['output_feeds_size', '...tail'],
    }),
  },
  attrs: { output_feeds_size: attr.int() },
  golden: ({ feeds, feeds_repeat_times: repeats }, { output_feeds_size: count }) => ({
    y: repeatRows(feeds, repeats, count),
  }),
  domain: fc
    .record({
      L: dim({ max: 512 }),
      tail: dim.list({ max: 3, last: { max: 512 } }),
      spare: fc.constantFrom(0.2, 1, 1, 1.5),
    })
    .map(({ L, tail, spare }) => ({ L, tail, output_feeds_size: Math.max(1, Math.round(L * 5 * spare)) })),
  strict: exact,
  benchmark: { note: 'rank 2 only, rows of a multiple of 32 bytes' },
  cases: [
    { feeds: [48, 128], dtype: 0, output_feeds_size: 1024 },
    { feeds: [96, 64], dtype: 3, output_feeds_size: 512 },
    { feeds: [48, 32], dtype: 4, output_feeds_size: 1536 },
  ],
})
