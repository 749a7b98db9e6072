import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { encode, toFloat64 } from '../inputs/index.ts'
import { emptyTensor } from '../model/index.ts'
import { roundTo } from './round.ts'

test.each(['float16', 'bfloat16'] as const)(
  'a number rounded to %s is the one that its encoding decodes to',
  (dtype) => {
    const stored = (value: number) => {
      const tensor = emptyTensor(dtype, [1])
      encode(Float64Array.of(value), tensor)
      return toFloat64(tensor)[0]
    }
    // Any bit pattern of the type with up to two more bits, so that ties are frequent.
    const patterns = fc
      .tuple(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 0.25, 0.5, 0.75, 2 ** -30))
      .map(([bits, fraction]) => {
        const tensor = { dtype, shape: [2], data: Uint16Array.of(bits, bits + 1) }
        const [low = 0, high = 0] = toFloat64(tensor)
        return low + (high - low) * fraction
      })
    const special = fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 65519.99, 65520, 2 ** -25, 2 ** -134, 3.3961775e38)
    fc.assert(
      fc.property(fc.oneof(patterns, fc.double(), special), (value) => {
        expect(roundTo(dtype, value)).toBe(stored(value))
      }),
      { numRuns: 2000 },
    )
  },
)
