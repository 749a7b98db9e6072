import { decode, type DType, type GoldenBlocks, type Tensor } from 'vitest-npu'
import { pack } from './matmul.ts'
import { multiplyAdd } from './multiply-add.ts'

/** Queries, keys and values of one head, decoded: rows of `depth` elements; values by columns, each as long as there are keys. */
interface Head {
  readonly queries: Float64Array
  readonly keys: Float64Array
  readonly values: Float64Array
  readonly depth: number
}

/** What a head says of each of its queries. */
interface Attended {
  /** rows of as many elements as values have columns */
  readonly out: Float64Array
  /** error that a right kernel may make in each of them */
  readonly outError: Float64Array
  readonly max: Float64Array
  /** |query| |longest key| |scale|, which bounds the magnitudes that a score is summed of */
  readonly reach: Float64Array
  readonly sum: Float64Array
  readonly sumError: Float64Array
}

/** Queries whose scores are held at a time. */
const BLOCK = 64

/** Largest relative rounding error of the type that probabilities may be cast to. */
const roundoff: Partial<Record<DType, number>> = { float16: 2 ** -11, bfloat16: 2 ** -8 }

/**
 * out = softmax(scale * queries keys^T) values in float64. A right kernel sums in float32 and may cast probabilities to
 * `dtype` for the second product: each is off by a roundoff on its own, so that the error of a sum is a few roundoffs of the
 * root of the squared probabilities, and never more than one roundoff of the largest value.
 */
function attend({ queries, keys, values, depth }: Head, scale: number, dtype: DType): Attended {
  const count = queries.length / depth
  const seen = keys.length / depth
  const width = values.length / seen
  const result: Attended = {
    out: new Float64Array(count * width),
    outError: new Float64Array(count * width),
    max: new Float64Array(count),
    reach: new Float64Array(count),
    sum: new Float64Array(count),
    sumError: new Float64Array(count),
  }
  const longest = Math.max(...lengths(keys, depth))
  const largest = magnitudes(values, seen)
  const scores = new Float64Array(BLOCK * seen)
  const [unit, tiny] = [roundoff[dtype]!, dtype === 'float16' ? 2 ** -25 : 0]
  for (let first = 0; first < count; first += BLOCK) {
    const rows = Math.min(BLOCK, count - first)
    scores.fill(0)
    multiplyAdd(
      { data: queries, start: first * depth, stride: depth },
      { data: keys, stride: depth },
      rows,
      seen,
      depth,
      { data: scores, stride: seen },
    )
    const own = lengths(queries.subarray(first * depth, (first + rows) * depth), depth)
    const spreads = new Float64Array(rows)
    for (let i = 0; i < rows; i++) {
      const { max, sum, spread } = normalise(scores.subarray(i * seen, (i + 1) * seen), scale)
      const reach = Math.abs(scale) * own[i]! * longest
      // Scores are off by this much, and their exponentials by as much of themselves.
      const shift = (8 + Math.sqrt(depth)) * 2 ** -24 * reach
      spreads[i] = spread
      result.max[first + i] = max
      result.reach[first + i] = reach
      result.sum[first + i] = sum
      result.sumError[first + i] = sum * (2 * shift + (48 + Math.sqrt(seen)) * 2 ** -24)
    }
    const into = { data: result.out, start: first * width, stride: width }
    multiplyAdd({ data: scores, stride: seen }, { data: values, stride: seen }, rows, width, seen, into)
    for (let i = 0; i < rows; i++) {
      const spread = spreads[i]!
      const relative = result.sumError[first + i]! / result.sum[first + i]!
      const underflow = 4 * Math.sqrt(seen) * tiny
      for (let column = 0; column < width; column++) {
        const at = (first + i) * width + column
        const most = largest[column]!
        const cast = unit * Math.min(most, Math.abs(result.out[at]!) + 3 * spread * most)
        result.outError[at] = cast + (relative + underflow) * most
      }
    }
  }
  return result
}

// Turns scores into probabilities; `spread` is the root of the sum of their squares.
function normalise(scores: Float64Array, scale: number): { max: number; sum: number; spread: number } {
  let max = -Infinity
  for (let j = 0; j < scores.length; j++) {
    const score = scale * scores[j]!
    scores[j] = score
    if (score > max) max = score
  }
  let [sum, squares] = [0, 0]
  for (let j = 0; j < scores.length; j++) {
    const power = Math.exp(scores[j]! - max)
    scores[j] = power
    sum += power
    squares += power * power
  }
  for (let j = 0; j < scores.length; j++) scores[j] = scores[j]! / sum
  return { max, sum, spread: Math.sqrt(squares) / sum }
}

function lengths(rows: Float64Array, width: number): number[] {
  return Array.from({ length: rows.length / width }, (_, i) => {
    let sum = 0
    for (let p = i * width; p < (i + 1) * width; p++) sum += rows[p]! * rows[p]!
    return Math.sqrt(sum)
  })
}

function magnitudes(lines: Float64Array, width: number): Float64Array {
  return Float64Array.from({ length: lines.length / width }, (_, i) => {
    let most = 0
    for (let p = i * width; p < (i + 1) * width; p++) most = Math.max(most, Math.abs(lines[p]!))
    return most
  })
}

/** Golden of the three outputs; errors of max are proportional to its scale, the scale of the others is their error. */
export interface AttentionScore {
  readonly softmax_max: GoldenBlocks
  readonly softmax_sum: GoldenBlocks
  readonly attention_out: GoldenBlocks
}

/** Copies of each statistic of a row that the operator writes. */
const LANES = 8

/** Attention of `heads` heads that lie side by side in the rows of [B, S, H]; computed when an output is looked at. */
export function attentionScore(
  [query, key, value]: readonly [Tensor, Tensor, Tensor],
  scale: number,
  heads: number,
): AttentionScore {
  const [batch, length, columns] = [query.shape[0]!, query.shape[1]!, query.shape[2]!]
  const depth = columns / heads
  const window = { line: 0, lines: length, from: 0, count: depth }
  const head = (b: number, h: number): Head => {
    const place = { start: b * length * columns + h * depth, stride: columns }
    const [queries, keys, values] = [0, 1, 2].map(() => new Float64Array(length * depth))
    pack({ tensor: query, ...place }, window, queries!)
    pack({ tensor: key, ...place }, window, keys!)
    const across = { line: 0, lines: depth, from: 0, count: length }
    pack({ tensor: value, ...place, transposed: true }, across, values!)
    return { queries: queries!, keys: keys!, values: values!, depth }
  }
  const all = once(() => {
    const [out, outError] = [new Float64Array(batch * length * columns), new Float64Array(batch * length * columns)]
    const statistics = [0, 1, 2, 3].map(() => new Float64Array(batch * heads * length))
    for (let b = 0; b < batch; b++) {
      for (let h = 0; h < heads; h++) {
        const attended = attend(head(b, h), scale, query.dtype)
        for (let i = 0; i < length; i++) {
          const at = (b * length + i) * columns + h * depth
          out.set(attended.out.subarray(i * depth, (i + 1) * depth), at)
          outError.set(attended.outError.subarray(i * depth, (i + 1) * depth), at)
        }
        const { max, reach, sum, sumError } = attended
        for (const [i, part] of [max, reach, sum, sumError].entries()) {
          statistics[i]!.set(part, (b * heads + h) * length)
        }
      }
    }
    const [max, reach, sum, sumError] = statistics
    return { out, outError, max: max!, reach: reach!, sum: sum!, sumError: sumError! }
  })
  const lanes = (values: 'max' | 'sum', scales: 'reach' | 'sumError'): GoldenBlocks => ({
    length: batch * heads * length * LANES,
    block: (start, target) => repeat(all()[values], start, target),
    scaleBlock: (start, target) => repeat(all()[scales], start, target),
  })
  return {
    softmax_max: lanes('max', 'reach'),
    softmax_sum: lanes('sum', 'sumError'),
    attention_out: {
      length: batch * length * columns,
      block: (start, target) => target.set(all().out.subarray(start, start + target.length)),
      scaleBlock: (start, target) => target.set(all().outError.subarray(start, start + target.length)),
    },
  }
}

function repeat(values: Float64Array, start: number, target: Float64Array): void {
  for (let i = 0; i < target.length; i++) target[i] = values[Math.floor((start + i) / LANES)]!
}

function once<T>(compute: () => T): () => T {
  let result: T | undefined
  return () => (result ??= compute())
}

/** Inputs of attention over a cache of blocks: rows of queries, blocks of keys, each in two parts, and the table. */
export interface PagedInputs {
  readonly query_nope: Tensor
  readonly query_rope: Tensor
  readonly kv_nope_cache: Tensor
  readonly kv_rope_cache: Tensor
  readonly block_tables: Tensor
}

/**
 * Attention of the queries of each sequence over all its tokens, which lie in the blocks that its row of the table names.
 * Keys are nope and rope parts together, values the nope part; query heads share key heads evenly.
 */
export function pagedAttention(
  inputs: PagedInputs,
  queryLengths: readonly number[],
  keyLengths: readonly number[],
): { values: Float64Array; scale: Float64Array } {
  const { query_nope: nope, query_rope: rope, kv_nope_cache: cache, kv_rope_cache: ropeCache } = inputs
  const [total, heads, wide] = [nope.shape[0]!, nope.shape[1]!, nope.shape[2]!]
  const [blockSize, keyHeads, narrow] = [cache.shape[1]!, cache.shape[2]!, rope.shape[2]!]
  const depth = wide + narrow
  const group = heads / keyHeads
  const columns = inputs.block_tables.shape[1]!
  const out = { values: new Float64Array(total * heads * wide), scale: new Float64Array(total * heads * wide) }
  let firstQuery = 0
  for (const [sequence, seen] of keyLengths.entries()) {
    const queryCount = queryLengths[sequence]!
    const slots = Array.from({ length: seen }, (_, token) => {
      const block = Number(inputs.block_tables.data[sequence * columns + Math.floor(token / blockSize)])
      return block * blockSize + (token % blockSize)
    })
    for (let keyHead = 0; keyHead < keyHeads; keyHead++) {
      const rows = slots.map((slot) => slot * keyHeads + keyHead)
      const keys = joined(cache, ropeCache, rows)
      const values = new Float64Array(wide * seen)
      for (let j = 0; j < seen; j++) {
        for (let column = 0; column < wide; column++) values[column * seen + j] = keys[j * depth + column]!
      }
      const asking = Array.from({ length: queryCount * group }, (_, i) => {
        return (firstQuery + Math.floor(i / group)) * heads + keyHead * group + (i % group)
      })
      const queries = joined(nope, rope, asking)
      const attended = attend({ queries, keys, values, depth }, 1 / Math.sqrt(depth), nope.dtype)
      for (const [i, row] of asking.entries()) {
        out.values.set(attended.out.subarray(i * wide, (i + 1) * wide), row * wide)
        out.scale.set(attended.outError.subarray(i * wide, (i + 1) * wide), row * wide)
      }
    }
    firstQuery += queryCount
  }
  return out
}

// The named rows of two tensors, side by side; a row is the last axis.
function joined(first: Tensor, second: Tensor, rows: readonly number[]): Float64Array {
  const [wide, narrow] = [first.shape.at(-1)!, second.shape.at(-1)!]
  const depth = wide + narrow
  const values = new Float64Array(rows.length * depth)
  for (const [i, row] of rows.entries()) {
    decode(first, row * wide, values.subarray(i * depth, i * depth + wide))
    decode(second, row * narrow, values.subarray(i * depth + wide, (i + 1) * depth))
  }
  return values
}
