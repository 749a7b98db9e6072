import type { DType } from '../model/index.ts'
import type { ElementTolerance, ErrorBound } from './rules.ts'
import { isExact } from './tally.ts'

/** What the standard bound of one tensor follows from. */
export interface StandardContext {
  readonly dtype: DType
  readonly strict: ErrorBound
  /** what the public benchmark admits for this tensor; absent where it says nothing of it */
  readonly tolerance: ElementTolerance | undefined
  /** mean magnitude of golden; asked for once, and only where something is outside the strict bound */
  readonly typical: () => number
  /** golden as the dtype holds it */
  readonly round: (value: number) => number
}

/** The standard bound of an element, from golden and its scale; never less than the strict one, which is added by who asks. */
export type StandardError = (golden: number, scale: number) => number

/** One unit in the last place relative to the value, and the smallest value of the dtype. */
const units: Partial<Record<DType, { relative: number; smallest: number }>> = {
  float16: { relative: 2 ** -10, smallest: 2 ** -24 },
  bfloat16: { relative: 2 ** -7, smallest: 2 ** -133 },
}

/**
 * What the steps of a vendor's kernel may lose: two steps in the 16-bit type, or a function of the library in float32, good to
 * 2^-13.
 */
const vendorSteps: Partial<Record<DType, number>> = {
  float16: 2 * 2 ** -11,
  bfloat16: 2 * 2 ** -8,
  float32: 2 ** -13,
  complex64: 2 ** -13,
}

/**
 * The error that the standard profile admits beyond the strict one: a unit in the last place of the 16-bit types, and the public
 * tolerance with its absolute term no larger than the values of the tensor, or what a vendor's kernel loses where the public
 * benchmark says nothing. Whole numbers have no such error; where strict is exact, a result that the dtype holds has none either.
 */
export function standardError(context: StandardContext): StandardError {
  const { dtype, strict, tolerance, round } = context
  if (dtype === 'int8') return () => 0
  const unit = units[dtype]
  const slack = (size: number) => (unit ? Math.max(unit.relative * size, unit.smallest) : 0)
  const repaired = tolerance ? repairedTolerance(tolerance, context.typical) : vendorStep(dtype)
  const exact = isExact(strict)
  return (golden, scale) => {
    if (exact && round(golden) === golden) return 0
    const size = Math.abs(golden)
    return Math.max(slack(size), repaired(size, scale))
  }
}

function repairedTolerance({ limit }: ElementTolerance, typical: () => number): StandardError {
  let floor: number | undefined
  return (size, scale) => {
    floor ??= typical()
    return limit * Math.min(Math.max(size, floor, scale), Math.max(size, 1))
  }
}

const vendorStep = (dtype: DType): StandardError => {
  const step = vendorSteps[dtype] ?? 0
  return (size, scale) => step * Math.max(size, scale)
}

/** How many whole numbers of a tensor may be off by one: the share that the public rule names. */
export const offByOne = (dtype: DType, tolerance: ElementTolerance | undefined, elements: number): number =>
  dtype === 'int8' ? Math.floor((tolerance?.share ?? 0) * elements) : 0
