import { valueTable } from '../inputs/index.ts'

/**
 * The rounding cell of each 16-bit pattern: the real numbers that round to it (nearest, ties to even) are those in
 * low[bits] … high[bits], both included. NaN patterns have an empty cell. With it, "does some value within e of golden
 * round to this element?" is two comparisons and no rounding.
 */
export interface Cells {
  readonly low: Float64Array
  readonly high: Float64Array
}

const built = new Map<'float16' | 'bfloat16', Cells>()

/** The cells of a 16-bit float type; built once, 1 MiB. */
export function cellsOf(dtype: 'float16' | 'bfloat16'): Cells {
  let cells = built.get(dtype)
  if (!cells) {
    cells = build(valueTable(dtype))
    built.set(dtype, cells)
  }
  return cells
}

function build(values: Float64Array): Cells {
  const low = new Float64Array(0x10000).fill(Infinity)
  const high = new Float64Array(0x10000).fill(-Infinity)
  for (let bits = 0; bits < 0x8000; bits++) {
    const value = values[bits]!
    if (Number.isNaN(value)) continue
    const even = bits % 2 === 0
    const above = upperEdge(values, bits)
    const below = bits === 0 ? -upperEdge(values, 0) : upperEdge(values, bits - 1)
    // A tie belongs to the even pattern; the odd one ends just before it.
    low[bits] = even ? below : inward(below, value)
    high[bits] = even ? above : inward(above, value)
    low[bits | 0x8000] = -high[bits]!
    high[bits | 0x8000] = -low[bits]!
  }
  return { low, high }
}

// The midpoint to the next larger magnitude. Beyond the largest finite value the format continues as if it had no end.
function upperEdge(values: Float64Array, bits: number): number {
  const value = values[bits]!
  const next = values[bits + 1]!
  if (value === Infinity) return Infinity
  if (next === Infinity) return value + (value - values[bits - 1]!) / 2
  return (value + next) / 2
}

const scratch = new Float64Array(1)
const scratchBits = new BigInt64Array(scratch.buffer)

// The float64 next to `edge` on the side of `value`; edges are positive, except below zero's cell, which is even.
function inward(edge: number, value: number): number {
  if (edge === Infinity) return edge
  scratch[0] = edge
  scratchBits[0] = scratchBits[0]! + (value > edge ? 1n : -1n)
  return scratch[0]
}
