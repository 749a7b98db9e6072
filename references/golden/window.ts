import { toFloat64, type Tensor } from 'vitest-npu'

/** A window that moves over the last axes of a tensor: the same extent, step and padding on each of them. */
export interface Window {
  /** axes that it moves over */
  rank: number
  size: number
  stride: number
  padding: number
}

/** Positions along an axis of `extent` elements: floor((extent + 2 padding - size) / stride) + 1. */
export const positionsOf = (extent: number, { size, stride, padding }: Omit<Window, 'rank'>): number =>
  Math.floor((extent + 2 * padding - size) / stride) + 1

/** Adds the element at `index` of the input to what was gathered of a window so far. */
type Gather = (gathered: number, index: number) => number

/** What `gather` makes of each window, from `start` on; padding contributes nothing. */
function overWindows(shape: readonly number[], window: Window, start: number, gather: Gather): Float64Array {
  const axes = shape.slice(-window.rank)
  const outer = shape.slice(0, -window.rank).reduce((size, extent) => size * extent, 1)
  const [depth = 1, height = 1, width = 1] = [...Array<number>(3 - axes.length).fill(1), ...axes]
  const along = (extent: number, axis: number): readonly (readonly [number, number])[] =>
    axis < 3 - axes.length ? [[0, 1]] : rangesOf(extent, window)
  const [planes, rows, columns] = [along(depth, 0), along(height, 1), along(width, 2)]
  const result = new Float64Array(outer * planes.length * rows.length * columns.length)
  let at = 0
  for (let block = 0; block < outer; block++)
    for (const [firstPlane, endPlane] of planes)
      for (const [firstRow, endRow] of rows)
        for (const [first, end] of columns) {
          let gathered = start
          for (let plane = firstPlane; plane < endPlane; plane++)
            for (let row = firstRow; row < endRow; row++) {
              const line = ((block * depth + plane) * height + row) * width
              for (let column = first; column < end; column++) gathered = gather(gathered, line + column)
            }
          result[at++] = gathered
        }
  return result
}

/** First element of each window along an axis and the one behind its last, inside of the tensor. */
const rangesOf = (extent: number, window: Window): (readonly [number, number])[] =>
  Array.from({ length: positionsOf(extent, window) }, (_, position) => {
    const first = position * window.stride - window.padding
    return [Math.max(0, first), Math.min(extent, first + window.size)] as const
  })

/** The largest element of each window; padding is no element. */
export function maxOverWindows(x: Tensor, window: Window) {
  const elements = toFloat64(x)
  return { values: overWindows(x.shape, window, -Infinity, (most, index) => Math.max(most, elements[index]!)) }
}

/** The mean of each window, padding counted as zeros. The scale is the mean of the magnitudes. */
export function meanOverWindows(x: Tensor, window: Window) {
  const elements = toFloat64(x)
  const count = window.size ** window.rank
  const sums = overWindows(x.shape, window, 0, (sum, index) => sum + elements[index]!)
  const sizes = overWindows(x.shape, window, 0, (sum, index) => sum + Math.abs(elements[index]!))
  return { values: sums.map((sum) => sum / count), scale: sizes.map((sum) => sum / count) }
}
