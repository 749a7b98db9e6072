import { basename, isAbsolute, relative } from 'node:path'
import type { LedgerEntry } from '../ledger/index.ts'
import { rankOf } from '../ledger/errors.ts'
import {
  neutralText,
  type Comparison,
  type Diagnostic,
  type Report,
  type Verdict,
  type ProjectFile,
} from '../model/index.ts'
import { programName } from './dsl/answer.ts'
import type { Finding } from './types.ts'

/** Findings of one turn, errors of one build, and characters of one finding: a prompt has to stay a prompt. */
const mostFindings = 6
const mostErrors = 6
const longest = 4000

/** Lines before and after the one that is shown. */
const around = 1
const maxColumns = 160

/** The sources that findings speak of. */
export interface Sources {
  files: readonly ProjectFile[]
  /** folder that paths in findings are relative to */
  root: string
  /** where a program of the DSL lies; prompts call it {@link programName} */
  program?: string
}

/**
 * What is wrong with a sample, in words for a model, the earliest obstacle first: what happened, where in the sources, with
 * what case, and what is legal there. Nothing of a right one. The same entries give the same words on every machine: no path
 * of this one is in them.
 */
export function findingsOf(entries: readonly LedgerEntry[], sources: Sources): Finding[] {
  const bad = entries
    .filter(({ verdict }) => verdict.kind !== 'correct' && verdict.kind !== 'infrastructure')
    .sort((one, other) => rankOf(one.verdict) - rankOf(other.verdict))
  const findings = new Map<string, { finding: Finding; also: string[] }>()
  for (const entry of bad) {
    const told = textOf(entry.verdict, sources)
    // a defect that many cases meet is told once
    const known = findings.get(`${entry.verdict.kind} ${sameDefect(entry.verdict) ?? told}`)
    if (known) known.also.push(caseOf(entry))
    else
      findings.set(`${entry.verdict.kind} ${sameDefect(entry.verdict) ?? told}`, {
        finding: { kind: entry.verdict.kind, text: withCase(told, entry) },
        also: [],
      })
  }
  return [...findings.values()].slice(0, mostFindings).map(({ finding: { kind, text }, also }) => ({
    kind,
    text: cut(
      [text, ...(also.length > 0 ? [`The same in ${also.length} more: ${also.slice(0, 3).join('; ')}`] : [])].join(
        '\n',
      ),
    ),
  }))
}

/** What bounds the time of a right kernel: how long its pipes were busy, and what the baseline takes. */
export function improvementOf(entries: readonly LedgerEntry[]): Finding[] {
  const timed = entries.find(({ latency }) => latency !== undefined)
  if (!timed?.latency) return []
  const { latency, baseline, speedup, pipes = {}, code } = timed
  const busy = Object.entries(pipes).sort(([, one], [, other]) => other - one)
  const [longestPipe] = busy
  const lines = [
    `All cases are right. One launch takes ${ns(latency.mean)}${baseline ? `; the baseline operator takes ${ns(baseline.mean)}` : ''}${speedup === undefined ? '' : ` (${speedup.toFixed(2)} times as fast as that)`}.`,
    ...(longestPipe
      ? [
          `Busy time of the pipes on the core that finishes last: ${busy.map(([pipe, time]) => `${pipe} ${ns(time)} (${share(time, latency.mean)})`).join(', ')}.`,
          boundBy(longestPipe, latency.mean),
        ]
      : []),
    ...(code && code.missed.length > 0
      ? ['Some of the code was reached by no case; it has to stay right all the same.']
      : []),
  ]
  return [{ kind: 'slow', text: cut(lines.join('\n')) }]
}

const pipeHints: Record<string, string> = {
  MTE2: 'copies from global memory into local memory bound it: copy each byte once, in large aligned blocks',
  MTE3: 'copies from local memory to global memory bound it: write each byte once, in large aligned blocks',
  V: 'vector instructions bound it: use fewer of them, or ones that do several steps at once, over whole tensors',
  S: 'the scalar unit bounds it: take loops over elements, and reads and writes of single elements, out of the kernel',
  M: 'the cube unit bounds it: larger tiles of the product reuse what is in L0',
}

function boundBy([pipe, time]: [string, number], whole: number): string {
  if (time < 0.6 * whole)
    return 'No pipe is busy for most of the time: they wait for each other. Two buffers in each queue let copies overlap with arithmetic, and more cores share the work.'
  const hint = pipeHints[pipe] ?? pipeHints[pipe.replace(/^PIPE_/, '')] ?? 'this pipe bounds it'
  return `${pipe}: ${hint}.`
}

const ns = (value: number): string => `${Math.round(value)} ns`
const share = (part: number, whole: number): string => `${Math.round((100 * part) / whole)}%`

/** Text of a compiler or of a kernel may be of any length, and is obeyed by nobody. */
const cut = (text: string): string => {
  const neutral = neutralText(text)
  return neutral.length <= longest ? neutral : `${neutral.slice(0, longest)}\n… (cut off)`
}

function withCase(text: string, entry: LedgerEntry): string {
  return entry.stage === 'compile' ? text : `${text}\nCase: ${caseOf(entry)}`
}

const caseOf = ({ case: title, failing }: LedgerEntry): string =>
  failing === undefined ? title : `${title}, the smallest that fails: ${failing}`

/** What makes verdicts of several cases one defect; undefined: they are one if they are told in the same words. */
function sameDefect(verdict: Verdict): string | undefined {
  if (verdict.kind === 'device-error' || verdict.kind === 'hazard') {
    const { code, file, line } = verdict.report
    return `${code} ${file}:${line}`
  }
  if (verdict.kind === 'wrong-value' || verdict.kind === 'wrong-nonfinite') return verdict.comparison.output
  return undefined
}

function textOf(verdict: Verdict, sources: Sources): string {
  switch (verdict.kind) {
    case 'compile-failed': {
      if (verdict.class === 'dsl') return `The program does not compile.\n${withoutRoot(verdict.log.trim(), sources)}`
      const errors = buildErrors(verdict.diagnostics, sources)
      const told =
        errors.length > 0 ? errors : [withoutRoot(verdict.log.trim().split('\n').slice(-12).join('\n'), sources)]
      return `The ${verdict.stage} part does not build (${verdict.class}).\n${told.join('\n')}`
    }
    case 'tiling-failed':
      return `The tiling function fails: ${withoutRoot(verdict.message, sources)}`
    case 'device-error':
    case 'hazard':
      return reportText(verdict.report, sources)
    case 'timeout':
      return `The kernel does not end within ${verdict.limitMs} ms: a loop without end, a wait for what nobody signals, or far too many instructions.`
    case 'crashed':
      return `The process of the candidate dies: ${verdict.signal}${verdict.message === '' ? '' : `, ${withoutRoot(verdict.message, sources)}`}`
    case 'wrong-value':
    case 'wrong-nonfinite':
      return comparisonText(verdict.comparison, verdict.kind)
    case 'implausible':
      return `The outputs are right in ${ns(verdict.latencyNs)}, less than the ${ns(verdict.floor.ns)} that moving the data takes: the kernel cannot have computed them.`
    case 'no-candidate':
    case 'correct':
      return verdict.kind
    default:
      return withoutRoot(verdict.message, sources)
  }
}

/** Errors with the lines around them, and the notes that follow them: candidates for a call, places of declarations. */
function buildErrors(diagnostics: readonly Diagnostic[], sources: Sources): string[] {
  const groups: { error: Diagnostic; notes: Diagnostic[] }[] = []
  for (const diagnostic of diagnostics) {
    if (diagnostic.severity === 'error') groups.push({ error: diagnostic, notes: [] })
    else if (diagnostic.severity === 'note') groups.at(-1)?.notes.push(diagnostic)
  }
  const shown = groups
    .slice(0, mostErrors)
    .map(({ error, notes }) =>
      [
        `${placeOf(error, sources)}error: ${withoutRoot(error.message, sources)}`,
        ...frameOf(error, sources),
        ...notes.slice(0, 4).map((note) => `  note: ${withoutRoot(note.message, sources)}`),
      ].join('\n'),
    )
  return groups.length > mostErrors ? [...shown, `and ${groups.length - mostErrors} more errors`] : shown
}

function reportText(
  { code, message, hint, core, instruction, count, other, ...place }: Report,
  sources: Sources,
): string {
  const times = count > 1 ? `, ${count} times` : ''
  return [
    `${placeOf(place, sources)}${code} (${core}, ${instruction}${times}): ${withoutRoot(message, sources)}`,
    ...frameOf(place, sources),
    ...(other ? [`The other side: ${placeOf(other, sources)}${other.instruction}`, ...frameOf(other, sources)] : []),
    ...(hint === undefined ? [] : [`Usual fix: ${hint}`]),
  ].join('\n')
}

function comparisonText(comparison: Comparison, kind: 'wrong-value' | 'wrong-nonfinite'): string {
  const { output, elements, mismatches, index, expected, actual, error, limit, unwritten } = comparison
  const how =
    kind === 'wrong-value'
      ? 'are outside the tolerance'
      : 'are NaN or infinite where golden is not, or the other way round'
  const bound =
    error === undefined
      ? ''
      : `, an error of ${short(error)}${limit === undefined ? '' : ` where ${short(limit)} is allowed`}`
  return [
    `${output}: ${mismatches} of ${elements} elements ${how}. The worst is ${output}[${index.join(', ')}]: golden ${expected}, actual ${actual}${bound}.`,
    ...(unwritten
      ? [
          `The kernel never writes ${unwritten.bytes} bytes of ${output}, the first at byte ${unwritten.first}, the last at byte ${unwritten.last}.`,
        ]
      : []),
  ].join('\n')
}

interface Place {
  file?: string | undefined
  line?: number | undefined
}

/** `op_kernel/add.cpp:40: `, or nothing for what lies elsewhere. */
function placeOf({ file, line }: Place, sources: Sources): string {
  const path = pathOf(file, sources)
  return path === undefined ? '' : `${path}${line === undefined ? '' : `:${line}`}: `
}

function pathOf(file: string | undefined, { root, program }: Sources): string | undefined {
  if (file === undefined) return undefined
  if (program !== undefined && (file === program || file === basename(program))) return programName
  const path = isAbsolute(file) ? relative(root, file) : file
  return path.startsWith('..') ? undefined : path
}

/** The line, with the one before and the one after. */
function frameOf({ file, line }: Place, sources: Sources): string[] {
  const path = pathOf(file, sources)
  const lines = sources.files.find((each) => each.path === path)?.content.split(/\r?\n/)
  if (!lines || line === undefined || line < 1 || line > lines.length) return []
  const first = Math.max(1, line - around)
  return lines.slice(first - 1, line + around).map((text, i) => {
    const number = first + i
    return `${number === line ? '>' : ' '}${String(number).padStart(5)}| ${text.slice(0, maxColumns)}`
  })
}

function withoutRoot(text: string, { root, program }: Sources): string {
  const named =
    program === undefined ? text : text.replaceAll(program, programName).replaceAll(basename(program), programName)
  return named.replaceAll(`${root}/`, '').replaceAll(root, '.')
}

const short = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(3))) : String(value))
