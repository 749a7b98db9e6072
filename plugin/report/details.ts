import { errorOf, classOf } from '../ledger/errors.ts'
import { samplesOf, outcomeOf } from '../ledger/outcome.ts'
import type { LedgerEntry, RunComparison, SampleName } from '../ledger/index.ts'
import {
  neutralValue,
  type Comparison,
  type Diagnostic,
  type Report,
  type Verdict,
  type WrongElement,
} from '../model/index.ts'
import { summarize } from '../vitest/failure.ts'
import type { CaseDetail, Finding, Listing, Message, Place, SampleDetail, SampleRow, Status, TaskRow } from './model.ts'

/** Findings and messages of a case that a page shows. */
const shownFindings = 20

/** Wrong elements of a case that a page shows: all of those that are kept in the first wrong cases of a sample, few in later ones. */
const shownExamples = { firstCases: 3, few: 2 } as const

/** What a run has kept of a sample beside the ledger, by the names that this has for it. */
export interface Kept {
  sources?: string
  timeline?: string
}

/** What the lists show, and what the page of each sample does. */
export interface ReportedRuns {
  listing: Listing
  /** by sample */
  details: Omit<SampleDetail, keyof Kept>[]
  /** by sample */
  kept: Kept[]
}

/** What entries say of tasks and samples, ready to be shown. Tasks without a sample are there as well. */
export function reportedOf(entries: readonly LedgerEntry[], against?: RunComparison): ReportedRuns {
  const tasks = new Map<string, { index: number; row: TaskRow }>()
  for (const entry of entries) {
    const key = taskKey(entry)
    if (!tasks.has(key)) tasks.set(key, { index: tasks.size, row: taskOf(entry) })
  }
  const changes = changesOf(against)
  const all = samplesOf(entries)
  return {
    listing: {
      tasks: [...tasks.values()].map(({ row }) => neutralValue(row)),
      samples: all.map((own) => neutralValue(rowOf(own, tasks.get(taskKey(own[0]!))?.index ?? 0, changes))),
    },
    details: all.map((own) => neutralValue(detailOf(own))),
    kept: all.map(keptOf),
  }
}

const taskKey = ({ suite, task }: Pick<LedgerEntry, 'suite' | 'task'>): string => JSON.stringify([suite, task])

const taskOf = ({ task, suite, group, category }: LedgerEntry): TaskRow => ({
  name: task,
  suite,
  level: group ?? suite,
  category,
})

const nameKey = ({ model, suite, task, sample }: SampleName): string => JSON.stringify([model, suite, task, sample])

function changesOf(against: RunComparison | undefined): Map<string, NonNullable<SampleRow['change']>> {
  const changes = new Map<string, NonNullable<SampleRow['change']>>()
  for (const kind of ['gained', 'lost', 'faster', 'slower'] as const)
    for (const name of against?.[kind] ?? []) changes.set(nameKey(name), kind)
  return changes
}

function rowOf(own: readonly LedgerEntry[], task: number, changes: ReturnType<typeof changesOf>): SampleRow {
  const [first] = own
  const { suite, sample, model } = first!
  const name = sample ?? ''
  const outcome = outcomeOf(own)
  const error = outcome && errorOf(outcome)
  const implausible = own.some(({ verdict }) => verdict.kind === 'implausible')
  const status: Status = error?.kind ?? (outcome?.correct ? (implausible ? 'implausible' : 'correct') : 'undecided')
  const cases = own.filter(({ stage, verdict }) => stage !== 'latency' && verdict.kind !== 'infrastructure')
  const place = { suite, task: first!.task, sample: name }
  // a comparison names models where names alone do not tell samples apart
  const change = changes.get(nameKey({ model, ...place })) ?? changes.get(nameKey(place))
  return {
    task,
    model: model ?? '',
    name,
    status,
    class: error ? classOf(error) : null,
    speedup: outcome?.speedup ?? null,
    latencyNs: own.find(({ latency }) => latency)?.latency?.mean ?? null,
    cases: cases.length,
    failed: cases.filter(({ verdict }) => verdict.kind !== 'correct').length,
    ...(change && { change }),
  }
}

/** What the first entry says of something that says anything. */
function firstOf<T>(own: readonly LedgerEntry[], field: (entry: LedgerEntry) => T | undefined): T | undefined {
  for (const entry of own) {
    const found = field(entry)
    if (found !== undefined) return found
  }
  return undefined
}

function keptOf(own: readonly LedgerEntry[]): Kept {
  const sources = firstOf(own, (entry) => entry.sources)
  const timeline = firstOf(own, (entry) => entry.timeline)
  return { ...(sources !== undefined && { sources }), ...(timeline !== undefined && { timeline }) }
}

function detailOf(own: readonly LedgerEntry[]): ReportedRuns['details'][number] {
  const [first] = own
  const latency = firstOf(own, (entry) => entry.latency)
  const baseline = firstOf(own, (entry) => entry.baseline)
  const vendor = firstOf(own, (entry) => entry.vendor)
  const pipes = firstOf(own, (entry) => entry.pipes)
  const code = firstOf(own, (entry) => entry.code)
  const warnings = firstOf(own, (entry) => entry.compilerWarnings)
  const wrong = own.filter(({ verdict }) => 'comparison' in verdict)
  const whole = new Set(wrong.slice(0, shownExamples.firstCases))
  return {
    cases: own.map((entry) => caseOf(entry, whole.has(entry))),
    ...(latency && { latency }),
    ...(baseline && { baseline }),
    ...(vendor && { vendor }),
    ...(pipes && { pipes }),
    ...(code && { code }),
    ...(warnings && { warnings: warnings.slice(0, shownFindings).map(messageOf) }),
    device: `${first!.target}, ${first!.soc}`,
    profile: first!.profile,
    seed: first!.seed,
  }
}

function caseOf(entry: LedgerEntry, isWhole: boolean): CaseDetail {
  const { stage, case: title, profile, failing, accuracy, ms, runs } = entry
  const verdict = withNames(entry.verdict)
  const findings = entry.reports ?? ('report' in entry.verdict ? [entry.verdict.report] : [])
  const { kind } = verdict
  return {
    stage,
    title,
    kind,
    ...(failing !== undefined && { failing }),
    // a comparison says it all, and words would say it twice
    ...('comparison' in verdict
      ? comparedOf(verdict.comparison, isWhole)
      : kind !== 'correct' && { message: summarize(verdict, null, profile) }),
    ...(kind === 'compile-failed' && { messages: verdict.diagnostics.slice(0, shownFindings).map(messageOf) }),
    ...(findings.length > 0 && { findings: findings.slice(0, shownFindings).map(findingOf) }),
    ...(findings.length > shownFindings && { moreFindings: findings.length - shownFindings }),
    ...(accuracy && { accuracy }),
    ...(ms !== undefined && { ms }),
    ...(runs !== undefined && { runs }),
  }
}

function comparedOf(
  comparison: Comparison,
  isWhole: boolean,
): Required<Pick<CaseDetail, 'comparison'>> & Pick<CaseDetail, 'moreExamples'> {
  const { examples = [] } = comparison
  const more = isWhole ? 0 : Math.max(0, examples.length - shownExamples.few)
  if (more === 0) return { comparison }
  return { comparison: { ...comparison, examples: examples.slice(0, shownExamples.few) }, moreExamples: more }
}

/** Folders of a candidate: what lies before them is a place on the machine that judged. */
const ownFolder = /^.*\/(?=op_(?:kernel|host)\/)/

const nameOf = (file: string): string =>
  ownFolder.test(file)
    ? file.replace(ownFolder, '')
    : file.startsWith('/')
      ? file.slice(file.lastIndexOf('/') + 1)
      : file

const placeOf = ({ file, line }: { file?: string | undefined; line?: number | undefined }): Place => ({
  ...(file !== undefined && { file: nameOf(file) }),
  ...(line !== undefined && { line }),
})

const findingOf = ({ file, line, other, ...facts }: Report): Finding => ({
  ...facts,
  ...placeOf({ file, line }),
  ...(other && { other: { instruction: other.instruction, ...placeOf(other) } }),
})

const exampleOf = ({ writer, ...facts }: WrongElement): WrongElement => ({
  ...facts,
  ...(writer !== undefined && { writer: writer && { ...writer, ...placeOf(writer) } }),
})

const messageOf = ({ severity, message, column, ...place }: Diagnostic): Message => ({
  severity,
  message,
  ...placeOf(place),
  ...(column !== undefined && { column }),
})

/** The verdict with names of files in place of paths. */
function withNames(found: Verdict): Verdict {
  if ('comparison' in found) {
    const { examples, ...rest } = found.comparison
    if (!examples) return found
    return { ...found, comparison: { ...rest, examples: examples.map(exampleOf) } }
  }
  if (found.kind === 'compile-failed') return { ...found, diagnostics: found.diagnostics.map(messageOf) }
  return 'report' in found ? { ...found, report: findingOf(found.report) } : found
}
