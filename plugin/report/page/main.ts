import type { Listing } from '../model.ts'
import { statuses } from '../status.ts'
import { readDetail, readListing, readSources, readTimeline } from './data.ts'
import { byId, card, h, type Child } from './dom.ts'
import { filtered, noFilter, searchTexts, type Filter } from './filter.ts'
import { heatMap } from './heat-map.ts'
import { samplePage } from './sample-page.ts'
import { sampleTable, type Order } from './samples.ts'
import { startTheme } from './theme.ts'

const firstOrder: Order = { column: 'task', descending: false, page: 0 }

const textsOf = async (sample: number) => await readSources(await readDetail(sample))

const named = (values: Iterable<string>): [string, string][] =>
  [...new Set(values)]
    .filter((value) => value !== '')
    .sort()
    .map((value) => [value, value])

/** The views of the page, of which the part of the address behind `#` names one. */
class Page {
  readonly #listing: Listing
  readonly #texts: string[]
  #filter: Filter = noFilter
  #order: Order = firstOrder
  #heatPage = 0

  constructor(listing: Listing) {
    this.#listing = listing
    this.#texts = searchTexts(listing)
  }

  async show(): Promise<void> {
    const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
    const [view = '', number] = path.split('/')
    const isDetail = view === 'task' || view === 'sample'
    const shown = isDetail ? 'detail' : view === 'tasks' || view === 'samples' ? 'explore' : 'overview'
    for (const id of ['overview', 'explore', 'detail']) byId(id).hidden = id !== shown
    for (const link of document.querySelectorAll('nav a')) {
      const own = link.getAttribute('data-view') === (shown === 'overview' ? 'overview' : view)
      if (own) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    }
    if (shown === 'overview') this.#map()
    if (shown === 'explore') this.#explore(view === 'tasks' ? 'tasks' : 'samples', query)
    if (shown === 'detail') await this.#detail(view, Number(number))
    scrollTo(0, 0)
  }

  #map(page = 0): void {
    const all = this.#listing.samples.map((_, index) => index)
    const map = heatMap(this.#listing, all, page, (to) => this.#map(to))
    byId('map').replaceChildren(card('Tasks by samples', h('div', {}, map)))
  }

  #explore(view: 'tasks' | 'samples', query: string): void {
    const asked = new URLSearchParams(query)
    const field = (name: keyof Filter): string => asked.get(name) ?? ''
    this.#filter = {
      model: field('model'),
      level: field('level'),
      status: field('status'),
      change: field('change'),
      q: field('q'),
    }
    const results = h('div', { id: 'results' })
    const count = h('p', { class: 'note', id: 'count', role: 'status' })
    const update = (): void => {
      const indices = filtered(this.#listing, this.#texts, this.#filter)
      const text = `${indices.length} of ${this.#listing.samples.length} samples`
      if (count.textContent !== text) count.textContent = text
      const content =
        view === 'tasks'
          ? heatMap(this.#listing, indices, this.#heatPage, (page) => {
              this.#heatPage = page
              update()
            })
          : sampleTable(this.#listing, indices, this.#order, (order) => {
              const sorting = order.column
              this.#order = order
              update()
              results.querySelector<HTMLElement>(`[data-column="${sorting}"]`)?.focus()
            })
      results.replaceChildren(h('div', {}, content))
    }
    const change = (part: Partial<Filter>): void => {
      this.#filter = { ...this.#filter, ...part }
      this.#order = { ...this.#order, page: 0 }
      this.#heatPage = 0
      const parts = Object.entries(this.#filter).filter(([, value]) => value !== '')
      const text = new URLSearchParams(parts).toString()
      history.replaceState(null, '', `#/${view}${text === '' ? '' : `?${text}`}`)
      update()
    }
    byId('explore').replaceChildren(
      this.#bar(change),
      count,
      card(view === 'tasks' ? 'Tasks by samples' : 'Samples', results),
    )
    update()
  }

  /** The filters: what none of the samples has is not offered. */
  #bar(change: (part: Partial<Filter>) => void): HTMLElement {
    const { tasks, samples } = this.#listing
    const select = (name: keyof Filter, label: string, options: readonly (readonly [string, string])[]): Child =>
      options.length < 2 && name !== 'status' && name !== 'change'
        ? null
        : h(
            'label',
            {},
            label,
            h(
              'select',
              {
                name,
                change: (event) => {
                  if (event.target instanceof HTMLSelectElement) change({ [name]: event.target.value })
                },
              },
              h('option', { value: '' }, 'all'),
              ...options.map(([value, text]) => h('option', { value, selected: this.#filter[name] === value }, text)),
            ),
          )
    const present = statuses.filter((status) => samples.some((sample) => sample.status === status))
    const changes = named(samples.map((sample) => sample.change ?? ''))
    return h(
      'form',
      { class: 'filters', role: 'search', 'aria-label': 'Filter samples', submit: (event) => event.preventDefault() },
      select('model', 'Model', named(samples.map(({ model }) => model))),
      select('level', 'Level', named(tasks.map(({ level }) => level))),
      select('status', 'Verdict', [
        ['wrong', 'all that are wrong'],
        ...present.map((status) => [status, status] as const),
      ]),
      changes.length === 0 ? null : select('change', 'Change', changes),
      h(
        'label',
        {},
        'Text',
        h('input', {
          type: 'search',
          name: 'q',
          value: this.#filter.q,
          placeholder: 'task, sample, error…',
          input: (event) => {
            if (event.target instanceof HTMLInputElement) change({ q: event.target.value })
          },
        }),
      ),
    )
  }

  async #detail(view: string, number: number): Promise<void> {
    const detail = byId('detail')
    const content = view === 'task' ? this.#task(number) : await this.#sample(number)
    detail.replaceChildren(
      h('div', {}, content ?? h('p', { class: 'none' }, 'There is nothing of that name in this report.')),
    )
    detail.querySelector<HTMLElement>('.title')?.focus({ preventScroll: true })
  }

  #task(index: number): Child {
    const task = this.#listing.tasks[index]
    if (!task) return null
    const own = this.#listing.samples.flatMap((sample, each) => (sample.task === index ? [each] : []))
    let order: Order = { ...firstOrder, column: 'sample' }
    const results = h('div', {})
    const update = (next: Order): void => {
      order = next
      results.replaceChildren(h('div', {}, sampleTable(this.#listing, own, order, update)))
      results.querySelector<HTMLElement>(`[data-column="${order.column}"]`)?.focus({ preventScroll: true })
    }
    results.append(h('div', {}, sampleTable(this.#listing, own, order, update)))
    return [
      h(
        'div',
        { class: 'head' },
        h('p', { class: 'crumbs' }, h('a', { href: '#/tasks' }, 'Tasks')),
        h('h2', { tabindex: -1, class: 'title' }, task.name),
        h('p', { class: 'note' }, [task.suite, task.level, task.category].join(' · ')),
      ),
      own.length > 0
        ? card(
            'Verdicts',
            heatMap(this.#listing, own, 0, () => {}),
          )
        : null,
      card('Samples', own.length > 0 ? results : h('p', { class: 'none' }, 'No sample of this task was judged.')),
    ]
  }

  async #sample(index: number): Promise<Child> {
    const sample = this.#listing.samples[index]
    if (!sample) return null
    const detail = await readDetail(index)
    const [texts, timeline] = await Promise.all([readSources(detail), readTimeline(detail)])
    return samplePage(this.#listing, index, detail, { texts, textsOf, timeline })
  }
}

startTheme()
const page = new Page(await readListing())
addEventListener('hashchange', () => void page.show())
await page.show()
document.documentElement.dataset['ready'] = 'true'
