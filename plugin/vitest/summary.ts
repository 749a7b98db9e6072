import { metricsOf, type LedgerEntry, type Metrics } from '../ledger/index.ts'
import { percent, type Table } from '../ledger/table.ts'
import { groupedBy, profiles } from '../model/index.ts'
import { columns, type Suite } from '../suites/index.ts'

/** What the tables need of a suite. */
export type KnownSuite = Pick<Suite, 'name' | 'title' | 'groups' | 'columns'>

/**
 * The closing tables, one for each suite that something was judged of: one line per group, and one for all of them when
 * there are several. Entries of a suite that is not known here, in merged reports for instance, get a table under its
 * name.
 */
export function summaryTables(entries: readonly LedgerEntry[], known: readonly KnownSuite[]): Table[] {
  const bySuite = groupedBy(entries, ({ suite }) => suite)
  const unknown = [...bySuite.keys()].filter((name) => !known.some((suite) => suite.name === name)).sort()
  return [...known, ...unknown.map((name) => ({ name, title: name }))].flatMap((suite) => {
    const own = bySuite.get(suite.name)
    return own ? [tableOf(suite, own)] : []
  })
}

function tableOf(suite: KnownSuite, entries: readonly LedgerEntry[]): Table {
  const order = (group: string | null): number =>
    group === null ? -1 : (suite.groups ?? []).indexOf(group) + 1 || Infinity
  const groups = [...groupedBy(entries, ({ group }) => group)].sort(
    ([a], [b]) => order(a) - order(b) || ((a ?? '') < (b ?? '') ? -1 : 1),
  )
  const all = metricsOf(entries)
  const named = groups.map(([group, own]) => ({ name: group ?? suite.name, metrics: metricsOf(own) }))
  if (groups.length > 1) named.push({ name: 'all', metrics: all })
  // beside the state of the benchmark that is looked at
  const revisions = Object.keys(all.revisionRate)
  const known = columns.filter((column) => !isDeciding(column, entries))
  const end = known.indexOf('speedup')
  const rows = named.map(({ name, metrics }) => {
    const line = lineOf(name, metrics)
    const rates = revisions.map((revision) =>
      percent(Object.hasOwn(metrics.revisionRate, revision) ? metrics.revisionRate[revision]! : null),
    )
    return [...known.slice(0, end).map((column) => line[column]), ...rates, line.speedup]
  })
  const title = (column: (typeof columns)[number]): string => suite.columns?.[column] ?? column
  return {
    title: suite.title,
    header: [...known.slice(0, end).map(title), ...revisions, title('speedup')],
    rows,
  }
}

/** The answers of the profile that decides are in the column `correct`. */
const isDeciding = (column: string, entries: readonly LedgerEntry[]): boolean =>
  profiles.some((each) => each === column) && entries.every(({ profile }) => profile === column)

const lineOf = (name: string, metrics: Metrics): Record<(typeof columns)[number], string> => ({
  group: name,
  tasks: String(metrics.tasks),
  samples: String(metrics.samples),
  compile: percent(metrics.compileRate),
  execute: percent(metrics.executionRate),
  correct: percent(metrics.correctRate),
  exact: count(metrics.accuracy?.exact),
  accurate: count(metrics.accuracy?.accurate),
  'within tolerance': count(metrics.accuracy?.['within-tolerance']),
  standard: percent(metrics.acceptedRate.standard),
  strict: percent(metrics.acceptedRate.strict),
  benchmark: percent(metrics.acceptedRate.benchmark),
  speedup: metrics.speedup === null ? '-' : `${metrics.speedup.toFixed(2)}x${band(metrics.speedupBand)}`,
})

/** Of the baseline against itself there is none. */
const band = (width: number | null): string => (width === null || width === 0 ? '' : ` ±${width.toFixed(2)}`)
const count = (number: number | undefined): string => (number === undefined ? '-' : String(number))

/** How much of this an earlier run has judged; nothing where all was judged now. */
export function rememberedNote(entries: readonly LedgerEntry[]): string[] {
  // a latency is taken on a case that counts already
  const cases = entries.filter(({ stage }) => stage === 'static' || stage === 'generated')
  const remembered = cases.reduce((sum, entry) => sum + (entry.remembered ?? 0), 0)
  const all = cases.reduce((sum, { runs = 1 }) => sum + runs, 0)
  if (remembered === 0) return []
  return [
    `${remembered} of ${all} verdicts are remembered from earlier runs or of the same sources; NPU_REMEMBER=0 judges afresh`,
  ]
}

/** Samples whose latency is no time; nothing where there is none. */
export function implausibleNote(entries: readonly LedgerEntry[]): string[] {
  const names = entries
    .filter(({ verdict }) => verdict.kind === 'implausible')
    .map(({ task, sample }) => `${task} › ${sample}`)
  if (names.length === 0) return []
  const have = names.length === 1 ? '1 sample has a time' : `${names.length} samples have times`
  return [`${have} that no kernel can have: ${names.join(', ')}`]
}

/** Samples that are named one by one. */
const shownSamples = 5

/** Samples with code of their kernels that no case has reached, the least reached first; nothing where there is none. */
export function unreachedNote(entries: readonly LedgerEntry[]): string[] {
  const shares = entries
    .flatMap(({ task, sample, code }) =>
      code && code.reached < code.blocks ? [{ name: `${task} › ${sample}`, share: code.reached / code.blocks }] : [],
    )
    .sort((one, other) => one.share - other.share)
  if (shares.length === 0) return []
  const names = shares.slice(0, shownSamples).map(({ name, share }) => `${name} (${Math.floor(100 * share)}%)`)
  if (shares.length > shownSamples) names.push(`and ${shares.length - shownSamples} more`)
  const whose = shares.length === 1 ? 'cases of 1 sample' : `cases of ${shares.length} samples`
  return [`the ${whose} do not reach all of the kernel code: ${names.join(', ')}`]
}
