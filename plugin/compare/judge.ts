import { decode, decoders, words16 } from '../inputs/index.ts'
import { bytesView, type Comparison, type KernelCase, type Tensor, type TensorValue } from '../model/index.ts'
import { PoisonMap } from './poison.ts'
import { formatElement, roundTo } from './round.ts'
import type { BenchmarkCheck, GoldenChoice, GoldenOutputs, GoldenTensor, JudgedTask, Judgement } from './rules.ts'
import {
  comparators,
  roundedPatterns,
  scanExact,
  searchPatterns,
  type ExactSide,
  type GoldenBlock,
  type Suspects,
} from './scan.ts'
import { outputTensorsOf, type OutputTensor } from './structure.ts'
import { isExact, limitOf, MismatchTally } from './tally.ts'

/** Components compared at a time: golden, scale and decoded values of a block stay in the cache. */
const BLOCK = 4096

/**
 * Compares all outputs of a launch with golden: structure first, then NaN and infinities by position, then values, under
 * the strict profile; and says what the public benchmark would have said.
 * @param poison the eight bytes, repeated over every output before the launch, that tell unwritten bytes
 * @param reference what the public reference computes, for the outputs where that is not golden
 */
export function judge(
  task: JudgedTask,
  kernelCase: KernelCase,
  golden: GoldenOutputs,
  actual: Record<string, TensorValue | undefined>,
  poison: Uint8Array,
  reference: GoldenOutputs = {},
): Judgement {
  const pieces = outputTensorsOf(kernelCase, actual)
  if (typeof pieces === 'string') return { kind: 'wrong-structure', message: pieces, benchmark: 'rejected' }

  let benchmark: Judgement['benchmark'] = 'accepted'
  let worst: { piece: OutputTensor; tally: MismatchTally } | undefined
  for (const { piece, tally } of judgedPieces(task, kernelCase, pieces, poison)) {
    const expected = goldenOf(golden, piece, actual)
    const check = benchmark === 'accepted' ? task.profiles.benchmark(contextOf(kernelCase, piece)) : undefined
    const theirs = reference[piece.output] === undefined ? expected : goldenOf(reference, piece, actual)
    if (!compare(task, kernelCase, piece, expected, tally, check && { check, reference: theirs }))
      benchmark = 'rejected'
    if (tally.mismatches > 0 && (!worst || isWorse(tally, worst.tally))) worst = { piece, tally }
  }
  if (!worst) return { kind: 'correct', benchmark }
  const kind = worst.tally.nonFinite > 0 ? 'wrong-nonfinite' : 'wrong-value'
  return {
    kind,
    comparison: describe(worst.piece, worst.tally, isExactOutput(task, kernelCase, worst.piece)),
    benchmark,
  }
}

/**
 * Whether the strict profile finds nothing wrong: what `judge` says, without the place and at the cost of the blocks up to
 * the first wrong one.
 */
export function accepts(
  task: JudgedTask,
  kernelCase: KernelCase,
  golden: GoldenOutputs,
  actual: Record<string, TensorValue | undefined>,
  poison: Uint8Array,
): boolean {
  const pieces = outputTensorsOf(kernelCase, actual)
  if (typeof pieces === 'string') return false
  return judgedPieces(task, kernelCase, pieces, poison).every(({ piece, tally }) => {
    compare(task, kernelCase, piece, goldenOf(golden, piece, actual), tally, undefined, true)
    return tally.mismatches === 0
  })
}

// The tensors that say something in a case, each with a tally of its own.
function judgedPieces(
  task: JudgedTask,
  kernelCase: KernelCase,
  pieces: readonly OutputTensor[],
  poison: Uint8Array,
): { piece: OutputTensor; tally: MismatchTally }[] {
  const started = task.interface.outputs.filter(({ aliases, zeroed }) => aliases !== undefined || zeroed)
  const givenContent = new Set(started.map((output) => output.name))
  const judged = task.profiles.judged?.(kernelCase)
  return pieces
    .filter((piece) => !judged || judged.includes(piece.output))
    .map((piece) => {
      // An in-place output starts as its input, a zeroed one as zeros: neither as poison.
      const unwritten = givenContent.has(piece.output) ? null : new PoisonMap(piece.tensor, poison)
      return { piece, tally: new MismatchTally(piece.tensor.dtype, unwritten) }
    })
}

// Non-finite defects come first, then the larger share of a tensor.
function isWorse(tally: MismatchTally, than: MismatchTally): boolean {
  if (tally.nonFinite > 0 !== than.nonFinite > 0) return tally.nonFinite > 0
  return tally.worst.severity > than.worst.severity
}

function goldenOf(
  golden: GoldenOutputs,
  piece: OutputTensor,
  actual: Record<string, TensorValue | undefined>,
): GoldenTensor {
  const output = golden[piece.output]
  const given = isList(output) ? output[piece.position] : output
  const expected = given && isChoice(given) ? given.nearestTo(actual) : given
  if (!expected) throw new Error(`golden has no value for output ${piece.name}`)
  const length =
    'data' in expected ? expected.data.length : 'values' in expected ? expected.values.length : expected.length
  if (length !== piece.tensor.data.length) {
    throw new Error(`golden of ${piece.name} has ${length} values, the case needs ${piece.tensor.data.length}`)
  }
  return expected
}

const isList = (value: GoldenOutputs[string] | undefined): value is readonly GoldenTensor[] => Array.isArray(value)

const isChoice = (golden: GoldenTensor): golden is GoldenChoice => 'nearestTo' in golden

const isExactOutput = (task: Pick<JudgedTask, 'profiles'>, kernelCase: KernelCase, piece: OutputTensor): boolean =>
  !(piece.tensor.dtype in comparators) || isExact(task.profiles.strict(contextOf(kernelCase, piece)))

const contextOf = (kernelCase: KernelCase, { output, tensor }: OutputTensor) => ({
  case: kernelCase,
  output,
  dtype: tensor.dtype,
  elements: tensor.data.length,
})

// Walks one tensor in blocks, or up to the first wrong one; true when the public benchmark, if asked, accepts it.
function compare(
  task: Pick<JudgedTask, 'profiles'>,
  kernelCase: KernelCase,
  piece: OutputTensor,
  expected: GoldenTensor,
  tally: MismatchTally,
  benchmark: { check: BenchmarkCheck; reference: GoldenTensor } | undefined,
  untilWrong = false,
): boolean {
  const { tensor } = piece
  const { dtype, data } = tensor
  const exact = 'data' in expected
  if (exact && expected.dtype !== dtype) {
    throw new Error(`golden of ${piece.name} is ${expected.dtype}, the output is ${dtype}`)
  }
  const comparator = comparators[dtype]
  if (!exact && !comparator) throw new Error(`golden of ${piece.name} must be an exact ${dtype} tensor`)
  const bound = task.profiles.strict(contextOf(kernelCase, piece))
  const read = reading(expected)
  const ownReference = benchmark && benchmark.reference !== expected
  const readReference = ownReference ? reading(benchmark.reference) : read
  // complex numbers are not cut in two
  const showsSuspects = !ownReference && benchmark?.check.acceptsRounded && dtype !== 'complex64'
  const sides = exact ? { actual: reader(tensor), golden: reader(expected) } : undefined
  const find = exact ? undefined : suspecting(piece, expected, read)

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
      if (!rounded) comparator!.verify(suspects, bound, tally)
    } else {
      rounded = scanExact(sides!.actual, sides!.golden, start, start + length, tally)
      if (rounded && comparator) {
        decode(tensor, start, actual)
        rounded = isFinite(actual)
      }
    }
    if (untilWrong && tally.mismatches > 0) return false
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
  return accepted && (benchmark?.check.end?.() ?? true)
}

// Finds what one block has to be compared for: all but the elements that are finite and golden, correctly rounded.
function suspecting(
  { tensor: { dtype, data } }: OutputTensor,
  expected: GoldenTensor,
  read: Reading,
): (start: number, length: number) => Suspects {
  const { search } = comparators[dtype]!
  const places = new Uint16Array(BLOCK)
  const actual = new Float64Array(BLOCK)
  const golden = new Float64Array(BLOCK)
  const block = new Float64Array(BLOCK)
  const found = (start: number, count: number, whole: Suspects['whole']): Suspects => {
    if (count > 0) decoders[dtype](data, start, block.subarray(0, Math.min(BLOCK, data.length - start)))
    for (let k = 0; k < count; k++) actual[k] = block[places[k]!]!
    return { data, start, places, count, actual, golden, whole }
  }
  if ('byPattern' in expected && expected.byPattern && (dtype === 'float16' || dtype === 'bfloat16')) {
    const { patterns, results } = expected.byPattern
    const wanted = roundedPatterns(dtype, results)
    const bits = words16(data)
    return (start, length) => {
      const count = searchPatterns(bits, patterns, wanted, [start, length], places)
      for (let k = 0; k < count; k++) golden[k] = results[patterns[start + places[k]!]!]!
      return found(start, count, () => read(start, length))
    }
  }
  return (start, length) => {
    const block = read(start, length)
    const count = search(data, start, block.values, places)
    for (let k = 0; k < count; k++) golden[k] = block.values[places[k]!]!
    return found(start, count, () => block)
  }
}

// A sum stays 0 until the first NaN or infinity.
function isFinite(values: Float64Array): boolean {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]! - values[i]!
  return sum === 0
}

type Reading = (start: number, length: number) => GoldenBlock

// One way to read all forms of golden. Without a scale of its own, errors are proportional to |golden|.
function reading(expected: GoldenTensor): Reading {
  const buffer = new Float64Array(BLOCK)
  const scale = new Float64Array(BLOCK)
  if ('values' in expected) {
    return (start, length) => {
      const values = expected.values.subarray(start, start + length)
      const own = () => expected.scale?.subarray(start, start + length)
      return { values, scale: () => own() ?? magnitudes(values, scale) }
    }
  }
  const fill = 'data' in expected ? decode.bind(null, expected) : expected.block
  return (start, length) => {
    const values = buffer.subarray(0, length)
    fill(start, values)
    return {
      values,
      scale() {
        if (!('block' in expected) || !expected.scaleBlock) return magnitudes(values, scale)
        expected.scaleBlock(start, scale.subarray(0, length))
        return scale
      },
    }
  }
}

function magnitudes(values: Float64Array, scale: Float64Array): Float64Array {
  for (let i = 0; i < values.length; i++) scale[i] = Math.abs(values[i]!)
  return scale
}

function reader(tensor: Tensor): ExactSide {
  const one = new Float64Array(1)
  return {
    data: tensor.data,
    bytes: bytesView(tensor),
    decode(index) {
      decoders[tensor.dtype](tensor.data, index, one)
      return one[0]!
    },
  }
}

function describe(piece: OutputTensor, tally: MismatchTally, exact: boolean): Comparison {
  const { dtype, shape, data } = piece.tensor
  const components = dtype === 'complex64' ? 2 : 1
  const { index, golden, actual, limit } = tally.worst
  const finite = Number.isFinite(roundTo(dtype, golden)) && Number.isFinite(actual)
  return {
    output: piece.name,
    elements: data.length / components,
    mismatches: tally.mismatches,
    index: unravel(Math.floor(index / components), shape),
    expected: formatElement(dtype, roundTo(dtype, golden)),
    actual: formatElement(dtype, actual),
    ...(finite && !exact ? { error: Math.abs(actual - golden), limit: limitOf(dtype, golden, limit) } : {}),
    ...(tally.unwritten.bytes > 0 ? { unwritten: { ...tally.unwritten } } : {}),
  }
}

function unravel(index: number, shape: readonly number[]): number[] {
  const position: number[] = []
  let rest = index
  for (const extent of shape.toReversed()) {
    position.unshift(rest % extent)
    rest = Math.floor(rest / extent)
  }
  return position
}
