export type Child = Node | string | number | null | undefined | false | readonly Child[]

type Props = Record<string, string | number | boolean | undefined | ((event: Event) => void)>

const svgNames = new Set(['svg', 'path', 'pattern', 'rect', 'text', 'title'])

/** An element. Texts become text nodes and nothing else: no markup of a candidate is ever read. */
export function h(tag: string, props: Props = {}, ...children: readonly Child[]): HTMLElement {
  const element = svgNames.has(tag)
    ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name, value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value))
  }
  append(element, children)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- shapes are only put into the page
  return element as HTMLElement
}

function append(parent: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue
    if (child instanceof Node) parent.append(child)
    else if (typeof child === 'string' || typeof child === 'number') parent.append(String(child))
    else append(parent, child)
  }
}

/** The element of that id. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (!found) throw new Error(`the page has no #${id}`)
  return found
}

/** A table that scrolls on its own, with its caption. */
export const table = (caption: string, header: readonly Child[], rows: readonly (readonly Child[])[]): HTMLElement =>
  h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h(
      'table',
      {},
      h('caption', {}, caption),
      h('thead', {}, h('tr', {}, ...header.map((cell) => h('th', { scope: 'col' }, cell)))),
      h(
        'tbody',
        {},
        ...rows.map(([head, ...cells]) =>
          h('tr', {}, h('th', { scope: 'row' }, head), ...cells.map((cell) => h('td', {}, cell))),
        ),
      ),
    ),
  )

export const badge = (kind: string): HTMLElement => h('span', { class: `badge v-${kind}` }, kind)

export const card = (title: string, ...content: readonly Child[]): HTMLElement =>
  h('section', { class: 'card' }, h('h2', {}, title), ...content)

export const note = (...content: readonly Child[]): HTMLElement => h('p', { class: 'note' }, ...content)

export const none = (text: string): HTMLElement => h('p', { class: 'none' }, text)

/** Buttons for the pages of a list; nothing for one page. */
export function pager(page: number, pages: number, go: (page: number) => void): Child {
  if (pages <= 1) return null
  const button = (name: string, to: number): HTMLElement =>
    h('button', { type: 'button', disabled: to < 0 || to >= pages, click: () => go(to) }, name)
  return h(
    'div',
    { class: 'pager', role: 'group', 'aria-label': 'Pages' },
    button('First', page === 0 ? -1 : 0),
    button('Previous', page - 1),
    h('span', {}, `page ${page + 1} of ${pages}`),
    button('Next', page + 1),
    button('Last', page === pages - 1 ? pages : pages - 1),
  )
}

export const ratio = (value: number | null): string => (value === null ? '–' : `${value.toFixed(2)}x`)

const times: readonly [limit: number, divisor: number, unit: string][] = [
  [1e3, 1, 'ns'],
  [1e6, 1e3, 'µs'],
  [1e9, 1e6, 'ms'],
]

/** A time of the device as a person reads it. */
export function time(ns: number | null | undefined): string {
  if (ns === null || ns === undefined) return '–'
  const [, divisor, unit] = times.find(([limit]) => ns < limit) ?? [0, 1e9, 's']
  return `${Number((ns / divisor).toPrecision(4))} ${unit}`
}
