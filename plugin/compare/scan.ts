import { numbers, valueTable, words16 } from '../inputs/index.ts'
import type { DType, Storage } from '../model/index.ts'
import type { ErrorBound } from '../task/kernel-task.ts'
import { cellsOf } from './cells.ts'
import type { Tally } from './tally.ts'

/**
 * Compares one block: components `start` … of `data` with `golden` (same length as `scale`). An element is right when some
 * value within the bound of golden rounds to it; only the others reach the tally. These loops see every element of every
 * case, so they hold no call and no allocation for a right one.
 */
export type Scan = (
  data: Storage,
  start: number,
  golden: Float64Array,
  scale: Float64Array,
  bound: ErrorBound,
  tally: Tally,
) => void

const sixteen =
  (dtype: 'float16' | 'bfloat16'): Scan =>
  (data, start, golden, scale, bound, tally) => {
    const bits = words16(data)
    const { low, high } = cellsOf(dtype)
    const { absolute, relative, scaled = 0 } = bound
    const table = valueTable(dtype)
    for (let i = 0; i < golden.length; i++) {
      const value = golden[i]!
      const error = absolute + relative * Math.abs(value) + scaled * scale[i]!
      const pattern = bits[start + i]!
      if (value - error < high[pattern]! && value + error > low[pattern]!) continue
      const touches = value - error <= high[pattern]! && value + error >= low[pattern]!
      if (touches && pattern % 2 === 0) continue
      tally.missFloat(start + i, value, table[pattern]!, error)
    }
  }

const single: Scan = (data, start, golden, scale, bound, tally) => {
  const values = numbers(data)
  const { absolute, relative, scaled = 0 } = bound
  for (let i = 0; i < golden.length; i++) {
    const value = golden[i]!
    const error = absolute + relative * Math.abs(value) + scaled * scale[i]!
    const actual = values[start + i]!
    if (actual >= Math.fround(value - error) && actual <= Math.fround(value + error)) continue
    tally.missFloat(start + i, value, actual, error)
  }
}

const double: Scan = (data, start, golden, scale, bound, tally) => {
  const values = numbers(data)
  const { absolute, relative, scaled = 0 } = bound
  for (let i = 0; i < golden.length; i++) {
    const value = golden[i]!
    const error = absolute + relative * Math.abs(value) + scaled * scale[i]!
    const actual = values[start + i]!
    if (actual >= value - error && actual <= value + error) continue
    tally.missFloat(start + i, value, actual, error)
  }
}

/** The comparison of each dtype that has rounding. */
export const scans: Partial<Record<DType, Scan>> = {
  float16: sixteen('float16'),
  bfloat16: sixteen('bfloat16'),
  float32: single,
  float64: double,
  complex64: single,
}

/** One side of an exact comparison: its storage and the value of a component of it. */
export interface ExactSide {
  data: Storage
  decode: (index: number) => number
}

/** Compares a tensor with an exact one of the same dtype: equal values, NaN where golden has NaN; the sign of a zero is free. */
export function scanExact(actual: ExactSide, golden: ExactSide, tally: Tally): void {
  const [left, right] = [actual.data, golden.data]
  for (let i = 0; i < left.length; i++) {
    if (left[i] === right[i]) continue
    const expected = golden.decode(i)
    const got = actual.decode(i)
    if (expected === got || (Number.isNaN(expected) && Number.isNaN(got))) continue
    tally.missExact(i, expected, got)
  }
}
