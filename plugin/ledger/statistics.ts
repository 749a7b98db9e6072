import { hash, RandomStream } from '../inputs/index.ts'

/**
 * The unbiased estimate of pass@k for one task (Chen et al. 2021, "Evaluating Large Language Models Trained on Code",
 * section 2.1): the chance that of k samples, drawn without replacement from the n there are, at least one is among the c
 * that pass, 1 - C(n-c, k) / C(n, k). The product 1 - ∏ (1 - k / i) over i = n-c+1 … n is the same without large
 * numbers. null for k > n: so few samples do not tell. Throws a RangeError for what are no counts.
 */
export function passAtK(n: number, c: number, k: number): number | null {
  const areCounts = [n, c, k].every((count) => Number.isSafeInteger(count) && count >= 0)
  if (!areCounts || c > n || k < 1) throw new RangeError(`pass@${k} of ${c} of ${n} samples: these are no counts`)
  if (k > n) return null
  if (n - c < k) return 1
  let misses = 1
  for (let i = n - c + 1; i <= n; i++) misses *= 1 - k / i
  return 1 - misses
}

/** exp of the mean logarithm; null for no values or a value that has no logarithm. */
export function geometricMean(values: readonly number[]): number | null {
  if (values.length === 0 || values.some((value) => !(value > 0) || !Number.isFinite(value))) return null
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}

/** Sum by count; null for no values. */
export const arithmeticMean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

/** How a bootstrap interval is made. */
export interface BootstrapOptions {
  /** of the draws: the same seed gives the same interval on every machine */
  seed?: number
  /** draws of as many items as there are */
  resamples?: number
  /** share of the draws that the interval holds */
  level?: number
}

export interface Interval {
  low: number
  high: number
}

/** Items that are drawn for all intervals of a scorecard together: some seconds. */
const mostDrawn = 3e8

/** Draws behind each interval where there are few, and the fewest that quantiles are taken of. */
const [usualResamples, fewestResamples] = [1000, 100]

/**
 * Draws behind each of many intervals: the fewer, the more items all of them have together. So many items are drawn a
 * thousand times only where that takes seconds. Values to sort take as long as a few items.
 */
export function resamplesFor({ items, intervals }: { items: number; intervals: number }): number {
  const affordable = Math.floor(mostDrawn / (items + 10 * intervals))
  return Math.max(fewestResamples, Math.min(usualResamples, affordable))
}

/**
 * A percentile bootstrap interval (Efron 1979; Efron and Tibshirani 1993, "An Introduction to the Bootstrap", section
 * 13.3): the statistic of draws with replacement, of which the interval leaves out as many at either end; between two
 * values it is linear. Items are what was drawn at random in the first place: for the mean of a benchmark its tasks, with
 * all of their samples. Draws without a figure (null) are left out; null for less than two items, or where no draw has a
 * figure.
 */
export function bootstrapInterval<T>(
  items: readonly T[],
  statistic: (drawn: readonly T[]) => number | null,
  { seed = 0, resamples = 1000, level = 0.95 }: BootstrapOptions = {},
): Interval | null {
  if (items.length < 2) return null
  const stream = new RandomStream(seed ^ hash('bootstrap'))
  const found: number[] = []
  // all draws of items that are the same have the same figure
  const draws = items.every((item) => item === items[0]) ? Math.min(1, resamples) : resamples
  const drawn = [...items]
  for (let i = 0; i < draws; i++) {
    for (let j = 0; j < items.length; j++) drawn[j] = items[stream.below(items.length)]!
    const value = statistic(drawn)
    if (value !== null) found.push(value)
  }
  if (found.length === 0) return null
  found.sort((one, other) => one - other)
  return { low: percentile(found, (1 - level) / 2), high: percentile(found, (1 + level) / 2) }
}

/** Of sorted values; linear between two of them. */
function percentile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1)
  const below = sorted[Math.floor(place)]!
  return below + (sorted[Math.ceil(place)]! - below) * (place - Math.floor(place))
}

/** Paired questions that exactly one of two has got right, and how likely so uneven a split is by chance. */
export interface McNemar {
  /** right in the first alone */
  first: number
  /** right in the second alone */
  second: number
  /** two-sided, exact */
  p: number
}

/**
 * McNemar's exact test (McNemar 1947; the exact form is a sign test of the discordant pairs): were both equally good, each
 * pair that they differ on would fall to either with chance 1/2. p is twice the binomial tail up to the smaller count, at
 * most 1. Throws a RangeError for what are no counts.
 */
export function mcNemar(first: number, second: number): McNemar {
  const areCounts = [first, second].every((count) => Number.isSafeInteger(count) && count >= 0)
  if (!areCounts) throw new RangeError(`McNemar of ${first} and ${second} pairs: these are no counts`)
  const pairs = first + second
  // log C(pairs, i), so that thousands of pairs neither overflow nor vanish
  let logarithm = 0
  let tail = 0
  for (let i = 0; i <= Math.min(first, second); i++) {
    if (i > 0) logarithm += Math.log((pairs - i + 1) / i)
    tail += Math.exp(logarithm - pairs * Math.LN2)
  }
  return { first, second, p: Math.min(1, 2 * tail) }
}
