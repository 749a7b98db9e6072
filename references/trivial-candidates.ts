import { encode } from '../plugin/inputs/index.ts'
import { emptyTensor, sizeOf, storageView, byteLengthOf } from '../plugin/model/index.ts'
import type { DType, KernelCase, Tensor, TensorSpec, TensorValue } from '../plugin/model/index.ts'
import type { GoldenOutputs, GoldenTensor, Inputs } from '../plugin/task/index.ts'

/** What a launch left in the outputs; `undefined` where the trivial candidate has no such output. */
export type Outputs = Record<string, TensorValue | undefined>

/** The eight bytes every output is filled with before a launch. */
export const poison = Uint8Array.from([0x5a, 0xc3, 0x19, 0x7b, 0x5a, 0x3d, 0xe6, 0x42])

/** A candidate that does not do its task, by what it leaves in the outputs. */
export type TrivialCandidate = (kernelCase: KernelCase, inputs: Inputs, golden: GoldenOutputs) => Outputs

const eachTensor =
  (make: (spec: TensorSpec, start: Tensor, name: string, position: number) => Tensor | undefined) =>
  (kernelCase: KernelCase, inputs: Inputs): Outputs =>
    Object.fromEntries(
      Object.entries(kernelCase.outputs).map(([name, spec]) => {
        const one = (part: TensorSpec, position: number) =>
          make(part, untouched(part, inputs[name], position), name, position)
        return [name, Array.isArray(spec) ? spec.map(one) : spec && one(spec, 0)]
      }),
    ) as Outputs

// What the memory of an output holds before the launch: the input it overwrites, or poison.
function untouched(spec: TensorSpec, overwritten: TensorValue | undefined, position: number): Tensor {
  const source = overwritten && ([overwritten].flat()[position] as Tensor | undefined)
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

/** The correct outputs, as a perfect candidate would leave them. */
export function perfect(kernelCase: KernelCase, golden: GoldenOutputs): Outputs {
  const one = (spec: TensorSpec, value: GoldenTensor): Tensor => {
    if ('data' in value) return { ...value, data: value.data.slice() }
    const target = emptyTensor(spec.dtype, spec.shape)
    const values = 'values' in value ? value.values : new Float64Array(value.length)
    if ('block' in value) value.block(0, values)
    encode(values, target)
    return target
  }
  return Object.fromEntries(
    Object.entries(kernelCase.outputs).map(([name, spec]): [string, TensorValue] => {
      const value = golden[name] as GoldenTensor | readonly GoldenTensor[]
      if (Array.isArray(spec)) return [name, spec.map((part, i) => one(part, (value as readonly GoldenTensor[])[i]!))]
      return [name, spec && one(spec, value as GoldenTensor)]
    }),
  )
}

// The perfect outputs, overwritten by what memory held before from a share of each tensor on.
const unfinished =
  (written: (length: number) => number): TrivialCandidate =>
  (kernelCase, inputs, golden) => {
    const right = perfect(kernelCase, golden)
    return eachTensor((_, start, name, position) => {
      const complete = [right[name]!].flat()[position] as Tensor
      const from = written(start.data.length)
      start.data.set(complete.data.subarray(0, from) as never)
      return start
    })(kernelCase, inputs)
  }

const otherDType = (dtype: DType): DType => (dtype === 'float32' ? 'float16' : 'float32')

/** Every trivial candidate a spec has to reject before its verdicts mean anything. */
export const trivialCandidates: Record<string, TrivialCandidate> = {
  'all zeros': eachTensor((spec) => filled(spec.dtype, spec.shape, 0)),
  'all ones': eachTensor((spec) => filled(spec.dtype, spec.shape, 1)),
  'all NaN': eachTensor((spec) => filled(spec.dtype, spec.shape, NaN)),
  'copy of an input': (kernelCase, inputs) => {
    const sources = Object.values(inputs).flatMap((value) => (value ? ([value].flat() as Tensor[]) : []))
    return eachTensor((spec, start) => {
      const fits = sources.find((source) => source.dtype === spec.dtype && sizeOf(source.shape) === sizeOf(spec.shape))
      return fits ? { dtype: spec.dtype, shape: spec.shape, data: fits.data.slice() } : start
    })(kernelCase, inputs)
  },
  'first tile only': unfinished((length) => Math.min(length, 256)),
  'first half only': unfinished((length) => Math.floor(length / 2)),
  'all but the last element': unfinished((length) => length - 1),
  'outputs untouched': eachTensor((_, start) => start),
  'half of the outputs missing': (kernelCase, inputs, golden) => {
    const right = Object.entries(perfect(kernelCase, golden))
    const kept = right.slice(0, Math.floor(right.length / 2))
    const halved =
      right.length > 1 ? kept : right.map(([name, value]) => [name, Array.isArray(value) ? value.slice(1) : null])
    return Object.fromEntries(halved) as Outputs
  },
  'wrong dtype': eachTensor((spec) => filled(otherDType(spec.dtype), spec.shape, 0)),
}
