import type { DType, KernelCase } from '../model/index.ts'
import type { BenchmarkRule } from '../task/kernel-task.ts'
import { roundBlock, roundTo } from './round.ts'

type Limit = number | Partial<Record<DType, number>> | ((context: { case: KernelCase; dtype: DType }) => number)

function limitFor(limit: Limit, context: { case: KernelCase; dtype: DType }): number {
  if (typeof limit === 'number') return limit
  if (typeof limit === 'function') return limit(context)
  const value = limit[context.dtype]
  if (value === undefined) throw new Error(`the benchmark tolerance names no limit for ${context.dtype}`)
  return value
}

/**
 * The public default: an element is wrong when both |error| and |error| / (|expected| + 1e-7) exceed the limit, or when
 * anything involved is NaN or infinite. Errors are computed in the output dtype, as the public checker does.
 */
export const absoluteAndRelative = (limit: Limit): BenchmarkRule => {
  let scratch = new Float64Array(0)
  return ({ case: kernelCase, dtype, expected, actual }) => {
    const tolerance = limitFor(limit, { case: kernelCase, dtype })
    if (scratch.length < expected.length) scratch = new Float64Array(expected.length)
    const reference = scratch.subarray(0, expected.length)
    reference.set(expected)
    roundBlock(dtype, reference)
    const round = (value: number) => roundTo(dtype, value)
    const threshold = isFloat(dtype) ? round(tolerance) : tolerance
    for (let i = 0; i < actual.length; i++) {
      const wanted = reference[i]!
      const got = actual[i]!
      if (wanted === got && wanted - wanted === 0) continue
      const error = Math.abs(wanted - got)
      // Far inside the limit, whatever the roundings below do to it.
      if (error < 0.5 * tolerance) continue
      if (!isFloat(dtype)) {
        if (error > tolerance && error / (Math.abs(wanted) + 1e-7) > tolerance) return false
        continue
      }
      const absolute = round(error)
      const relative = round(absolute / round(Math.abs(wanted) + 1e-7))
      if (!Number.isFinite(absolute) || !Number.isFinite(relative)) return false
      if (absolute > threshold && relative > threshold) return false
    }
    return true
  }
}

const isFloat = (dtype: DType): boolean => dtype.includes('float')

/**
 * The public rule of many fused operators: an element is wrong when |error| > limit * max(1, |expected|), with expected a
 * float32 that was never rounded to the output dtype. There is no test for NaN, so NaN is accepted.
 */
export const ulpScaled = (limit: Limit): BenchmarkRule => {
  return ({ case: kernelCase, dtype, expected, actual }) => {
    const tolerance = limitFor(limit, { case: kernelCase, dtype })
    for (let i = 0; i < actual.length; i++) {
      const wanted = Math.fround(expected[i]!)
      if (Math.abs(wanted - actual[i]!) > tolerance * Math.max(1, Math.abs(wanted))) return false
    }
    return true
  }
}

/** Judges only the named outputs; the public benchmark never looks at the others. */
export const onlyOutputs =
  (names: readonly string[], rule: BenchmarkRule): BenchmarkRule =>
  (context) =>
    !names.includes(context.output) || rule(context)

/** The rule of every task that does not publish its own. */
export const publicDefault: BenchmarkRule = absoluteAndRelative(1e-3)
