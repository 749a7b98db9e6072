import type { Draw, DrawContext } from './draw.ts'
import { encode } from './encode.ts'

const one = new Float64Array(1)

/** What kernels handle apart from the rest: the last element above all, and what is left of a block or of a repeat. */
const tails = [1, 1, 8, 64] as const

/** Elements that an operator looks at: `count` of them from the first on, `step` apart. */
export interface LookedAt {
  count: number
  step: number
}

/**
 * Draws as `draw` does, then overwrites one element with each of `values` in turn; later ones may hit earlier ones. Each is
 * put in a random place, in half of the generated cases among the last elements alone, where tails are handled. `lookedAt`
 * tells which elements of the tensor count, where not all of them do (complex64 has two for each).
 */
export function planted(draw: Draw, values: readonly number[], lookedAt?: (context: DrawContext) => LookedAt): Draw {
  const { min, max, nonFinite } = draw
  return {
    min,
    max,
    nonFinite,
    write(target, context) {
      draw.write(target, context)
      const { random, adversarial } = context
      const { count, step } = lookedAt?.(context) ?? { count: target.data.length, step: 1 }
      const isInTail = adversarial && random.below(2) === 0
      for (const value of values) {
        const behind = isInTail ? random.below(Math.min(count, tails[random.below(tails.length)]!)) : 0
        one[0] = value
        encode(one, target, step * (isInTail ? count - 1 - behind : random.below(count)))
      }
    },
  }
}
