import { encode } from '../plugin/inputs/index.ts'
import { byteLengthOf, bytesView, emptyTensor, sizeOf, storageView } from '../plugin/model/index.ts'
import type { DType, KernelCase, Tensor, TensorSpec, TensorValue } from '../plugin/model/index.ts'
import { specsOf, tensorsOf, type GoldenOutputs, type GoldenTensor, type Inputs } from '../plugin/task/index.ts'

/** What a launch left in the outputs; `undefined` where the trivial candidate has no such output. */
export type Outputs = Record<string, TensorValue | undefined>

/** The eight bytes every output is filled with before a launch. */
export const poison = Uint8Array.from([0x5a, 0xc3, 0x19, 0x7b, 0x5a, 0x3d, 0xe6, 0x42])

/** A candidate that does not do its task, by what it leaves in the outputs. */
export type TrivialCandidate = (kernelCase: KernelCase, inputs: Inputs, golden: GoldenOutputs) => Outputs

/** The correct outputs, as a perfect candidate would leave them. */
export const perfect = (kernelCase: KernelCase, golden: GoldenOutputs): Outputs =>
  everyOutput(kernelCase, (spec, name, position) => {
    const value = goldensOf(golden[name])[position]
    if (!value) throw new Error(`golden has no ${name}`)
    return store(spec, value)
  })

function store(spec: TensorSpec, golden: GoldenTensor): Tensor {
  if ('data' in golden) return { ...golden, data: golden.data.slice() }
  const target = emptyTensor(spec.dtype, spec.shape)
  const values = 'values' in golden ? golden.values : new Float64Array(golden.length)
  if ('block' in golden) golden.block(0, values)
  encode(values, target)
  return target
}

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

// What the memory of an output holds before the launch: the input it overwrites, or poison.
function untouched(spec: TensorSpec, overwritten: TensorValue | undefined, position: number): Tensor {
  const source = tensorsOf(overwritten)[position]
  if (source) return { ...source, data: source.data.slice() }
  const bytes = byteLengthOf(spec.dtype, spec.shape)
  const buffer = new ArrayBuffer(bytes)
  new Uint8Array(buffer).set(Uint8Array.from({ length: bytes }, (_, i) => poison[i & 7]!))
  return { dtype: spec.dtype, shape: spec.shape, data: storageView(spec.dtype, buffer, 0, bytes) }
}

function filled(dtype: DType, shape: readonly number[], value: number): Tensor {
  const target = emptyTensor(dtype, shape)
  encode(new Float64Array(target.data.length).fill(value), target)
  return target
}

const allOf =
  (value: number): TrivialCandidate =>
  (kernelCase) =>
    everyOutput(kernelCase, ({ dtype, shape }) => filled(dtype, shape, value))

// The perfect outputs up to an element of each tensor; the rest is what memory held before.
const unfinished =
  (written: (length: number) => number): TrivialCandidate =>
  (kernelCase, inputs, golden) => {
    const right = perfect(kernelCase, golden)
    return everyOutput(kernelCase, (spec, name, position) => {
      const start = untouched(spec, inputs[name], position)
      const complete = tensorsOf(right[name])[position]!
      const bytes = written(complete.data.length) * complete.data.BYTES_PER_ELEMENT
      bytesView(start).set(bytesView(complete).subarray(0, bytes))
      return start
    })
  }

// The input whose memory would fit, if there is one.
const copyOfInput: TrivialCandidate = (kernelCase, inputs) => {
  const sources = Object.values(inputs).flatMap(tensorsOf)
  return everyOutput(kernelCase, (spec, name, position) => {
    const fits = sources.find((source) => source.dtype === spec.dtype && sizeOf(source.shape) === sizeOf(spec.shape))
    return fits
      ? { dtype: spec.dtype, shape: spec.shape, data: fits.data.slice() }
      : untouched(spec, inputs[name], position)
  })
}

// The first half of the outputs; of a single output, the list without its first tensor, or nothing.
const halfMissing: TrivialCandidate = (kernelCase, _, golden) => {
  const right = Object.entries(perfect(kernelCase, golden))
  if (right.length > 1) return Object.fromEntries(right.slice(0, Math.floor(right.length / 2)))
  return Object.fromEntries(right.map(([name, value]) => [name, tensorsOf(value).slice(1)]))
}

const otherDType: TrivialCandidate = (kernelCase) =>
  everyOutput(kernelCase, ({ dtype, shape }) => filled(dtype === 'float32' ? 'float16' : 'float32', shape, 0))

/** Every trivial candidate a spec has to reject before its verdicts mean anything. */
export const trivialCandidates: Record<string, TrivialCandidate> = {
  'all zeros': allOf(0),
  'all ones': allOf(1),
  'all NaN': allOf(NaN),
  'copy of an input': copyOfInput,
  'first tile only': unfinished((length) => Math.min(length - 1, 256)),
  'first half only': unfinished((length) => Math.floor(length / 2)),
  'all but the last element': unfinished((length) => length - 1),
  'outputs untouched': unfinished(() => 0),
  'half of the outputs missing': halfMissing,
  'wrong dtype': otherDType,
}
