import { tokensOf } from '../hygiene/shingles.ts'
import type { Grade, Judged, Time } from './judged.ts'
import { tokenDistance } from './token-distance.ts'

/** A better and a worse candidate of one task. */
export interface Pair {
  strategy: Strategy
  chosen: Judged
  rejected: Judged
  /** tokens by which they differ, where that was asked */
  distance?: number
}

/** What a strategy makes of the candidates of one task. */
type Maker = (group: readonly Judged[], options: PairOptions) => Pair[]

export interface PairOptions {
  /** tokens by which a minimal edit differs at most */
  maxDistance: number
}

const ran: readonly Grade[] = ['wrong', 'stopped']

/** Every right candidate before every one of these grades. */
const before =
  (strategy: Strategy, worse: readonly Grade[]): Maker =>
  (group) =>
    group
      .filter(({ grade }) => grade === 'correct')
      .flatMap((chosen) =>
        group.filter(({ grade }) => worse.includes(grade)).map((rejected) => ({ strategy, chosen, rejected })),
      )

/** Whether the one time is shorter than the other by more than both may be off; undefined where that is not known. */
export function isFaster(one: Time, other: Time): boolean | undefined {
  if (one.clock !== other.clock || one.band === undefined || other.band === undefined) return undefined
  return other.ns / one.ns > 1 + Math.hypot(one.band, other.band)
}

const faster: Maker = (group) => {
  const right = group.filter(({ grade }) => grade === 'correct')
  return right.flatMap((chosen) =>
    right
      .filter(({ time }) => chosen.time && time && isFaster(chosen.time, time) === true)
      .map((rejected): Pair => ({ strategy: 'faster', chosen, rejected })),
  )
}

const tokensOfFiles = ({ files }: Judged): string[] =>
  files
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .flatMap(({ path, content }) => [path, ...tokensOf(content)])

/** Each candidate that is not right, and the right one that is nearest to it. */
const minimalEdit: Maker = (group, { maxDistance }) => {
  const tokens = new Map(group.map((each) => [each, tokensOfFiles(each)]))
  const right = group.filter(({ grade }) => grade === 'correct')
  return group.flatMap((rejected) => {
    if (rejected.grade === 'correct') return []
    let nearest: Pair | undefined
    for (const chosen of right) {
      const limit = (nearest?.distance ?? maxDistance + 1) - 1
      const distance = tokenDistance(tokens.get(chosen)!, tokens.get(rejected)!, Math.max(0, limit))
      // of the same code nothing can be learned
      if (distance !== undefined && distance > 0) nearest = { strategy: 'minimal-edit', chosen, rejected, distance }
    }
    return nearest ?? []
  })
}

/** Negatives of both kinds, as many of the one as of the other where there are as many. */
const mixture: Maker = (group, options) => {
  const [wrong, unbuilt] = [before('mixture', ran)(group, options), before('mixture', ['not-built'])(group, options)]
  const count = Math.min(wrong.length, unbuilt.length)
  return count === 0 ? [...wrong, ...unbuilt] : [...spread(wrong, count), ...spread(unbuilt, count)]
}

/** So many of a list, evenly from its beginning to its end. */
const spread = <T>(all: readonly T[], count: number): T[] =>
  Array.from({ length: count }, (_, i) => all[Math.floor((i * all.length) / count)]!)

export const strategyNames = ['execution-fail', 'compile-fail', 'mixture', 'hazard', 'faster', 'minimal-edit'] as const

export type Strategy = (typeof strategyNames)[number]

/** How pairs are made, by name. */
export const strategies: Record<Strategy, Maker> = {
  'execution-fail': before('execution-fail', ran),
  'compile-fail': before('compile-fail', ['not-built']),
  mixture,
  hazard: before('hazard', ['hazard']),
  faster,
  'minimal-edit': minimalEdit,
}

/** Why a strategy can make nothing of some candidates, in one line; undefined where it can. */
export function refusalOf(strategy: Strategy, judged: readonly Judged[]): string | undefined {
  if (strategy !== 'faster') return undefined
  const right = judged.filter(({ grade }) => grade === 'correct')
  if (right.some(({ time }) => time?.band !== undefined)) return undefined
  return 'faster: no latency of these ledgers has an error band, so that none is known to be shorter; judge again with a version that tells it'
}
