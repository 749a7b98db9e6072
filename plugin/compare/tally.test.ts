import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { roundTo } from './round.ts'
import { limitOf } from './tally.ts'

const largest = { float16: 65_504, bfloat16: 3.3895313892515355e38, float32: 3.4028234663852886e38 } as const
const floats = ['float16', 'bfloat16', 'float32'] as const

test('how far a value may lie is the distance of the farther value that the edges round to', () => {
  expect(limitOf('float32', 1, 0)).toBe(0)
  expect(limitOf('float16', 1, 0.0004)).toBe(2 ** -11)
  expect(limitOf('float16', 1, 0.0006)).toBe(2 ** -10)
})

test.each(floats)('it is a number also where the edges of %s round to infinity', (dtype) => {
  const golden = fc.double({ min: -largest[dtype], max: largest[dtype], noNaN: true }).map((x) => roundTo(dtype, x))
  fc.assert(
    fc.property(golden, fc.double({ min: 0, max: 1, noNaN: true }), (value, share) => {
      const limit = limitOf(dtype, value, share * Math.abs(value))
      expect(Number.isFinite(limit) && limit >= 0).toBe(true)
    }),
  )
  expect(limitOf(dtype, largest[dtype], largest[dtype] / 4) / largest[dtype]).toBeCloseTo(1 / 4, 2)
})
