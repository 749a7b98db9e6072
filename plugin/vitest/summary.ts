import { metricsOf, type LedgerEntry, type Metrics } from '../ledger/index.ts'

const header = ['level', 'tasks', 'samples', 'compile', 'execute', 'correct', 'speedup'] as const

/** The closing table: one line per level, and one for all of them when there are several. */
export function summaryTable(entries: readonly LedgerEntry[]): string[][] {
  const levels = [...new Set(entries.map((entry) => entry.level))].sort((a, b) => a - b)
  const lines = levels.map((level) =>
    line(`level${level}`, metricsOf(entries.filter((entry) => entry.level === level))),
  )
  if (levels.length > 1) lines.push(line('all', metricsOf(entries)))
  return [[...header], ...lines]
}

const line = (name: string, metrics: Metrics): string[] => [
  name,
  String(metrics.tasks),
  String(metrics.samples),
  percent(metrics.compileRate),
  percent(metrics.executionRate),
  percent(metrics.correctRate),
  metrics.speedup === null ? '-' : `${metrics.speedup.toFixed(2)}x`,
]

const percent = (share: number | null): string => (share === null ? '-' : `${(100 * share).toFixed(1)}%`)

/** Aligned text: the first column to the left, figures to the right. */
export function renderText(table: readonly (readonly string[])[]): string {
  const widths = header.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const render = (row: readonly string[]): string =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('   ')
  return table.map((row) => `  ${render(row)}`).join('\n')
}

/** The same for `$GITHUB_STEP_SUMMARY`. */
export function renderMarkdown(table: readonly (readonly string[])[]): string {
  const [head = [], ...rows] = table.map((row) => `| ${row.join(' | ')} |`)
  const rule = `|${header.map((_, i) => (i === 0 ? ' --- |' : ' ---: |')).join('')}`
  return [head, rule, ...rows, ''].join('\n')
}

/** What the figures stand for: seed, device and how its time came about. */
export function footnote(entries: readonly LedgerEntry[]): string {
  const seeds = [...new Set(entries.filter((entry) => !entry.remembered).map((entry) => entry.seed))]
  const latencies = entries.flatMap((entry) => (entry.latency ? [entry.latency] : []))
  const origins = [...new Set(latencies.map(({ source, profile }) => (profile ? `${source}, ${profile}` : source)))]
  const devices = [...new Set(entries.map((entry) => `${entry.target}, ${entry.soc}`))]
  return `seed ${seeds.join(', ')}; ${(origins.length > 0 ? origins : devices).join('; ')}`
}

/** How much of this an earlier run has judged; nothing where all was judged now. */
export function rememberedNote(entries: readonly LedgerEntry[]): string[] {
  // a latency is taken on a case that counts already
  const cases = entries.filter(({ stage }) => stage === 'static' || stage === 'generated')
  const remembered = cases.reduce((sum, entry) => sum + (entry.remembered ?? 0), 0)
  const all = cases.reduce((sum, { runs = 1 }) => sum + runs, 0)
  if (remembered === 0) return []
  return [`${remembered} of ${all} verdicts are remembered from earlier runs; NPU_REMEMBER=0 judges afresh`]
}
