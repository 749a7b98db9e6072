import * as fc from 'fast-check'
import { dim } from 'vitest-npu'

/** Rows of a vector operator: `n` elements of x, `incx` apart, and up to three more that it must not look at. */
export const vectors = (...increments: number[]): fc.Arbitrary<{ x: number[]; n: number; incx: number }> =>
  fc
    .record({ n: dim({ max: 16384 }), incx: fc.constantFrom(...increments), spare: fc.nat({ max: 3 }) })
    .map(({ n, incx, spare }) => ({ x: [(n - 1) * incx + 1 + spare], n, incx }))
