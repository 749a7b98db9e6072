import { statuses } from '../status.ts'
import type { Listing } from '../model.ts'
import { h, pager, ratio, type Child } from './dom.ts'

const pageSize = 50
/** Width of a row of the map, and bounds of a cell. */
const width = 720
const bounds = { least: 3, most: 18 }
const height = 18

/** Of at least one value. A call takes only so many arguments. */
export const largest = (values: readonly number[]): number => values.reduce((so, value) => Math.max(so, value))

/** Tasks by samples: each row is a task, each cell a sample in the colour of its verdict, and a table at the same time. */
export function heatMap(listing: Listing, indices: readonly number[], page: number, go: (page: number) => void): Child {
  const byTask = new Map<number, number[]>()
  for (const index of indices) {
    const { task } = listing.samples[index]!
    const known = byTask.get(task)
    if (known) known.push(index)
    else byTask.set(task, [index])
  }
  const tasks = [...byTask]
  if (tasks.length === 0) return h('p', { class: 'none' }, 'No sample is like that.')
  const pages = Math.ceil(tasks.length / pageSize)
  const at = Math.min(page, pages - 1)
  const most = largest(tasks.map(([, own]) => own.length))
  const cell = Math.max(bounds.least, Math.min(bounds.most, Math.floor(width / most)))
  const rows = tasks.slice(at * pageSize, (at + 1) * pageSize).map(([task, own]) => rowOf(listing, task, own, cell))
  const present = statuses.filter((status) => indices.some((index) => listing.samples[index]?.status === status))
  return [
    h(
      'ul',
      { class: 'legend' },
      ...present.map((status) =>
        h(
          'li',
          {},
          h(
            'svg',
            { class: 'key', viewBox: '0 0 10 10', 'aria-hidden': 'true' },
            h('rect', { class: `v-${status}`, width: 10, height: 10, rx: 2 }),
          ),
          status,
        ),
      ),
    ),
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Tasks by samples' },
      h(
        'table',
        { class: 'heat' },
        h('caption', {}, `${tasks.length} tasks; a cell is a sample`),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ...['Task', 'Level', 'Correct', 'Best speedup', 'Samples'].map((name) => h('th', { scope: 'col' }, name)),
          ),
        ),
        h('tbody', {}, ...rows),
      ),
    ),
    pager(at, pages, go),
  ]
}

function rowOf({ tasks, samples }: Listing, task: number, own: readonly number[], cell: number): HTMLElement {
  const row = tasks[task]
  const right = own.filter((index) => samples[index]?.status === 'correct')
  const speedups = right.flatMap((index) => samples[index]?.speedup ?? [])
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, h('a', { href: `#/task/${task}` }, row?.name ?? '')),
    h('td', {}, row?.level),
    h('td', { class: 'number' }, `${right.length} of ${own.length}`),
    h('td', { class: 'number' }, ratio(speedups.length === 0 ? null : largest(speedups))),
    h('td', {}, strip(samples, own, cell)),
  )
}

/** The cells of a task: one shape for each verdict, however many samples there are. */
function strip(samples: Listing['samples'], own: readonly number[], cell: number): HTMLElement {
  const paths = new Map<string, string[]>()
  const gap = cell > 4 ? 1 : 0
  for (const [place, index] of own.entries()) {
    const { status } = samples[index]!
    const shape = `M${place * cell} 0h${cell - gap}v${height}h-${cell - gap}z`
    const known = paths.get(status)
    if (known) known.push(shape)
    else paths.set(status, [shape])
  }
  const wide = own.length * cell
  const indexAt = (event: Event): number | undefined =>
    event instanceof MouseEvent ? own[Math.floor(event.offsetX / cell)] : undefined
  const title = h('title', {})
  const label = [...paths].map(([status, cells]) => `${status} ${cells.length}`).join(', ')
  return h(
    'svg',
    {
      class: 'strip',
      width: wide,
      height,
      viewBox: `0 0 ${wide} ${height}`,
      role: 'img',
      'aria-label': label,
      mousemove: (event) => {
        const sample = samples[indexAt(event) ?? -1]
        if (sample)
          title.textContent = [sample.model, sample.name, sample.status, sample.class].filter(Boolean).join(' · ')
      },
      click: (event) => {
        const index = indexAt(event)
        if (index !== undefined) location.hash = `#/sample/${index}`
      },
    },
    title,
    ...[...paths].map(([status, cells]) => h('path', { class: `v-${status}`, d: cells.join('') })),
  )
}
