import type { Latency, VerdictKind } from '../model/index.ts'
import type { LedgerEntry } from './entry.ts'
import { classOf, stoppingEntryOf } from './errors.ts'
import { outcomeOf, samplesOf, type Outcome } from './outcome.ts'
import { geometricMean, mcNemar, type McNemar } from './statistics.ts'

/** A sample as a comparison names it. */
export interface SampleName {
  /** where a name alone does not tell a sample */
  model?: string | null
  suite: string
  task: string
  sample: string
}

/** A sample that both runs have right, whose time has changed beyond the error of both. */
export interface TimeChange extends SampleName {
  /** mean latencies, nanoseconds */
  before: number
  after: number
}

/** A sample that is correct in one of two runs alone, and what stopped it in the other. */
export interface VerdictChange extends SampleName {
  /** the case that got the least far there: `compiles`, `static 3: …`, `holds for generated shapes` */
  case: string
  kind: VerdictKind
  /** the class of the compile error, or the code of the device's report; null where the kind says all */
  class: string | null
}

/**
 * Two sets of verdicts on the same tasks, sample by sample. Models count where one of the two sets has a name from
 * several; else the two may differ in nothing else.
 */
export interface RunComparison {
  /** samples that both have, and of which both know whether they are correct */
  samples: number
  /** samples that both have, and of which one of the two does not know it */
  undecided: number
  /** correct in the second alone */
  gained: VerdictChange[]
  /** correct in the first alone */
  lost: VerdictChange[]
  faster: TimeChange[]
  slower: TimeChange[]
  /** samples that are correct in both and have times of one clock in both */
  timed: number
  /** geometric mean of before by after over these; null for none */
  speedup: number | null
  /** samples that one of the two alone has, judged or not */
  onlyFirst: SampleName[]
  onlySecond: SampleName[]
  /** how many tasks both have, with or without samples, and how many one of the two alone */
  tasks: { both: number; onlyFirst: number; onlySecond: number }
  /**
   * Where both have the same tasks: of the samples of one name, and of tasks, of which one counts as solved when any of its
   * samples is correct. Samples of one task are no independent questions; tasks are.
   */
  mcNemar: { samples: McNemar; tasks: McNemar } | null
}

/** A sample of a run; no outcome where nothing of it was judged. */
export interface Found {
  name: SampleName
  entries: readonly LedgerEntry[]
  outcome: Outcome | null
}

const names = (some: readonly { name: SampleName }[]): SampleName[] => some.map(({ name }) => name)

const without = (some: Map<string, Found>, others: Map<string, Found>): SampleName[] =>
  names([...some].filter(([key]) => !others.has(key)).map(([, found]) => found))

/**
 * Compares the verdicts of two runs, e.g. before and after a change, or of two models. Where one of them has samples of one
 * name from several models, samples and tasks of one model are compared with those of the same.
 */
export function compareRuns(first: readonly LedgerEntry[], second: readonly LedgerEntry[]): RunComparison {
  const byModel = hasModels(first, second)
  const [before, after] = [bySample(first, byModel), bySample(second, byModel)]
  const pairs = [...before].flatMap(([key, one]) => {
    const other = after.get(key)
    return other ? [{ name: one.name, one: one.outcome, other: other.outcome }] : []
  })
  const decided = pairs.flatMap(({ name, one, other }) =>
    isDecided(one) && isDecided(other) ? [{ name, one, other }] : [],
  )
  const gained = decided.filter(({ one, other }) => !one.correct && other.correct)
  const lost = decided.filter(({ one, other }) => one.correct && !other.correct)
  const times = decided.flatMap(({ name, one, other }) => {
    const [was, is] = [one, other].map((outcome) => (outcome.correct ? latencyOf(outcome) : undefined))
    return was && is && isSameClock(was, is) ? [{ name, was, is }] : []
  })
  const changeOf = ({ name, was, is }: (typeof times)[number]): TimeChange => ({
    ...name,
    before: was.mean,
    after: is.mean,
  })
  const tasks = sharedTasks(first, second, byModel)
  const sameTasks = tasks.both > 0 && tasks.onlyFirst === 0 && tasks.onlySecond === 0
  return {
    samples: decided.length,
    undecided: pairs.length - decided.length,
    gained: gained.flatMap(({ name, one }) => changeOfVerdict(name, one)),
    lost: lost.flatMap(({ name, other }) => changeOfVerdict(name, other)),
    faster: times.filter(({ was, is }) => is.mean + marginOf(is) < was.mean - marginOf(was)).map(changeOf),
    slower: times.filter(({ was, is }) => is.mean - marginOf(is) > was.mean + marginOf(was)).map(changeOf),
    timed: times.length,
    speedup: geometricMean(times.map(({ was, is }) => was.mean / is.mean)),
    onlyFirst: without(before, after),
    onlySecond: without(after, before),
    tasks,
    mcNemar: sameTasks ? { samples: mcNemar(lost.length, gained.length), tasks: solvedTasks(before, after) } : null,
  }
}

/** What stopped a sample where it is not correct; a sample that is not has always something. */
function changeOfVerdict(name: SampleName, wrong: Outcome): VerdictChange[] {
  const stopped = stoppingEntryOf(wrong)
  if (!stopped) return []
  return [{ ...name, case: stopped.case, kind: stopped.verdict.kind, class: classOf(stopped.verdict) }]
}

/** Has any of the runs samples of one name from several models? */
export const hasModels = (...runs: readonly (readonly LedgerEntry[])[]): boolean =>
  runs.some((entries) => bySample(entries, false).size < samplesOf(entries).length)

/** The samples of a run by suite, task and name, and by model where `byModel` says so. */
export function bySample(entries: readonly LedgerEntry[], byModel: boolean): Map<string, Found> {
  const found = new Map<string, Found>()
  for (const own of samplesOf(entries)) {
    const { model, suite, task, sample: named } = own[0]!
    const name: SampleName = { ...(byModel && { model }), suite, task, sample: named ?? '' }
    found.set(JSON.stringify([name.model, suite, task, named]), { name, entries: own, outcome: outcomeOf(own) })
  }
  return found
}

const isDecided = (outcome: Outcome | null): outcome is Outcome => outcome !== null && outcome.correct !== null

/** Names a task among those of all suites, and of a model where `byModel` says so. */
export const taskKey = ({ model, suite, task }: Omit<SampleName, 'sample'>, byModel: boolean): string =>
  JSON.stringify([byModel ? model : undefined, suite, task])

/** What was asked of both, whether it could be judged or not. */
function sharedTasks(
  first: readonly LedgerEntry[],
  second: readonly LedgerEntry[],
  byModel: boolean,
): RunComparison['tasks'] {
  const keyOf = (entry: LedgerEntry): string => taskKey(entry, byModel)
  const [one, other] = [first, second].map((entries) => new Set(entries.map(keyOf)))
  const both = [...one!].filter((task) => other!.has(task)).length
  return { both, onlyFirst: one!.size - both, onlySecond: other!.size - both }
}

/** The time of a sample. */
export const latencyOf = ({ entries }: Outcome): Latency | undefined => entries.find(({ latency }) => latency)?.latency

/** Whether two times can be compared. */
export const isSameClock = (one: Latency, other: Latency): boolean =>
  one.source === other.source && one.profile === other.profile && one.mean > 0 && other.mean > 0

/** The margin of error of a mean: half of the band that it lies in. */
export const marginOf = ({ mean, rme }: Latency): number => (mean * rme) / 100

/** McNemar of tasks. One of which either does not know the answer is no pair. */
function solvedTasks(before: Map<string, Found>, after: Map<string, Found>): McNemar {
  const [one, other] = [solved(before), solved(after)]
  const of = (first: boolean, second: boolean): number =>
    [...one].filter(([task, is]) => is === first && other.get(task) === second).length
  return mcNemar(of(true, false), of(false, true))
}

/** Whether any sample of a task is correct; null where none is and some are undecided. */
function solved(samples: Map<string, Found>): Map<string, boolean | null> {
  const tasks = new Map<string, boolean | null>()
  for (const { name, outcome } of samples.values()) {
    const key = taskKey(name, true)
    const known = tasks.get(key)
    if (known === true) continue
    const correct = outcome?.correct ?? null
    tasks.set(key, correct === false && known === null ? null : correct)
  }
  return tasks
}
