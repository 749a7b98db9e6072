import { bytesOf, type Tensor, type DType } from '../model/index.ts'
import { Examples, type Miss } from './examples.ts'
import { MismatchPattern } from './pattern.ts'
import type { PoisonMap, Unwritten } from './poison.ts'
import { roundTo, unitRoundoff } from './round.ts'
import type { ErrorBound } from './rules.ts'

/** What is wrong with one tensor so far. Elements that are right never get here. */
export class MismatchTally {
  mismatches = 0
  nonFinite = 0
  readonly #examples = new Examples()
  /** of elements; those of complex numbers have two components, either of which may be wrong */
  readonly #pattern: MismatchPattern | undefined
  /** elements that hold what was there before the launch: next to others of that kind, and alone among written ones */
  readonly #inRuns: Unwritten = { bytes: 0, first: 0, last: 0 }
  readonly #alone: Unwritten = { bytes: 0, first: 0, last: 0 }
  #dtype: DType
  #poison: PoisonMap | null

  constructor({ dtype, shape }: Pick<Tensor, 'dtype' | 'shape'>, poison: PoisonMap | null) {
    this.#dtype = dtype
    this.#poison = poison
    this.#pattern = dtype === 'complex64' ? undefined : new MismatchPattern(shape)
  }

  get worst(): Readonly<Miss> {
    return this.#examples.worst
  }

  /** Some wrong components, the worst one first. */
  examples(): Miss[] {
    return this.#examples.all()
  }

  /** Where the wrong elements of `output` lie, where that is told in a few words. */
  pattern(output: string): string | undefined {
    return this.#pattern?.describe(output)
  }

  /**
   * Component `index` is not within the admissible error `error` of a float golden value; decides what that means. False:
   * it is the infinity or NaN that it should be.
   */
  missFloat(index: number, golden: number, actual: number, error: number): boolean {
    const untouched = this.isUntouched(index)
    if (!Number.isFinite(golden)) {
      if (Object.is(golden, actual) && !untouched) return false
      return this.#record(index, golden, actual, 0, Infinity, true, untouched)
    }
    const rounded = roundTo(this.#dtype, golden)
    const unusual = !Number.isFinite(actual) || !Number.isFinite(rounded)
    const distance = Math.abs(actual - golden)
    const fair = error + unitRoundoff[this.#dtype] * Math.abs(golden) + Number.MIN_VALUE
    // The largest excess counts as worst: ratios would always point at elements next to zero.
    const severity = unusual ? Infinity : Math.max(distance - fair, 0)
    return this.#record(index, golden, actual, error, severity, unusual, untouched)
  }

  /** Component `index` differs from an exact golden value. */
  missExact(index: number, golden: number, actual: number): void {
    const untouched = this.isUntouched(index)
    const unusual = !Number.isFinite(golden) || !Number.isFinite(actual)
    this.#record(index, golden, actual, 0, unusual ? Infinity : Math.abs(golden - actual), unusual, untouched)
  }

  /** Whether component `index` holds what was there before the launch. */
  isUntouched(index: number): boolean {
    return this.#poison?.survivesAt(index) ?? false
  }

  /** What was never written of the elements that are wrong; undefined when some at most equal the pattern by chance. */
  unwritten(): Unwritten | undefined {
    const [runs, alone, width] = [this.#inRuns, this.#alone, bytesOf(this.#dtype)]
    const isChance = alone.bytes <= this.mismatches * width * shareByChance(width)
    if (isChance) return runs.bytes > 0 ? { ...runs } : undefined
    if (runs.bytes === 0) return { ...alone }
    const [first, last] = [Math.min(runs.first, alone.first), Math.max(runs.last, alone.last)]
    return { bytes: runs.bytes + alone.bytes, first, last }
  }

  #record(
    index: number,
    golden: number,
    actual: number,
    error: number,
    severity: number,
    unusual: boolean,
    untouched: boolean,
  ): true {
    this.mismatches++
    if (unusual) this.nonFinite++
    if (untouched) this.#poison!.count(index, this.#poison!.isPartOfRun(index) ? this.#inRuns : this.#alone)
    this.#examples.add(index, golden, actual, error, severity)
    this.#pattern?.add(index)
    return true
  }
}

/**
 * The share of wrong elements of so many bytes that may equal the pattern although they were written: one in eight bytes, where
 * all have one wrong value, and far more than one in 65536 halves, because values gather around some exponents.
 */
const shareByChance = (width: number): number => (width === 1 ? 1 / 4 : width === 2 ? 1 / 64 : 2 ** -20)

/**
 * How far from golden an element may lie: to the farther of the two values that golden - error and golden + error round to, or
 * to them where they are past the largest number of the dtype.
 */
export function limitOf(dtype: DType, golden: number, error: number): number {
  const distanceTo = (value: number): number => {
    const rounded = roundTo(dtype, value)
    return Math.abs((Number.isFinite(rounded) ? rounded : value) - golden)
  }
  return Math.max(distanceTo(golden - error), distanceTo(golden + error))
}

/** True when nothing but the correctly rounded golden value will do. */
export const isExact = (bound: ErrorBound): boolean =>
  bound.absolute === 0 && bound.relative === 0 && (bound.scaled ?? 0) === 0
