import type { Interval } from '../ledger/index.ts'
import { markup, type Html } from './html.ts'

/** A line of a chart. */
export interface Series {
  name: string
  points: { x: number; y: number; band: Interval | null; partial: boolean }[]
}

const width = 640
const height = 300
const left = 46
const right = 16
const top = 14
const bottom = 34

const fixed = (value: number): string => value.toFixed(1)

const yOf = (share: number): number => top + (1 - share) * (height - top - bottom)

/** Horizontal lines at quarters, with their labels. */
const shareAxis = (): Html[] =>
  [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      markup`<line
          class="grid"
          x1="${left}"
          x2="${width - right}"
          y1="${fixed(yOf(share))}"
          y2="${fixed(yOf(share))}"
        /><text class="tick" x="${left - 8}" y="${fixed(yOf(share) + 4)}" text-anchor="end">${100 * share}%</text>`,
  )

const svg = (id: string, title: string, description: string, content: readonly Html[]): Html =>
  markup`<svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-t ${id}-d">
    <title id="${id}-t">${title}</title>
    <desc id="${id}-d">${description}</desc>
    ${content}
  </svg>`

/** Shares by sample budget, with the band of each point. The budget is on a logarithmic scale. */
export function passChart(id: string, title: string, series: readonly Series[]): Html {
  const budgets = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b)
  const most = Math.log(Math.max(2, ...budgets))
  const xOf = (k: number): number => left + 12 + (Math.log(k) / most) * (width - left - right - 24)
  const lines = series.map(({ name, points }, index) => {
    const place = points.map((point) => `${fixed(xOf(point.x))},${fixed(yOf(point.y))}`)
    const banded = points.flatMap(({ x, band }) => (band ? [{ x, ...band }] : []))
    const band = [
      ...banded.map(({ x, high }) => `${fixed(xOf(x))},${fixed(yOf(high))}`),
      ...banded.reverse().map(({ x, low }) => `${fixed(xOf(x))},${fixed(yOf(low))}`),
    ]
    const marks = points.map(
      ({ x, y, band: interval, partial }) =>
        markup`<circle
          class="s${index % 6} ${partial ? 'partial' : 'mark'}"
          cx="${fixed(xOf(x))}"
          cy="${fixed(yOf(y))}"
          r="4"
          ><title>
            ${name}, k = ${x}:
            ${fixed(100 * y)}%${interval ? ` (${fixed(100 * interval.low)} to ${fixed(100 * interval.high)}%)` : ''}${partial ? ', not of all tasks' : ''}
          </title></circle
        >`,
    )
    return markup`<polygon class="band s${index % 6}" points="${band.join(' ')}" /><polyline
        class="line s${index % 6}"
        points="${place.join(' ')}"
      />${marks}`
  })
  const ticks = budgets.map(
    (k) => markup`<text class="tick" x="${fixed(xOf(k))}" y="${height - 12}" text-anchor="middle">${k}</text>`,
  )
  const description = series
    .map(({ name, points }) => `${name}: ${points.map(({ x, y }) => `${fixed(100 * y)}% at k = ${x}`).join(', ')}`)
    .join('. ')
  return svg(id, title, description, [...shareAxis(), ...ticks, ...lines])
}

/** Bounds of the bars of a histogram of ratios: halves of powers of two, all below and all above at the ends. */
const bounds = [0.125, 0.25, 0.5, 0.71, 0.9, 1, 1.1, 1.41, 2, 4, 8]

/** How many ratios lie in each bar: `[from, to)`, with 0 and infinity at the ends. */
export const histogramOf = (ratios: readonly number[]): { from: number; to: number; count: number }[] =>
  [0, ...bounds].map((from, index) => {
    const to = bounds[index] ?? Number.POSITIVE_INFINITY
    return { from, to, count: ratios.filter((ratio) => ratio >= from && ratio < to).length }
  })

export const barLabel = ({ from, to }: { from: number; to: number }): string =>
  from === 0 ? `< ${to}x` : to === Number.POSITIVE_INFINITY ? `≥ ${from}x` : `${from}–${to}x`

/** Bars of a histogram of speedups; those of samples that are slower than the baseline look otherwise. */
export function speedupChart(id: string, title: string, ratios: readonly number[]): Html {
  const bars = histogramOf(ratios)
  const most = Math.max(1, ...bars.map(({ count }) => count))
  const step = (width - left - right) / bars.length
  const shapes = bars.map((bar, index) => {
    const tall = (bar.count / most) * (height - top - bottom - 12)
    const x = left + index * step
    const y = height - bottom - tall
    return markup`<rect
        class="${bar.from >= 1 ? 'fast' : 'slow'}"
        x="${fixed(x + 3)}"
        y="${fixed(y)}"
        width="${fixed(step - 6)}"
        height="${fixed(tall)}"
        rx="3"
        ><title>${barLabel(bar)}: ${bar.count} samples</title></rect
      >${bar.count > 0 ? markup`<text class="value" x="${fixed(x + step / 2)}" y="${fixed(y - 5)}" text-anchor="middle">${bar.count}</text>` : ''}<text
        class="tick"
        x="${fixed(x)}"
        y="${height - 12}"
        text-anchor="middle"
        >${bar.from === 0 ? '' : `${bar.from}x`}</text
      >`
  })
  const axis = markup`<line
    class="axis"
    x1="${left}"
    x2="${width - right}"
    y1="${height - bottom}"
    y2="${height - bottom}"
  />`
  const description = bars
    .filter(({ count }) => count > 0)
    .map((bar) => `${barLabel(bar)}: ${bar.count}`)
    .join(', ')
  return svg(id, title, description, [axis, ...shapes])
}

/** One bar of parts, each a share of the whole, in an SVG that stretches. */
export function stackedBar(label: string, parts: readonly { name: string; className: string; count: number }[]): Html {
  const all = parts.reduce((sum, { count }) => sum + count, 0)
  let x = 0
  const shapes = parts.map(({ name, className, count }) => {
    const wide = all === 0 ? 0 : (1000 * count) / all
    const shape = markup`<rect class="${className}" x="${fixed(x)}" y="0" width="${fixed(wide)}" height="10"
      ><title>${name}: ${count} of ${all}</title></rect
    >`
    x += wide
    return shape
  })
  const text = `${label}: ${parts.map(({ name, count }) => `${name} ${count}`).join(', ')}`
  return markup`<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label="${text}">
    ${shapes}
  </svg>`
}
