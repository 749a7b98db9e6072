import type { Draw } from './draw.ts'
import { encode } from './encode.ts'

const one = new Float64Array(1)

/**
 * Draws as `draw` does, then overwrites one random element with each of `values` in turn; later ones may hit earlier
 * ones. Half of the generated cases also have one of them in the last element, where tails are handled.
 */
export function planted(draw: Draw, values: readonly number[]): Draw {
  const { min, max, nonFinite } = draw
  return {
    min,
    max,
    nonFinite,
    write(target, context) {
      draw.write(target, context)
      const { random, adversarial } = context
      const plant = (value: number, index: number) => {
        one[0] = value
        encode(one, target, index)
      }
      for (const value of values) plant(value, random.below(target.data.length))
      if (!adversarial || random.below(2) === 0) return
      plant(values[random.below(values.length)]!, target.data.length - 1)
    },
  }
}
