import { bytesOf, dtypes, type DType, type Tensor } from '../model/index.ts'
import { encode } from './encode.ts'
import type { RandomStream } from './random.ts'

interface LegalValues {
  readonly min: number
  readonly max: number
  readonly nonFinite: boolean
  /** whole numbers only, whatever the dtype could hold */
  readonly whole?: boolean
}

/** Smallest subnormal, smallest normal, distance of 1 to the next value, largest finite value, as powers and factors of 2. */
const floats: Partial<Record<DType, { tiny: number; normal: number; epsilon: number; huge: number }>> = {
  float16: { tiny: 2 ** -24, normal: 2 ** -14, epsilon: 2 ** -10, huge: 65504 },
  bfloat16: { tiny: 2 ** -133, normal: 2 ** -126, epsilon: 2 ** -7, huge: (2 - 2 ** -7) * 2 ** 127 },
  float32: { tiny: 2 ** -149, normal: 2 ** -126, epsilon: 2 ** -23, huge: (2 - 2 ** -23) * 2 ** 127 },
  complex64: { tiny: 2 ** -149, normal: 2 ** -126, epsilon: 2 ** -23, huge: (2 - 2 ** -23) * 2 ** 127 },
  float64: { tiny: 2 ** -1074, normal: 2 ** -1022, epsilon: 2 ** -52, huge: Number.MAX_VALUE },
}

/** The values of a dtype that kernels get wrong, as far as the task defines an answer for them. */
export function specialValues(dtype: DType, legal: LegalValues): number[] {
  const facts = floats[dtype]
  const inside = (value: number) =>
    value >= legal.min && value <= legal.max && (!legal.whole || Number.isInteger(value))
  if (!facts)
    return [...new Set([0, 1, -1, ...integerLimits(dtype), legal.min, legal.max])].filter(inside).filter(isFinite)
  const { tiny, normal, epsilon, huge } = facts
  const magnitudes = [0, tiny, 3 * tiny, normal - tiny, normal, 1, 1 + epsilon, 1 - epsilon / 2, huge, huge / 2]
  const bounds = [legal.min, legal.max].filter((value) => Math.abs(value) <= huge)
  const finite = [...magnitudes, ...magnitudes.map((value) => -value), ...bounds].filter(inside)
  return legal.nonFinite ? [...finite, NaN, Infinity, -Infinity] : finite
}

function integerLimits(dtype: DType): number[] {
  if (dtype === 'bool') return []
  const bits = 8 * bytesOf(dtype)
  return dtype.startsWith('u') ? [0, 2 ** bits - 1] : [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1]
}

/**
 * Overwrites part of a drawn tensor, one of five ways chosen by the stream: nothing, a few special values, many of them,
 * magnitudes over the whole exponent range, or one value everywhere.
 */
export function makeAdversarial(target: Tensor, legal: LegalValues, random: RandomStream): void {
  const values = specialValues(target.dtype, legal)
  const way = random.below(8)
  if (way < 1 || values.length === 0) return
  const pick = () => values[random.below(values.length)]!
  if (way < 5) return overwriteSome(target, random, way < 4 ? 16 : 2, pick)
  if (way < 7 && dtypes[target.dtype].kind === 'float' && !legal.whole) {
    return overwriteSome(target, random, 1, () => anyMagnitude(target.dtype, legal, random))
  }
  const constant = pick()
  overwriteSome(target, random, 1, () => constant)
}

const one = new Float64Array(1)

// Replaces one component in `rarity`, at random places.
function overwriteSome(target: Tensor, random: RandomStream, rarity: number, value: () => number): void {
  for (let i = 0; i < target.data.length; i++) {
    if (rarity > 1 && random.below(rarity) !== 0) continue
    one[0] = value()
    encode(one, target, i)
  }
}

const scratch = new Float64Array(1)
const scratchWords = new Uint32Array(scratch.buffer)

// A value whose exponent is evenly distributed over what the dtype and the task allow.
function anyMagnitude(dtype: DType, legal: LegalValues, random: RandomStream): number {
  const { normal, huge } = floats[dtype]!
  const largest = Math.min(huge, Math.max(Math.abs(legal.min), Math.abs(legal.max)))
  scratch[0] = normal
  const lowest = (scratchWords[1]! >>> 20) & 0x7ff
  scratch[0] = largest
  const highest = (scratchWords[1]! >>> 20) & 0x7ff
  scratchWords[1] = ((lowest + random.below(highest - lowest + 1)) << 20) | (random.next() & 0xfffff)
  scratchWords[0] = 0
  const magnitude = Math.min(scratch[0], largest)
  const value = random.below(2) === 0 ? magnitude : -magnitude
  return value >= legal.min && value <= legal.max ? value : Math.min(legal.max, Math.max(legal.min, -value))
}
