import { describe, expect, test } from 'vitest'
import { bitsOf16, valueTable } from '../inputs/index.ts'
import { formatElement } from './round.ts'
import { innerBoundsOf, roundingIntervalsOf } from './rounding-intervals.ts'

describe.each(['float16', 'bfloat16'] as const)('rounding intervals of %s', (dtype) => {
  const { low, high } = roundingIntervalsOf(dtype)
  const values = valueTable(dtype)

  test('neighbouring intervals share an edge, and the even pattern owns it', () => {
    const broken: number[] = []
    for (let bits = 0; !Number.isNaN(values[bits + 1]!); bits++) {
      const owner = bits % 2 === 0 ? bits : bits + 1
      if (high[bits] !== low[bits + 1] || bitsOf16(dtype, high[bits]!) !== owner) broken.push(bits)
    }
    expect(broken).toEqual([])
  })

  test('an interval holds its own value, a negative one mirrors the positive one, NaN has none', () => {
    for (let bits = 0; bits < 0x8000; bits++) {
      if (Number.isNaN(values[bits]!)) {
        expect(low[bits]! <= high[bits]!).toBe(false)
        continue
      }
      expect(low[bits]! <= values[bits]! && values[bits]! <= high[bits]!).toBe(true)
      expect(low[bits | 0x8000]).toBe(-high[bits]!)
    }
  })
})

test.each(['float16', 'bfloat16'] as const)('what lies inside of a %s interval rounds to its pattern', (dtype) => {
  const inside = innerBoundsOf(dtype)
  const values = valueTable(dtype)
  const broken: number[] = []
  for (let bits = 0; bits < 0x10000; bits++) {
    const [from, to] = [inside[2 * bits]!, inside[2 * bits + 1]!]
    if (!Number.isFinite(values[bits])) {
      if (from <= to) broken.push(bits)
      continue
    }
    const zero = (bits & 0x7fff) === 0
    const holds = (value: number) =>
      bitsOf16(dtype, value) === bits || (zero && (bitsOf16(dtype, value) & 0x7fff) === 0)
    if (!(from <= values[bits]! && values[bits]! <= to && holds(from) && holds(to))) broken.push(bits)
    // and hardly anything is left out
    const step = 2 ** -12 * Math.abs(to - from)
    if (holds(from - step) || holds(to + step)) broken.push(bits)
  }
  expect(broken).toEqual([])
})

test('an element is printed with the digits its dtype has', () => {
  expect(formatElement('float16', 0.0999755859375)).toBe('0.1')
  expect(formatElement('float32', Math.fround(0.1))).toBe('0.1')
  expect(formatElement('bfloat16', 3.140625)).toBe('3.14')
  expect(formatElement('int32', -7)).toBe('-7')
  expect(formatElement('float32', NaN)).toBe('NaN')
  expect(formatElement('float16', -0)).toBe('-0')
})
