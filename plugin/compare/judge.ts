import { decode } from '../inputs/index.ts'
import type { KernelCase, Tensor, TensorValue } from '../model/index.ts'
import { AskedRules, nothingAccepted, type BenchmarkAnswers } from './benchmark-rules.ts'
import { compareTensor, contextOf, isMove } from './compare-tensor.ts'
import { describeMismatches } from './comparison.ts'
import { PoisonMap } from './poison.ts'
import { BLOCK, lengthOf, reading } from './reading.ts'
import type {
  Finding,
  GoldenChoice,
  GoldenOutputs,
  GoldenTensor,
  JudgedTask,
  Judgement,
  JudgingProfile,
} from './rules.ts'
import { outputTensorsOf, type OutputTensor } from './structure.ts'
import { isExact, MismatchTally } from './tally.ts'

/** A tensor, its golden, and what a profile finds wrong with it. */
interface Judged {
  piece: OutputTensor
  expected: GoldenTensor
  tally: MismatchTally
}

/**
 * Compares all outputs of a launch with golden: structure first, then NaN and infinities by position, then values, under
 * the standard and the strict profile; and says what the public benchmark would have said.
 * @param poison the eight bytes, repeated over every output before the launch, that tell unwritten bytes
 * @param reference what the public reference computes, for the outputs where that is not golden
 * @param told by output: the shape that the kernel has told of it, where the runtime asks; null where it has told none
 */
export function judge(
  task: JudgedTask,
  kernelCase: KernelCase,
  golden: GoldenOutputs,
  actual: Record<string, TensorValue | undefined>,
  poison: Uint8Array,
  reference: GoldenOutputs = {},
  told: readonly (readonly number[] | null)[] = [],
): Judgement {
  const pieces = outputTensorsOf(kernelCase, actual)
  const fault = typeof pieces === 'string' ? pieces : untrueShapeOf(task, kernelCase, golden, told)
  if (typeof pieces === 'string' || fault !== undefined) {
    const finding: Finding = { kind: 'wrong-structure', message: String(fault) }
    return { standard: finding, strict: finding, ...nothingAccepted(task.profiles) }
  }
  const rules = new AskedRules(task.profiles)
  let exact = true
  let standard: Judged | undefined
  let strict: Judged | undefined
  for (const { piece, tally } of judgedPieces(task, kernelCase, pieces, poison)) {
    const expected = goldenOf(golden, piece, actual)
    const check = rules.check(contextOf(kernelCase, piece))
    const theirs = reference[piece.output] === undefined ? expected : goldenOf(reference, piece, actual)
    const tallies = { strict: tally(), standard: isMove(expected, piece.tensor) ? undefined : tally() }
    const compared = { task, kernelCase, piece, expected, tallies }
    const result = compareTensor(compared, check && { check, reference: theirs })
    exact &&= result.exact
    // what is no arithmetic has no tolerance
    standard = worseOf(standard, { piece, expected, tally: tallies.standard ?? tallies.strict })
    strict = worseOf(strict, { piece, expected, tally: tallies.strict })
  }
  const accuracy = standard ? undefined : strict ? 'within-tolerance' : exact ? 'exact' : 'accurate'
  return {
    standard: findingOf(standard, ({ piece, expected }) => isMove(expected, piece.tensor)),
    strict: findingOf(
      strict,
      ({ piece, expected }) =>
        isMove(expected, piece.tensor) || isExact(task.profiles.strict(contextOf(kernelCase, piece))),
    ),
    ...rules.answers,
    ...(accuracy && { accuracy }),
  }
}

/**
 * Whether a profile finds nothing wrong: what `judge` says, without the place and at the cost of the blocks up to the first
 * wrong one.
 */
export function accepts(
  task: JudgedTask,
  kernelCase: KernelCase,
  golden: GoldenOutputs,
  actual: Record<string, TensorValue | undefined>,
  poison: Uint8Array,
  profile: JudgingProfile,
): boolean {
  const pieces = outputTensorsOf(kernelCase, actual)
  if (typeof pieces === 'string') return false
  return judgedPieces(task, kernelCase, pieces, poison).every(({ piece, tally }) => {
    const expected = goldenOf(golden, piece, actual)
    const widened = profile === 'standard' && !isMove(expected, piece.tensor)
    const tallies = { strict: tally(), standard: widened ? tally() : undefined }
    const decides = widened ? 'standard' : 'strict'
    compareTensor({ task, kernelCase, piece, expected, tallies }, undefined, decides)
    return tallies[decides]?.mismatches === 0
  })
}

/** What the public rules say of all outputs, at the cost of the blocks up to where none accepts any more. */
export function benchmarkAnswers(
  task: JudgedTask,
  kernelCase: KernelCase,
  golden: GoldenOutputs,
  actual: Record<string, TensorValue | undefined>,
): BenchmarkAnswers {
  const pieces = outputTensorsOf(kernelCase, actual)
  if (typeof pieces === 'string') return nothingAccepted(task.profiles)
  const rules = new AskedRules(task.profiles)
  const judged = task.profiles.judged?.(kernelCase)
  for (const piece of pieces.filter(({ output }) => judged?.includes(output) ?? true)) {
    const check = rules.check(contextOf(kernelCase, piece))
    if (!check) break
    const read = reading(goldenOf(golden, piece, actual))
    const { tensor } = piece
    const values = new Float64Array(Math.min(BLOCK, tensor.data.length))
    let goesOn = true
    for (let start = 0; goesOn && start < tensor.data.length; start += BLOCK) {
      const length = Math.min(BLOCK, tensor.data.length - start)
      decode(tensor, start, values.subarray(0, length))
      goesOn = check.block(read(start, length).values, values.subarray(0, length))
    }
    check.end?.()
  }
  return rules.answers
}

/** Where the runtime would make an output of another shape, by what the kernel tells of it. */
function untrueShapeOf(
  task: JudgedTask,
  kernelCase: KernelCase,
  golden: GoldenOutputs,
  told: readonly (readonly number[] | null)[],
): string | undefined {
  for (const [position, { name }] of task.interface.outputs.entries()) {
    const [spec, value, found] = [kernelCase.outputs[name], golden[name], told[position]]
    if (!found || !spec || !('shape' in spec)) continue
    const wanted = value && !isList(value) && isChoice(value) ? (value.told ?? spec.shape) : spec.shape
    if (wanted.join() !== found.join())
      return `the kernel tells that output ${name} has the shape [${found.join(', ')}], which is [${wanted.join(', ')}]`
  }
  return undefined
}

// The tensors that say something in a case, each with what makes its tallies.
function judgedPieces(
  task: JudgedTask,
  kernelCase: KernelCase,
  pieces: readonly OutputTensor[],
  poison: Uint8Array,
): { piece: OutputTensor; tally: () => MismatchTally }[] {
  const started = task.interface.outputs.filter(({ aliases, zeroed }) => aliases !== undefined || zeroed)
  const givenContent = new Set(started.map((output) => output.name))
  const judged = task.profiles.judged?.(kernelCase)
  return pieces
    .filter((piece) => !judged || judged.includes(piece.output))
    .map((piece) => {
      // An in-place output starts as its input, a zeroed one as zeros: neither as poison.
      const unwritten = givenContent.has(piece.output) ? null : new PoisonMap(piece.tensor, poison)
      return { piece, tally: () => new MismatchTally(piece.tensor, unwritten) }
    })
}

function worseOf(worst: Judged | undefined, next: Judged): Judged | undefined {
  if (next.tally.mismatches === 0) return worst
  return !worst || isWorse(next.tally, worst.tally) ? next : worst
}

// Non-finite defects come first, then the larger share of a tensor.
function isWorse(tally: MismatchTally, than: MismatchTally): boolean {
  if (tally.nonFinite > 0 !== than.nonFinite > 0) return tally.nonFinite > 0
  return tally.worst.severity > than.worst.severity
}

function findingOf(worst: Judged | undefined, isExactOutput: (judged: Judged) => boolean): Finding {
  if (!worst) return { kind: 'correct' }
  const { piece, expected, tally } = worst
  return {
    kind: tally.nonFinite > 0 ? 'wrong-nonfinite' : 'wrong-value',
    comparison: describeMismatches(piece, expected, tally, isExactOutput(worst)),
  }
}

function goldenOf(
  golden: GoldenOutputs,
  piece: OutputTensor,
  actual: Record<string, TensorValue | undefined>,
): GoldenTensor {
  const output = golden[piece.output]
  const given = isList(output) ? output[piece.position] : output
  const expected = given && isChoice(given) ? given.nearestTo(ownCopies(actual)) : given
  if (!expected) throw new Error(`golden has no value for output ${piece.name}`)
  const length = lengthOf(expected)
  if (length !== piece.tensor.data.length) {
    throw new Error(`golden of ${piece.name} has ${length} values, the case needs ${piece.tensor.data.length}`)
  }
  const scales = 'values' in expected ? (expected.scale?.length ?? length) : length
  if (scales !== length) throw new Error(`golden of ${piece.name} has ${length} values and a scale of ${scales}`)
  return expected
}

/** Outputs for whoever may change them in place: what is compared stays as the candidate has left it. */
const ownCopies = (outputs: Record<string, TensorValue | undefined>): Record<string, TensorValue | undefined> =>
  Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [
      name,
      value && ('data' in value ? ownCopy(value) : value.map(ownCopy)),
    ]),
  )

const ownCopy = (tensor: Tensor): Tensor => ({ ...tensor, shape: [...tensor.shape], data: tensor.data.slice() })

const isList = (value: GoldenOutputs[string] | undefined): value is readonly GoldenTensor[] => Array.isArray(value)

const isChoice = (golden: GoldenTensor): golden is GoldenChoice => 'nearestTo' in golden
