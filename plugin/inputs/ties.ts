import type { Storage, Tensor } from '../model/index.ts'
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
      if (!source || !('data' in source) || source.data.length !== target.data.length) {
        throw new TypeError(`tiedTo('${partner}'): no earlier tensor argument of that name and size`)
      }
      const from = bitsView(source)
      const into = bitsView(target)
      const drawn = into.slice()
      const certain = context.random.below(into.length)
      for (let i = 0; i < into.length; i++) {
        const choice = context.random.next() >>> 29
        into[i] = from[i]!
        if (choice === 2 && i !== certain) flipBit(target, i, 0)
        else if (choice === 3 && i !== certain) flipBit(target, i, 8 * bytesOf(target.dtype) - 1)
        else if (choice > 3 && i !== certain) into[i] = drawn[i]!
      }
    },
  }
}

function flipBit(target: Tensor, element: number, bit: number): void {
  const bytes = bytesView(target)
  const at = element * bytesOf(target.dtype) + (bit >>> 3)
  bytes[at] = bytes[at]! ^ (1 << (bit & 7))
}

/** The elements of a tensor as unsigned bit patterns, without a copy. */
export function bitsView(tensor: Tensor): Extract<Storage, Uint8Array | Uint16Array | Uint32Array | BigUint64Array> {
  const { buffer, byteOffset } = tensor.data
  const View = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array }[bytesOf(tensor.dtype)]
  if (!View) throw new TypeError(`no bit view of ${tensor.dtype}`)
  return new View(buffer as ArrayBuffer, byteOffset, tensor.data.byteLength / bytesOf(tensor.dtype))
}
