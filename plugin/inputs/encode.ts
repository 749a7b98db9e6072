import type { DType, Storage, Tensor } from '../model/index.ts'
import { numbers, words16 } from './storage.ts'

type Encoder = (values: Float64Array, data: Storage, start: number) => void

/**
 * Writes float64 values as elements of a dtype, each rounded once to nearest, ties to even. Out-of-range floats become
 * infinities, integers wrap, NaN is 0 among them. complex64 takes its values interleaved (re, im). `values` must start at a multiple of 8
 * bytes of its buffer, as every Float64Array does.
 */
export const encoders: Record<DType, Encoder> = {
  float16: (values, data, start) => encodeHalf(values, words16(data), start),
  bfloat16: (values, data, start) => encodeBfloat(values, words16(data), start),
  float32: copy,
  float64: copy,
  int8: copyWhole,
  uint8: copyWhole,
  int16: copyWhole,
  uint16: copyWhole,
  int32: copyWhole,
  uint32: copyWhole,
  int64: copyBig,
  uint64: copyBig,
  bool: (values, data, start) => {
    for (let i = 0; i < values.length; i++) data[start + i] = values[i] === 0 ? 0 : 1
  },
  complex64: copy,
}

/** Encodes `values` over the components of `tensor` from component `start` on. */
export const encode = (values: Float64Array, tensor: Tensor, start = 0): void =>
  encoders[tensor.dtype](values, tensor.data, start)

function copy(values: Float64Array, data: Storage, start: number): void {
  numbers(data).set(values, start)
}

// Adding and subtracting 1.5 * 2^52 rounds to a whole number, ties to even; what is larger is whole already.
const WHOLE = 1.5 * 2 ** 52

function copyWhole(values: Float64Array, data: Storage, start: number): void {
  const target = numbers(data)
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    target[start + i] = Math.abs(value) < 2 ** 51 ? value + WHOLE - WHOLE : value
  }
}

function copyBig(values: Float64Array, data: Storage, start: number): void {
  const signed = data instanceof BigInt64Array
  for (let i = 0; i < values.length; i++) {
    const value = BigInt(Number.isFinite(values[i]) ? Math.trunc(values[i]!) : 0)
    data[start + i] = signed ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value)
  }
}

// The two halves of a float64, little-endian: sign, 11 bits of exponent and 20 of mantissa above; 32 of mantissa below.
const wordsOf = (values: Float64Array): Uint32Array =>
  new Uint32Array(values.buffer, values.byteOffset, values.length * 2)

const HALF_NORMAL = 0x3f100000 // high word of 2^-14, the smallest normal half
const HALF_OVERFLOW = 0x40f00000 // high word of 2^16
const HALF_REBIAS = (1023 - 15) << 20

function encodeHalf(values: Float64Array, data: Uint16Array, start: number): void {
  const words = wordsOf(values)
  for (let i = 0; i < values.length; i++) {
    const high = words[2 * i + 1]!
    const sign = (high >>> 16) & 0x8000
    const magnitude = high & 0x7fffffff
    if (magnitude >= HALF_NORMAL && magnitude < HALF_OVERFLOW) {
      // Bits below the high word can only break a tie: they are folded into its lowest bit.
      const sticky = (magnitude - HALF_REBIAS) | (words[2 * i] === 0 ? 0 : 1)
      data[start + i] = sign | ((sticky + 0x1ff + ((sticky >>> 10) & 1)) >>> 10)
    } else if (magnitude < HALF_NORMAL) {
      // A subnormal half counts steps of 2^-24; adding 2^52 makes the float64 unit round to whole steps.
      data[start + i] = sign | (Math.abs(values[i]!) * 2 ** 24 + 2 ** 52 - 2 ** 52)
    } else {
      const value = values[i]!
      data[start + i] = value !== value ? 0x7e00 : sign | 0x7c00
    }
  }
}

const BFLOAT_NORMAL = 0x38100000 // high word of 2^-126, the smallest normal bfloat16
const BFLOAT_OVERFLOW = 0x47f00000 // high word of 2^128
const BFLOAT_REBIAS = (1023 - 127) << 20

function encodeBfloat(values: Float64Array, data: Uint16Array, start: number): void {
  const words = wordsOf(values)
  for (let i = 0; i < values.length; i++) {
    const high = words[2 * i + 1]!
    const sign = (high >>> 16) & 0x8000
    const magnitude = high & 0x7fffffff
    if (magnitude >= BFLOAT_NORMAL && magnitude < BFLOAT_OVERFLOW) {
      const sticky = (magnitude - BFLOAT_REBIAS) | (words[2 * i] === 0 ? 0 : 1)
      data[start + i] = sign | ((sticky + 0xfff + ((sticky >>> 13) & 1)) >>> 13)
    } else if (magnitude < BFLOAT_NORMAL) {
      data[start + i] = sign | (Math.abs(values[i]!) * 2 ** 133 + 2 ** 52 - 2 ** 52)
    } else {
      const value = values[i]!
      data[start + i] = value !== value ? 0x7fc0 : sign | 0x7f80
    }
  }
}

const scratchValue = new Float64Array(1)
const scratchBits = new Uint16Array(1)

/** The bit pattern of one value in a 16-bit float type, rounded once. */
export function bitsOf16(dtype: 'float16' | 'bfloat16', value: number): number {
  scratchValue[0] = value
  encoders[dtype](scratchValue, scratchBits, 0)
  return scratchBits[0]!
}
