import { hash } from '../../inputs/random.ts'
import { mixed } from './shingles.ts'

/** Where a row stands in the order in which rows of a source are taken: the same in every run of a seed. */
export const rankOf = (id: string, seed: number): number => mixed(hash(`${seed}:${id}`)) >>> 0

/**
 * How many rows of each source are taken, so that their numbers are as the ratios say and as many as possible are taken. A source without a
 * ratio is taken whole.
 */
export function countsByRatio(
  counts: ReadonlyMap<string, number>,
  ratios: ReadonlyMap<string, number>,
): Map<string, number> {
  const units = [...ratios].flatMap(([name, ratio]) => (ratio > 0 ? [(counts.get(name) ?? 0) / ratio] : []))
  const unit = Math.min(...units)
  return new Map(
    [...counts].map(([name, count]) => {
      const ratio = ratios.get(name)
      return [name, ratio === undefined ? count : Math.min(count, Math.floor(unit * ratio + 1e-9))]
    }),
  )
}

/** The rank up to which rows of a source are taken, so that it are `count`; -1: none. Ranks that are equal are taken together. */
export const lastRank = (ranks: readonly number[], count: number): number =>
  count <= 0 ? -1 : (Float64Array.from(ranks).toSorted()[Math.min(count, ranks.length) - 1] ?? -1)
