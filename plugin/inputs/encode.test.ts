import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bitsOf16, decode, encode, encoders, toFloat64, valueTable } from './index.ts'
import { emptyTensor, type DType } from '../model/index.ts'

const formats = [
  { dtype: 'float16', mantissaBits: 10, infinity: 0x7c00 },
  { dtype: 'bfloat16', mantissaBits: 7, infinity: 0x7f80 },
] as const

const scratch = new Float64Array(1)
const scratchBits = new BigInt64Array(scratch.buffer)

// The float64 next to a positive value, in direction +1 or -1.
function neighbour(value: number, direction: 1n | -1n): number {
  scratch[0] = value
  scratchBits[0] = scratchBits[0]! + direction
  return scratch[0]
}

describe.each(formats)('$dtype', ({ dtype, mantissaBits, infinity }) => {
  const values = valueTable(dtype)

  test('every bit pattern survives decoding and encoding', () => {
    const all = Float64Array.from(values)
    const bits = new Uint16Array(all.length)
    encoders[dtype](all, bits, 0)
    const broken = [...bits.keys()].filter((pattern) => {
      const isNaN = (pattern & 0x7fff) > infinity
      return isNaN ? (bits[pattern]! & 0x7fff) <= infinity : bits[pattern] !== pattern
    })
    expect(broken).toEqual([])
  })

  test('every midpoint goes to the even neighbour, and its float64 neighbours to the nearer one', () => {
    const inputs: number[] = []
    const expected: number[] = []
    for (let low = 0; low < infinity; low++) {
      const step = low + 1 === infinity ? values[low]! - values[low - 1]! : values[low + 1]! - values[low]!
      const middle = values[low]! + step / 2
      inputs.push(middle, neighbour(middle, -1n), neighbour(middle, 1n))
      expected.push(low % 2 === 0 ? low : low + 1, low, low + 1)
    }
    const positive = new Uint16Array(inputs.length)
    encoders[dtype](Float64Array.from(inputs), positive, 0)
    expect(positive.findIndex((bits, i) => bits !== expected[i])).toBe(-1)
    const negative = new Uint16Array(inputs.length)
    encoders[dtype](
      Float64Array.from(inputs, (value) => -value),
      negative,
      0,
    )
    expect(negative.findIndex((bits, i) => bits !== (expected[i]! | 0x8000))).toBe(-1)
  })

  test('known patterns: zeros, one, smallest and largest, infinities', () => {
    const one = infinity & (infinity >> 1) & ~(1 << (mantissaBits - 1))
    expect(bitsOf16(dtype, 0)).toBe(0)
    expect(bitsOf16(dtype, -0)).toBe(0x8000)
    expect(bitsOf16(dtype, 1)).toBe(one)
    expect(values[1]).toBe(dtype === 'float16' ? 2 ** -24 : 2 ** -133)
    expect(values[infinity - 1]).toBe(dtype === 'float16' ? 65504 : 3.3895313892515355e38)
    expect(bitsOf16(dtype, 1e300)).toBe(infinity)
    expect(bitsOf16(dtype, -1e300)).toBe(infinity | 0x8000)
    expect(bitsOf16(dtype, 1e-300)).toBe(0)
    expect(values[bitsOf16(dtype, NaN)]).toBeNaN()
  })

  test('any float64 goes to a value no other value of the type is nearer to', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), (value) => {
        const bits = bitsOf16(dtype, value)
        const distance = Math.abs(values[bits]! - value)
        if (values[bits]! - values[bits]! !== 0) return
        for (const other of [bits - 1, bits + 1]) {
          if ((other & 0x7fff) >= infinity || other < 0) continue
          expect(Math.abs(values[other]! - value)).toBeGreaterThanOrEqual(distance)
        }
      }),
    )
  })
})

test.each<[DType, number[]]>([
  ['int8', [-128, -1, 0, 127]],
  ['uint8', [0, 1, 255]],
  ['int16', [-32768, 32767]],
  ['uint16', [0, 65535]],
  ['int32', [-(2 ** 31), 2 ** 31 - 1]],
  ['uint32', [0, 2 ** 32 - 1]],
  ['int64', [-(2 ** 40), 2 ** 40]],
  ['uint64', [0, 2 ** 40]],
  ['bool', [0, 1]],
  ['float32', [0.1, 1e-40, 3e38].map(Math.fround)],
  ['float64', [0.1, 1e300]],
])('%s values survive encoding and decoding', (dtype, values) => {
  const tensor = emptyTensor(dtype, [values.length])
  encode(Float64Array.from(values), tensor)
  expect([...toFloat64(tensor)]).toEqual(values)
})

test('NaN and infinities are 0 as integers of any width', () => {
  for (const dtype of ['int8', 'int32', 'int64', 'uint64'] as const) {
    const tensor = emptyTensor(dtype, [3])
    encode(Float64Array.of(NaN, Infinity, -Infinity), tensor)
    expect([...toFloat64(tensor)]).toEqual([0, 0, 0])
  }
})

test('numbers between two integers go to the nearest, ties to the even one', () => {
  const tensor = emptyTensor('int8', [6])
  encode(Float64Array.of(0.4, 0.6, 0.5, 1.5, -2.5, -2.6), tensor)
  expect([...toFloat64(tensor)]).toEqual([0, 1, 0, 2, -2, -3])
})

test('a block is decoded from where it starts', () => {
  const tensor = emptyTensor('float16', [5])
  encode(Float64Array.of(1, 2, 3, 4, 5), tensor)
  const block = new Float64Array(2)
  decode(tensor, 3, block)
  expect([...block]).toEqual([4, 5])
})
