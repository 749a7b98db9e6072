import { encoders, decoders } from '../inputs/index.ts'
import { storageView, type DType } from '../model/index.ts'

const one = new Float64Array(1)
const scratch = new ArrayBuffer(8)

/** The value of `dtype` nearest to `value`, ties to even; infinite when out of range. */
export function roundTo(dtype: DType, value: number): number {
  if (dtype === 'float32' || dtype === 'complex64') return Math.fround(value)
  if (dtype === 'float16') return roundToLayout(value, 10, -14, 65520)
  if (dtype === 'bfloat16') return roundToLayout(value, 7, -126, (2 - 2 ** -8) * 2 ** 127)
  const data = storageView(dtype, scratch, 0, 8)
  one[0] = value
  encoders[dtype](one, data, 0)
  decoders[dtype](data, 0, one)
  return one[0]
}

const scratchWords = new Uint32Array(one.buffer)

// Without memory of its own: references that round every step call it for every element of every step. Adding 2^52 units
// in the last place leaves the float64 unit no choice but to round to whole ones, ties to even.
function roundToLayout(value: number, mantissaBits: number, smallest: number, overflow: number): number {
  const magnitude = Math.abs(value)
  if (!(magnitude < overflow)) return magnitude >= overflow ? Math.sign(value) * Infinity : NaN
  one[0] = magnitude
  const exponent = Math.max((scratchWords[1]! >>> 20) - 1023, smallest)
  const shift = 2 ** (exponent - mantissaBits + 52)
  const rounded = magnitude + shift - shift
  return value < 0 || Object.is(value, -0) ? -rounded : rounded
}

/** Rounds every value of a block, in place. */
export function roundBlock(dtype: DType, values: Float64Array): void {
  if (dtype === 'float64') return
  if (dtype === 'float32' || dtype === 'complex64') {
    for (let i = 0; i < values.length; i++) values[i] = Math.fround(values[i]!)
    return
  }
  if (roundBuffer.byteLength < values.length * 8) roundBuffer = new ArrayBuffer(values.length * 8)
  const data = storageView(dtype, roundBuffer, 0, roundBuffer.byteLength)
  encoders[dtype](values, data, 0)
  decoders[dtype](data, 0, values)
}

let roundBuffer = new ArrayBuffer(0)

/** The shortest decimal text that still names this value of `dtype`. */
export function formatElement(dtype: DType, value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return Object.is(value, -0) ? '-0' : String(value)
  for (let digits = 3; digits < 17; digits++) {
    const text = Number(value.toPrecision(digits))
    if (roundTo(dtype, text) === value) return String(text)
  }
  return String(value)
}

/** 2^-p, p the precision of the dtype in bits: the largest relative error of one rounding. 0 for exact types. */
export const unitRoundoff: Record<DType, number> = {
  float16: 2 ** -11,
  bfloat16: 2 ** -8,
  float32: 2 ** -24,
  float64: 2 ** -53,
  complex64: 2 ** -24,
  int8: 0,
  uint8: 0,
  int16: 0,
  uint16: 0,
  int32: 0,
  uint32: 0,
  int64: 0,
  uint64: 0,
  bool: 0,
}
