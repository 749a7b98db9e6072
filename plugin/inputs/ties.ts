import { bytesOf, bytesView } from '../model/index.ts'
import type { Draw } from './draw.ts'

/**
 * Draws as `draw` does, then makes one element in four equal to its partner in the earlier argument `partner` (one at
 * least), one in eight its nearest neighbour (lowest bit flipped) and one in eight its opposite (highest bit flipped):
 * comparisons meet equal and almost equal pairs and zeros of both signs, which independent random numbers hardly ever are.
 */
export function tiedTo(partner: string, draw: Draw): Draw {
  const { min, max, nonFinite } = draw
  return {
    min,
    max,
    nonFinite,
    write(target, context) {
      draw.write(target, context)
      const source = context.drawn[partner]
      if (!source || !('data' in source) || source.data.byteLength !== target.data.byteLength) {
        throw new TypeError(`tiedTo('${partner}'): no earlier tensor argument of that name and size`)
      }
      const width = bytesOf(target.dtype)
      const elements = target.data.byteLength / width
      const [from, into] = [bytesView(source), bytesView(target)]
      const certain = context.random.below(elements)
      for (let element = 0; element < elements; element++) {
        const choice = element === certain ? 0 : context.random.next() >>> 29
        if (choice > 3) continue
        const start = element * width
        for (let i = start; i < start + width; i++) into[i] = from[i]!
        const last = start + width - 1
        if (choice === 2) into[start] = into[start]! ^ 1
        if (choice === 3) into[last] = into[last]! ^ 0x80
      }
    },
  }
}
