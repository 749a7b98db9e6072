/* oxlint-disable unicorn/consistent-function-scoping -- each helper stands beside the promise that needs it */
import { describe, expect, test, vi } from 'vitest'
import { toFloat64 } from '../../plugin/inputs/index.ts'
import type { GoldenBlocks } from '../../plugin/task/index.ts'
import { attentionScore, pagedAttention } from './attention.ts'
import { random, scaleOf, tensorOf, valuesOf } from './small-tensors.ts'

// The sources rather than the built package.
vi.mock('vitest-npu', () => import('../../plugin/task/index.ts'))

/** One query, from the definition. */
function attended(query: number[], keys: number[][], values: number[][], scale: number) {
  const scores = keys.map((key) => scale * key.reduce((sum, element, i) => sum + element * query[i]!, 0))
  const max = Math.max(...scores)
  const powers = scores.map((score) => Math.exp(score - max))
  const sum = powers.reduce((total, power) => total + power, 0)
  const out = values[0]!.map((_, c) => values.reduce((total, value, j) => total + (powers[j]! / sum) * value[c]!, 0))
  return { max, sum, out }
}

function expectClose(actual: number[], expected: number[]) {
  expect(actual).toHaveLength(expected.length)
  for (const [i, value] of actual.entries()) expect(Math.abs(value - expected[i]!), `element ${i}`).toBeLessThan(1e-12)
}

describe('attention of heads that lie side by side', () => {
  // More queries than are worked on at a time.
  const [batch, length, heads, depth] = [2, 37, 3, 5]
  const shape = [batch, length, heads * depth]
  const [query, key, value] = [1, 2, 3].map((seed) => random('float16', shape, seed))
  const cells = (tensor: typeof query, b: number, h: number) => {
    const all = toFloat64(tensor!)
    return Array.from({ length }, (_, i) => {
      const start = (b * length + i) * heads * depth + h * depth
      return [...all.subarray(start, start + depth)]
    })
  }
  const golden = attentionScore([query!, key!, value!], -3, heads)
  const every = Array.from({ length: batch * heads }, (_, index) => {
    const [b, h] = [Math.floor(index / heads), index % heads]
    const [keys, values] = [cells(key, b, h), cells(value, b, h)]
    return cells(query, b, h).map((row) => attended(row, keys, values, -3))
  })

  test('agrees with the definition', () => {
    const out = valuesOf(golden.attention_out)
    for (const [index, rows] of every.entries()) {
      const [b, h] = [Math.floor(index / heads), index % heads]
      for (const [i, row] of rows.entries()) {
        const start = (b * length + i) * heads * depth + h * depth
        expectClose(out.slice(start, start + depth), row.out)
      }
    }
  })

  test('repeats its statistics eight times, by head', () => {
    const eightfold = (values: number[]) => values.flatMap((element) => Array<number>(8).fill(element))
    const rows = every.flat()
    expectClose(valuesOf(golden.softmax_max), eightfold(rows.map(({ max }) => max)))
    expectClose(valuesOf(golden.softmax_sum), eightfold(rows.map(({ sum }) => sum)))
    for (const output of [golden.softmax_max, golden.softmax_sum]) {
      expect(scaleOf(output)).toHaveLength(batch * heads * length * 8)
      expect(Math.min(...scaleOf(output))).toBeGreaterThan(0)
    }
  })

  test('the error of a result is a fraction of the values, never nothing', () => {
    const errors = scaleOf(golden.attention_out)
    expect(Math.max(...errors)).toBeLessThan(2 ** -10)
    expect(Math.min(...errors)).toBeGreaterThan(2 ** -16)
  })
})

test('attention over a cache of blocks, which the table names in any order', () => {
  const [blocks, blockSize, keyHeads, wide, narrow, group] = [4, 3, 2, 4, 2, 2]
  const cache = random('float16', [blocks, blockSize, keyHeads, wide], 1)
  const ropeCache = random('float16', [blocks, blockSize, keyHeads, narrow], 2)
  const queryLengths = [1, 2]
  const keyLengths = [5, 2]
  const nope = random('float16', [3, keyHeads * group, wide], 3)
  const rope = random('float16', [3, keyHeads * group, narrow], 4)
  const table = [
    [2, 0],
    [3, 1],
  ]
  const golden = pagedAttention(
    {
      query_nope: nope,
      query_rope: rope,
      kv_nope_cache: cache,
      kv_rope_cache: ropeCache,
      block_tables: tensorOf('int32', [2, 2], table.flat()),
    },
    queryLengths,
    keyLengths,
  )
  const part = (tensor: typeof nope, row: number) => {
    const width = tensor.shape.at(-1)!
    return [...toFloat64(tensor).subarray(row * width, (row + 1) * width)]
  }
  const sequenceOf = [0, 1, 1]
  const expected = sequenceOf.flatMap((sequence, t) =>
    Array.from({ length: keyHeads * group }, (_, head) => {
      const rows = Array.from({ length: keyLengths[sequence]! }, (__, j) => {
        const block = table[sequence]![Math.floor(j / blockSize)]!
        return (block * blockSize + (j % blockSize)) * keyHeads + Math.floor(head / group)
      })
      const values = rows.map((row) => part(cache, row))
      const keys = rows.map((row) => [...part(cache, row), ...part(ropeCache, row)])
      const at = t * keyHeads * group + head
      return attended([...part(nope, at), ...part(rope, at)], keys, values, 1 / Math.sqrt(wide + narrow)).out
    }).flat(),
  )
  expectClose([...golden.values], expected)
  expect(Math.min(...golden.scale)).toBeGreaterThan(0)
})

test('errors of probabilities average out as more keys are seen', () => {
  const errorsOf = (length: number): GoldenBlocks => {
    const [query, key, value] = [1, 2, 3].map((seed) => random('float16', [1, length, 16], seed))
    return attentionScore([query!, key!, value!], 0.25, 1).attention_out
  }
  const mean = (values: number[]) => values.reduce((sum, error) => sum + error, 0) / values.length
  expect(mean(scaleOf(errorsOf(256)))).toBeLessThan(mean(scaleOf(errorsOf(16))) / 2)
})
