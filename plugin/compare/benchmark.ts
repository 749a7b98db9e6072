import type { DType, KernelCase } from '../model/index.ts'
import { roundBlock, roundTo, unitRoundoff } from './round.ts'
import type { BenchmarkCheck, BenchmarkRule } from './rules.ts'

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
    const within = dtype === 'complex64' ? moduliWithin : isFloat(dtype) ? floatsWithin : integersWithin
    return {
      block: within(tolerance, dtype, nonFinite),
      acceptsRounded: dtype === context.dtype,
      tolerance: { limit: tolerance },
    }
  }

type Within = (tolerance: number, dtype: DType, nonFinite: 'wrong' | 'accepted') => BenchmarkCheck['block']

const floatsWithin: Within = (tolerance, dtype, nonFinite) => {
  const rounded = rounder(dtype)
  const round = (value: number) => roundTo(dtype, value)
  const threshold = round(tolerance)
  // Errors this small stay inside the limit whatever the roundings do to them: those come to less than a twentieth. In
  // float16 an absolute error of 0.0066 already makes the quotient at a zero reference infinite.
  const near = 0.95 * tolerance
  const small = dtype === 'float16' ? Math.min(near, 0.005) : near
  const unit = unitRoundoff[dtype]
  const large = dtype === 'float16' ? 2 ** 15 : 2 ** 127
  return (expected, actual) => {
    let first = 0
    for (; first < actual.length; first++) {
      const wanted = expected[first]!
      const size = Math.abs(wanted)
      const most = Math.abs(wanted - actual[first]!) + unit * size
      if (!((most < small || most < near * size) && size < large)) break
    }
    if (first === actual.length) return true
    const reference = rounded(expected)
    for (let i = first; i < actual.length; i++) {
      const wanted = reference[i]!
      const got = actual[i]!
      if (wanted === got && wanted - wanted === 0) continue
      const error = Math.abs(wanted - got)
      if (error < small) continue
      const absolute = round(error)
      const relative = round(absolute / round(Math.abs(wanted) + 1e-7))
      if (nonFinite === 'wrong' && (!Number.isFinite(absolute) || !Number.isFinite(relative))) return false
      if (absolute > threshold && relative > threshold) return false
    }
    return true
  }
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

const integersWithin: Within = (tolerance, dtype) => {
  const wrap = wrapping(dtype)
  const rounded = rounder(dtype)
  return (expected, actual) => {
    const reference = rounded(expected)
    for (let i = 0; i < actual.length; i++) {
      const wanted = reference[i]!
      if (wanted === actual[i]) continue
      const error = wrap(Math.abs(wrap(wanted - actual[i]!)))
      if (error > tolerance && error / (Math.abs(wanted) + 1e-7) > tolerance) return false
    }
    return true
  }
}

// Components are interleaved: re, im.
const moduliWithin: Within = (tolerance, dtype, nonFinite) => {
  const rounded = rounder(dtype)
  const threshold = Math.fround(tolerance)
  return (expected, actual) => {
    const reference = rounded(expected)
    for (let i = 0; i < actual.length; i += 2) {
      const [re, im] = [reference[i]!, reference[i + 1]!]
      const absolute = modulus(Math.fround(re - actual[i]!), Math.fround(im - actual[i + 1]!))
      const relative = Math.fround(absolute / Math.fround(modulus(re, im) + 1e-7))
      if (nonFinite === 'wrong' && (!Number.isFinite(absolute) || !Number.isFinite(relative))) return false
      if (absolute > threshold && relative > threshold) return false
    }
    return true
  }
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
        const error = Math.abs(wanted - actual[i]!)
        // both are false for NaN
        if (error > tolerance && error > tolerance * Math.abs(wanted)) return false
      }
      return true
    }
    // two roundings: of the output to its dtype, of expected to float32
    const acceptsRounded = tolerance >= 2 * unitRoundoff[context.dtype]
    return { block, acceptsRounded, tolerance: { limit: tolerance } }
  }

/**
 * The public rule of quantising operators: a tensor is wrong when |error| exceeds the limit in more than the same share of
 * its elements, and |error| / (max(|expected|, |actual|) + 1e-7) as well, not necessarily in the same ones. No test for
 * NaN; the arithmetic of integers wraps around.
 */
export const errorShare =
  (limit: Limit): BenchmarkRule =>
  (context) => {
    const { dtype, elements } = context
    const given = limitFor(limit, context)
    const threshold = Math.fround(given)
    const rounded = rounder(dtype)
    const wrap = isFloat(dtype) ? (value: number) => roundTo(dtype, value) : wrapping(dtype)
    let [absolute, relative] = [0, 0]
    return {
      acceptsRounded: true,
      tolerance: { limit: given, share: given },
      block(expected, actual) {
        const reference = rounded(expected)
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

const accepting: BenchmarkCheck = { block: () => true, acceptsRounded: true }

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

/**
 * The rule of `torch.allclose`: an element is wrong when |out - reference| > limit + limit * |reference|, and where one of them is NaN or
 * they are not the same infinity. Integers and bools have to be equal.
 */
export const allClose =
  (limit: number): BenchmarkRule =>
  ({ dtype }) => {
    const tolerance = isFloat(dtype) ? limit : 0
    const rounded = rounder(dtype)
    return {
      tolerance: { limit: tolerance },
      block(expected, actual) {
        const reference = rounded(expected)
        for (let i = 0; i < actual.length; i++) {
          const [wanted, got] = [reference[i]!, actual[i]!]
          if (wanted === got) continue
          // false for NaN, and for an infinity that the other one is not
          if (!(Math.abs(wanted) < Infinity && Math.abs(wanted - got) <= tolerance + tolerance * Math.abs(wanted)))
            return false
        }
        return true
      },
    }
  }
