import { toFloat64, type Tensor } from 'vitest-npu'
import type { Scaled } from './norm.ts'

/** A term of a mean, and the size of what it is made of: its own where nothing cancels. */
export interface Term {
  value: number
  size: number
}

/** The mean of `count` terms, as one element. */
export function meanOfTerms(count: number, termOf: (index: number) => Term, divisor = count): Scaled {
  let [sum, sizes] = [0, 0]
  for (let i = 0; i < count; i++) {
    const { value, size } = termOf(i)
    sum += value
    sizes += size
  }
  return { values: Float64Array.of(sum / divisor), scale: Float64Array.of(sizes / divisor) }
}

/** The mean over the rows of [N, D] of what `termOf` makes of one row of each tensor. */
export function meanOfRows(tensors: readonly Tensor[], termOf: (...rows: Float64Array[]) => Term): Scaled {
  const width = tensors[0]!.shape[1]!
  const all = tensors.map(toFloat64)
  return meanOfTerms(tensors[0]!.shape[0]!, (row) =>
    termOf(...all.map((values) => values.subarray(row * width, (row + 1) * width))),
  )
}

/** 1 - cos of the angle between two vectors; lengths below 1e-8 count as that. */
export function cosineDistance(x: Float64Array, y: Float64Array): Term {
  let [products, sizes, ofX, ofY] = [0, 0, 0, 0]
  for (let i = 0; i < x.length; i++) {
    products += x[i]! * y[i]!
    sizes += Math.abs(x[i]! * y[i]!)
    ofX += x[i]! ** 2
    ofY += y[i]! ** 2
  }
  const lengths = Math.max(Math.sqrt(ofX), 1e-8) * Math.max(Math.sqrt(ofY), 1e-8)
  return { value: 1 - products / lengths, size: 1 + sizes / lengths }
}

/** The Euclidean length of x - y + 1e-6. The size is that of what is taken from each other. */
export function distance(x: Float64Array, y: Float64Array): Term {
  let [sum, sizes] = [0, 0]
  for (let i = 0; i < x.length; i++) {
    sum += (x[i]! - y[i]! + 1e-6) ** 2
    sizes += (Math.abs(x[i]!) + Math.abs(y[i]!)) ** 2
  }
  return { value: Math.sqrt(sum), size: Math.sqrt(sizes) }
}
