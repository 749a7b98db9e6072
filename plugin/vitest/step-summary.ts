import { appendFileSync } from 'node:fs'
import { gateLines, outcomesOf, type GateResult, type LedgerEntry } from '../ledger/index.ts'
import { errorOf, rankOf } from '../ledger/errors.ts'
import { markdownText, renderMarkdown, type Table } from '../ledger/table.ts'
import { neutralText } from '../model/index.ts'
import { summarize } from './failure.ts'

/** Failing samples that are shown; the ledger has all. */
const shownFailures = 20
/** Characters of a cell, and of all. GitHub takes 1 MiB from a step, and nothing of more. */
const maxCell = 200
const maxText = 200_000

/** The summary of a run as Markdown: tables, notes, the gate, and the samples that got the least far. */
export function stepSummary(
  entries: readonly LedgerEntry[],
  { tables, notes, gate }: { tables: readonly Table[]; notes: readonly string[]; gate: GateResult | undefined },
): string {
  const parts = [
    renderMarkdown(tables),
    notes.map((note) => escaped(note)).join('\n\n'),
    ...(gate ? [gateOf(gate)] : []),
    ...failuresOf(entries),
  ]
  return `${bounded(parts.join('\n\n'))}\n`
}

/** Appends the summary to the file that GitHub names, where it names one. Throws when it cannot be written. */
export function writeStepSummary(text: () => string): void {
  const file = process.env['GITHUB_STEP_SUMMARY']
  if (file) appendFileSync(file, text())
}

function gateOf(gate: GateResult): string {
  const [head = '', ...findings] = gateLines(gate).map((line) => escaped(line.trim()))
  const mark = gate.findings.length === 0 ? '✅' : '❌'
  return [`${mark} **${head}**`, '', ...findings.map((line) => `- ${line}`)].join('\n').trimEnd()
}

function failuresOf(entries: readonly LedgerEntry[]): string[] {
  const failed = outcomesOf(entries)
    .flatMap((outcome) => {
      const verdict = errorOf(outcome)
      const entry = outcome.entries.find((each) => each.verdict === verdict)
      return verdict && entry ? [{ verdict, entry }] : []
    })
    .sort((one, other) => rankOf(one.verdict) - rankOf(other.verdict))
  if (failed.length === 0) return []
  const rows = failed.slice(0, shownFailures).map(({ entry, verdict }) => {
    const { task, sample, case: title, profile } = entry
    const [line = ''] = summarize(verdict, null, profile).split('\n')
    return [`${task} › ${sample}`, title, verdict.kind, line].map(shortened)
  })
  const more = failed.length - rows.length
  const table = renderMarkdown([{ title: '', header: ['sample', 'case', 'verdict', 'what'], rows }])
  return [`### Failures\n\n${table}${more > 0 ? `\nand ${more} more samples\n` : ''}`]
}

/** Text of a candidate in one line, and no longer than a cell. */
function shortened(text: string): string {
  const line = neutralText(text).replaceAll(/(?<!\s)\s*\n\s*/g, ' ')
  return line.length > maxCell ? `${line.slice(0, maxCell)}…` : line
}

const escaped = (text: string): string => markdownText(shortened(text))

/** As many whole lines as fit. */
function bounded(text: string): string {
  if (text.length <= maxText) return text
  const kept = text.slice(0, text.lastIndexOf('\n', maxText))
  return `${kept}\n\n… and more than a summary takes; the ledger has all`
}
