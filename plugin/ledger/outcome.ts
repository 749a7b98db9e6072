import {
  groupedBy,
  worstAccuracy,
  type Accuracy,
  type Profile,
  type Verdict,
  type VerdictKind,
} from '../model/index.ts'
import type { LedgerEntry } from './entry.ts'

/** The verdict on a case that a run was not asked for. */
export const leftOut = { kind: 'infrastructure', message: 'not run: left out of this run' } as const satisfies Verdict

/** What could not be judged because of us or the machine, though it was asked for. */
export const failuresOfOurs = (entries: readonly LedgerEntry[]): LedgerEntry[] =>
  entries.filter(({ verdict }) => verdict.kind === 'infrastructure' && verdict.message !== leftOut.message)

/** How far one sample got. null: not decided by what was run. */
export interface Outcome {
  /** what the ledger says of it, in its order */
  entries: readonly LedgerEntry[]
  compiled: boolean
  executed: boolean | null
  correct: boolean | null
  standard: boolean | null
  strict: boolean | null
  benchmark: boolean | null
  /** of revisions of the public benchmark, by their names; those that some case has an answer of */
  revisions: Readonly<Record<string, boolean | null>>
  /** of the worst case; null: nothing was compared, or standard rejects something */
  accuracy: Accuracy | null
  speedup: number | null
  /** how far it may be off; null where that is not known */
  speedupBand: number | null
}

/** How far each sample got of which anything was judged. Samples of two models are two, also where they have one name. */
export const outcomesOf = (entries: readonly LedgerEntry[]): Outcome[] =>
  samplesOf(entries)
    .map(outcomeOf)
    .filter((outcome) => outcome !== null)

/** The entries of each sample, in their order; never none. */
export function samplesOf(entries: readonly LedgerEntry[]): LedgerEntry[][] {
  const ofSamples = entries.filter(({ sample }) => sample !== null)
  return [
    ...groupedBy(ofSamples, ({ model, suite, task, sample }) => JSON.stringify([model, suite, task, sample])).values(),
  ]
}

/** Verdicts that say nothing was built. */
const notBuilt = new Set<VerdictKind>(['no-answer', 'unusable-answer', 'compile-failed'])

/** Verdicts that say the kernel did not run to its end. */
const stopped = new Set<VerdictKind>([...notBuilt, 'tiling-failed', 'device-error', 'timeout', 'crashed'])

/**
 * How far the sample got that all these entries are of. null: not judged, because of us. One bad case decides a sample; a good one decides it only together with all others,
 * so that a case that was not judged, or was filtered out, never turns into a pass nor into a failure.
 */
export function outcomeOf(entries: readonly LedgerEntry[]): Outcome | null {
  const judged = entries.filter((entry) => entry.verdict.kind !== 'infrastructure')
  if (judged.length === 0) return null
  const ran = judged.filter((entry) => entry.stage === 'static' || entry.stage === 'generated')
  const lost = entries.some((entry) => entry.verdict.kind === 'infrastructure' && entry.stage !== 'latency')
  const compiled = judged.every((entry) => !notBuilt.has(entry.verdict.kind))
  const decide = (good: (entry: LedgerEntry) => boolean): boolean | null => {
    if (!compiled || !ran.every(good)) return false
    return ran.length === 0 || lost ? null : true
  }
  return {
    entries,
    compiled,
    executed: decide((entry) => !stopped.has(entry.verdict.kind)),
    correct: decide((entry) => entry.verdict.kind === 'correct'),
    standard: decide((entry) => accepted(entry, 'standard') && entry.verdict.kind !== 'hazard'),
    strict: decide((entry) => accepted(entry, 'strict') && entry.verdict.kind !== 'hazard'),
    benchmark: decide((entry) => accepted(entry, 'benchmark')),
    revisions: Object.fromEntries(
      revisionsIn(ran).map((name) => [
        name,
        decide(({ answers, verdict }) =>
          answers ? answers.revisions?.[name] === 'accepted' : verdict.kind === 'correct',
        ),
      ]),
    ),
    accuracy: worstOf(ran),
    speedup: entries.find((entry) => entry.speedup !== undefined)?.speedup ?? null,
    speedupBand: entries.find((entry) => entry.speedup !== undefined)?.speedupBand ?? null,
  }
}

/** A case that nothing was compared of is accepted if it is correct: there was nothing to reject. */
export const accepted = ({ answers, verdict }: LedgerEntry, profile: Profile): boolean =>
  answers ? answers[profile] === 'accepted' : verdict.kind === 'correct'

/** Names of the revisions that answers speak of. */
const revisionsIn = (entries: readonly LedgerEntry[]): string[] => [
  ...new Set(entries.flatMap(({ answers }) => Object.keys(answers?.revisions ?? {}))),
]

function worstOf(entries: readonly LedgerEntry[]): Accuracy | null {
  const compared = entries.filter(({ answers }) => answers !== undefined)
  if (compared.some(({ accuracy }) => accuracy === undefined)) return null
  return worstAccuracy(compared.flatMap(({ accuracy }) => accuracy ?? [])) ?? null
}

const suiteOf = ({ entries }: Outcome): string => entries[0]?.suite ?? ''

/** The revisions of each suite that has any, as far as its samples got. */
export function revisionsBySuite(outcomes: readonly Outcome[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const outcome of outcomes)
    for (const name of Object.keys(outcome.revisions)) {
      const known = found.get(suiteOf(outcome))
      if (known) known.add(name)
      else found.set(suiteOf(outcome), new Set([name]))
    }
  return found
}

/** The revisions of all suites, each once. */
export const namesOfRevisions = (revisions: ReadonlyMap<string, ReadonlySet<string>>): string[] => [
  ...new Set([...revisions.values()].flatMap((names) => [...names])),
]

/** Whether a revision accepts a sample. null: it is of a suite without, or undecided; what did not run is accepted by none. */
export function acceptedBy(
  outcome: Outcome,
  name: string,
  revisions: ReadonlyMap<string, ReadonlySet<string>>,
): boolean | null {
  if (!revisions.get(suiteOf(outcome))?.has(name)) return null
  // names are those of others: `constructor` is one that every object has
  const answer = Object.hasOwn(outcome.revisions, name) ? outcome.revisions[name] : undefined
  return answer ?? (outcome.executed === false ? false : null)
}
