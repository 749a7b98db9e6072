import type { LedgerEntry } from './entry.ts'
import { errorDistribution, type ErrorShare } from './errors.ts'
import { acceptedBy, namesOfRevisions, outcomesOf, revisionsBySuite, type Outcome } from './outcome.ts'
import { groupedBy, type Profile } from '../model/index.ts'
import { gapClosed, levelWeights, taskScore, weightedScore } from './published-scores.ts'
import { arithmeticMean, bootstrapInterval, passAtK, resamplesFor, type Interval } from './statistics.ts'

/** What rows of a scorecard can stand for. */
export const rowKinds = ['level', 'category', 'task', 'model'] as const

export type RowKind = (typeof rowKinds)[number]

/** What a scorecard is asked for. */
export interface ScorecardOptions {
  /** sample budgets of pass@k; 1, 10 and 100 when left out, as far as some task has so many samples */
  k?: readonly number[]
  /** speedups of fast_p; 1 when left out */
  p?: readonly number[]
  /** what a row stands for; the group of the suite when left out */
  by?: RowKind
  /** of the intervals; 0 when left out */
  seed?: number
  /** draws behind an interval; 1000 when left out, or fewer where there are very many tasks and figures */
  resamples?: number
}

/** A figure with its 95% interval over tasks. Without anything to compute it from it is null, never 0 or 1. */
export interface Figure {
  value: number | null
  /** null for less than two tasks */
  interval: Interval | null
  /** how many tasks it is the figure of: those that tell */
  tasks: number
}

/** pass@k of something that a sample can do. */
export interface PassAtK extends Figure {
  k: number
}

/** fast_p@k: what passes is a sample that is correct and has a speedup of p. */
export interface FastAtK extends PassAtK {
  p: number
  /** whether a speedup of exactly p is enough */
  comparison: '>=' | '>'
}

/** The figures of some tasks. */
export interface ScoreRow {
  name: string
  /** tasks, those of which no sample was judged among them; a task of two models counts twice */
  tasks: number
  /** tasks with a sample that is known to be correct or not: those that pass@1 is over */
  decided: number
  /** judged samples */
  samples: number
  /** a sample compiles */
  compile: PassAtK[]
  /** every case of a sample runs to its end on the device, right or wrong */
  runs: PassAtK[]
  /** every case of a sample is correct */
  correct: PassAtK[]
  /** the same as each tolerance profile says it; reports of the device count under standard and strict, as hazards */
  profiles: Record<Profile, PassAtK[]>
  /** the same as revisions of the public benchmark say it, by their names; of the tasks that have them */
  revisions: Record<string, PassAtK[]>
  fast: FastAtK[]
  /** over the correct samples whose speedup is known: nothing is filled in for others */
  speedup: { geometric: Figure; arithmetic: Figure; samples: number }
  /** NPUKernelBench's score, 0 to 100: the mean of its task scores, of all samples of a task */
  benchmarkScore: Figure
  /** the mean of the gap to the hardware bound that correct samples close, over tasks; see gapClosed */
  gapClosed: Figure & { samples: number }
  errors: ErrorShare[]
}

export interface Scorecard {
  by: RowKind
  k: readonly number[]
  p: readonly number[]
  rows: ScoreRow[]
  /** of all tasks: a mean of tasks, not of rows */
  all: ScoreRow
  /** NPUKernelBench's final score of each model; null without a score on each of its levels */
  weightedScores: WeightedScore[]
}

/** NPUKernelBench's final score of a model, of the tasks that have a score, however few. */
export interface WeightedScore {
  model: string | null
  score: number | null
  /** how many tasks of each level it is over */
  tasks: Record<string, number>
}

/** What a row stands for, what that is called, and, where something else is called so, what tells the two apart. */
interface RowName {
  key: string
  label: string
  exact: string
}

/** The samples of one model for one task: what pass@k is estimated of. */
interface TaskSamples {
  row: RowName
  model: string | null
  suite: string
  group: string | null
  outcomes: Outcome[]
}

/**
 * The scorecard of some runs. pass@k is estimated for each task of each model from its samples, and averaged over tasks,
 * each with the same weight; a task with less than k samples that were judged to an end tells nothing of pass@k and is left
 * out of that mean. Intervals resample tasks.
 */
export function scorecardOf(entries: readonly LedgerEntry[], options: ScorecardOptions = {}): Scorecard {
  const { by = 'level', p = [1] } = options
  const tasks = tasksOf(entries, by)
  const most = tasks.reduce((so, { outcomes }) => Math.max(so, outcomes.length), 0)
  const budgets = options.k ?? [1, 10, 100].filter((each) => each === 1 || each <= most)
  const k = [...new Set(budgets)].sort((one, other) => one - other)
  const rows = rowsOf(tasks)
  const { resamples = resamplesFor(sizeOf(tasks, { rows: rows.length, k, p })) } = options
  const rowOf = (name: string, some: readonly TaskSamples[]): ScoreRow =>
    scoreRow(name, some, { ...options, resamples, k, p })
  return {
    by,
    k,
    p,
    rows: rows.map(([name, some]) => rowOf(name, some)),
    all: rowOf('all', tasks),
    weightedScores: [...groupedBy(tasks, ({ model }) => model)].map(([model, own]) => {
      const scores = levelScores(own.filter(({ suite }) => suite === 'npukernelbench'))
      return {
        model,
        score: weightedScore(new Map([...scores].map(([level, values]) => [level, arithmeticMean(values)]))),
        tasks: Object.fromEntries([...scores].map(([level, { length }]) => [level, length])),
      }
    }),
  }
}

/** What the intervals of a scorecard are over at most: each task is in its row and in that of all. */
function sizeOf(
  tasks: readonly TaskSamples[],
  { rows, k, p }: { rows: number; k: readonly number[]; p: readonly number[] },
): { items: number; intervals: number } {
  const revisions = namesOfRevisions(revisionsBySuite(tasks.flatMap(({ outcomes }) => outcomes))).length
  const rates = 6 + 2 * p.length + revisions
  const figures = rates * k.length + 4
  return { items: 2 * tasks.length * figures, intervals: (rows + 1) * figures }
}

/** The task scores of each level, of the tasks that have one. */
const levelScores = (tasks: readonly TaskSamples[]): Map<string, number[]> =>
  new Map(
    Object.keys(levelWeights).map((level) => [
      level,
      tasks.filter(({ group }) => group === level).flatMap(scoreOfTask),
    ]),
  )

/** Of all samples of a task that have one; nothing where none has. */
const scoreOfTask = ({ outcomes }: TaskSamples): number[] => meanOf(outcomes.map(taskScore))

const meanOf = (values: readonly (number | null)[]): number[] => {
  const mean = arithmeticMean(values.filter((value) => value !== null))
  return mean === null ? [] : [mean]
}

/** The share of the gap that a correct sample closes. */
const gapOf = ({ correct, entries }: Outcome): number | null => {
  const timed = entries.find(({ latency }) => latency !== undefined)
  return correct && timed ? gapClosed(timed) : null
}

const keyOf = ({ model, suite, task }: LedgerEntry): string => JSON.stringify([model, suite, task])

function tasksOf(entries: readonly LedgerEntry[], by: RowKind): TaskSamples[] {
  const severalSuites = new Set(entries.map(({ suite }) => suite)).size > 1
  const tasks = new Map<string, TaskSamples>()
  for (const entry of entries)
    if (!tasks.has(keyOf(entry))) {
      const { model, suite, group } = entry
      tasks.set(keyOf(entry), { row: rowName(entry, by, severalSuites), model, suite, group, outcomes: [] })
    }
  for (const outcome of outcomesOf(entries)) tasks.get(keyOf(outcome.entries[0]!))?.outcomes.push(outcome)
  return [...tasks.values()]
}

function rowName({ suite, group, category, task, model }: LedgerEntry, by: RowKind, severalSuites: boolean): RowName {
  if (by === 'model')
    return model === null
      ? { key: 'null', label: noModel, exact: noModel }
      : { key: JSON.stringify(model), label: model, exact: JSON.stringify(model) }
  const name = { level: group, category, task }[by]
  const key = JSON.stringify([suite, name])
  if (name === null) return { key, label: suite, exact: JSON.stringify(suite) }
  const exact = `${JSON.stringify(suite)}/${JSON.stringify(name)}`
  return { key, label: severalSuites ? `${suite}/${name}` : name, exact }
}

const noModel = 'no model'

/** Names that rows have which stand for nothing that is called so. */
const ownNames = new Set(['all', noModel])

/** Tasks by rows, in the order of names: no two rows have one, whatever ledgers call what they are of. */
function rowsOf(tasks: readonly TaskSamples[]): [string, TaskSamples[]][] {
  const rows = [...groupedBy(tasks, ({ row }) => row.key).values()].map((some) => ({ some, row: some[0]!.row }))
  const labels = groupedBy(rows, ({ row }) => row.label)
  const isTaken = (label: string): boolean =>
    labels.get(label)!.length > 1 || ownNames.has(label.trim().toLowerCase()) || label.startsWith('"')
  return rows
    .map(({ some, row }): [string, TaskSamples[]] => [isTaken(row.label) ? row.exact : row.label, some])
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

function scoreRow(
  name: string,
  tasks: readonly TaskSamples[],
  options: ScorecardOptions & { k: readonly number[]; p: readonly number[] },
): ScoreRow {
  const { k: budgets, p: speedups } = options
  const passes = (
    passed: (outcome: Outcome) => boolean | null,
    of: readonly (readonly Outcome[])[] = tasks.map((task) => task.outcomes),
  ): PassAtK[] =>
    budgets.map((k) => {
      const values = of.flatMap((outcomes) => {
        const decided = outcomes.map(passed).filter((one) => one !== null)
        return passAtK(decided.length, decided.filter(Boolean).length, k) ?? []
      })
      return { k, ...figureOf(values, arithmeticMean, options) }
    })
  const fast = speedups.flatMap((p) =>
    (['>=', '>'] as const).flatMap((comparison) =>
      passes((outcome) => isFast(outcome, p, comparison)).map((figure) => ({ p, comparison, ...figure })),
    ),
  )
  const measured = tasks
    .map(({ outcomes }) => outcomes.flatMap((one) => (one.correct && one.speedup !== null ? [one.speedup] : [])))
    .filter((values) => values.length > 0)
    .map(sumsOf)
  const outcomes = tasks.flatMap((task) => task.outcomes)
  const revisions = revisionsBySuite(outcomes)
  const decidedBy = decidedByRevision(tasks, revisions)
  return {
    name,
    tasks: tasks.length,
    decided: tasks.filter((task) => task.outcomes.some(({ correct }) => correct !== null)).length,
    samples: outcomes.length,
    compile: passes((outcome) => outcome.compiled),
    runs: passes((outcome) => outcome.executed),
    correct: passes((outcome) => outcome.correct),
    profiles: {
      standard: passes((outcome) => outcome.standard),
      strict: passes((outcome) => outcome.strict),
      benchmark: passes((outcome) => outcome.benchmark),
    },
    revisions: Object.fromEntries(
      namesOfRevisions(revisions).map((name) => [
        name,
        passes((outcome) => acceptedBy(outcome, name, revisions), decidedBy(name)),
      ]),
    ),
    fast,
    speedup: {
      geometric: figureOf(measured, pooledGeometricMean, options),
      arithmetic: figureOf(measured, pooledArithmeticMean, options),
      samples: measured.reduce((sum, { count }) => sum + count, 0),
    },
    benchmarkScore: figureOf(tasks.flatMap(scoreOfTask), arithmeticMean, options),
    gapClosed: {
      ...figureOf(
        tasks.flatMap((task) => meanOf(task.outcomes.map(gapOf))),
        arithmeticMean,
        options,
      ),
      samples: outcomes.filter((outcome) => gapOf(outcome) !== null).length,
    },
    errors: errorDistribution(outcomes),
  }
}

/**
 * The samples of each task, in the order of tasks, that a revision can decide: those with an answer of it, and those of its
 * suites that did not run. There may be as many revisions as samples: each looks at its own alone.
 */
function decidedByRevision(
  tasks: readonly TaskSamples[],
  revisions: ReadonlyMap<string, ReadonlySet<string>>,
): (name: string) => Outcome[][] {
  const placed = tasks.flatMap(({ suite, outcomes }, at) => outcomes.map((outcome) => ({ at, suite, outcome })))
  const answered = groupedBy(
    placed.flatMap((each) => Object.keys(each.outcome.revisions).map((name) => ({ ...each, name }))),
    ({ name }) => name,
  )
  const stopped = groupedBy(
    placed.filter(({ outcome }) => outcome.executed === false),
    ({ suite }) => suite,
  )
  const suites = groupedBy(
    [...revisions].flatMap(([suite, names]) => [...names].map((name) => ({ suite, name }))),
    ({ name }) => name,
  )
  return (name) => {
    const others = (suites.get(name) ?? [])
      .flatMap(({ suite }) => stopped.get(suite) ?? [])
      .filter(({ outcome }) => !Object.hasOwn(outcome.revisions, name))
    const all = [...(answered.get(name) ?? []), ...others].sort((one, other) => one.at - other.at)
    return [...groupedBy(all, ({ at }) => at).values()].map((group) => group.map(({ outcome }) => outcome))
  }
}

/** What means of a task's values follow from: a bootstrap asks for them a thousand times. */
interface Sums {
  count: number
  sum: number
  /** of the natural logarithms; not finite where a value has none */
  logarithms: number
}

const sumsOf = (values: readonly number[]): Sums => ({
  count: values.length,
  sum: values.reduce((sum, value) => sum + value, 0),
  logarithms: values.reduce((sum, value) => sum + Math.log(value), 0),
})

/** Of all values of some tasks; null for none. */
function pooledArithmeticMean(all: readonly Sums[]): number | null {
  let [count, sum] = [0, 0]
  for (const each of all) {
    count += each.count
    sum += each.sum
  }
  return count === 0 ? null : sum / count
}

/** Of all values of some tasks; null for none, or where a value has no logarithm. */
function pooledGeometricMean(all: readonly Sums[]): number | null {
  let [count, sum] = [0, 0]
  for (const each of all) {
    count += each.count
    sum += each.logarithms
  }
  const mean = sum / count
  return Number.isFinite(mean) ? Math.exp(mean) : null
}

/**
 * Whether a sample is correct and as fast as that. null where it is correct and its speedup is not known; one whose time no
 * kernel can have is not fast.
 */
function isFast({ correct, speedup, entries }: Outcome, p: number, comparison: '>=' | '>'): boolean | null {
  if (correct !== true) return correct
  if (speedup === null) return entries.some(({ verdict }) => verdict.kind === 'implausible') ? false : null
  return comparison === '>=' ? speedup >= p : speedup > p
}

/** A figure of tasks, each an item, with its interval. */
const figureOf = <T>(
  items: readonly T[],
  statistic: (items: readonly T[]) => number | null,
  { seed = 0, resamples = 1000 }: ScorecardOptions,
): Figure => ({
  value: statistic(items),
  interval: bootstrapInterval(items, statistic, { seed, resamples }),
  tasks: items.length,
})
