import { qualifiedName, worstAccuracy, type Accuracy, type Profile, type VerdictKind } from '../model/index.ts'
import type { LedgerEntry } from './entry.ts'

/**
 * Figures of a set of samples. Rates are shares from 0 to 1, the speedup is a ratio of latencies; over nothing they are
 * null, never 0 or 1.
 */
export interface Metrics {
  /** tasks with at least one judged sample or none at all */
  tasks: number
  /** samples that were judged; those with an infrastructure verdict and no other are not */
  samples: number
  /** share of samples that compiled */
  compileRate: number | null
  /** share of samples whose every case ran to its end on the device, right or wrong */
  executionRate: number | null
  /** share of samples whose every case is correct */
  correctRate: number | null
  /**
   * share of samples whose every case each tolerance profile accepts: of values for all, and without a hazard but for the
   * benchmark, which has no such notion
   */
  acceptedRate: Record<Profile, number | null>
  /** how many of the correct samples are that near golden in their worst case; null where none is known to be correct */
  accuracy: Record<Accuracy, number> | null
  /** geometric mean over the correct samples whose speedup is known */
  speedup: number | null
  /** how many samples that mean is over */
  speedupSamples: number
}

/** How far one sample got. null: not decided by what was run. */
interface Outcome {
  compiled: boolean
  executed: boolean | null
  correct: boolean | null
  standard: boolean | null
  strict: boolean | null
  benchmark: boolean | null
  /** of the worst case; null: nothing was compared, or standard rejects something */
  accuracy: Accuracy | null
  speedup: number | null
}

type Respect = 'compiled' | 'executed' | 'correct' | Profile

/** Computes the figures of some entries, e.g. `metricsOf(select(entries, { group: 'level1' }))`. */
export function metricsOf(entries: readonly LedgerEntry[]): Metrics {
  const outcomes = [...groupBySample(entries).values()].map(outcomeOf).filter((outcome) => outcome !== null)
  const speedups = outcomes.flatMap((o) => (o.correct && o.speedup !== null ? [o.speedup] : []))
  return {
    tasks: new Set(entries.map(({ suite, task }) => qualifiedName({ suite, name: task }))).size,
    samples: outcomes.length,
    compileRate: share(outcomes, 'compiled'),
    executionRate: share(outcomes, 'executed'),
    correctRate: share(outcomes, 'correct'),
    acceptedRate: {
      standard: share(outcomes, 'standard'),
      strict: share(outcomes, 'strict'),
      benchmark: share(outcomes, 'benchmark'),
    },
    accuracy: accuracyOf(outcomes),
    speedup: geometricMean(speedups),
    speedupSamples: speedups.length,
  }
}

/** exp of the mean logarithm; null for no values or a value that has no logarithm. */
export function geometricMean(values: readonly number[]): number | null {
  if (values.length === 0 || values.some((value) => !(value > 0) || !Number.isFinite(value))) return null
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}

/** Share of the outcomes that are decided in this respect. */
function share(outcomes: readonly Outcome[], respect: Respect): number | null {
  const decided = outcomes.map((outcome) => outcome[respect]).filter((value) => value !== null)
  return decided.length === 0 ? null : decided.filter(Boolean).length / decided.length
}

function accuracyOf(outcomes: readonly Outcome[]): Record<Accuracy, number> | null {
  const found = outcomes.flatMap(({ correct, accuracy }) => (correct && accuracy ? [accuracy] : []))
  const count = (wanted: Accuracy): number => found.filter((accuracy) => accuracy === wanted).length
  if (found.length === 0) return null
  return {
    exact: count('exact'),
    accurate: count('accurate'),
    'within-tolerance': count('within-tolerance'),
  }
}

function groupBySample(entries: readonly LedgerEntry[]): Map<string, LedgerEntry[]> {
  const groups = new Map<string, LedgerEntry[]>()
  for (const entry of entries) {
    if (entry.sample === null) continue
    const key = [entry.suite, entry.group, entry.task, entry.sample].join('\0')
    groups.set(key, [...(groups.get(key) ?? []), entry])
  }
  return groups
}

/** Verdicts that say the kernel did not run to its end. */
const stopped = new Set<VerdictKind>(['compile-failed', 'tiling-failed', 'device-error', 'timeout', 'crashed'])

/**
 * null: not judged, because of us. One bad case decides a sample; a good one decides it only together with all others,
 * so that a case that was not judged, or was filtered out, never turns into a pass nor into a failure.
 */
function outcomeOf(entries: readonly LedgerEntry[]): Outcome | null {
  const judged = entries.filter((entry) => entry.verdict.kind !== 'infrastructure')
  if (judged.length === 0) return null
  const ran = judged.filter((entry) => entry.stage === 'static' || entry.stage === 'generated')
  const lost = entries.some((entry) => entry.verdict.kind === 'infrastructure' && entry.stage !== 'latency')
  const compiled = judged.every((entry) => entry.verdict.kind !== 'compile-failed')
  const decide = (good: (entry: LedgerEntry) => boolean): boolean | null => {
    if (!compiled || !ran.every(good)) return false
    return ran.length === 0 || lost ? null : true
  }
  return {
    compiled,
    executed: decide((entry) => !stopped.has(entry.verdict.kind)),
    correct: decide((entry) => entry.verdict.kind === 'correct'),
    standard: decide((entry) => accepted(entry, 'standard') && entry.verdict.kind !== 'hazard'),
    strict: decide((entry) => accepted(entry, 'strict') && entry.verdict.kind !== 'hazard'),
    benchmark: decide((entry) => accepted(entry, 'benchmark')),
    accuracy: worstOf(ran),
    speedup: entries.find((entry) => entry.speedup !== undefined)?.speedup ?? null,
  }
}

/** A case that nothing was compared of is accepted if it is correct: there was nothing to reject. */
const accepted = ({ answers, verdict }: LedgerEntry, profile: Profile): boolean =>
  answers ? answers[profile] === 'accepted' : verdict.kind === 'correct'

function worstOf(entries: readonly LedgerEntry[]): Accuracy | null {
  const compared = entries.filter(({ answers }) => answers !== undefined)
  if (compared.some(({ accuracy }) => accuracy === undefined)) return null
  return worstAccuracy(compared.flatMap(({ accuracy }) => accuracy ?? [])) ?? null
}
