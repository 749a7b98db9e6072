import * as fc from 'fast-check'
import { attr, dim, drawn, kernelSuite, tensor, uniform, widened } from 'vitest-npu'
import { pagedAttention } from '../../../references/golden/attention.ts'
import { gmm, publicRule, unit } from './family.ts'

const dtype = ['float16', 'bfloat16'] as const
const BLOCK_SIZE = 128
const HEAD_SIZE = 512
const ROPE_SIZE = 64

interface Sequence {
  queries: number
  tokens: number
}

const row = (sequences: readonly Sequence[], heads: number, keyHeads: number, blocks: number) => {
  const longest = Math.max(...sequences.map(({ tokens }) => tokens))
  return {
    T: sequences.reduce((sum, { queries }) => sum + queries, 0),
    heads,
    keyHeads,
    blocks,
    batch: sequences.length,
    columns: Math.ceil(longest / BLOCK_SIZE),
    q_seqlen_list: sequences.map(({ queries }) => queries),
    k_seqlen_list: sequences.map(({ tokens }) => tokens),
  }
}

const uniformRow = (
  [batch, queries, tokens]: readonly [number, number, number],
  heads: number,
  blocks: number,
  type: (typeof dtype)[number],
) => ({
  ...row(
    Array.from({ length: batch }, () => ({ queries, tokens })),
    heads,
    1,
    blocks,
  ),
  dtype: type,
})

// Sequences of different lengths, few enough for their blocks to be different: the cache has one to eight.
const several = fc
  .record({
    sequences: fc.array(
      fc.record({
        queries: fc.integer({ min: 1, max: 4 }),
        tokens: dim({ max: 900, near: [BLOCK_SIZE, 2 * BLOCK_SIZE] }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    heads: fc.constantFrom(1, 2, 3, 8, 16, 32, 128),
    keyHeads: fc.constantFrom(1, 1, 1, 2, 3),
    blocks: fc.constantFrom(1, 2, 2, 4, 8),
  })
  .map(({ sequences, heads, keyHeads, blocks }) => {
    const kept = sequences.slice(0, blocks)
    const share = Math.floor(blocks / kept.length) * BLOCK_SIZE
    return row(
      kept.map(({ queries, tokens }) => ({ queries, tokens: Math.min(tokens, share) })),
      heads * keyHeads,
      keyHeads,
      blocks,
    )
  })

// More tokens than one tile takes, for few queries and seldom, because the cache is as large as they are many.
const long = fc
  .record({
    queries: fc.integer({ min: 1, max: 2 }),
    tokens: dim({ min: 1025, max: 1280, near: [9 * BLOCK_SIZE] }),
    heads: fc.constantFrom(1, 2),
  })
  .map(({ queries, tokens, heads }) => row([{ queries, tokens }], heads, 1, 10))
const rows = fc.oneof({ weight: 9, arbitrary: several }, { weight: 1, arbitrary: long })

// Rows of the table: consecutive blocks as published; generated ones in any order, sometimes shared by all sequences.
const table = drawn(({ data: { length }, shape }, { random, adversarial, shapes }) => {
  const blocks = Array.from({ length: shapes.kv_nope_cache![0]![0]! }, (_, block) => block)
  if (!adversarial) return blocks.slice(0, length)
  for (let i = blocks.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    ;[blocks[i], blocks[j]] = [blocks[j]!, blocks[i]!]
  }
  const shared = random.below(4) === 0
  return Array.from({ length }, (_, i) => blocks[shared ? i % shape[1]! : i]!)
})

// Exponentials of scores overflow unless the largest of a row is taken off first.
const queries = widened(unit, uniform(-128, 128))

kernelSuite('Mla', {
  ...gmm('mla'),
  description:
    'Attention over a cache of blocks. Sequence i has q_seqlen_list[i] queries (rows one after the other in T) and k_seqlen_list[i] tokens; token j lies in block block_tables[i, j / 128] at j % 128. A query is query_nope and query_rope side by side (512 + 64), a key kv_nope_cache and kv_rope_cache alike, a value the nope part of the key; query heads share key heads evenly. out = softmax(query @ transpose(key) / sqrt(576)) @ value, by head, over all tokens of the sequence.',
  inputs: {
    query_nope: tensor({ dtype, shape: ['T', 'heads', HEAD_SIZE], draw: queries }),
    query_rope: tensor({ dtype, shape: ['T', 'heads', ROPE_SIZE], draw: queries }),
    kv_nope_cache: tensor({ dtype, shape: ['blocks', BLOCK_SIZE, 'keyHeads', HEAD_SIZE], draw: unit }),
    kv_rope_cache: tensor({ dtype, shape: ['blocks', BLOCK_SIZE, 'keyHeads', ROPE_SIZE], draw: unit }),
    block_tables: tensor({ dtype: 'int32', shape: ['batch', 'columns'], draw: table }),
  },
  outputs: { out: tensor({ dtype, shape: ['T', 'heads', HEAD_SIZE] }) },
  attrs: { q_seqlen_list: attr.listInt(), k_seqlen_list: attr.listInt() },
  golden: (inputs, { q_seqlen_list: queries, k_seqlen_list: keys }) => ({ out: pagedAttention(inputs, queries, keys) }),
  domain: rows,
  maxElements: 2 ** 20,
  // Float32 throughout, with probabilities cast to the dtype for the second product; the scale is what follows from it.
  strict: () => ({ absolute: 2 ** -149, relative: 2 ** -22, scaled: 1 }),
  benchmark: {
    tolerance: publicRule(() => HEAD_SIZE),
    note: 'accepts NaN everywhere; no sequence is longer than a block, tables are in order and all lengths alike',
  },
  cases: [
    uniformRow([2, 1, 2], 128, 16, 'float16'),
    uniformRow([2, 2, 64], 16, 48, 'bfloat16'),
    uniformRow([1, 4, 24], 8, 16, 'float16'),
    uniformRow([4, 1, 16], 128, 32, 'bfloat16'),
    uniformRow([8, 1, 32], 1, 16, 'float16'),
    uniformRow([1, 2, 128], 32, 16, 'float16'),
  ],
})
