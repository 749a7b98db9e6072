import * as fc from 'fast-check'
import { byCase, dim, planted, uniform, type Draw, type DrawContext } from 'vitest-npu'

/** Rows of a vector operator: `n` elements of x, `incx` apart, and up to three more that it must not look at. */
export const vectors = (...increments: number[]): fc.Arbitrary<{ x: number[]; n: number; incx: number }> =>
  fc
    .record({ n: dim({ max: 16384 }), incx: fc.constantFrom(...increments), spare: fc.nat({ max: 3 }) })
    .map(({ n, incx, spare }) => ({ x: [(n - 1) * incx + 1 + spare], n, incx }))

/** The places that the operator looks at. `components`: numbers of an element. */
const lookedAt =
  (components: number) =>
  ({ attrs }: DrawContext) => ({ count: Number(attrs['n']), step: Number(attrs['incx']) * components })

/**
 * Elements of an operator that looks for the largest magnitude among `n` of them, `incx` apart: from `-limit` to `limit`. In half of
 * the generated cases one of the largest is alone, half of the time among the last, where tails are handled; in a quarter there are
 * several whose sums of components are alike once they are rounded to float32. `components`: numbers of an element.
 */
export const withLargest = (limit: number, components = 1): Draw =>
  byCase(({ adversarial, random }) => {
    const kind = adversarial ? random.below(4) : 0
    if (kind === 0) return uniform(-limit, limit)
    const largest = random.below(2) === 0 ? limit : -limit
    if (kind === 1) {
      const lost = limit * 2 ** -26
      return planted(uniform(-lost, lost), [largest, -largest, largest], lookedAt(components))
    }
    return planted(uniform(-limit / 4, limit / 4), [largest], lookedAt(components))
  })

/** The same of one that looks for the smallest magnitude: in half of the generated cases one of the smallest is alone. */
export const withSmallest = (limit: number, components = 1): Draw =>
  byCase(({ adversarial, random }) => {
    if (!adversarial || random.below(2) === 0) return uniform(-limit, limit)
    const others = random.below(2) === 0 ? uniform(limit / 2, limit) : uniform(-limit, -limit / 2)
    return planted(others, [0], lookedAt(components))
  })
