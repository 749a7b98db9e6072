import { roundedTensor } from '../plugin/cli/files.ts'
import { decode, encode, RandomStream } from '../plugin/inputs/index.ts'
import { bytesView, emptyTensor, sizeOf } from '../plugin/model/index.ts'
import type { DType, KernelCase, Tensor, TensorSpec, TensorValue } from '../plugin/model/index.ts'
import {
  specsOf,
  tensorsOf,
  type GoldenOutputs,
  type GoldenTensor,
  type Inputs,
  type KernelTask,
} from '../plugin/task/index.ts'

/** What a launch left in the outputs; `undefined` where the trivial candidate has no such output. */
export type Outputs = Record<string, TensorValue | undefined>

/** The eight bytes every output is filled with before a launch. */
export const poison = Uint8Array.from([0x5a, 0xc3, 0x19, 0x7b, 0x5a, 0x3d, 0xe6, 0x42])

/** What a trivial candidate is made of. */
export interface Problem {
  task: Pick<KernelTask, 'interface'>
  kernelCase: KernelCase
  inputs: Inputs
  golden: GoldenOutputs
  /** the perfect outputs; nobody writes to them */
  right: Outputs
}

/** A candidate that does not do its task, by what it leaves in the outputs. */
export type TrivialCandidate = (problem: Problem) => Outputs

/** Components changed at a time. */
const BLOCK = 1 << 16

/** The correct outputs, as a perfect candidate would leave them. */
export const perfect = (kernelCase: KernelCase, golden: GoldenOutputs): Outputs =>
  everyOutput(kernelCase, (spec, name, position) => {
    const value = goldensOf(golden[name])[position]
    if (!value) throw new Error(`golden has no ${name}`)
    return 'data' in value ? { ...value, data: value.data.slice() } : roundedTensor(spec, value)
  })

function goldensOf(value: GoldenOutputs[string] | undefined): readonly GoldenTensor[] {
  if (!value) return []
  return isList(value) ? value : [value]
}

const isList = (value: GoldenOutputs[string]): value is readonly GoldenTensor[] => Array.isArray(value)

// Outputs made tensor by tensor, lists and absent ones as the case has them.
const everyOutput = (
  kernelCase: KernelCase,
  make: (spec: TensorSpec, name: string, position: number) => Tensor,
): Outputs =>
  Object.fromEntries(
    Object.entries(kernelCase.outputs).map(([name, spec]): [string, TensorValue] => {
      const tensors = specsOf(spec).map((part, position) => make(part, name, position))
      return [name, Array.isArray(spec) ? tensors : (tensors[0] ?? null)]
    }),
  )

// What the memory of an output holds before the launch: the input it overwrites, zeros where the caller owes them, or poison.
function untouched({ task, inputs }: Problem, spec: TensorSpec, name: string, position: number): Tensor {
  const { aliases, zeroed } = task.interface.outputs.find((output) => output.name === name)!
  const source = aliases === undefined ? undefined : tensorsOf(inputs[aliases])[position]
  if (source) return { ...source, data: source.data.slice() }
  const target = emptyTensor(spec.dtype, spec.shape)
  if (!zeroed) fill(bytesView(target), poison)
  return target
}

// Repeats a pattern over bytes, doubling what is there.
function fill(bytes: Uint8Array, pattern: Uint8Array): void {
  bytes.set(pattern.subarray(0, bytes.length))
  for (let done = pattern.length; done < bytes.length; done *= 2) bytes.copyWithin(done, 0, done)
}

function filled(dtype: DType, shape: readonly number[], value: number): Tensor {
  const pattern = emptyTensor(dtype, [8])
  encode(new Float64Array(pattern.data.length).fill(value), pattern)
  const target = emptyTensor(dtype, shape)
  fill(bytesView(target), bytesView(pattern))
  return target
}

const allOf =
  (value: number): TrivialCandidate =>
  ({ kernelCase }) =>
    everyOutput(kernelCase, ({ dtype, shape }) => filled(dtype, shape, value))

// The perfect outputs up to an element of each tensor; the rest is what memory held before.
const unfinished =
  (written: (length: number) => number): TrivialCandidate =>
  (problem) =>
    everyOutput(problem.kernelCase, (spec, name, position) => {
      const start = untouched(problem, spec, name, position)
      const complete = tensorsOf(problem.right[name])[position]!
      const bytes = Math.max(0, written(complete.data.length)) * complete.data.BYTES_PER_ELEMENT
      bytesView(start).set(bytesView(complete).subarray(0, bytes))
      return start
    })

// The input whose memory would fit, if there is one.
const copyOfInput: TrivialCandidate = (problem) => {
  const sources = Object.values(problem.inputs).flatMap(tensorsOf)
  return everyOutput(problem.kernelCase, (spec, name, position) => {
    const fits = sources.find((source) => source.dtype === spec.dtype && sizeOf(source.shape) === sizeOf(spec.shape))
    return fits
      ? { dtype: spec.dtype, shape: spec.shape, data: fits.data.slice() }
      : untouched(problem, spec, name, position)
  })
}

// A changed copy of every perfect output.
const changed =
  (change: (tensor: Tensor, problem: Problem) => void): TrivialCandidate =>
  (problem) =>
    everyOutput(problem.kernelCase, (_, name, position) => {
      const source = tensorsOf(problem.right[name])[position]!
      const copy = { ...source, data: source.data.slice() }
      change(copy, problem)
      return copy
    })

// Every element one place too early; the first comes last.
const shifted = changed((tensor) => {
  const bytes = bytesView(tensor)
  const width = tensor.data.BYTES_PER_ELEMENT * (tensor.dtype === 'complex64' ? 2 : 1)
  const first = bytes.slice(0, width)
  bytes.copyWithin(0, width)
  bytes.set(first, Math.max(0, bytes.length - width))
})

// Integers wrap, bools turn over.
const flipped = changed((tensor) => {
  const negative = (value: number) => (tensor.dtype === 'bool' ? 1 - value : -value)
  for (let start = 0; start < tensor.data.length; start += BLOCK) {
    const values = new Float64Array(Math.min(BLOCK, tensor.data.length - start))
    decode(tensor, start, values)
    encode(values.map(negative), tensor, start)
  }
})

// One component in a hundred, at least one, is off by an eighth of itself and of the mean magnitude; whole numbers by one.
const slightlyWrong = changed((tensor, { kernelCase }) => {
  const { length } = tensor.data
  if (length === 0) return
  const random = new RandomStream(kernelCase.seed, 'slightly wrong')
  const magnitude = meanMagnitude(tensor)
  const floats = tensor.dtype.startsWith('float') || tensor.dtype === 'bfloat16' || tensor.dtype === 'complex64'
  const one = new Float64Array(1)
  for (let count = Math.max(1, Math.floor(length / 100)); count > 0; count--) {
    const at = random.below(length)
    decode(tensor, at, one)
    const value = one[0]!
    const step = floats ? (Math.abs(value) + magnitude) / 8 || 1 : 1
    one[0] = Number.isFinite(value) ? value + step : 0
    if (tensor.dtype === 'bool') one[0] = 1 - value
    encode(one, tensor, at)
  }
})

// Over 4096 finite components: large enough to be seen, cheap for a large tensor.
function meanMagnitude(tensor: Tensor): number {
  const one = new Float64Array(1)
  let [sum, count] = [0, 0]
  const step = Math.max(1, Math.floor(tensor.data.length / 4096))
  for (let i = 0; i < tensor.data.length; i += step) {
    decode(tensor, i, one)
    if (!Number.isFinite(one[0])) continue
    sum += Math.abs(one[0]!)
    count++
  }
  return count === 0 ? 0 : sum / count
}

// The first half of the outputs; of a single output, the list without its first tensor, or nothing.
const halfMissing: TrivialCandidate = ({ right }) => {
  const outputs = Object.entries(right)
  if (outputs.length > 1) return Object.fromEntries(outputs.slice(0, Math.floor(outputs.length / 2)))
  return Object.fromEntries(outputs.map(([name, value]) => [name, tensorsOf(value).slice(1)]))
}

// All but the last output; of a single one, the list without its last tensor, or nothing.
const lastMissing: TrivialCandidate = ({ right, kernelCase }) => {
  const present = Object.keys(right).filter((name) => specsOf(kernelCase.outputs[name]).length > 0)
  const last = present.at(-1)!
  const shorter = Array.isArray(right[last]) ? tensorsOf(right[last]).slice(0, -1) : undefined
  return { ...right, [last]: shorter }
}

const otherDType: TrivialCandidate = ({ kernelCase }) =>
  everyOutput(kernelCase, ({ dtype, shape }) => filled(dtype === 'float32' ? 'float16' : 'float32', shape, 0))

/** Every trivial candidate a spec has to reject before its verdicts mean anything. */
export const trivialCandidates: Record<string, TrivialCandidate> = {
  'all zeros': allOf(0),
  'all ones': allOf(1),
  'all NaN': allOf(NaN),
  'copy of an input': copyOfInput,
  'outputs untouched': unfinished(() => 0),
  'first tile only': unfinished((length) => Math.min(length - 1, 256)),
  'first half only': unfinished((length) => Math.floor(length / 2)),
  'all but the last element': unfinished((length) => length - 1),
  'one element off': shifted,
  'sign flipped': flipped,
  '1 % of elements wrong': slightlyWrong,
  'half of the outputs missing': halfMissing,
  'last output missing': lastMissing,
  'wrong dtype': otherDType,
}
