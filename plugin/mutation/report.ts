import { lineOf, type Damage } from './edits.ts'
import type { PassedCase } from './original.ts'
import type { JudgedMutant, Status } from './run.ts'

/** What a run of mutants came to. */
export interface MutationRun {
  /** the task, and what of it was edited */
  task: string
  sample: string
  root: string
  seed: number
  version: string
  cases: readonly PassedCase[]
  mutants: readonly JudgedMutant[]
  thresholdBreak: number | undefined
}

/** Counts of statuses. */
export type Counts = Readonly<Record<Status, number>>

const statuses = [
  'Killed',
  'Survived',
  'NoCoverage',
  'CompileError',
  'RuntimeError',
  'Timeout',
  'Ignored',
  'Pending',
] as const satisfies readonly Status[]

export function countsOf(mutants: readonly JudgedMutant[]): Counts {
  const count = (wanted: Status): number => mutants.filter(({ status }) => status === wanted).length
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry for each status
  return Object.fromEntries(statuses.map((status) => [status, count(status)])) as Counts
}

/** Percent of the mutants that count which were noticed; undefined where none counts. */
export function scoreOf({ Killed, Timeout, Survived, NoCoverage }: Counts): number | undefined {
  const [noticed, all] = [Killed + Timeout, Killed + Timeout + Survived + NoCoverage]
  return all === 0 ? undefined : (100 * noticed) / all
}

/** Why the mutants of a run do not reach a threshold, in one line; undefined where they do, and where there is none. */
export function missedThreshold(counts: Counts, threshold: number | undefined): string | undefined {
  if (threshold === undefined) return undefined
  const option = `--threshold-break ${threshold}`
  const score = scoreOf(counts)
  if (counts.RuntimeError > 0) return `${option}: mutants that this machine failed to judge: ${counts.RuntimeError}`
  if (score === undefined) return `${option}: there is no score, as no mutant that counts was judged`
  return score < threshold ? `the score is below ${option}` : undefined
}

/** Whether the run ended before all mutants were judged. */
export const isPartial = ({ mutants }: Pick<MutationRun, 'mutants'>): boolean =>
  mutants.some(({ status }) => status === 'Pending')

interface Position {
  line: number
  column: number
}

/** What of the format of mutation testing reports is written; see `mutation-testing-report-schema`. */
export interface MutationReport {
  schemaVersion: '2.0'
  config: { task: string; sample: string; seed: number; partial: boolean }
  files: Record<string, { language: 'cpp'; source: string; mutants: ReportedMutant[] }>
  testFiles: Record<string, { tests: { id: string; name: string }[] }>
  thresholds: { high: number; low: number }
  projectRoot: string
  framework: { name: string; version: string }
}

interface ReportedMutant {
  id: string
  mutatorName: Damage
  description: string
  replacement: string
  location: { start: Position; end: Position }
  status: Status
  statusReason?: string
  coveredBy: string[]
  killedBy?: string[]
  duration: number
}

const positionOf = (text: string, position: number): Position => ({
  line: lineOf(text, position),
  column: position - text.lastIndexOf('\n', position - 1),
})

/** The report that StrykerJS and its tools read. */
export function reportOf(run: MutationRun): MutationReport {
  const { task, sample, seed, mutants, cases, root, version } = run
  const files: MutationReport['files'] = {}
  for (const [index, { mutant, status, reason, coveredBy, killedBy, ms }] of mutants.entries()) {
    const { name, text, edit } = mutant
    const file = (files[name] ??= { language: 'cpp', source: text, mutants: [] })
    file.mutants.push({
      id: String(index + 1),
      mutatorName: edit.damage,
      description: edit.what,
      replacement: edit.replacement,
      location: { start: positionOf(text, edit.start), end: positionOf(text, edit.end) },
      status,
      ...(reason !== undefined && { statusReason: reason }),
      coveredBy: [...coveredBy],
      ...(killedBy !== undefined && { killedBy: [killedBy] }),
      duration: Math.round(ms),
    })
  }
  return {
    schemaVersion: '2.0',
    config: { task, sample, seed, partial: isPartial(run) },
    files,
    testFiles: { [task]: { tests: cases.map(({ id }) => ({ id, name: id })) } },
    thresholds: { high: 80, low: run.thresholdBreak === undefined ? 60 : Math.min(80, run.thresholdBreak) },
    projectRoot: root,
    framework: { name: 'vitest-npu', version },
  }
}
