import type { DType, KernelCase } from '../model/index.ts'
import type { BenchmarkCheck, BenchmarkRule } from '../task/kernel-task.ts'
import { roundBlock, roundTo } from './round.ts'

type Context = Parameters<BenchmarkRule>[0]
type Limit = number | Partial<Record<DType, number>> | ((context: Context) => number)

function limitFor(limit: Limit, context: Context): number {
  if (typeof limit === 'number') return limit
  if (typeof limit === 'function') return limit(context)
  const value = limit[context.dtype]
  if (value === undefined) throw new Error(`the benchmark tolerance names no limit for ${context.dtype}`)
  return value
}

interface AbsoluteAndRelativeOptions {
  nonFinite?: 'wrong' | 'accepted'
  /** dtypes whose reference stays in a wider one, to which the output is widened as well: `{ bfloat16: 'float32' }` */
  promoted?: Partial<Record<DType, DType>>
}

/**
 * The public default: an element is wrong when both |error| and |error| / (|expected| + 1e-7) exceed the limit, or when
 * anything involved is NaN or infinite (unless `nonFinite` is 'accepted'). Errors are computed in the output dtype, as the
 * public checker does; those of a complex number are moduli.
 */
export const absoluteAndRelative =
  (limit: Limit, { nonFinite = 'wrong', promoted = {} }: AbsoluteAndRelativeOptions = {}): BenchmarkRule =>
  (context) => {
    const dtype = promoted[context.dtype] ?? context.dtype
    const tolerance = limitFor(limit, context)
    const rounded = rounder(dtype)
    if (dtype === 'complex64') {
      return { block: (expected, actual) => moduliWithin(tolerance, rounded(expected), actual, nonFinite) }
    }
    if (!isFloat(dtype)) return { block: (expected, actual) => integersWithin(tolerance, dtype, expected, actual) }
    const round = (value: number) => roundTo(dtype, value)
    const threshold = round(tolerance)
    const block: BenchmarkCheck['block'] = (expected, actual) => {
      const reference = rounded(expected)
      for (let i = 0; i < actual.length; i++) {
        const wanted = reference[i]!
        const got = actual[i]!
        if (wanted === got && wanted - wanted === 0) continue
        const error = Math.abs(wanted - got)
        // Far inside the limit, whatever the roundings below do to it.
        if (error < 0.5 * tolerance) continue
        const absolute = round(error)
        const relative = round(absolute / round(Math.abs(wanted) + 1e-7))
        if (nonFinite === 'wrong' && (!Number.isFinite(absolute) || !Number.isFinite(relative))) return false
        if (absolute > threshold && relative > threshold) return false
      }
      return true
    }
    return { block }
  }

const isFloat = (dtype: DType): boolean => dtype.startsWith('float') || dtype === 'bfloat16'

// A copy of a block in the precision of the dtype; the same memory each time.
function rounder(dtype: DType): (values: Float64Array) => Float64Array {
  let scratch = new Float64Array(0)
  return (values) => {
    if (scratch.length < values.length) scratch = new Float64Array(values.length)
    const reference = scratch.subarray(0, values.length)
    reference.set(values)
    roundBlock(dtype, reference)
    return reference
  }
}

// Differences and magnitudes of the small integer types wrap around: 127 and -1 differ by -128, whose magnitude is -128.
const wraps: Partial<Record<DType, (value: number) => number>> = {
  int8: (value) => (value << 24) >> 24,
  uint8: (value) => value & 0xff,
  int16: (value) => (value << 16) >> 16,
  int32: (value) => value | 0,
}

const wrapping = (dtype: DType): ((value: number) => number) => wraps[dtype] ?? ((value) => value)

function integersWithin(tolerance: number, dtype: DType, expected: Float64Array, actual: Float64Array): boolean {
  const wrap = wrapping(dtype)
  for (let i = 0; i < actual.length; i++) {
    const wanted = expected[i]!
    if (wanted === actual[i]) continue
    const error = wrap(Math.abs(wrap(wanted - actual[i]!)))
    if (error > tolerance && error / (Math.abs(wanted) + 1e-7) > tolerance) return false
  }
  return true
}

// Components are interleaved: re, im.
function moduliWithin(
  tolerance: number,
  reference: Float64Array,
  actual: Float64Array,
  nonFinite: 'wrong' | 'accepted',
): boolean {
  const threshold = Math.fround(tolerance)
  for (let i = 0; i < actual.length; i += 2) {
    const [re, im] = [reference[i]!, reference[i + 1]!]
    const absolute = modulus(Math.fround(re - actual[i]!), Math.fround(im - actual[i + 1]!))
    const relative = Math.fround(absolute / Math.fround(modulus(re, im) + 1e-7))
    if (nonFinite === 'wrong' && (!Number.isFinite(absolute) || !Number.isFinite(relative))) return false
    if (absolute > threshold && relative > threshold) return false
  }
  return true
}

// The squares of float32 numbers neither overflow nor vanish in float64.
const modulus = (re: number, im: number): number => Math.fround(Math.sqrt(re * re + im * im))

/**
 * The public rule of many fused operators: an element is wrong when |error| > limit * max(1, |expected|), with expected a
 * float32 that was never rounded to the output dtype. There is no test for NaN, so NaN is accepted. Integers are compared
 * as they are; a limit of 0 wants them equal.
 */
export const ulpScaled =
  (limit: Limit): BenchmarkRule =>
  (context) => {
    const tolerance = limitFor(limit, context)
    const single = isFloat(context.dtype) || context.dtype === 'complex64'
    const block: BenchmarkCheck['block'] = (expected, actual) => {
      for (let i = 0; i < actual.length; i++) {
        const wanted = single ? Math.fround(expected[i]!) : expected[i]!
        if (Math.abs(wanted - actual[i]!) > tolerance * Math.max(1, Math.abs(wanted))) return false
      }
      return true
    }
    return { block }
  }

/**
 * The public rule of quantising operators: a tensor is wrong when |error| exceeds the limit in more than the same share of
 * its elements, and |error| / (max(|expected|, |actual|) + 1e-7) as well, not necessarily in the same ones. No test for
 * NaN; the arithmetic of integers wraps around.
 */
export const errorShare =
  (limit: Limit): BenchmarkRule =>
  (context) => {
    const { dtype } = context
    const threshold = Math.fround(limitFor(limit, context))
    const rounded = rounder(dtype)
    const wrap = isFloat(dtype) ? (value: number) => roundTo(dtype, value) : wrapping(dtype)
    let [elements, absolute, relative] = [0, 0, 0]
    return {
      block(expected, actual) {
        const reference = rounded(expected)
        elements += actual.length
        for (let i = 0; i < actual.length; i++) {
          const [wanted, got] = [reference[i]!, actual[i]!]
          if (wanted === got) continue
          const error = wrap(Math.abs(wrap(wanted - got)))
          if (error > threshold) absolute++
          const size = Math.max(wrap(Math.abs(wanted)), wrap(Math.abs(got)))
          if (Math.fround(error / Math.fround(size + 1e-7)) > threshold) relative++
        }
        return true
      },
      end: () => absolute <= threshold * elements || relative <= threshold * elements,
    }
  }

const accepting: BenchmarkCheck = { block: () => true }

/** Judges only the named outputs; the public benchmark never looks at the others. */
export const onlyOutputs =
  (names: readonly string[] | ((kernelCase: KernelCase) => readonly string[]), rule: BenchmarkRule): BenchmarkRule =>
  (context) => {
    const checked = typeof names === 'function' ? names(context.case) : names
    return checked.includes(context.output) ? rule(context) : accepting
  }

/** The same rule where the reference keeps a wider dtype than the output: golden is rounded to it, errors are computed in it. */
export const comparedIn =
  (dtype: DType, rule: BenchmarkRule): BenchmarkRule =>
  (context) =>
    rule({ ...context, dtype })

/** The rule of every task that does not publish its own. */
export const publicDefault: BenchmarkRule = absoluteAndRelative(1e-3)
