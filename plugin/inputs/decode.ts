import type { DType, Storage, Tensor } from '../model/index.ts'
import { numbers, words16 } from './storage.ts'

type Sixteen = 'float16' | 'bfloat16'

const tables = new Map<Sixteen, Float32Array>()

/** The value of each of the 65536 bit patterns of a 16-bit float type; float32 holds them all. */
export function valueTable(dtype: Sixteen): Float32Array {
  let table = tables.get(dtype)
  if (!table) {
    table = Float32Array.from({ length: 0x10000 }, (_, bits) => layouts[dtype](bits))
    tables.set(dtype, table)
  }
  return table
}

const layouts: Record<Sixteen, (bits: number) => number> = {
  float16: (bits) => decodeBits(bits, 10, 15),
  bfloat16: (bits) => decodeBits(bits, 7, 127),
}

// IEEE layout of any width: sign, exponent, `mantissaBits` of mantissa.
function decodeBits(bits: number, mantissaBits: number, bias: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const mantissa = bits & ((1 << mantissaBits) - 1)
  const exponent = (bits & 0x7fff) >>> mantissaBits
  if (exponent === 2 * bias + 1) return mantissa === 0 ? sign * Infinity : NaN
  const steps = exponent === 0 ? mantissa : mantissa + (1 << mantissaBits)
  return sign * steps * 2 ** (Math.max(exponent, 1) - bias - mantissaBits)
}

type Decoder = (data: Storage, start: number, values: Float64Array) => void

/** Reads `values.length` components from `start` on as float64. Exact for every dtype but 64-bit integers. */
export const decoders: Record<DType, Decoder> = {
  float16: (data, start, values) => look(valueTable('float16'), words16(data), start, values),
  bfloat16: (data, start, values) => look(valueTable('bfloat16'), words16(data), start, values),
  float32: copy,
  float64: copy,
  int8: copy,
  uint8: copy,
  int16: copy,
  uint16: copy,
  int32: copy,
  uint32: copy,
  int64: copyBig,
  uint64: copyBig,
  bool: copy,
  complex64: copy,
}

/** Decodes a block of a tensor's components into `values`, from component `start` on. */
export const decode = (tensor: Tensor, start: number, values: Float64Array): void =>
  decoders[tensor.dtype](tensor.data, start, values)

/** All components of a tensor as float64 (complex64: re and im interleaved). */
export function toFloat64(tensor: Tensor): Float64Array {
  const values = new Float64Array(tensor.data.length)
  decode(tensor, 0, values)
  return values
}

function look(table: Float32Array, data: Uint16Array, start: number, values: Float64Array): void {
  for (let i = 0; i < values.length; i++) values[i] = table[data[start + i]!]!
}

function copy(data: Storage, start: number, values: Float64Array): void {
  values.set(numbers(data).subarray(start, start + values.length))
}

function copyBig(data: Storage, start: number, values: Float64Array): void {
  for (let i = 0; i < values.length; i++) values[i] = Number(data[start + i]!)
}
