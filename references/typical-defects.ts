import { decode, encode } from '../plugin/inputs/index.ts'
import { roundTo } from '../plugin/compare/index.ts'
import type { DType, Tensor } from '../plugin/model/index.ts'
import { tensorsOf, type GoldenOutputs, type GoldenTensor } from '../plugin/task/index.ts'
import type { TrivialCandidate } from './trivial-candidates.ts'

/** Changes a block of right values from component `start` on, in place. */
type Change = (values: Float64Array, start: number) => void

/** What a defect does to one tensor; nothing where it is none for that dtype. */
type Defect = (tensor: Tensor, golden: GoldenTensor) => Change | undefined

const BLOCK = 1 << 12

/** The right outputs with a defect; those that it leaves alone are shared with them. */
const defective =
  (defect: Defect): TrivialCandidate =>
  ({ kernelCase, right, golden }) =>
    Object.fromEntries(
      Object.entries(right).map(([name, value]) => {
        const tensors = tensorsOf(value).map((tensor, position) =>
          changed(tensor, goldenAt(golden, name, position), defect),
        )
        return [name, Array.isArray(kernelCase.outputs[name]) ? tensors : (tensors[0] ?? null)]
      }),
    )

function goldenAt(golden: GoldenOutputs, name: string, position: number): GoldenTensor {
  const value = golden[name]
  const found = isList(value) ? value[position] : value
  if (!found) throw new Error(`golden has no ${name}`)
  return found
}

const isList = (value: GoldenOutputs[string] | undefined): value is readonly GoldenTensor[] => Array.isArray(value)

function changed(tensor: Tensor, golden: GoldenTensor, defect: Defect): Tensor {
  // what is moved has no rounding, sum or mean that could go wrong
  const change = 'data' in golden || tensor.dtype === 'int8' ? undefined : defect(tensor, golden)
  if (!change) return tensor
  const copy = { ...tensor, data: tensor.data.slice() }
  for (let start = 0; start < tensor.data.length; start += BLOCK) {
    const values = new Float64Array(Math.min(BLOCK, tensor.data.length - start))
    decode(tensor, start, values)
    change(values, start)
    encode(values, copy, start)
  }
  return copy
}

const eachValue =
  (change: (value: number) => number): Change =>
  (values) => {
    for (let i = 0; i < values.length; i++) values[i] = change(values[i]!)
  }

const sixteen = (dtype: DType): boolean => dtype === 'float16' || dtype === 'bfloat16'

/** The largest value of `bits` significant bits that is no larger: what is left when the lower ones are cut off. */
function truncated(value: number, bits: number): number {
  if (!Number.isFinite(value) || value === 0) return value
  const unit = 2 ** (Math.floor(Math.log2(Math.abs(value))) - bits + 1)
  return Math.trunc(value / unit) * unit
}

/** Significant bits of a result that was cut off where it should have been rounded, two bits too early for 16-bit types. */
const kept: Partial<Record<DType, number>> = { float32: 8, complex64: 8, float16: 9, bfloat16: 6 }

const cutOff: Defect = ({ dtype }) => {
  const bits = kept[dtype]
  return bits === undefined ? undefined : eachValue((value) => truncated(value, bits))
}

const throughFloat16: Defect = ({ dtype }) =>
  sixteen(dtype) ? undefined : eachValue((value) => roundTo('float16', value))

const scaled: Defect = ({ dtype }) => {
  const factor = 1 + (sixteen(dtype) ? 2 ** -6 : 2 ** -9)
  return eachValue((value) => value * factor)
}

const shifted: Defect = (tensor) => {
  const constant = typical(tensor) * 2 ** -6
  return eachValue((value) => value + constant)
}

/** The share of what was added up that is lost; 2^-9 is not even half a unit of bfloat16. */
const lostInSums = (dtype: DType): number => (dtype === 'bfloat16' ? 2 ** -6 : 2 ** -9)

// With the sign of the place.
const summedCoarsely: Defect = ({ dtype }, golden) => {
  const scale = scaleOf(golden)
  if (!scale) return undefined
  return (values, start) => {
    const sizes = scale(start, values.length)
    for (let i = 0; i < values.length; i++) values[i]! += (i % 2 === 0 ? 1 : -1) * sizes[i]! * lostInSums(dtype)
  }
}

function scaleOf(golden: GoldenTensor): ((start: number, length: number) => Float64Array) | undefined {
  if ('values' in golden) {
    const { scale } = golden
    return scale && ((start, length) => scale.subarray(start, start + length))
  }
  if (!('block' in golden) || !golden.scaleBlock) return undefined
  const { scaleBlock } = golden
  return (start, length) => {
    const scale = new Float64Array(length)
    scaleBlock(start, scale)
    return scale
  }
}

/** Mean magnitude of the finite components. */
function typical(tensor: Tensor): number {
  let [sum, count] = [0, 0]
  for (let start = 0; start < tensor.data.length; start += BLOCK) {
    const values = new Float64Array(Math.min(BLOCK, tensor.data.length - start))
    decode(tensor, start, values)
    for (const value of values) {
      if (!Number.isFinite(value)) continue
      sum += Math.abs(value)
      count++
    }
  }
  return count === 0 ? 0 : sum / count
}

/** Defects that kernels have, done to the right outputs: none of them is arithmetic that a tolerance should cover. */
export const typicalDefects: Record<string, TrivialCandidate> = {
  'cut off instead of rounded': defective(cutOff),
  'through float16': defective(throughFloat16),
  'scaled a little': defective(scaled),
  'a constant added': defective(shifted),
  'summed coarsely': defective(summedCoarsely),
}

/** How far off a defect is in its worst element, relative to the element or to what is typical of the tensor. */
export const defectSizes: Record<keyof typeof typicalDefects, (dtype: DType) => number> = {
  'cut off instead of rounded': (dtype) => 2 ** (1 - (kept[dtype] ?? Infinity)),
  'through float16': () => 2 ** -11,
  'scaled a little': (dtype) => (sixteen(dtype) ? 2 ** -6 : 2 ** -9),
  'a constant added': () => 2 ** -6,
  'summed coarsely': lostInSums,
}
