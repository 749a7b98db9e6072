import { basename, dirname } from 'node:path'
import { realpathSync } from 'node:fs'
import { stoppingEntryOf } from '../../ledger/errors.ts'
import { mergeLedgers, outcomesOf, readLedger, type LedgerEntry, type Outcome } from '../../ledger/index.ts'
import { readSources } from '../../ledger/sources.ts'
import type { Latency, VerdictKind, ProjectFile } from '../../model/index.ts'

/** How far candidates got, the best first. */
export const grades = [
  /** every case is right: green */
  'correct',
  /** right outputs with an error that the device has found */
  'hazard',
  /** ran, and its outputs are wrong: orange */
  'wrong',
  /** built, and did not run to its end: orange */
  'stopped',
  /** did not build: purple */
  'not-built',
] as const

export type Grade = (typeof grades)[number]

const gradeOfKind: Partial<Record<VerdictKind, Grade>> = {
  'compile-failed': 'not-built',
  'tiling-failed': 'stopped',
  'device-error': 'stopped',
  timeout: 'stopped',
  crashed: 'stopped',
  'wrong-structure': 'wrong',
  'wrong-nonfinite': 'wrong',
  'wrong-value': 'wrong',
  hazard: 'hazard',
}

/** How long a right candidate takes. */
export interface Time {
  /** nanoseconds of one launch */
  ns: number
  /** the share by which it may be off; absent where nobody knows */
  band?: number
  /** what it was measured on: times of different clocks are not compared */
  clock: string
}

/** A candidate and how far it got. */
export interface Judged {
  suite: string
  task: string
  files: readonly ProjectFile[]
  grade: Grade
  /** the verdict that decided */
  kind: VerdictKind
  time?: Time
  /** of the line of the ledger that decided: `run/suite/task/sample/case` */
  verdict: string
  /** who has written it; null: nobody has said */
  model: string | null
  /** hash of the files */
  sources: string
  /** of the run that judged */
  seed: number
}

/** The share by which a latency may be off: what the emulator says of its own, and the margin of error of a measured one. */
export function bandOf(latency: Latency): number | undefined {
  if (latency.source === 'measured') return latency.rme / 100
  return latency.estimate?.band
}

function timeOf({ entries }: Outcome): Time | undefined {
  const entry = entries.find(({ stage, latency }) => stage === 'latency' && latency !== undefined)
  if (!entry?.latency) return undefined
  const { latency, soc } = entry
  const band = bandOf(latency)
  return {
    ns: latency.mean,
    ...(band !== undefined && { band }),
    clock: `${latency.source} ${latency.profile ?? soc}`,
  }
}

/** What of a ledger is of no use here, and how much of it. */
export interface Unused {
  undecided: number
  /** its run has kept no sources of it */
  withoutSources: number
}

/** The line that a grade follows from: what stopped a sample, or the last one of one that nothing did. */
export const decidingEntry = (outcome: Outcome): LedgerEntry | undefined =>
  stoppingEntryOf(outcome) ?? outcome.entries.findLast(({ stage }) => stage !== 'latency') ?? outcome.entries.at(-1)

/** The grade of a sample; undefined: undecided, or nothing that can be learned from. */
export function gradeOf(outcome: Outcome): Grade | undefined {
  if (outcome.correct === null) return undefined
  if (outcome.correct) return 'correct'
  const entry = stoppingEntryOf(outcome)
  return entry ? gradeOfKind[entry.verdict.kind] : undefined
}

/** The candidates of a ledger whose sources its run has kept. */
export function judgedIn(ledger: string, run = basename(dirname(realpathSync(ledger)))): { judged: Judged[] } & Unused {
  const unused = { undecided: 0, withoutSources: 0 }
  const entries = mergeLedgers([{ name: ledger, entries: readLedger(ledger) }])
  const judged = outcomesOf(entries).flatMap((outcome): Judged[] => {
    const grade = gradeOf(outcome)
    const entry = decidingEntry(outcome)
    if (grade === undefined || !entry) {
      unused.undecided++
      return []
    }
    const hash = outcome.entries.find(({ sources }) => sources !== undefined)?.sources
    const texts = hash === undefined ? undefined : readSources(ledger, hash)
    if (hash === undefined || !texts) {
      unused.withoutSources++
      return []
    }
    const time = grade === 'correct' ? timeOf(outcome) : undefined
    const { suite, task, sample, model } = entry
    return [
      {
        suite,
        task,
        files: Object.entries(texts).map(([path, content]) => ({ path, content })),
        grade,
        kind: entry.verdict.kind,
        ...(time && { time }),
        verdict: [run, suite, task, sample, entry.case].join('/'),
        model,
        sources: hash,
        seed: entry.seed,
      },
    ]
  })
  return { judged, ...unused }
}
