import { verdict, type Verdict, type VerdictKind } from '../model/index.ts'
import type { LedgerEntry } from './entry.ts'
import type { Outcome } from './outcome.ts'

/** What stopped samples, and how many of them. */
export interface ErrorShare {
  kind: VerdictKind
  /** the class of the compile error, or the code of the device's report; null where the kind says all */
  class: string | null
  samples: number
  /** of the samples that are not correct */
  share: number
}

/** Kinds of verdicts in the order of how far a candidate got. */
const kinds = verdict.options.map(({ shape }) => shape.kind.value)

/** How far a candidate got with a verdict: the less, the lower. */
export const rankOf = (found: Verdict): number => rankOfKind(found.kind)

/** The same of the name of a kind; -1 of what is none. */
export const rankOfKind = (kind: string): number => kinds.findIndex((each) => each === kind)

/** The class of an error within its kind. */
export function classOf(found: Verdict): string | null {
  if (found.kind === 'compile-failed') return found.class
  return found.kind === 'device-error' || found.kind === 'hazard' ? found.report.code : null
}

/** What stopped a sample first on its way: the verdict of the case that got the least far. null for one that is correct, or undecided. */
export const errorOf = (outcome: Outcome): Verdict | null => stoppingEntryOf(outcome)?.verdict ?? null

/** The entry that says it: the first one of those that got the least far. */
export function stoppingEntryOf({ entries, correct }: Outcome): LedgerEntry | null {
  if (correct !== false) return null
  const bad = entries.filter(({ verdict: { kind } }) => kind !== 'correct' && kind !== 'infrastructure')
  return bad.reduce<LedgerEntry | null>(
    (first, one) => (first && rankOf(first.verdict) <= rankOf(one.verdict) ? first : one),
    null,
  )
}

/** The error distribution: each sample that is not correct counts once, under its first error; the most frequent first. */
export function errorDistribution(outcomes: readonly Outcome[]): ErrorShare[] {
  const counts = new Map<string, Omit<ErrorShare, 'share'>>()
  for (const outcome of outcomes) {
    const error = errorOf(outcome)
    if (!error) continue
    const found = { kind: error.kind, class: classOf(error) }
    const key = JSON.stringify(found)
    counts.set(key, { ...found, samples: (counts.get(key)?.samples ?? 0) + 1 })
  }
  const all = [...counts.values()].reduce((sum, { samples }) => sum + samples, 0)
  return [...counts.values()]
    .map((count) => ({ ...count, share: count.samples / all }))
    .sort((one, other) => other.samples - one.samples || kinds.indexOf(one.kind) - kinds.indexOf(other.kind))
}
