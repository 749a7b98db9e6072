import type { Storage, Tensor } from '../model/index.ts'
import { bytesOf } from '../model/index.ts'
import type { Draw } from './draw.ts'

/**
 * Draws as `draw` does, then makes one element in four equal to its partner in the earlier argument `partner`, and one in
 * eight its nearest neighbour (lowest bit flipped): comparisons meet equal and almost equal pairs, which independent
 * random numbers hardly ever are.
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
      const flip = into instanceof BigUint64Array ? 1n : 1
      for (let i = 0; i < into.length; i++) {
        const choice = context.random.next() >>> 29
        if (choice < 2) into[i] = from[i]!
        else if (choice === 2) into[i] = ((from[i]! as number) ^ (flip as number)) as never
      }
    },
  }
}

/** The elements of a tensor as unsigned bit patterns, without a copy. */
export function bitsView(tensor: Tensor): Extract<Storage, Uint8Array | Uint16Array | Uint32Array | BigUint64Array> {
  const { buffer, byteOffset } = tensor.data
  const View = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array }[bytesOf(tensor.dtype)]
  if (!View) throw new TypeError(`no bit view of ${tensor.dtype}`)
  return new View(buffer as ArrayBuffer, byteOffset, tensor.data.byteLength / bytesOf(tensor.dtype))
}
