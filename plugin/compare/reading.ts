import { decode, decoders } from '../inputs/index.ts'
import { bytesView, type Tensor } from '../model/index.ts'
import type { GoldenTensor } from './rules.ts'
import type { ExactSide, GoldenBlock } from './scan.ts'

/** Components compared at a time: golden, scale and decoded values of a block stay in the cache. */
export const BLOCK = 4096

/** Golden of some components; the memory is that of the next block. */
export type Reading = (start: number, length: number) => GoldenBlock

/** One way to read all forms of golden. Without a scale of its own, errors are proportional to |golden|. */
export function reading(expected: GoldenTensor): Reading {
  const buffer = new Float64Array(BLOCK)
  const scale = new Float64Array(BLOCK)
  if ('values' in expected) {
    return (start, length) => {
      const values = expected.values.subarray(start, start + length)
      const own = () => expected.scale?.subarray(start, start + length)
      return { values, scale: () => own() ?? magnitudes(values, scale) }
    }
  }
  const fill = 'data' in expected ? decode.bind(null, expected) : expected.block
  return (start, length) => {
    const values = buffer.subarray(0, length)
    fill(start, values)
    return {
      values,
      scale() {
        if (!('block' in expected) || !expected.scaleBlock) return magnitudes(values, scale)
        expected.scaleBlock(start, scale.subarray(0, length))
        return scale
      },
    }
  }
}

function magnitudes(values: Float64Array, scale: Float64Array): Float64Array {
  for (let i = 0; i < values.length; i++) scale[i] = Math.abs(values[i]!)
  return scale
}

/** How many components golden has. */
export const lengthOf = (expected: GoldenTensor): number =>
  'data' in expected ? expected.data.length : 'values' in expected ? expected.values.length : expected.length

const magnitudeOf = new WeakMap<GoldenTensor, number>()

/** The mean magnitude of golden over its finite components, 0 where there is none; walks golden once. */
export function meanMagnitude(expected: GoldenTensor): number {
  let mean = magnitudeOf.get(expected)
  if (mean === undefined) magnitudeOf.set(expected, (mean = computedMagnitude(expected)))
  return mean
}

function computedMagnitude(expected: GoldenTensor): number {
  // memory of its own: the block that is compared at the moment stays as it is
  const read = reading(expected)
  const length = lengthOf(expected)
  let [sum, count] = [0, 0]
  for (let start = 0; start < length; start += BLOCK) {
    const { values } = read(start, Math.min(BLOCK, length - start))
    for (let i = 0; i < values.length; i++) {
      const size = Math.abs(values[i]!)
      if (size - size !== 0) continue
      sum += size
      count++
    }
  }
  return count === 0 ? 0 : sum / count
}

/** A tensor as one side of an exact comparison. */
export function exactSide(tensor: Tensor): ExactSide {
  const one = new Float64Array(1)
  return {
    data: tensor.data,
    bytes: bytesView(tensor),
    decode(index) {
      decoders[tensor.dtype](tensor.data, index, one)
      return one[0]!
    },
  }
}
