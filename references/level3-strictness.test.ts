/* oxlint-disable unicorn/consistent-function-scoping -- each kernel stands beside the promise that needs it */
import { describe, expect, test, vi } from 'vitest'
import { roundTo } from '../plugin/compare/round.ts'
import { half, single, verdictsOf, type Kernel } from './kernel-models.ts'
import { loadSpecs } from './load-specs.ts'

vi.setConfig({ testTimeout: 60_000 })

const tasks = new Map((await loadSpecs()).map((task) => [task.interface.name, task]))
const verdicts = (name: string, output: string, kernel: Kernel) => verdictsOf(tasks.get(name)!, output, kernel)

const right = ['correct']
const wrong = expect.arrayContaining(['wrong-value'])

type Round = (value: number) => number
const none: Round = (value) => value

// a [m, k] times b [k, n]; every sum and what is added to it rounded as `round` says, from the first term or the last.
const product = (
  { a, b }: Record<string, Float64Array>,
  [m, k, n]: readonly [number, number, number],
  round: Round,
  backwards = false,
): number[] =>
  Array.from({ length: m * n }, (_, index) => {
    const [i, j] = [Math.floor(index / n), index % n]
    let sum = 0
    for (let step = 0; step < k; step++) {
      const p = backwards ? k - 1 - step : step
      sum = round(sum + round(a![i * k + p]! * b![p * n + j]!))
    }
    return sum
  })

const extentsOf = (shapes: Record<string, readonly number[]>) =>
  [shapes.a![0]!, shapes.a![1]!, shapes.b?.[1] ?? 1] as const

describe.each(['BasicMatmul', 'SplitkMatmul', 'OptimizedMatmul'])('%s', (name) => {
  test('accepts float32 sums in either order, and exact ones', () => {
    for (const backwards of [false, true]) {
      expect(verdicts(name, 'c', (x, _, shapes) => product(x, extentsOf(shapes), single, backwards))).toEqual(right)
    }
    expect(verdicts(name, 'c', (x, _, shapes) => product(x, extentsOf(shapes), none))).toEqual(right)
  })

  test('rejects sums kept in float16, and halves of the sum that are rounded to it', () => {
    expect(verdicts(name, 'c', (x, _, shapes) => product(x, extentsOf(shapes), half))).toEqual(wrong)
    const split: Kernel = ({ a, b }, _, shapes) => {
      const [m, k, n] = extentsOf(shapes)
      const front = a!.map((value, i) => (i % k < k / 2 ? value : 0))
      const back = a!.map((value, i) => (i % k < k / 2 ? 0 : value))
      const first = product({ a: front, b: b! }, [m, k, n], single)
      return product({ a: back, b: b! }, [m, k, n], single).map((sum, i) => half(sum) + half(first[i]!))
    }
    expect(verdicts(name, 'c', split)).toEqual(wrong)
  })
})

describe('MatmulAdd and MatmulBias', () => {
  const added =
    (argument: string, round: Round): Kernel =>
    (inputs, _, shapes) => {
      const c = inputs[argument]!
      return product(inputs, extentsOf(shapes), single).map((sum, i) => round(sum) + c[i % c.length]!)
    }

  test('accept an addition in float32, reject one after the rounding, and none', () => {
    for (const [name, argument] of [
      ['MatmulAdd', 'c'],
      ['MatmulBias', 'bias'],
    ] as const) {
      expect(verdicts(name, 'd', added(argument, single))).toEqual(right)
      expect(verdicts(name, 'd', added(argument, half))).toEqual(wrong)
      expect(verdicts(name, 'd', (x, _, shapes) => product(x, extentsOf(shapes), single))).toEqual(wrong)
    }
  })
})

describe('Gemm', () => {
  const scaled =
    (round: Round): Kernel =>
    ({ a, b, c }, { alpha, beta }, shapes) => {
      const operands = { a: a!.map(round), b: b!.map(round) }
      return product(operands, extentsOf(shapes), single).map((sum, i) =>
        single(single(Number(alpha) * sum) + single(Number(beta) * c![i]!)),
      )
    }

  test('accepts float32 throughout, and alpha applied to a', () => {
    expect(verdicts('Gemm', 'c', scaled(single))).toEqual(right)
    const early: Kernel = ({ a, b, c }, { alpha, beta }, shapes) =>
      product({ a: a!.map((value) => single(value * Number(alpha))), b: b! }, extentsOf(shapes), single).map((sum, i) =>
        single(sum + single(Number(beta) * c![i]!)),
      )
    expect(verdicts('Gemm', 'c', early)).toEqual(right)
  })

  test('rejects operands rounded to ten bits, and a forgotten factor', () => {
    expect(verdicts('Gemm', 'c', scaled(half))).toEqual(wrong)
    expect(
      verdicts('Gemm', 'c', (x, { alpha }, shapes) =>
        product(x, extentsOf(shapes), none).map((sum, i) => Number(alpha) * sum + x.c![i]!),
      ),
    ).toEqual(wrong)
  })
})

test('Gemv accepts float32 sums, rejects ten-bit operands', () => {
  const gemv =
    (round: Round): Kernel =>
    ({ a, x, y }, { alpha, beta }, shapes) => {
      const [m, n] = [shapes.a![0]!, shapes.a![1]!]
      return product({ a: a!.map(round), b: x!.map(round) }, [m, n, 1], single).map((sum, i) =>
        single(single(Number(alpha) * sum) + single(Number(beta) * y![i]!)),
      )
    }
  expect(verdicts('Gemv', 'out', gemv(single))).toEqual(right)
  expect(verdicts('Gemv', 'out', gemv(half))).toEqual(wrong)
})

describe('QuantMatmul', () => {
  const dequantised =
    (finish: (sum: number, column: number, row: number) => number, round: Round = none): Kernel =>
    (x, _, shapes) => {
      const n = shapes.b![1]!
      const [columns, rows] = [x.scale!, x.per_token_scale!]
      return product(x, extentsOf(shapes), round).map((sum, i) =>
        finish(sum, columns[i % n]!, rows[Math.floor(i / n)]!),
      )
    }

  test('accepts the factors in any order', () => {
    expect(
      verdicts(
        'QuantMatmul',
        'd',
        dequantised((sum, column, row) => single(single(sum * column) * row)),
      ),
    ).toEqual(right)
    expect(
      verdicts(
        'QuantMatmul',
        'd',
        dequantised((sum, column, row) => single(sum * single(column * row))),
      ),
    ).toEqual(right)
  })

  test('rejects exchanged factors, a factor rounded to float16 in between, and float16 sums', () => {
    expect(
      verdicts('QuantMatmul', 'd', (x, _, shapes) => {
        const [m, , n] = extentsOf(shapes)
        return product(x, extentsOf(shapes), none).map(
          (sum, i) => sum * x.scale![Math.floor(i / n) % n]! * x.per_token_scale![(i % n) % m]!,
        )
      }),
    ).toEqual(wrong)
    expect(
      verdicts(
        'QuantMatmul',
        'd',
        dequantised((sum, column, row) => half(sum * column) * row),
      ),
    ).toContain('wrong-value')
    const inHalf = verdicts(
      'QuantMatmul',
      'd',
      dequantised((sum, column, row) => sum * column * row, half),
    )
    expect(inHalf.some((kind) => kind.startsWith('wrong'))).toBe(true)
  })
})

describe('grouped products', () => {
  // Groups along the terms; `index` says where element (i, p) of a is.
  const alongTerms =
    (index: (i: number, p: number, m: number, k: number) => number): Kernel =>
    ({ a, b, groupList }, _, shapes) => {
      const [m, k, n] = extentsOf(shapes)
      return [...groupList!].flatMap((end, g) =>
        Array.from({ length: m * n }, (__, cell) => {
          const [i, j] = [Math.floor(cell / n), cell % n]
          let sum = 0
          for (let p = g === 0 ? 0 : groupList![g - 1]!; p < end; p++) {
            sum = single(sum + single(a![index(i, p, m, k)]! * b![p * n + j]!))
          }
          return sum
        }),
      )
    }

  test('GroupedMatmulSliceK reads a by columns, not by rows', () => {
    expect(
      verdicts(
        'GroupedMatmulSliceK',
        'c',
        alongTerms((i, p, m) => p * m + i),
      ),
    ).toEqual(right)
    expect(
      verdicts(
        'GroupedMatmulSliceK',
        'c',
        alongTerms((i, p, _, k) => i * k + p),
      ),
    ).toEqual(wrong)
  })

  test('GroupedMatmulSliceM takes ends, not lengths', () => {
    const byRows =
      (ends: (list: Float64Array) => number[]): Kernel =>
      ({ a, b, groupList }, _, shapes) => {
        const [m, k] = [shapes.a![0]!, shapes.a![1]!]
        const n = shapes.b![2]!
        const positions = ends(groupList!)
        return Array.from({ length: m * n }, (__, cell) => {
          const [i, j] = [Math.floor(cell / n), cell % n]
          const g = positions.findIndex((end) => i < end)
          if (g < 0) return 0
          let sum = 0
          for (let p = 0; p < k; p++) sum = single(sum + single(a![i * k + p]! * b![(g * k + p) * n + j]!))
          return sum
        })
      }
    expect(
      verdicts(
        'GroupedMatmulSliceM',
        'c',
        byRows((list) => [...list]),
      ),
    ).toEqual(right)
    let total = 0
    expect(
      verdicts(
        'GroupedMatmulSliceM',
        'c',
        byRows((list) => {
          total = 0
          return [...list].map((length) => (total += length))
        }),
      ),
    ).toEqual(wrong)
  })
})

/** Where one query finds its operands: the distance of neighbours is one, in keys and values. */
interface Query {
  query: readonly number[]
  keys: readonly (readonly number[])[]
  values: readonly (readonly number[])[]
}

// In float32; probabilities are rounded for the second product as `cast` says.
function attended({ query, keys, values }: Query, scale: number, cast: Round) {
  const scores = keys.map((key) => {
    let sum = 0
    for (const [i, element] of key.entries()) sum = single(sum + element * query[i]!)
    return single(sum * single(scale))
  })
  const max = scores.reduce((most, score) => Math.max(most, score), -Infinity)
  let sum = 0
  const powers = scores.map((score) => {
    const power = single(Math.exp(single(score - max)))
    sum = single(sum + power)
    return cast(power)
  })
  const out = values[0]!.map((_, column) => {
    let total = 0
    for (const [j, power] of powers.entries()) total = single(total + power * values[j]![column]!)
    return single(total / sum)
  })
  return { max, sum, out }
}

describe('FlashAttentionScoreWithLargeHeadDim', () => {
  type Attended = ReturnType<typeof attended>
  const statistics = { softmax_max: 'max', softmax_sum: 'sum' } as const
  const attention =
    (output: string, cast: Round, headsOf: Round = none, scaleOf: Round = none): Kernel =>
    ({ query, key, value }, attrs, shapes) => {
      const [batch, length, columns] = [shapes.query![0]!, shapes.query![1]!, shapes.query![2]!]
      const heads = Number(attrs.head_num)
      const used = headsOf(heads)
      const depth = columns / used
      const part = (tensor: Float64Array, b: number, i: number, h: number) => {
        const start = (b * length + i) * columns + h * depth
        return [...tensor.subarray(start, start + depth)]
      }
      const rows: Attended[][] = Array.from({ length: batch * used }, (_, index) => {
        const [b, h] = [Math.floor(index / used), index % used]
        const keys = Array.from({ length }, (__, j) => part(key!, b, j, h))
        const values = Array.from({ length }, (__, j) => part(value!, b, j, h))
        return keys.map((__, i) =>
          attended({ query: part(query!, b, i, h), keys, values }, scaleOf(Number(attrs.scale_value)), cast),
        )
      })
      if (output === 'softmax_max' || output === 'softmax_sum') {
        const lanes = rows.flat().flatMap((row) => Array<number>(8).fill(row[statistics[output]]))
        return Array.from({ length: batch * heads * length * 8 }, (_, i) => lanes[i % lanes.length]!)
      }
      return Array.from({ length: batch * length }, (_, t) =>
        Array.from({ length: used }, (__, h) => rows[Math.floor(t / length) * used + h]![t % length]!.out).flat(),
      ).flat()
    }
  const name = 'FlashAttentionScoreWithLargeHeadDim'

  test('accepts probabilities in float32 and in float16', () => {
    for (const cast of [none, half])
      expect(verdicts(name, 'attention_out', attention('attention_out', cast))).toEqual(right)
    for (const output of ['softmax_max', 'softmax_sum']) {
      expect(verdicts(name, output, attention(output, half))).toEqual(right)
    }
  })

  test('rejects all heads taken for one, a forgotten scale, and probabilities of eight bits', () => {
    const kernels = [
      attention('attention_out', half, () => 1),
      attention('attention_out', half, none, () => 1),
      attention('attention_out', (power) => roundTo('bfloat16', power)),
    ]
    for (const kernel of kernels) expect(verdicts(name, 'attention_out', kernel)).toEqual(wrong)
  })
})

describe('Mla', () => {
  const sample = { cases: 8, elements: 2 ** 17 }
  const attention =
    (cast: Round, blockOf: (table: Float64Array, row: number, column: number) => number, scale = 1 / 24): Kernel =>
    (inputs, { q_seqlen_list: queryLengths, k_seqlen_list: keyLengths }, shapes) => {
      if (!Array.isArray(queryLengths) || !Array.isArray(keyLengths)) throw new TypeError('lists of lengths')
      const [heads, keyHeads] = [shapes.query_nope![1]!, shapes.kv_nope_cache![2]!]
      const columns = shapes.block_tables![1]!
      const part = (tensor: string, row: number) => {
        const width = shapes[tensor]!.at(-1)!
        return [...inputs[tensor]!.subarray(row * width, (row + 1) * width)]
      }
      let first = 0
      return keyLengths.flatMap((length, sequence) => {
        const byHead = Array.from({ length: keyHeads }, (_, keyHead) => {
          const rows = Array.from({ length }, (__, j) => {
            const block = blockOf(inputs.block_tables!, sequence * columns, Math.floor(j / 128))
            return (block * 128 + (j % 128)) * keyHeads + keyHead
          })
          const values = rows.map((row) => part('kv_nope_cache', row))
          return { values, keys: rows.map((row, j) => [...values[j]!, ...part('kv_rope_cache', row)]) }
        })
        const start = first
        first += queryLengths[sequence]!
        return Array.from({ length: queryLengths[sequence]! * heads }, (_, i) => {
          const row = start * heads + i
          const head = byHead[Math.floor(((i % heads) * keyHeads) / heads)]!
          const query = [...part('query_nope', row), ...part('query_rope', row)]
          return attended({ query, ...head }, scale, cast).out
        }).flat()
      })
    }
  const looked = (table: Float64Array, row: number, column: number) => table[row + column]!
  const judged = (kernel: Kernel, dtype: string) =>
    verdictsOf(tasks.get('Mla')!, 'out', kernel, (type) => type === dtype, sample)

  test('accepts probabilities in float32 and in the dtype', () => {
    for (const dtype of ['float16', 'bfloat16'] as const) {
      expect(judged(attention(none, looked), dtype)).toEqual(right)
      expect(
        judged(
          attention((power) => roundTo(dtype, power), looked),
          dtype,
        ),
      ).toEqual(right)
    }
  })

  test('rejects a table that is taken to be in order, and a scale without the rope part', () => {
    for (const dtype of ['float16', 'bfloat16']) {
      expect(
        judged(
          attention(half, (_, __, column) => column),
          dtype,
        ),
      ).toEqual(wrong)
    }
    expect(judged(attention(half, looked, 1 / Math.sqrt(512)), 'float16')).toEqual(wrong)
  })
})
