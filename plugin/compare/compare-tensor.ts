import { decode } from '../inputs/index.ts'
import { isStatic, type KernelCase, type Profile, type Tensor } from '../model/index.ts'
import { BLOCK, exactSide, meanMagnitude, reading } from './reading.ts'
import type { BenchmarkCheck, GoldenTensor, JudgedTask, ToleranceProfiles } from './rules.ts'
import { comparators, scanExact, type Suspects } from './scan.ts'
import { offByOne } from './standard.ts'
import type { OutputTensor } from './structure.ts'
import { suspecting } from './suspects.ts'
import { ValueComparison, type StandardRules, type Tallies } from './values.ts'

/** One tensor to compare. */
export interface ComparedTensor {
  readonly task: Pick<JudgedTask, 'profiles'>
  readonly kernelCase: KernelCase
  readonly piece: OutputTensor
  readonly expected: GoldenTensor
  readonly tallies: Tallies
}

/** The rule of the public benchmark, asked about a tensor, and what it compares with. */
export interface AskedBenchmark {
  readonly check: BenchmarkCheck
  readonly reference: GoldenTensor
}

/** What a rule is told about a tensor. */
export const contextOf = (
  kernelCase: KernelCase,
  { output, tensor }: OutputTensor,
): Parameters<ToleranceProfiles['benchmark']>[0] => ({
  case: kernelCase,
  output,
  dtype: tensor.dtype,
  elements: tensor.data.length,
})

/**
 * Walks one tensor in blocks, or up to the first that profile `untilWrong` rejects. Tells whether the public benchmark, if
 * asked, accepts it, and whether every element is golden, correctly rounded.
 */
export function compareTensor(
  compared: ComparedTensor,
  benchmark?: AskedBenchmark,
  untilWrong?: Exclude<Profile, 'benchmark'>,
): { accepted: boolean; exact: boolean } {
  const { task, kernelCase, piece, expected, tallies } = compared
  const { tensor } = piece
  const { dtype, data } = tensor
  const exact = 'data' in expected
  if (exact && expected.dtype !== dtype) {
    throw new Error(`golden of ${piece.name} is ${expected.dtype}, the output is ${dtype}`)
  }
  const comparator = comparators[dtype]
  if (!exact && !comparator) throw new Error(`golden of ${piece.name} must be an exact ${dtype} tensor`)
  const strict = task.profiles.strict(contextOf(kernelCase, piece))
  const read = reading(expected)
  const ownReference = benchmark && benchmark.reference !== expected
  const readReference = ownReference ? reading(benchmark.reference) : read
  // complex numbers are not cut in two
  const showsSuspects = !ownReference && benchmark?.check.acceptsRounded && dtype !== 'complex64'
  const sides = exact ? { actual: exactSide(tensor), golden: exactSide(expected) } : undefined
  const find = exact ? undefined : suspecting(tensor, expected, read)
  const comparison = new ValueComparison(dtype, strict, tallies, () => standardRules(compared))
  const decisive = untilWrong && tallies[untilWrong]

  const values = new Float64Array(Math.min(BLOCK, data.length))
  let accepted = true
  for (let start = 0; start < data.length; start += BLOCK) {
    const length = Math.min(BLOCK, data.length - start)
    const actual = values.subarray(0, length)
    let rounded: boolean
    let suspects: Suspects | undefined
    if (find) {
      suspects = find(start, length)
      rounded = suspects.count === 0
      if (!rounded) comparison.look(suspects)
    } else {
      rounded = scanExact(sides!.actual, sides!.golden, start, start + length, tallies.strict)
      if (rounded && comparator) {
        decode(tensor, start, actual)
        rounded = isFinite(actual)
      }
    }
    if (decisive && decisive.mismatches > 0) return { accepted: false, exact: false }
    if (!benchmark || !accepted || (rounded && !ownReference && benchmark.check.acceptsRounded)) continue
    if (suspects && showsSuspects) {
      const { count } = suspects
      accepted = benchmark.check.block(suspects.golden.subarray(0, count), suspects.actual.subarray(0, count))
      continue
    }
    decode(tensor, start, actual)
    const theirs = suspects && !ownReference ? suspects.whole() : readReference(start, length)
    accepted = benchmark.check.block(theirs.values, actual)
  }
  accepted &&= benchmark?.check.end?.() ?? true
  return { accepted, exact: comparison.exact && tallies.strict.mismatches === 0 }
}

// The public tolerance says something of the public cases only.
function standardRules({ task, kernelCase, piece, expected }: ComparedTensor): StandardRules {
  const context = contextOf(kernelCase, piece)
  const { tolerance } = task.profiles.benchmark(context)
  return {
    tolerance: isStatic(kernelCase) ? tolerance : undefined,
    typical: () => meanMagnitude(expected),
    offByOne: offByOne(context.dtype, tolerance, context.elements),
  }
}

// A sum stays 0 until the first NaN or infinity.
function isFinite(values: Float64Array): boolean {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]! - values[i]!
  return sum === 0
}

/** Whether golden of an output is values that are moved, counted or chosen, and not computed. */
export const isMove = (expected: GoldenTensor, { dtype }: Tensor): boolean =>
  'data' in expected || !(dtype in comparators)
