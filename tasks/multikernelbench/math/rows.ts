import { drawn, tensor, type Draw } from 'vitest-npu'
import { elements, type PublishedShapes } from '../family.ts'

/** Public cases of cumulative sums and products. */
export const rowShapes: readonly PublishedShapes[] = [
  { revision: '2026-01', published: [32768, 32768], judged: [2048, 2048] },
  { revision: '2025-07', published: [128, 4000], judged: [128, 4000] },
]

/** Rows that are added up. */
export const rows = { x: tensor({ dtype: 'float32', shape: ['B', 'D'], draw: elements }) }

/** Product of all magnitudes along an axis at the least: e to the minus this. */
const decay = 24

/**
 * Factors of products along an axis, counted from the end: signs at random and magnitudes just below 1, so that no product on the
 * way vanishes or overflows, in whatever order they are made. In generated cases they may be just above 1, or on both sides of it.
 */
export const factors = (axis: -1 | -2): Draw => ({
  ...drawn(({ shape, data: { length } }, { random, adversarial }) => {
    const step = decay / shape.at(axis)!
    const above = adversarial ? random.below(3) / 2 : 0
    return Float64Array.from({ length }, () => {
      const magnitude = Math.exp(step * (above - random.next() / 2 ** 32))
      return random.below(2) === 0 ? magnitude : -magnitude
    })
  }),
  min: -Math.exp(decay),
  max: Math.exp(decay),
})

/**
 * A product of `count` float32 factors, in any order: roundings are random. Products that stay just above a power of two lose up to
 * 2^-24 by each, 0.58 of that in the mean square.
 */
export const multiplied = (count: number): number => (8 + Math.min(count, 3 * Math.sqrt(count))) * 2 ** -24
