import type { Latency } from '../model/index.ts'
import type { LedgerEntry } from './entry.ts'
import { outcomesOf, type Outcome } from './outcome.ts'
import { geometricMean, mcNemar, type McNemar } from './statistics.ts'

/** A sample as a comparison names it. */
export interface SampleName {
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

/** Two sets of verdicts on the same tasks, sample by sample. Models do not count: the two may differ in nothing else. */
export interface RunComparison {
  /** samples that both have, and of which both know whether they are correct */
  samples: number
  /** correct in the second alone */
  gained: SampleName[]
  /** correct in the first alone */
  lost: SampleName[]
  faster: TimeChange[]
  slower: TimeChange[]
  /** samples that are correct in both and have times of one clock in both */
  timed: number
  /** geometric mean of before by after over these; null for none */
  speedup: number | null
  /** samples that one of the two alone has */
  onlyFirst: SampleName[]
  onlySecond: SampleName[]
  /**
   * Where both have samples of the same tasks: of the samples of one name, and of tasks, of which one counts as solved when
   * any of its samples is correct. Samples of one task are no independent questions; tasks are.
   */
  mcNemar: { samples: McNemar; tasks: McNemar } | null
}

const names = (some: readonly { name: SampleName }[]): SampleName[] => some.map(({ name }) => name)

const without = (some: Map<string, Outcome>, others: Map<string, Outcome>): SampleName[] =>
  [...some].filter(([key]) => !others.has(key)).map(([, outcome]) => nameOf(outcome))

/** Compares the verdicts of two runs, e.g. before and after a change, or of two models. */
export function compareRuns(first: readonly LedgerEntry[], second: readonly LedgerEntry[]): RunComparison {
  const [before, after] = [bySample(first), bySample(second)]
  const pairs = [...before].flatMap(([key, one]) => {
    const other = after.get(key)
    return other ? [{ name: nameOf(one), one, other }] : []
  })
  const decided = pairs.filter(({ one, other }) => one.correct !== null && other.correct !== null)
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
  const tasks = solvedTasks(before, after)
  return {
    samples: decided.length,
    gained: names(gained),
    lost: names(lost),
    faster: times.filter(({ was, is }) => is.mean + marginOf(is) < was.mean - marginOf(was)).map(changeOf),
    slower: times.filter(({ was, is }) => is.mean - marginOf(is) > was.mean + marginOf(was)).map(changeOf),
    timed: times.length,
    speedup: geometricMean(times.map(({ was, is }) => was.mean / is.mean)),
    onlyFirst: without(before, after),
    onlySecond: without(after, before),
    mcNemar: tasks && { samples: mcNemar(lost.length, gained.length), tasks },
  }
}

/** Throws where one of the two has two samples of one name: nobody could say which is compared. */
function bySample(entries: readonly LedgerEntry[]): Map<string, Outcome> {
  const found = new Map<string, Outcome>()
  for (const outcome of outcomesOf(entries)) {
    const { suite, task, sample } = nameOf(outcome)
    const key = JSON.stringify([suite, task, sample])
    if (found.has(key))
      throw new Error(`${task} › ${sample} is there from several models: compare one model with another, by select()`)
    found.set(key, outcome)
  }
  return found
}

function nameOf({ entries }: Outcome): SampleName {
  const { suite, task, sample } = entries[0]!
  return { suite, task, sample: sample ?? '' }
}

const latencyOf = ({ entries }: Outcome): Latency | undefined => entries.find(({ latency }) => latency)?.latency

const isSameClock = (one: Latency, other: Latency): boolean =>
  one.source === other.source && one.profile === other.profile && one.mean > 0 && other.mean > 0

/** The margin of error of a mean: half of the band that it lies in. */
const marginOf = ({ mean, rme }: Latency): number => (mean * rme) / 100

/** McNemar of tasks; null where the two do not have the same ones. */
function solvedTasks(before: Map<string, Outcome>, after: Map<string, Outcome>): McNemar | null {
  const [one, other] = [solved(before), solved(after)]
  if (one.size === 0 || one.size !== other.size || [...one.keys()].some((task) => !other.has(task))) return null
  // a task of which one of the two does not know the answer is no pair
  const tasks = [...one].filter(([task, is]) => is !== null && other.get(task) !== null)
  return mcNemar(
    tasks.filter(([task, is]) => is && !other.get(task)).length,
    tasks.filter(([task, is]) => !is && other.get(task)).length,
  )
}

/** Whether any sample of a task is correct; null where none is and some are undecided. */
function solved(samples: Map<string, Outcome>): Map<string, boolean | null> {
  const tasks = new Map<string, boolean | null>()
  for (const outcome of samples.values()) {
    const { suite, task } = nameOf(outcome)
    const key = JSON.stringify([suite, task])
    const known = tasks.get(key)
    if (known === true) continue
    tasks.set(key, outcome.correct === false && known !== null ? false : outcome.correct === true ? true : null)
  }
  return tasks
}
