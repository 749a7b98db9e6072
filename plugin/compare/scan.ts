import { encode, numbers, words16 } from '../inputs/index.ts'
import { emptyTensor, type DType, type Storage } from '../model/index.ts'
import { innerBoundsOf, roundingIntervalsOf } from './rounding-intervals.ts'
import type { ErrorBound } from './rules.ts'
import { roundTo } from './round.ts'
import type { MismatchTally } from './tally.ts'

/**
 * Looks through `golden.length` components of a tensor from `start` on, writes the places in the block of those that are
 * not finite or not golden, correctly rounded, to `found`, and returns how many there are. These loops see every element
 * of every case, so they hold no call and no allocation.
 */
export type FindSuspects = (data: Storage, start: number, golden: Float64Array, found: Uint16Array) => number

/** Golden of one block. The scale is computed when it is asked for: most blocks never need it. */
export interface GoldenBlock {
  readonly values: Float64Array
  readonly scale: () => Float64Array
}

/** What a search found in one block: `count` places, and actual and golden values of each. */
export interface Suspects {
  readonly data: Storage
  readonly start: number
  readonly places: Uint16Array
  readonly count: number
  readonly actual: Float64Array
  readonly golden: Float64Array
  /** golden of the whole block, by place */
  readonly whole: () => GoldenBlock
}

/**
 * Writes those of the suspects that no value within their error of golden rounds to, by their position among the suspects,
 * to `outside`, and returns how many there are. Golden that is not finite is always outside.
 */
export type FindOutside = (suspects: Suspects, errors: Float64Array, outside: Uint16Array) => number

/** The comparison of a dtype that has rounding. */
interface Comparator {
  readonly search: FindSuspects
  readonly verify: FindOutside
  /** what golden is in the dtype */
  readonly round: (value: number) => number
}

function sixteen(dtype: 'float16' | 'bfloat16'): Comparator {
  return {
    search(data, start, golden, found) {
      const bits = words16(data)
      const inside = innerBoundsOf(dtype)
      let count = 0
      for (let i = 0; i < golden.length; i++) {
        const value = golden[i]!
        const edges = 2 * bits[start + i]!
        found[count] = i
        count += 1 - (Number(value >= inside[edges]!) & Number(value <= inside[edges + 1]!))
      }
      return count
    },
    verify({ data, start, places, count, golden }, errors, outside) {
      const bits = words16(data)
      const { low, high } = roundingIntervalsOf(dtype)
      let missed = 0
      for (let k = 0; k < count; k++) {
        const value = golden[k]!
        const error = errors[k]!
        const pattern = bits[start + places[k]!]!
        const [from, to] = [low[pattern]!, high[pattern]!]
        if (value - error < to && value + error > from) continue
        if (pattern % 2 === 0 && value - error <= to && value + error >= from) continue
        outside[missed++] = k
      }
      return missed
    },
    round: (value) => roundTo(dtype, value),
  }
}

let errors = new Float64Array(0)

/** The admissible error of each suspect under the strict profile; the same memory each time. */
export function errorsOf(
  { places, count, golden, whole }: Suspects,
  { absolute, relative, scaled = 0 }: ErrorBound,
): Float64Array {
  if (errors.length < count) errors = new Float64Array(golden.length)
  for (let k = 0; k < count; k++) errors[k] = absolute + relative * Math.abs(golden[k]!)
  if (scaled === 0) return errors
  const scale = whole().scale()
  for (let k = 0; k < count; k++) errors[k]! += scaled * scale[places[k]!]!
  return errors
}

const single: Comparator = {
  search(data, start, golden, found) {
    const actual = float32s(data)
    let count = 0
    for (let i = 0; i < golden.length; i++) {
      const got = actual[start + i]!
      found[count] = i
      count += 1 - (Number(got === Math.fround(golden[i]!)) & Number(got - got === 0))
    }
    return count
  },
  verify({ count, actual, golden }, errors, outside) {
    let missed = 0
    for (let k = 0; k < count; k++) {
      const value = golden[k]!
      const error = errors[k]!
      const got = actual[k]!
      if (got >= Math.fround(value - error) && got <= Math.fround(value + error)) continue
      outside[missed++] = k
    }
    return missed
  },
  round: Math.fround,
}

function float32s(data: Storage): Float32Array {
  if (data instanceof Float32Array) return data
  throw new TypeError(`a float32 tensor is stored as Float32Array, not ${data.constructor.name}`)
}

// A dtype whose elements are compared as numbers, rounded by `rounded`.
const rounding = (rounded: (value: number) => number): Comparator => ({
  search(data, start, golden, found) {
    const actual = numbers(data)
    let count = 0
    for (let i = 0; i < golden.length; i++) {
      const got = actual[start + i]!
      if (got === rounded(golden[i]!) && got - got === 0) continue
      found[count++] = i
    }
    return count
  },
  verify({ count, actual, golden }, errors, outside) {
    let missed = 0
    for (let k = 0; k < count; k++) {
      const [value, error, got] = [golden[k]!, errors[k]!, actual[k]!]
      if (got >= rounded(value - error) && got <= rounded(value + error)) continue
      outside[missed++] = k
    }
    return missed
  },
  round: rounded,
})

const double = rounding((value) => value)

// Quantised results: every whole number that some value within the bound rounds to, ties to even.
const whole = rounding(nearest)

function nearest(value: number): number {
  const rounded = Math.round(value)
  return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}

/** The comparison of each dtype that has rounding. */
export const comparators: Partial<Record<DType, Comparator>> = {
  float16: sixteen('float16'),
  bfloat16: sixteen('bfloat16'),
  float32: single,
  float64: double,
  complex64: single,
  int8: whole,
}

/**
 * The pattern that golden rounds to, for golden of every pattern of the input; -1 where that is not finite, which no element
 * equals.
 */
export function roundedPatterns(dtype: 'float16' | 'bfloat16', results: Float64Array): Int32Array {
  const rounded = emptyTensor(dtype, [results.length])
  encode(results, rounded)
  const exponent = dtype === 'float16' ? 0x7c00 : 0x7f80
  return Int32Array.from(words16(rounded.data), (bits) => ((bits & exponent) === exponent ? -1 : bits))
}

/** The same search by the patterns of the input: those tell the pattern that an element should have. */
export function searchPatterns(
  data: Uint16Array,
  patterns: Uint16Array,
  wanted: Int32Array,
  [start, length]: readonly [number, number],
  found: Uint16Array,
): number {
  let count = 0
  for (let i = 0; i < length; i++) {
    const got = data[start + i]!
    const want = wanted[patterns[start + i]!]!
    if (got === want || ((got | want) & 0x7fff) === 0) continue // the sign of a zero is free
    found[count++] = i
  }
  return count
}

/** One side of an exact comparison: its storage and the value of a component of it. */
export interface ExactSide {
  data: Storage
  bytes: Uint8Array
  decode: (index: number) => number
}

/**
 * Compares components `start` … `end - 1` of a tensor with those of an exact one of the same dtype: equal values, NaN where
 * golden has NaN; the sign of a zero is free. True when all are the same bits.
 */
export function scanExact(
  actual: ExactSide,
  golden: ExactSide,
  start: number,
  end: number,
  tally: MismatchTally,
): boolean {
  const [left, right] = [actual.data, golden.data]
  const width = left.BYTES_PER_ELEMENT
  const bytesOf = ({ bytes }: ExactSide) => bytes.subarray(start * width, end * width)
  if (Buffer.compare(bytesOf(actual), bytesOf(golden)) === 0) return true
  for (let i = start; i < end; i++) {
    if (left[i] === right[i]) continue
    const expected = golden.decode(i)
    const got = actual.decode(i)
    // integers of 64 bits that differ may be one number as doubles
    const isSame = expected === got && typeof left[i] !== 'bigint'
    if (isSame || (Number.isNaN(expected) && Number.isNaN(got))) continue
    tally.missExact(i, expected, got)
  }
  return false
}
