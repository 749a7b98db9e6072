import * as fc from 'fast-check'
import { byCase, dim, planted, uniform, type Draw } from 'vitest-npu'

/** Rows of a vector operator: `n` elements of x, `incx` apart, and up to three more that it must not look at. */
export const vectors = (...increments: number[]): fc.Arbitrary<{ x: number[]; n: number; incx: number }> =>
  fc
    .record({ n: dim({ max: 16384 }), incx: fc.constantFrom(...increments), spare: fc.nat({ max: 3 }) })
    .map(({ n, incx, spare }) => ({ x: [(n - 1) * incx + 1 + spare], n, incx }))

/**
 * Elements of an operator that looks for the largest magnitude among `n` of them, `incx` apart: from `-limit` to `limit`. In
 * three of four generated cases one of the largest is alone, half of the time among the last, where tails are handled.
 * `components`: numbers of an element.
 */
export const withLargest = (limit: number, components = 1): Draw =>
  byCase(({ adversarial, random }) =>
    adversarial && random.below(4) > 0
      ? planted(uniform(-limit / 4, limit / 4), [random.below(2) === 0 ? limit : -limit], ({ attrs }) => ({
          count: Number(attrs['n']),
          step: Number(attrs['incx']) * components,
        }))
      : uniform(-limit, limit),
  )
