import { decoders, words16 } from '../inputs/index.ts'
import type { Tensor } from '../model/index.ts'
import { BLOCK, type Reading } from './reading.ts'
import type { GoldenTensor } from './rules.ts'
import { comparators, roundedPatterns, searchPatterns, type Suspects } from './scan.ts'

/** Finds what one block has to be compared for: all but the elements that are finite and golden, correctly rounded. */
export function suspecting(
  { dtype, data }: Tensor,
  expected: GoldenTensor,
  read: Reading,
): (start: number, length: number) => Suspects {
  const { search } = comparators[dtype]!
  const places = new Uint16Array(BLOCK)
  const actual = new Float64Array(BLOCK)
  const golden = new Float64Array(BLOCK)
  const block = new Float64Array(BLOCK)
  const found = (start: number, count: number, whole: Suspects['whole']): Suspects => {
    if (count > 0) decoders[dtype](data, start, block.subarray(0, Math.min(BLOCK, data.length - start)))
    for (let k = 0; k < count; k++) actual[k] = block[places[k]!]!
    return { data, start, places, count, actual, golden, whole }
  }
  if ('byPattern' in expected && expected.byPattern && (dtype === 'float16' || dtype === 'bfloat16')) {
    const { patterns, results } = expected.byPattern
    const wanted = roundedPatterns(dtype, results)
    const bits = words16(data)
    return (start, length) => {
      const count = searchPatterns(bits, patterns, wanted, [start, length], places)
      for (let k = 0; k < count; k++) golden[k] = results[patterns[start + places[k]!]!]!
      return found(start, count, () => read(start, length))
    }
  }
  return (start, length) => {
    const block = read(start, length)
    const count = search(data, start, block.values, places)
    for (let k = 0; k < count; k++) golden[k] = block.values[places[k]!]!
    return found(start, count, () => block)
  }
}
