import { array, assert, double, integer, property } from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { arithmeticMean, bootstrapInterval, geometricMean, mcNemar, passAtK, resamplesFor } from './statistics.ts'

/** All ways to choose k of some values. */
function subsets<T>(values: readonly T[], k: number): T[][] {
  if (k === 0) return [[]]
  return values.flatMap((value, i) => subsets(values.slice(i + 1), k - 1).map((rest) => [value, ...rest]))
}

/** C(n, i) exactly. */
const choose = (n: number, i: number): bigint => {
  let ways = 1n
  for (let j = 1; j <= i; j++) ways = (ways * BigInt(n - j + 1)) / BigInt(j)
  return ways
}

describe('pass@k', () => {
  test('is the share of subsets of k samples with one that passes', () => {
    const counts = integer({ min: 1, max: 9 }).chain((n) =>
      integer({ min: 0, max: n }).chain((c) => integer({ min: 1, max: n }).map((k) => ({ n, c, k }))),
    )
    assert(
      property(counts, ({ n, c, k }) => {
        const samples = Array.from({ length: n }, (_, i) => i < c)
        const drawn = subsets(samples, k)
        expect(passAtK(n, c, k)).toBeCloseTo(drawn.filter((one) => one.some(Boolean)).length / drawn.length, 12)
      }),
    )
  })

  test('is exact by hand, and finite for hundreds of samples', () => {
    // 1 - C(2,2)/C(4,2) = 1 - 1/6
    expect(passAtK(4, 2, 2)).toBeCloseTo(5 / 6, 15)
    expect(passAtK(100, 38, 1)).toBeCloseTo(0.38, 14)
    // 1 - C(990,100)/C(1000,100): the ratio is ∏ (900-i)/(1000-i) over i = 0 … 9
    let misses = 1
    for (let i = 0; i < 10; i++) misses *= (900 - i) / (1000 - i)
    expect(passAtK(1000, 10, 100)).toBeCloseTo(1 - misses, 12)
  })

  test('of more samples than there are is unknown, and of no counts an error', () => {
    expect(passAtK(9, 9, 10)).toBeNull()
    expect(passAtK(0, 0, 1)).toBeNull()
    expect(passAtK(10, 0, 10)).toBe(0)
    for (const [n, c, k] of [
      [3, 4, 1],
      [3, -1, 1],
      [3, 1, 0],
      [3, 1, 1.5],
    ] as const)
      expect(() => passAtK(n, c, k)).toThrow(RangeError)
  })
})

test('means of nothing are unknown', () => {
  expect([geometricMean([]), arithmeticMean([])]).toEqual([null, null])
  expect(geometricMean([1, 0])).toBeNull()
  expect(geometricMean([1, 4, 16])).toBeCloseTo(4, 14)
  expect(arithmeticMean([1, 4, 16])).toBe(7)
})

describe('bootstrap intervals', () => {
  const values = array(double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 2, maxLength: 20 })

  test('follow from the seed, and lie within what draws can come to', () => {
    assert(
      property(values, integer(), (items, seed) => {
        const options = { seed, resamples: 50 }
        const found = bootstrapInterval(items, arithmeticMean, options)!
        expect(bootstrapInterval(items, arithmeticMean, options)).toEqual(found)
        expect(found.low).toBeLessThanOrEqual(found.high)
        expect(found.low).toBeGreaterThanOrEqual(Math.min(...items) - 1e-9)
        expect(found.high).toBeLessThanOrEqual(Math.max(...items) + 1e-9)
      }),
    )
    const items = Array.from({ length: 30 }, (_, i) => i * i)
    const [one, other] = [1, 2].map((seed) => bootstrapInterval(items, arithmeticMean, { seed, resamples: 50 }))
    expect(one).not.toEqual(other)
  })

  test('have the quantiles of the distribution: of two items 0 and 1 the mean is 0, 1/2 and 1 with 1/4, 1/2 and 1/4', () => {
    const [wide, both, middle] = [0.95, 0.54, 0.46].map((level) =>
      bootstrapInterval([0, 1], arithmeticMean, { level, resamples: 20_000 }),
    )
    expect(wide).toEqual({ low: 0, high: 1 })
    expect(both).toEqual({ low: 0, high: 1 })
    expect(middle).toEqual({ low: 0.5, high: 0.5 })
  })

  test('come near the normal one for a large mean', () => {
    const shares = Array.from({ length: 400 }, (_, i) => (i < 120 ? 1 : 0))
    const { low, high } = bootstrapInterval(shares, arithmeticMean, { resamples: 4000 })!
    // 0.3 ± 1.96 √(0.3 · 0.7 / 400)
    expect(Math.abs(low - 0.2551)).toBeLessThan(0.006)
    expect(Math.abs(high - 0.3449)).toBeLessThan(0.006)
  })

  test('need two items, and leave out draws without a figure', () => {
    expect(bootstrapInterval([], arithmeticMean)).toBeNull()
    expect(bootstrapInterval([1], arithmeticMean)).toBeNull()
    expect(bootstrapInterval([1, 2], () => null)).toBeNull()
    const ofBoth = bootstrapInterval([0, 1], (drawn) => (drawn.includes(0) && drawn.includes(1) ? 7 : null))
    expect(ofBoth).toEqual({ low: 7, high: 7 })
  })
})

describe('resamples', () => {
  test('are a thousand, and fewer where there would be minutes of them, but never few', () => {
    expect(resamplesFor({ items: 100_000, intervals: 100 })).toBe(1000)
    expect(resamplesFor({ items: 1_000_000, intervals: 0 })).toBe(300)
    expect(resamplesFor({ items: 0, intervals: 100_000 })).toBe(300)
    expect(resamplesFor({ items: 1e9, intervals: 1e9 })).toBe(100)
  })

  test('of items that are all the same are one', () => {
    const statistic = vi.fn(arithmeticMean)
    expect(bootstrapInterval([0.1, 0.1, 0.1], statistic)).toEqual({
      low: (0.1 + 0.1 + 0.1) / 3,
      high: (0.1 + 0.1 + 0.1) / 3,
    })
    expect(statistic).toHaveBeenCalledTimes(1)
    expect(bootstrapInterval([1, 1], statistic, { resamples: 0 })).toBeNull()
  })
})

describe('McNemar', () => {
  test('is twice the binomial sum up to the smaller count, at most 1', () => {
    assert(
      property(integer({ min: 0, max: 40 }), integer({ min: 0, max: 40 }), (first, second) => {
        let ways = 0n
        for (let i = 0; i <= Math.min(first, second); i++) ways += choose(first + second, i)
        const p = Math.min(1, (2 * Number(ways)) / 2 ** (first + second))
        expect(mcNemar(first, second)).toEqual({ first, second, p: expect.closeTo(p, 12) })
      }),
    )
  })

  test('by hand, and of thousands of pairs', () => {
    expect(mcNemar(0, 0).p).toBe(1)
    // 2 (1 + 8) / 2^8
    expect(mcNemar(1, 7).p).toBeCloseTo(18 / 256, 14)
    expect(mcNemar(3000, 3000).p).toBe(1)
    expect(mcNemar(1900, 2100).p).toBeGreaterThan(0.001)
    expect(mcNemar(1900, 2100).p).toBeLessThan(0.002)
    expect(() => mcNemar(-1, 2)).toThrow(RangeError)
  })
})
