import { decode, roundBlock, type GoldenBlocks, type GoldenChoice, type Tensor } from 'vitest-npu'

type Inexact = GoldenBlocks | { readonly values: Float64Array }

/** Output `output` is right by the definition `first` and by `second`: as a whole, not element by element. */
export const either = <T extends Inexact>(output: string, first: T, second: T): GoldenChoice<T> => ({
  ...first,
  nearestTo({ [output]: actual }) {
    if (!actual || !('data' in actual)) return first
    return distance(actual, second) < distance(actual, first) ? second : first
  },
})

const BLOCK = 4096

// The sum of all differences from golden in the dtype, relative and at most 1 each: roundings hide nothing.
function distance(actual: Tensor, golden: Inexact): number {
  const [given, expected] = [new Float64Array(BLOCK), new Float64Array(BLOCK)]
  let sum = 0
  for (let start = 0; start < actual.data.length; start += BLOCK) {
    const length = Math.min(BLOCK, actual.data.length - start)
    decode(actual, start, given.subarray(0, length))
    if ('block' in golden) golden.block(start, expected.subarray(0, length))
    else expected.set(golden.values.subarray(start, start + length))
    roundBlock(actual.dtype, expected.subarray(0, length))
    for (let i = 0; i < length; i++) {
      if (Object.is(given[i], expected[i])) continue
      const difference = Math.abs(given[i]! - expected[i]!) / Math.abs(expected[i]!)
      sum += difference < 1 ? difference : 1
    }
  }
  return sum
}
