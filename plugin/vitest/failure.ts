import { resolve } from 'node:path'
import { realPath } from '../candidates/index.ts'
import { isInside, kernelPlace } from '../files/index.ts'
import { codeFrame } from './code-frame.ts'
import { describeComparison, writerOf } from './describe-comparison.ts'
import { decimal, grouped, place } from './words.ts'
import {
  clockFactor,
  profiles,
  type Answers,
  type Diagnostic,
  type Floor,
  type Profile,
  type Report,
  type Sample,
  type Verdict,
} from '../model/index.ts'

/** Reports and diagnostics that are shown in full; the rest is counted. */
const shown = 4

/** Everything a failing test tells about one verdict. */
export interface FailureContext {
  verdict: Verdict
  /** all reports of the launch, warnings included */
  reports: readonly Report[]
  /** folder that source files are named relative to; null when there is no sample */
  sampleRoot: string | null
  /** where the kernel is defined */
  kernel?: { sample: Pick<Sample, 'kernelDir'>; name: string } | undefined
  /** the test that tells of the same defect in full, e.g. `static 0` */
  knownFrom?: string | undefined
  /** the tolerance profile that decided */
  profile: Profile
  /** what each profile says of the values; absent when nothing was compared */
  answers?: Answers | undefined
  /** how the failing case looks, where one test stands for many */
  facts: readonly string[]
  /** what the candidate printed */
  log: string
  reproduce: string
  /** stack line of the `kernelSuite()` call, indented: the place of what is no fault of a candidate */
  at: string
}

/**
 * A failed verdict as an error: the name is the verdict, the message is what an engineer needs, and the first frame of
 * the stack is the line of the candidate to look at, if there is one.
 */
export class KernelFailure extends Error {
  /** the lines around the place in the candidate, which Vitest shows */
  declare readonly codeFrame?: string

  constructor(context: FailureContext) {
    super(compose(context))
    const { verdict, sampleRoot, kernel, knownFrom, at } = context
    this.name = verdict.kind
    const found = placeOf(verdict, sampleRoot)
    const isShown = found && sampleRoot !== null && knownFrom === undefined
    const shown = isShown ? codeFrame(found.path, found.line, sampleRoot) : undefined
    if (shown !== undefined) this.codeFrame = shown
    const isOurs = verdict.kind === 'infrastructure'
    const place = found ?? (kernel && !isOurs ? kernelOf(kernel) : undefined)
    const frame = place ? [`    at ${place.path}:${place.line}:${place.column}`] : []
    this.stack = [`${this.name}: ${this.message}`, ...frame, ...(isOurs ? [at] : [])].join('\n')
  }
}

function compose(context: FailureContext): string {
  const { verdict, reports, sampleRoot, profile, facts, log, reproduce, knownFrom } = context
  if (knownFrom !== undefined) {
    const [first = ''] = summarize(verdict, sampleRoot, profile).split('\n')
    return [first, `the same as in ${knownFrom}`, ...facts, `reproduce: ${reproduce}`]
      .join('\n')
      .replaceAll('\n', '\n  ')
  }
  const others = 'report' in verdict ? reports.filter((report) => !sameReport(report, verdict.report)) : reports
  return [
    summarize(verdict, sampleRoot, profile),
    ...otherAnswers(context),
    ...limited(others.map((report) => describeReport(report, sampleRoot))),
    ...facts,
    ...(log.trim() === '' || verdict.kind === 'compile-failed' ? [] : [`the candidate printed: ${lastLines(log, 5)}`]),
    `reproduce: ${reproduce}`,
  ]
    .join('\n')
    .replaceAll('\n', '\n  ')
}

/** The profiles that take values which the deciding one rejects: whoever reads of an error should know how it is meant. */
function otherAnswers({ verdict, profile, answers }: FailureContext): string[] {
  if (!answers || !verdict.kind.startsWith('wrong-')) return []
  const others = Object.entries(answers.revisions ?? {}).filter(([, answer]) => answer === 'accepted')
  const accepting = [
    ...profiles.filter((each) => each !== profile && answers[each] === 'accepted'),
    ...others.map(([name]) => name),
  ]
  return accepting.length === 0 ? [] : [`accepted under ${accepting.join(' and ')} tolerance`]
}

/** The verdict in words, without its name. */
export function summarize(verdict: Verdict, sampleRoot: string | null, profile: Profile): string {
  switch (verdict.kind) {
    case 'compile-failed': {
      const errors = leadingErrors(verdict.diagnostics)
      const [first, ...others] = errors.map((diagnostic) => describeDiagnostic(diagnostic, sampleRoot))
      return [
        `the ${verdict.stage} part failed (${verdict.class})`,
        ...limited(first ? [first, ...others] : [lastLines(verdict.log, 8)]),
      ].join('\n')
    }
    case 'tiling-failed':
      return `the tiling function failed: ${verdict.message}`
    case 'device-error':
    case 'hazard':
      return describeReport(verdict.report, sampleRoot)
    case 'timeout':
      return `the kernel did not finish within ${verdict.limitMs} ms of processor time, or ${clockFactor * verdict.limitMs} ms by the clock`
    case 'crashed':
      return `the candidate's process died: ${verdict.signal}${verdict.message ? `, ${verdict.message}` : ''}`
    case 'wrong-nonfinite':
      return `NaN or infinity at other positions than in golden: ${describeComparison(verdict.comparison, 'differ', sampleRoot)}`
    case 'wrong-value':
      return describeComparison(verdict.comparison, `outside ${profile} tolerance`, sampleRoot)
    case 'implausible':
      return describeImplausible(verdict.latencyNs, verdict.floor)
    case 'no-candidate':
    case 'correct':
      return verdict.kind
    default:
      return verdict.message
  }
}

function describeImplausible(latencyNs: number, floor: Floor): string {
  const { ns, launchNs, memoryNs, cubeNs, read, written, multiplications } = floor
  const moved = `${grouped(Math.round(memoryNs))} ns to read ${grouped(read)} and write ${grouped(written)} bytes`
  const multiplied = `${grouped(Math.round(cubeNs))} ns for ${grouped(multiplications)} multiplications`
  const launched = launchNs > 0 ? `${grouped(Math.round(launchNs))} ns of launch, then ` : ''
  const work = multiplications > 0 ? `at least ${moved}, and meanwhile ${multiplied}` : `at least ${moved}`
  return `a latency of ${decimal(latencyNs)} ns is less than the ${decimal(ns)} ns that no right kernel undercuts: ${launched}${work}`
}

/** `error ErrorRead3 at op_kernel/add.cpp:40 (AIV 3, DataCopy, 12 times): … Usual fix: …` */
export function describeReport(report: Report, sampleRoot: string | null): string {
  const where = report.file ? ` at ${place(report, sampleRoot)}` : ''
  const times = report.count > 1 ? `, ${report.count} times` : ''
  const other = report.other?.file
    ? `\n  the other side: ${report.other.instruction} at ${place(report.other, sampleRoot)}`
    : ''
  const hint = report.hint ? `\n  usual fix: ${report.hint}` : ''
  return `${report.severity} ${report.code}${where} (${report.core}, ${report.instruction}${times}): ${report.message}${other}${hint}`
}

const describeDiagnostic = (diagnostic: Diagnostic, sampleRoot: string | null): string =>
  diagnostic.file ? `${place(diagnostic, sampleRoot)}: ${diagnostic.message}` : diagnostic.message

/** What the card does not have, as headers and explanations say it: no other change makes such a kernel run. */
const ofTheCard = /\bon Atlas A2\b/

/** The errors: those that tell what the card does not have lead, the others follow in the order of the compiler. */
function leadingErrors(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  return [
    ...errors.filter(({ message }) => ofTheCard.test(message)),
    ...errors.filter(({ message }) => !ofTheCard.test(message)),
  ]
}

/** The place in the candidate that the verdict is about. */
function placeOf(
  verdict: Verdict,
  sampleRoot: string | null,
): { path: string; line: number; column: number } | undefined {
  if (sampleRoot === null) return undefined
  const places: readonly { file?: string | undefined; line?: number | undefined; column?: number | undefined }[] =
    verdict.kind === 'compile-failed'
      ? leadingErrors(verdict.diagnostics)
      : 'report' in verdict
        ? [verdict.report]
        : 'comparison' in verdict
          ? [writerOf(verdict.comparison) ?? {}]
          : []
  for (const { file, line, column = 1 } of places) {
    if (!file || !line) continue
    const path = resolve(sampleRoot, file)
    // `#line` names any file, and Vitest shows the lines of those that it knows
    if (isInside(realPath(path), realPath(sampleRoot))) return { path, line, column }
  }
  return undefined
}

function kernelOf({ sample, name }: NonNullable<FailureContext['kernel']>): ReturnType<typeof placeOf> {
  const found = kernelPlace(sample.kernelDir, name)
  return found && { ...found, column: 1 }
}

const sameReport = (a: Report, b: Report): boolean =>
  a.code === b.code && a.file === b.file && a.line === b.line && a.instruction === b.instruction

const limited = (items: readonly string[]): string[] =>
  items.length <= shown ? [...items] : [...items.slice(0, shown), `and ${items.length - shown} more`]

const lastLines = (text: string, count: number): string => text.trim().split('\n').slice(-count).join('\n')
