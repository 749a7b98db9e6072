import type { Listing, SampleRow } from '../model.ts'
import { badge, h, pager, ratio, time, type Child } from './dom.ts'

/** Columns that a list of samples can be sorted by. */
const columns = {
  task: 'Task',
  level: 'Level',
  model: 'Model',
  sample: 'Sample',
  verdict: 'Verdict',
  cases: 'Wrong cases',
  speedup: 'Speedup',
  latency: 'Latency',
} as const

export type Column = keyof typeof columns

const columnNames: readonly Column[] = ['task', 'level', 'model', 'sample', 'verdict', 'cases', 'speedup', 'latency']

/** How a list of samples is shown. */
export interface Order {
  column: Column
  descending: boolean
  page: number
}

const pageSize = 100

const collator = new Intl.Collator('en', { numeric: true })

type Key = string | number | null

function keyOf({ tasks }: Listing, sample: SampleRow, column: Column): Key {
  const task = tasks[sample.task]
  const keys: Record<Column, Key> = {
    task: task?.name ?? '',
    level: task?.level ?? '',
    model: sample.model,
    sample: sample.name,
    verdict: `${sample.status} ${sample.class ?? ''}`,
    cases: sample.failed,
    speedup: sample.speedup,
    latency: sample.latencyNs,
  }
  return keys[column]
}

/** Indices of samples in an order; what has no value comes last either way. */
export function sorted(listing: Listing, indices: readonly number[], { column, descending }: Order): number[] {
  const keyed = indices.map((index) => ({ index, key: keyOf(listing, listing.samples[index]!, column) }))
  const sign = descending ? -1 : 1
  keyed.sort((one, other) => {
    if (one.key === null || other.key === null) return Number(one.key === null) - Number(other.key === null)
    const order =
      typeof one.key === 'number' && typeof other.key === 'number'
        ? one.key - other.key
        : collator.compare(String(one.key), String(other.key))
    return sign * order || one.index - other.index
  })
  return keyed.map(({ index }) => index)
}

/** A page of a list of samples, whose header sorts it. */
export function sampleTable(
  listing: Listing,
  indices: readonly number[],
  order: Order,
  change: (order: Order) => void,
): Child {
  const hasModels = listing.samples.some(({ model }) => model !== '')
  const names = columnNames.filter((name) => name !== 'model' || hasModels)
  const pages = Math.max(1, Math.ceil(indices.length / pageSize))
  const page = Math.min(order.page, pages - 1)
  const shown = sorted(listing, indices, order).slice(page * pageSize, (page + 1) * pageSize)
  const header = names.map((name) => {
    const own = order.column === name
    const next = { column: name, descending: own && !order.descending, page: 0 }
    return h(
      'th',
      { scope: 'col', 'aria-sort': own ? (order.descending ? 'descending' : 'ascending') : 'none' },
      h('button', { type: 'button', class: 'sort', 'data-column': name, click: () => change(next) }, columns[name]),
    )
  })
  const rows = shown.map((index) => rowOf(listing, index, names))
  if (rows.length === 0) return h('p', { class: 'none' }, 'No sample is like that.')
  return [
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Samples' },
      h(
        'table',
        { class: 'samples' },
        h('caption', {}, `${indices.length} samples`),
        h('thead', {}, h('tr', {}, ...header)),
        h('tbody', {}, ...rows),
      ),
    ),
    pager(page, pages, (to) => change({ ...order, page: to })),
  ]
}

function rowOf({ tasks, samples }: Listing, index: number, names: readonly Column[]): HTMLElement {
  const sample = samples[index]!
  const task = tasks[sample.task]
  const cells: Record<Column, Child> = {
    task: h('a', { href: `#/task/${sample.task}` }, task?.name ?? ''),
    level: task?.level,
    model: sample.model,
    sample: h('a', { href: `#/sample/${index}` }, sample.name === '' ? '(no name)' : sample.name),
    verdict: [
      badge(sample.status),
      sample.class === null ? null : ` ${sample.class}`,
      sample.change ? h('span', { class: `change ${sample.change}` }, sample.change) : null,
    ],
    cases: `${sample.failed} of ${sample.cases}`,
    speedup: ratio(sample.speedup),
    latency: time(sample.latencyNs),
  }
  return h(
    'tr',
    {},
    ...names.map((name) =>
      name === 'sample' ? h('th', { scope: 'row' }, cells[name]) : h('td', { class: `c-${name}` }, cells[name]),
    ),
  )
}
