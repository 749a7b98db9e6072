import { qualifiedName, type Accuracy, type Profile } from '../model/index.ts'
import type { LedgerEntry } from './entry.ts'
import { acceptedBy, namesOfRevisions, outcomesOf, revisionsBySuite, type Outcome } from './outcome.ts'
import { geometricMean } from './statistics.ts'

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
  /** the same for revisions of the public benchmark, by their names, of the suites that have them */
  revisionRate: Readonly<Record<string, number | null>>
  /** how many of the correct samples are that near golden in their worst case; null where none is known to be correct */
  accuracy: Record<Accuracy, number> | null
  /** geometric mean over the correct samples whose speedup is known */
  speedup: number | null
  /** how far that mean may be off, where all of them err alike; null where no error band is known */
  speedupBand: number | null
  /** how many samples that mean is over */
  speedupSamples: number
}

type Respect = 'compiled' | 'executed' | 'correct' | Profile

/** Computes the figures of some entries, e.g. `metricsOf(select(entries, { group: 'level1' }))`. */
export function metricsOf(entries: readonly LedgerEntry[]): Metrics {
  const outcomes = outcomesOf(entries)
  const revisions = revisionsBySuite(outcomes)
  const timed = outcomes.filter((o) => o.correct && o.speedup !== null)
  const speedups = timed.flatMap(({ speedup }) => speedup ?? [])
  const bands = timed.flatMap(({ speedup, speedupBand }) =>
    speedup && speedupBand !== null ? [speedupBand / speedup] : [],
  )
  const speedup = geometricMean(speedups)
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
    revisionRate: Object.fromEntries(
      namesOfRevisions(revisions).map((name) => [
        name,
        shareOf(outcomes.map((outcome) => acceptedBy(outcome, name, revisions))),
      ]),
    ),
    accuracy: accuracyOf(outcomes),
    speedup,
    speedupBand:
      speedup === null || bands.length === 0 ? null : (speedup * bands.reduce((a, b) => a + b, 0)) / bands.length,
    speedupSamples: speedups.length,
  }
}

/** Share of the outcomes that are decided in this respect. */
const share = (outcomes: readonly Outcome[], respect: Respect): number | null =>
  shareOf(outcomes.map((outcome) => outcome[respect]))

function shareOf(values: readonly (boolean | null)[]): number | null {
  const decided = values.filter((value) => value !== null)
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
