import type { Timeline } from '../types.ts'
import { h, note, table, time, type Child } from './dom.ts'

type Core = Timeline['cores'][number]
type Interval = Core['pipes'][number]['intervals'][number]

/** Of a drawing, in its own units; a row is a pipe. */
const [width, labelWidth, rowHeight, barHeight] = [1000, 60, 22, 16]
/** How much of what is shown one step moves, and how much closer one step of the zoom is. */
const [stride, zoom] = [0.25, 2]
/** What is shown is no shorter, in picoseconds. */
const shortest = 1000

const ns = (ps: number): string => time(ps / 1000)
const percent = (part: number, whole: number): string => `${whole === 0 ? 0 : ((100 * part) / whole).toFixed(0)}%`

/** What the pipes of a few cores did when: shares in words, and a drawing that can be looked at closely. */
export const timelineView = (timeline: Timeline): Child => [
  note(
    'The cores that finish last and the first to finish. Full bars are instructions, hatched ones waits; where nothing is drawn, a pipe has no work. Many short ones are drawn as one, as high as their share.',
  ),
  ...timeline.cores.map((core) => coreView(timeline.names, core)),
]

interface Shares {
  pipe: string
  busy: number
  waited: number
  /** time by what was waited for */
  waits: Map<string, number>
}

function sharesOf(names: readonly string[], { pipes }: Core): Shares[] {
  return pipes.map(({ pipe, intervals }) => {
    const waits = new Map<string, number>()
    let [busy, allWaited] = [0, 0]
    for (const [, , worked, waited, , , what] of intervals) {
      busy += worked
      allWaited += waited
      const name = names[what] ?? ''
      if (waited > 0) waits.set(name, (waits.get(name) ?? 0) + waited)
    }
    return { pipe, busy, waited: allWaited, waits }
  })
}

/** Two pipes that wait for each other for a part of the time that is worth a look. */
function mutual(shares: readonly Shares[], end: number): string[] {
  const least = 0.05 * end
  return shares.flatMap((one, i) =>
    shares.slice(i + 1).flatMap((other) => {
      const [there, back] = [one.waits.get(other.pipe) ?? 0, other.waits.get(one.pipe) ?? 0]
      if (there < least || back < least) return []
      return `${one.pipe} and ${other.pipe} wait for each other: ${ns(there)} (${percent(there, end)}) and ${ns(back)} (${percent(back, end)}).`
    }),
  )
}

function coreView(names: readonly string[], core: Core): Child {
  const shares = sharesOf(names, core)
  const waitsText = ({ waits }: Shares): string =>
    [...waits]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, 3)
      .map(([what, ps]) => `${what} ${percent(ps, core.end)}`)
      .join(', ')
  return h(
    'div',
    { class: 'timeline' },
    h('h3', {}, `${core.core}: ${ns(core.end)}`),
    drawing(names, core, shares),
    ...mutual(shares, core.end).map((text) => h('p', { class: 'mutual' }, text)),
    table(
      `Pipes of ${core.core}, shares of its ${ns(core.end)}`,
      ['pipe', 'busy', 'waits', 'for'],
      shares.map((each) => [each.pipe, percent(each.busy, core.end), percent(each.waited, core.end), waitsText(each)]),
    ),
  )
}

/** The part of the time that is shown. */
interface Shown {
  from: number
  to: number
}

function drawing(names: readonly string[], core: Core, shares: readonly Shares[]): HTMLElement {
  const whole: Shown = { from: 0, to: Math.max(core.end, 1) }
  let shown = whole
  const out = h('div', { class: 'drawing' })
  const span = h('span', { class: 'span', role: 'status' })
  const label = `Pipes of ${core.core}: ${shares.map(({ pipe, busy, waited }) => `${pipe} is busy ${percent(busy, core.end)} and waits ${percent(waited, core.end)}`).join(', ')}`
  const update = (): void => {
    out.replaceChildren(picture(names, core, shown, label))
    span.textContent = `${ns(shown.from)} to ${ns(shown.to)} of ${ns(whole.to)}`
  }
  const show = (from: number, length: number): void => {
    const size = Math.min(Math.max(length, Math.min(shortest, whole.to)), whole.to)
    const start = Math.min(Math.max(from, 0), whole.to - size)
    shown = { from: start, to: start + size }
    update()
  }
  const zoomBy = (factor: number, at = 0.5): void => {
    const length = shown.to - shown.from
    show(shown.from + at * length * (1 - 1 / factor), length / factor)
  }
  const moveBy = (share: number): void => show(shown.from + share * (shown.to - shown.from), shown.to - shown.from)
  const actions: [name: string, key: string, act: () => void][] = [
    ['Zoom in', '+', () => zoomBy(zoom)],
    ['Zoom out', '-', () => zoomBy(1 / zoom)],
    ['Earlier', 'ArrowLeft', () => moveBy(-stride)],
    ['Later', 'ArrowRight', () => moveBy(stride)],
    ['All', '0', () => show(0, whole.to)],
  ]
  out.addEventListener(
    'wheel',
    (event) => {
      // the page scrolls, unless somebody zooms
      if (!event.ctrlKey) return
      event.preventDefault()
      const { left, width: size } = out.getBoundingClientRect()
      const at = ((event.clientX - left) / size - labelWidth / width) / (1 - labelWidth / width)
      zoomBy(event.deltaY < 0 ? zoom : 1 / zoom, Math.min(Math.max(at, 0), 1))
    },
    { passive: false },
  )
  update()
  return h(
    'div',
    {
      class: 'view',
      role: 'group',
      tabindex: 0,
      'aria-label': `Timeline of ${core.core}: plus and minus zoom, arrows move, 0 shows all`,
      keydown: (event) => {
        if (!(event instanceof KeyboardEvent) || event.ctrlKey || event.metaKey || event.altKey) return
        const action = actions.find(([, key]) => key === event.key)
        if (!action) return
        event.preventDefault()
        action[2]()
      },
    },
    h(
      'div',
      { class: 'pager' },
      ...actions.map(([name, , act]) => h('button', { type: 'button', click: act }, name)),
      span,
    ),
    out,
  )
}

function picture(names: readonly string[], core: Core, { from, to }: Shown, label: string): HTMLElement {
  const scale = (width - labelWidth) / (to - from)
  const at = (ps: number): number => labelWidth + (Math.min(Math.max(ps, from), to) - from) * scale
  const height = rowHeight * core.pipes.length + rowHeight
  const hatching = `waits-${core.core.replaceAll(/\W/g, '-')}`
  const bar = (name: string, begin: number, end: number, share: number, y: number, what: string): Child => {
    const high = Math.max(1, barHeight * share)
    const x = at(begin)
    return h(
      'rect',
      {
        class: name,
        fill: name === 'wait' ? `url(#${hatching})` : undefined,
        x,
        y: y + barHeight - high,
        width: Math.max(at(end) - x, 0.4),
        height: high,
      },
      h('title', {}, what),
    )
  }
  const barsOf = ([begin, end, busy, waited, count, instruction, what]: Interval, y: number): Child[] => {
    if (end < from || begin > to) return []
    const length = end - begin
    const [name, other] = [names[instruction] || 'plain C++', names[what] ?? '']
    const times = count > 1 ? `, ${count} instructions and waits` : ''
    const when = `from ${ns(begin)} to ${ns(end)}`
    return [
      waited > 0
        ? bar('wait', begin, end, (busy + waited) / length, y, `waits for ${other}: ${ns(waited)} ${when}${times}`)
        : null,
      busy > 0 ? bar('work', begin, end, busy / length, y, `${name}: ${ns(busy)} ${when}${times}`) : null,
    ]
  }
  const ticks = Array.from({ length: 6 }, (_, i) => from + ((to - from) * i) / 5)
  return h(
    'svg',
    { class: 'times', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label },
    h(
      'pattern',
      { id: hatching, width: 4, height: 4, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
      h('rect', { class: 'stripe', width: 2, height: 4 }),
    ),
    ...ticks.map((ps, i) =>
      h(
        'text',
        { class: 'tick', x: at(ps), y: height - 6, 'text-anchor': i === 0 ? 'start' : i === 5 ? 'end' : 'middle' },
        ns(ps),
      ),
    ),
    ...core.pipes.flatMap(({ pipe, intervals }, row): Child[] => {
      const y = row * rowHeight + 3
      return [
        h('rect', { class: 'lane', x: labelWidth, y, width: width - labelWidth, height: barHeight }),
        h('text', { class: 'name', x: 0, y: y + 12 }, pipe),
        ...intervals.flatMap((interval) => barsOf(interval, y)),
      ]
    }),
  )
}
