import { toFloat64, type Tensor } from 'vitest-npu'
import type { Scaled } from './norm.ts'

/** How sums run along a row. */
export interface Direction {
  /** an element is no part of its own sum */
  exclusive?: boolean
  /** from the end of the row */
  reverse?: boolean
}

/** Cumulative sums along the last axis of x, of the elements that `mask` keeps. The scale is the sum of the magnitudes. */
export function cumulativeSum(x: Tensor, { exclusive = false, reverse = false }: Direction, mask?: Tensor): Scaled {
  const elements = toFloat64(x)
  const width = x.shape.at(-1)!
  const [values, scale] = [new Float64Array(elements.length), new Float64Array(elements.length)]
  for (let row = 0; row < elements.length; row += width) {
    let [sum, size] = [0, 0]
    for (let step = 0; step < width; step++) {
      const at = row + (reverse ? width - 1 - step : step)
      const element = mask && Number(mask.data[at]) === 0 ? 0 : elements[at]!
      if (!exclusive) [sum, size] = [sum + element, size + Math.abs(element)]
      values[at] = sum
      scale[at] = size
      if (exclusive) [sum, size] = [sum + element, size + Math.abs(element)]
    }
  }
  return { values, scale }
}

/** Cumulative products along the last axis of x. */
export function cumulativeProduct(x: Tensor): { values: Float64Array } {
  const values = toFloat64(x)
  const width = x.shape.at(-1)!
  for (let at = 0; at < values.length; at++) if (at % width !== 0) values[at] = values[at - 1]! * values[at]!
  return { values }
}

/** What has been gathered along an axis: sums with the sum of their magnitudes, or anything else. */
export function reduceAxis(
  x: Tensor,
  axis: number,
  start: number,
  gather: (gathered: number, element: number) => number,
): Float64Array {
  const elements = toFloat64(x)
  const extent = x.shape[axis]!
  const inner = x.shape.slice(axis + 1).reduce((size, length) => size * length, 1)
  const result = new Float64Array(elements.length / extent).fill(start)
  for (let at = 0; at < elements.length; at++) {
    const to = Math.floor(at / (extent * inner)) * inner + (at % inner)
    result[to] = gather(result[to]!, elements[at]!)
  }
  return result
}

/** Sums along the middle axis of x, of rank 3. The scale is the sum of the magnitudes. */
export const sumOf = (x: Tensor): Scaled => ({
  values: reduceAxis(x, 1, 0, (sum, element) => sum + element),
  scale: reduceAxis(x, 1, 0, (sum, element) => sum + Math.abs(element)),
})

/** Means along the middle axis of x, of rank 3. The scale is the mean of the magnitudes. */
export function meanOf(x: Tensor): Scaled {
  const { values, scale } = sumOf(x)
  const count = x.shape[1]!
  return { values: values.map((sum) => sum / count), scale: scale.map((sum) => sum / count) }
}
