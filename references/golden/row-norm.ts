import { toFloat64, type Tensor } from 'vitest-npu'
import type { Scaled } from './norm.ts'

/** Sets of elements that are normalised together: which set the element at an index is part of. */
export interface Sets {
  count: number
  of: (index: number) => number
}

/** The whole tensor is one set. */
export const allTogether: Sets = { count: 1, of: () => 0 }

/** Consecutive stretches of `length` elements: rows, images, groups of channels. */
export const stretches = (x: Tensor, length: number): Sets => ({
  count: x.data.length / length,
  of: (index) => Math.floor(index / length),
})

/** The elements of a channel, of [N, C, ...]. */
export function channels(x: Tensor): Sets {
  const count = x.shape[1]!
  const inner = sizeBehind(x, 2)
  return { count, of: (index) => Math.floor(index / inner) % count }
}

/** The channels of a place, of [N, C, ...]. */
export function places(x: Tensor): Sets {
  const inner = sizeBehind(x, 2)
  const outer = inner * x.shape[1]!
  return { count: x.data.length / x.shape[1]!, of: (index) => Math.floor(index / outer) * inner + (index % inner) }
}

const sizeBehind = (x: Tensor, axis: number): number => x.shape.slice(axis).reduce((size, extent) => size * extent, 1)

/** Means over the sets of what `of` makes of their elements. */
function means(elements: Float64Array, sets: Sets, of: (element: number, set: number) => number): Float64Array {
  const [sums, counts] = [new Float64Array(sets.count), new Float64Array(sets.count)]
  for (let i = 0; i < elements.length; i++) {
    const set = sets.of(i)
    sums[set] = sums[set]! + of(elements[i]!, set)
    counts[set] = counts[set]! + 1
  }
  return sums.map((sum, set) => sum / counts[set]!)
}

/**
 * (x - mean) / sqrt(variance + epsilon) over each set, the variance divided by the number of elements. The scale is the size of what is
 * taken from each other, divided in the same way.
 */
export function standardise(x: Tensor, sets: Sets, epsilon: number): Scaled {
  const values = toFloat64(x)
  const centres = means(values, sets, (element) => element)
  const variances = means(values, sets, (element, set) => (element - centres[set]!) ** 2)
  const factors = variances.map((variance) => 1 / Math.sqrt(variance + Math.fround(epsilon)))
  // the mean carries the roundings of the elements that it is made of
  const sizes = means(values, sets, Math.abs)
  const scale = new Float64Array(values.length)
  for (let i = 0; i < values.length; i++) {
    const set = sets.of(i)
    scale[i] = (Math.abs(values[i]!) + sizes[set]!) * factors[set]!
    values[i] = (values[i]! - centres[set]!) * factors[set]!
  }
  return { values, scale }
}

/** x divided by a norm of its set: what `norm` makes of the mean of what `of` makes of the elements, and of their number. */
export function divideByNorm(
  x: Tensor,
  sets: Sets,
  of: (element: number) => number,
  norm: (mean: number, count: number) => number,
): { values: Float64Array } {
  const values = toFloat64(x)
  const count = values.length / sets.count
  const norms = means(values, sets, of).map((mean) => norm(mean, count))
  for (let i = 0; i < values.length; i++) values[i] = values[i]! / norms[sets.of(i)]!
  return { values }
}
