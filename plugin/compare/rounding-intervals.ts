import { valueTable } from '../inputs/index.ts'

/**
 * The rounding interval of each 16-bit pattern: the real numbers between low[bits] and high[bits] round to it (nearest, ties to
 * even); an edge itself belongs to the even pattern of the two that share it. NaN patterns have an empty interval. With it,
 * "does some value within e of golden round to this element?" is two comparisons and no rounding. Edges have one bit more
 * than elements, so float32 holds them exactly, and the tables stay in the second-level cache.
 */
export interface RoundingIntervals {
  readonly low: Float32Array
  readonly high: Float32Array
}

type Sixteen = 'float16' | 'bfloat16'

const built = new Map<Sixteen, RoundingIntervals>()

/** The rounding intervals of a 16-bit float type; built once, 512 KiB. */
export function roundingIntervalsOf(dtype: Sixteen): RoundingIntervals {
  let intervals = built.get(dtype)
  if (!intervals) {
    intervals = build(valueTable(dtype))
    built.set(dtype, intervals)
  }
  return intervals
}

const insides = new Map<Sixteen, Float32Array>()

/**
 * Two numbers for each pattern, at 2 * bits: whatever lies between them, both included, rounds to it. They are the edges of
 * its interval, a little inside where those belong to the neighbours. Infinities and NaN have nothing between theirs.
 */
export function innerBoundsOf(dtype: Sixteen): Float32Array {
  let inside = insides.get(dtype)
  if (!inside) {
    const { low, high } = roundingIntervalsOf(dtype)
    const values = valueTable(dtype)
    inside = new Float32Array(0x20000)
    for (let bits = 0; bits < 0x10000; bits++) {
      const finite = Number.isFinite(values[bits])
      const owned = bits % 2 === 0
      inside[2 * bits] = !finite ? Infinity : owned ? low[bits]! : nextFloat(low[bits]!, 1)
      inside[2 * bits + 1] = !finite ? -Infinity : owned ? high[bits]! : nextFloat(high[bits]!, -1)
    }
    insides.set(dtype, inside)
  }
  return inside
}

const scratch = new Float32Array(1)
const scratchBits = new Int32Array(scratch.buffer)

// The float32 next to one that is not zero, upwards or downwards.
function nextFloat(value: number, direction: 1 | -1): number {
  scratch[0] = value
  scratchBits[0]! += value > 0 ? direction : -direction
  return scratch[0]
}

function build(values: ArrayLike<number>): RoundingIntervals {
  const low = new Float32Array(0x10000).fill(Infinity)
  const high = new Float32Array(0x10000).fill(-Infinity)
  for (let bits = 0; bits < 0x8000 && !Number.isNaN(values[bits]); bits++) {
    high[bits] = upperEdge(values, bits)
    low[bits] = bits === 0 ? -high[0]! : upperEdge(values, bits - 1)
    low[bits | 0x8000] = -high[bits]!
    high[bits | 0x8000] = -low[bits]!
  }
  return { low, high }
}

// The midpoint to the next larger magnitude. Beyond the largest finite value the format continues as if it had no end.
function upperEdge(values: ArrayLike<number>, bits: number): number {
  const value = values[bits]!
  const next = values[bits + 1]!
  if (value === Infinity) return Infinity
  if (next === Infinity) return value + (value - values[bits - 1]!) / 2
  return (value + next) / 2
}
