import { percent } from '../ledger/table.ts'
import {
  scorecardOf,
  type ErrorShare,
  type Figure,
  type LedgerEntry,
  type PassAtK,
  type RowKind,
  type RunComparison,
  type SampleName,
  type Scorecard,
  type ScoreRow,
} from '../ledger/index.ts'
import { barLabel, histogramOf, passChart, speedupChart, stackedBar, type Series } from './charts.ts'
import { markup, type Html, type Part } from './html.ts'
import type { Listing, Status } from './model.ts'
import { statuses } from './status.ts'

/** What the overview is asked for. */
export interface OverviewOptions {
  entries: readonly LedgerEntry[]
  listing: Listing
  against?: { name: string; comparison: RunComparison } | undefined
  /** of the bootstrap */
  seed: number
}

/** Budgets that a curve has points at, as far as there are samples. */
const budgets = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000]
/** Names that a list of changes shows one by one. */
const shownNames = 100
/** Models that one chart tells apart. */
const shownModels = 6

const ratio = (value: number | null): string => (value === null ? '–' : `${value.toFixed(2)}x`)
const share = (value: number | null): string => (value === null ? '–' : percent(value))

const within = ({ interval }: Figure, show: (value: number) => string): string =>
  interval ? `95% interval ${show(interval.low)} to ${show(interval.high)}` : 'no interval: less than two tasks'

const table = (caption: string, header: readonly Part[], rows: readonly (readonly Part[])[]): Html =>
  markup`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${header.map((cell) => markup`<th scope="col">${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([head = '', ...cells]) =>
            markup`<tr>
              <th scope="row">${head}</th>
              ${cells.map((cell) => markup`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`

const card = (title: string, content: readonly Part[], className = ''): Html =>
  markup`<section class="card ${className}">
    <h2>${title}</h2>
    ${content}
  </section>`

/** The overview: figures, curves, distributions and tables. It needs no script. */
export function overviewOf({ entries, listing, against, seed }: OverviewOptions): Html {
  const most = mostSamples(listing)
  const k = budgets.filter((each) => each === 1 || each <= most)
  const by = (kind: RowKind): Scorecard => scorecardOf(entries, { by: kind, k, seed })
  const cards = { level: by('level'), category: by('category'), model: by('model') }
  const { all } = cards.level
  return markup`${tiles(all, listing)}${against ? comparisonCard(against) : ''}
    <div class="charts">
      ${curves(cards.model)}${speedups(entries, listing)}${errorsCard(all.errors)}${statusCard(listing)}
    </div>
    <div id="map"></div>
    ${card('Figures', [
      ...Object.values(cards).map(scoreTable),
      markup`<p class="note">
        A rate is pass@k, averaged over tasks; the small text is its 95% bootstrap interval over tasks. “all” is the
        mean of all tasks. A dash: not known.
      </p>`,
    ])}`
}

function mostSamples({ tasks, samples }: Listing): number {
  const counts = new Map<string, number>()
  for (const { task, model } of samples) {
    const key = `${task} ${model}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return tasks.length === 0 ? 0 : Math.max(0, ...counts.values())
}

const tile = (name: string, value: string, note: string): Html =>
  markup`<li class="tile">
    <span class="name">${name}</span><strong>${value}</strong><span class="note">${note}</span>
  </li>`

const first = (figures: readonly PassAtK[]): Figure => figures[0] ?? { value: null, interval: null, tasks: 0 }

function tiles(all: ScoreRow, { tasks, samples }: Listing): Html {
  const rate = (name: string, figure: Figure): Html => tile(name, share(figure.value), within(figure, percent))
  const fast = all.fast.find(({ comparison }) => comparison === '>=')
  const solved = new Set(samples.filter(({ status }) => status === 'correct').map(({ task }) => task)).size
  return markup`<ul class="tiles" aria-label="Key figures">
    ${[
      rate('compile@1', first(all.compile)),
      rate('runs@1', first(all.runs)),
      rate('correct@1', first(all.correct)),
      ...(fast ? [rate('fast₁@1', fast)] : []),
      tile('speedup', ratio(all.speedup.geometric.value), `geometric mean of ${all.speedup.samples} samples`),
      tile('tasks solved', `${solved} of ${tasks.length}`, `by ${samples.length} samples`),
    ]}
  </ul>`
}

const seriesOf = (name: string, figures: readonly PassAtK[], decided: number): Series => ({
  name,
  points: figures.flatMap(({ k: x, value, interval, tasks }) =>
    value === null ? [] : [{ x, y: value, band: interval, partial: tasks < decided }],
  ),
})

function curves({ rows, all }: Scorecard): Html {
  const several = rows.length > 1
  const series = several
    ? rows.slice(0, shownModels).map((row) => seriesOf(row.name, row.correct, row.decided))
    : [
        seriesOf('correct', all.correct, all.decided),
        seriesOf('runs', all.runs, all.decided),
        seriesOf('compile', all.compile, all.decided),
      ]
  const title = several ? 'correct@k by model' : 'pass@k'
  const data = table(
    `${title} as a table`,
    ['', ...all.correct.map(({ k }) => `k = ${k}`)],
    series.map(({ name, points }) => [
      name,
      ...all.correct.map(({ k }) => share(points.find(({ x }) => x === k)?.y ?? null)),
    ]),
  )
  const hidden =
    several && rows.length > shownModels
      ? [markup`<p class="note">${rows.length - shownModels} more models are in the table of figures.</p>`]
      : []
  return card(title, [
    passChart('pass', title, series),
    legend(series.map(({ name }, index) => ({ name, className: `s${index}` }))),
    markup`<p class="note">
      Bands: 95%, bootstrap over tasks. A hollow point is over fewer tasks: not all have k samples.
    </p>`,
    ...hidden,
    markup`<details>
      <summary>Data</summary>
      ${data}
    </details>`,
  ])
}

const legend = (items: readonly { name: string; className: string }[]): Html =>
  markup`<ul class="legend">
    ${items.map(
      ({ name, className }) =>
        markup`<li>
          <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
            <rect class="${className}" width="10" height="10" rx="2" /></svg
          >${name}
        </li>`,
    )}
  </ul>`

function speedups(entries: readonly LedgerEntry[], { samples }: Listing): Html {
  const ratios = samples.flatMap(({ status, speedup }) => (status === 'correct' && speedup !== null ? [speedup] : []))
  const title = 'Speedup over the baseline'
  if (ratios.length === 0) return card(title, [markup`<p class="none">No correct sample has a speedup.</p>`])
  const origins = [
    ...new Set(
      entries.flatMap(({ latency }) =>
        latency ? [`${latency.source}${latency.profile ? `, ${latency.profile}` : ''}`] : [],
      ),
    ),
  ]
  const fast = ratios.filter((each) => each >= 1).length
  return card(title, [
    speedupChart('speedup', title, ratios),
    markup`<p class="note">
      ${fast} of ${ratios.length} correct samples are as fast as the baseline, or faster. Times are
      ${origins.join('; ')}.
    </p>`,
    markup`<details>
      <summary>Data</summary>
      ${table(
        'Samples by speedup',
        ['speedup', 'samples'],
        histogramOf(ratios).map((bar) => [barLabel(bar), bar.count]),
      )}
    </details>`,
  ])
}

function errorsCard(errors: readonly ErrorShare[]): Html {
  const title = 'What stopped samples first'
  if (errors.length === 0) return card(title, [markup`<p class="none">All samples that were judged are correct.</p>`])
  const most = Math.max(...errors.map(({ samples }) => samples))
  const shown = errors.slice(0, 12)
  const rest = errors.slice(12).reduce((sum, { samples }) => sum + samples, 0)
  const rows = shown.map(({ kind, class: name, samples, share: part }) => [
    markup`<span class="badge v-${kind}">${kind}</span>${name === null ? '' : markup` ${name}`}`,
    markup`<svg class="bar thin" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="v-${kind}" width="${Math.round((1000 * samples) / most)}" height="10" />
    </svg>`,
    samples,
    percent(part),
  ])
  return card(title, [
    table('Errors, each sample once', ['error', '', 'samples', 'share'], rows),
    ...(rest > 0
      ? [markup`<p class="note">and ${rest} samples under ${errors.length - shown.length} other errors</p>`]
      : []),
  ])
}

function statusCard({ tasks, samples }: Listing): Html {
  const levels = [...new Set(tasks.map(({ level }) => level))].sort()
  const counts = new Map<string, Map<Status, number>>(levels.map((level) => [level, new Map()]))
  for (const { task, status } of samples) {
    const row = counts.get(tasks[task]?.level ?? '')
    row?.set(status, (row.get(status) ?? 0) + 1)
  }
  const present = statuses.filter((status) => samples.some((sample) => sample.status === status))
  const partsOf = (level: string) =>
    present.map((status) => ({ name: status, className: `v-${status}`, count: counts.get(level)?.get(status) ?? 0 }))
  return card('Verdicts by level', [
    ...levels.map(
      (level) =>
        markup`<p class="barname">${level}</p>
          ${stackedBar(level, partsOf(level))}`,
    ),
    legend(present.map((status) => ({ name: status, className: `v-${status}` }))),
    markup`<details>
      <summary>Data</summary>
      ${table(
        'Samples by level and verdict',
        ['level', ...present],
        levels.map((level) => [level, ...partsOf(level).map(({ count }) => count)]),
      )}
    </details>`,
  ])
}

const rateCell = (figure: Figure): Html =>
  markup`${share(figure.value)}${figure.interval ? markup`<small>${percent(figure.interval.low)} – ${percent(figure.interval.high)}</small>` : ''}`

function scoreTable({ by, rows, all }: Scorecard): Html {
  const shownBudgets = new Set([1, 10, 100])
  const cells = (row: ScoreRow): [string, Part][] => [
    ['tasks', row.tasks],
    ['samples', row.samples],
    ...(['compile', 'runs', 'correct'] as const).flatMap((name) =>
      row[name]
        .filter(({ k }) => shownBudgets.has(k))
        .map((figure): [string, Part] => [`${name}@${figure.k}`, rateCell(figure)]),
    ),
    ...row.fast
      .filter(({ comparison, k }) => comparison === '>=' && shownBudgets.has(k))
      .map((figure): [string, Part] => [`fast_${figure.p}@${figure.k}`, rateCell(figure)]),
    [
      'speedup',
      markup`${ratio(row.speedup.geometric.value)}${row.speedup.geometric.interval ? markup`<small>${ratio(row.speedup.geometric.interval.low)} – ${ratio(row.speedup.geometric.interval.high)}</small>` : ''}`,
    ],
  ]
  const shown = rows.length > 1 ? [...rows, all] : rows
  return table(
    `By ${by}`,
    [by, ...cells(all).map(([name]) => name)],
    shown.map((row) => [row.name, ...cells(row).map(([, cell]) => cell)]),
  )
}

const named = ({ task, sample }: SampleName): Html => markup`<li>${task} › ${sample}</li>`

const list = (title: string, all: readonly SampleName[]): Html =>
  markup`<details>
    <summary>${title}: <strong>${all.length}</strong></summary>
    <ul>
      ${all.slice(0, shownNames).map(named)}${all.length > shownNames ? markup`<li>and ${all.length - shownNames} more: filter samples by change</li>` : ''}
    </ul>
  </details>`

function comparisonCard({ name, comparison: found }: NonNullable<OverviewOptions['against']>): Html {
  const { mcNemar } = found
  return card(`Against ${name}`, [
    markup`<p>
      ${found.samples} samples are in
      both${found.undecided > 0 ? `, and ${found.undecided} that one of them has not judged to an end` : ''}.${found.speedup === null ? '' : ` Those that are correct in both are ${ratio(found.speedup)} as fast as before.`}
    </p>`,
    markup`<div class="changes">
      ${[
        list('Gained', found.gained),
        list('Lost', found.lost),
        list('Faster', found.faster),
        list('Slower', found.slower),
      ]}
    </div>`,
    mcNemar
      ? markup`<p class="note">
          McNemar’s exact test: p = ${mcNemar.tasks.p.toPrecision(3)} of tasks, p = ${mcNemar.samples.p.toPrecision(3)}
          of samples.
        </p>`
      : markup`<p class="note">
          No test: the two are not of the same tasks (${found.tasks.onlyFirst} and ${found.tasks.onlySecond} are in one
          alone).
        </p>`,
  ])
}
