import { words16 } from '../inputs/index.ts'
import type { DType, Storage } from '../model/index.ts'
import type { ErrorBound } from '../task/kernel-task.ts'
import { cellsOf } from './cells.ts'
import type { Tally } from './tally.ts'

/** One block of a tensor: components `start` … of `data`, their values, and golden of the same length. */
export interface Block {
  readonly data: Storage
  readonly start: number
  readonly actual: Float64Array
  readonly golden: Float64Array
  /** asked when an element is not golden, correctly rounded: most blocks never need it */
  readonly scale: () => Float64Array
}

/**
 * Compares one block. An element is right when some value within the bound of golden rounds to it; only the others reach
 * the tally. True when every element is finite and golden itself, correctly rounded. These loops see every element of
 * every case, so they hold no call and no allocation for a right one.
 */
export type Scan = (block: Block, bound: ErrorBound, tally: Tally) => boolean

/**
 * How far from an element golden may lie to round to it, by exponent field and parity: half the distance between
 * neighbours, which is a tie and goes to the even one; odd ones a little less. -1 for infinities and NaN.
 */
function nearBounds(mantissa: number, bias: number): Float64Array {
  const fields = 2 * bias + 2
  return Float64Array.from({ length: 2 * fields }, (_, index) => {
    const field = index >>> 1
    const half = 2 ** (Math.max(field, 1) - bias - mantissa - 1)
    return field === fields - 1 ? -1 : half * (index % 2 === 0 ? 1 : 1 - 2 ** -30)
  })
}

function sixteen(dtype: 'float16' | 'bfloat16'): Scan {
  const [mantissaBits, bias] = dtype === 'float16' ? [10, 15] : [7, 127]
  const near = nearBounds(mantissaBits, bias)
  const mantissa = (1 << mantissaBits) - 1
  const exponent = 2 * bias + 1
  return ({ data, start, actual, golden, scale }, { absolute, relative, scaled = 0 }, tally) => {
    const bits = words16(data)
    const { low, high } = cellsOf(dtype)
    let exact = true
    let scales: Float64Array | undefined
    for (let i = 0; i < golden.length; i++) {
      const value = golden[i]!
      const got = actual[i]!
      const pattern = bits[start + i]!
      const distance = Math.abs(got - value)
      const field = (pattern >>> mantissaBits) & exponent
      // Below a power of two neighbours are closer: those wait for their cell.
      if (distance <= near[2 * field + (pattern & 1)]! && ((pattern & mantissa) !== 0 || distance === 0)) continue
      const [from, to] = [low[pattern]!, high[pattern]!]
      const even = pattern % 2 === 0
      if (((value > from && value < to) || (even && (value === from || value === to))) && got - got === 0) continue
      exact = false
      const error = absolute + relative * Math.abs(value) + (scaled === 0 ? 0 : scaled * (scales ??= scale())[i]!)
      if (value - error < to && value + error > from) continue
      if (even && value - error <= to && value + error >= from) continue
      tally.missFloat(start + i, value, got, error)
    }
    return exact
  }
}

const single: Scan = ({ start, actual, golden, scale }, { absolute, relative, scaled = 0 }, tally) => {
  let exact = true
  let scales: Float64Array | undefined
  // becomes NaN with the first infinity
  let finite = 0
  for (let i = 0; i < golden.length; i++) {
    const value = golden[i]!
    const got = actual[i]!
    if (got === Math.fround(value)) {
      finite += got - got
      continue
    }
    exact = false
    const error = absolute + relative * Math.abs(value) + (scaled === 0 ? 0 : scaled * (scales ??= scale())[i]!)
    if (got >= Math.fround(value - error) && got <= Math.fround(value + error)) continue
    tally.missFloat(start + i, value, got, error)
  }
  return exact && finite === 0
}

const double: Scan = ({ start, actual, golden, scale }, { absolute, relative, scaled = 0 }, tally) => {
  let exact = true
  let scales: Float64Array | undefined
  let finite = 0
  for (let i = 0; i < golden.length; i++) {
    const value = golden[i]!
    const got = actual[i]!
    if (got === value) {
      finite += got - got
      continue
    }
    exact = false
    const error = absolute + relative * Math.abs(value) + (scaled === 0 ? 0 : scaled * (scales ??= scale())[i]!)
    if (got >= value - error && got <= value + error) continue
    tally.missFloat(start + i, value, got, error)
  }
  return exact && finite === 0
}

// Quantised results: every whole number that some value within the bound rounds to, ties to even.
const whole: Scan = ({ start, actual, golden, scale }, { absolute, relative, scaled = 0 }, tally) => {
  let exact = true
  let scales: Float64Array | undefined
  for (let i = 0; i < golden.length; i++) {
    const value = golden[i]!
    const got = actual[i]!
    if (got === nearest(value)) continue
    exact = false
    const error = absolute + relative * Math.abs(value) + (scaled === 0 ? 0 : scaled * (scales ??= scale())[i]!)
    if (got >= nearest(value - error) && got <= nearest(value + error)) continue
    tally.missFloat(start + i, value, got, error)
  }
  return exact
}

function nearest(value: number): number {
  const rounded = Math.round(value)
  return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}

/** The comparison of each dtype that has rounding. */
export const scans: Partial<Record<DType, Scan>> = {
  float16: sixteen('float16'),
  bfloat16: sixteen('bfloat16'),
  float32: single,
  float64: double,
  complex64: single,
  int8: whole,
}

/** One side of an exact comparison: its storage and the value of a component of it. */
export interface ExactSide {
  data: Storage
  decode: (index: number) => number
}

/**
 * Compares components `start` … `end - 1` of a tensor with those of an exact one of the same dtype: equal values, NaN where
 * golden has NaN; the sign of a zero is free. True when all are the same bits.
 */
export function scanExact(actual: ExactSide, golden: ExactSide, start: number, end: number, tally: Tally): boolean {
  const [left, right] = [actual.data, golden.data]
  let same = true
  for (let i = start; i < end; i++) {
    if (left[i] === right[i]) continue
    same = false
    const expected = golden.decode(i)
    const got = actual.decode(i)
    if (expected === got || (Number.isNaN(expected) && Number.isNaN(got))) continue
    tally.missExact(i, expected, got)
  }
  return same
}
