import { neutralText } from '../model/index.ts'
import type { LedgerEntry } from './entry.ts'

/** Names of the columns, then the rows. */
export interface Table {
  title: string
  header: string[]
  rows: string[][]
}

/** A share as tables show it; what is unknown is `-`. */
export const percent = (share: number | null): string => (share === null ? '-' : `${(100 * share).toFixed(1)}%`)

/** Characters of a cell of aligned text. */
const longestCell = 200

/** Aligned text: the first column to the left, figures to the right; titles only where there are several tables. */
export const renderText = (tables: readonly Table[]): string =>
  tables
    .map(({ title, header, rows }) => {
      const table = [header, ...rows].map((row) => row.map((cell) => cut(inOneLine(cell))))
      const widths = header.map((_, column) =>
        table.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
      )
      const render = (row: readonly string[]): string =>
        row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('   ')
      return [...(tables.length > 1 ? [inOneLine(title)] : []), ...table.map(render)]
        .map((text) => `  ${text}`)
        .join('\n')
    })
    .join('\n\n')

/** All cells of a column become as wide as its widest: one long name would make a long line of each row. */
const cut = (text: string): string =>
  text.length <= longestCell ? text : `${text.slice(0, longestCell - 1).replace(/[\uD800-\uDBFF]$/, '')}…`

/** The same in Markdown. */
export const renderMarkdown = (tables: readonly Table[]): string =>
  tables
    .map(({ title, header, rows }) => {
      const [head = '', ...body] = [header, ...rows].map((row) => `| ${row.map(markdownText).join(' | ')} |`)
      const rule = `|${header.map((_, i) => (i === 0 ? ' --- |' : ' ---: |')).join('')}`
      return [...(tables.length > 1 ? [`### ${markdownText(title)}`, ''] : []), head, rule, ...body, ''].join('\n')
    })
    .join('\n')

/** Names are text of others: none begins a line of its own. */
export const inOneLine = (text: string): string => {
  const lines = text.split(/[\n\r\u0085\u2028\u2029]/)
  // how far a line is indented says what it belongs to
  return lines.length === 1 ? text : lines.map((line, i) => (i === 0 ? line.trimEnd() : line.trim())).join(' ')
}

/** Lines that may have names in them, as text that may be printed: there are as many afterwards. */
export const textOfLines = (lines: readonly string[]): string => neutralText(lines.map(inOneLine).join('\n'))

/** Marks of Markdown, of formulas, and of links that GitHub sees without being asked to. */
const mark = /[\\`*_[\]<>&#~|$]|:(?=\/\/)|(?<=www)\./gi
/** `@name`, which tells people, `#1`, `GH-1` and `:name:` are that for GitHub even behind a backslash: an empty comment parts them. */
const shorthand = /@(?=[\w.-])|#(?=\d)|(?<![A-Za-z\d])[Gg][Hh]-(?=\d)|:(?=(?:100|1234|[-+]1|\d*[a-z][a-z\d_+\\-]*):)/g

/**
 * Text that is no mark of Markdown, no tag, and ends no cell of a table and no line: names are those that candidates have. What a
 * terminal or a CI system would obey is shown as an escape.
 */
export const markdownText = (text: string): string =>
  inOneLine(neutralText(text))
    .replaceAll(mark, String.raw`\$&`)
    .replaceAll(shorthand, '$&<!-- -->')

/** Lines of comma-separated values (RFC 4180), the header first. */
export const renderCsv = ({ header, rows }: Pick<Table, 'header' | 'rows'>): string =>
  [header, ...rows].map((row) => row.map(valueOf).join(',')).join('\n')

/** What a spreadsheet would compute is text for it behind an apostrophe; numbers are numbers. */
const isFormula = (text: string): boolean =>
  /^[\t\r\n]|^[\s\uFEFF]*(?:[=+@＝＋－＠]|-.)/.test(text) && Number.isNaN(Number(text))

/** What a terminal or a CI system would obey is shown as an escape before it is quoted: cut afterwards, a quote would stay open. */
function valueOf(value: string): string {
  const shown = neutralText(value)
  const text = isFormula(shown) ? `'${shown}` : shown
  // some spreadsheets take other separators, and what stands behind one for a cell
  return /[",;\t\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** What the figures stand for: seed, device and how its time came about. */
export function footnote(entries: readonly LedgerEntry[]): string {
  const seeds = [...new Set(entries.filter((entry) => !entry.remembered).map((entry) => entry.seed))]
  const latencies = entries.flatMap((entry) => (entry.latency ? [entry.latency] : []))
  const origins = [...new Set(latencies.map(({ source, profile }) => (profile ? `${source}, ${profile}` : source)))]
  const devices = [...new Set(entries.map((entry) => `${entry.target}, ${entry.soc}`))]
  return `seed ${seeds.join(', ')}; ${(origins.length > 0 ? origins : devices).join('; ')}`
}

/** Samples that are named one by one. */
const shownSamples = 5

/**
 * Samples whose generated cases hold as far as there was time to judge them: a slower machine finds less. Nothing where all that
 * was asked for was judged.
 */
export function cutShortNote(entries: readonly LedgerEntry[]): string[] {
  const cut = entries.filter(({ cutShort }) => cutShort)
  if (cut.length === 0) return []
  const named = cut.slice(0, shownSamples).map(({ task, sample, runs = 0 }) => `${task} › ${sample} (${runs} judged)`)
  const more = cut.length > shownSamples ? ` and ${cut.length - shownSamples} more` : ''
  const whose = cut.length === 1 ? '1 sample' : `${cut.length} samples`
  return [
    `the time budget (fuzzBudgetMs) has ended the generated cases of ${whose} early, none of which had failed: ${named.join(', ')}${more}`,
  ]
}
