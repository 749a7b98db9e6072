import { emptyTensor, sizeOf, type GoldenChoice, type Tensor } from 'vitest-npu'

/** Where the selection looks. */
export interface Selection {
  readonly k: number
  readonly axis: number
  readonly largest: boolean
  /** false: the results may stand in any order */
  readonly sorted: boolean
}

type Actual = Parameters<GoldenChoice['nearestTo']>[0]

/**
 * The k largest or smallest float16 elements along an axis and their int32 positions there. NaN is larger than every
 * number, zeros are equal. Equal elements may be exchanged: a position is right if its element is, and no other result
 * of the line has it.
 */
export function topK(x: Tensor, selection: Selection): { values: GoldenChoice; indices: GoldenChoice } {
  const lines = linesOf(x, selection)
  const preferred = ranked(lines, selection)
  const nearestTo = ({ indices }: Actual) => {
    const given = indices && 'data' in indices ? indices : preferred
    return given === preferred ? preferred : nearest(lines, selection, preferred, given)
  }
  return {
    values: {
      ...elementsAt(lines, selection, preferred),
      nearestTo: (actual) => elementsAt(lines, selection, nearestTo(actual)),
    },
    indices: { ...preferred, nearestTo },
  }
}

/** The lines of a tensor along an axis, and how their elements compare. */
interface Lines {
  readonly x: Tensor
  /** its elements as bit patterns */
  readonly bits: Uint16Array
  readonly extent: number
  /** distance of neighbours in a line of x, and in one of the result */
  readonly inner: number
  readonly outer: number
  /** rank of each bit pattern: what comes first in the result is larger; equal elements have the same */
  readonly ranks: Int32Array
}

function linesOf(x: Tensor, { axis, largest }: Selection): Lines {
  if (!(x.data instanceof Uint16Array)) throw new TypeError(`elements of ${x.dtype} cannot be ranked`)
  const inner = sizeOf(x.shape.slice(axis + 1))
  const ranks = Int32Array.from({ length: 0x10000 }, (_, bits) => rankOf(bits) * (largest ? 1 : -1))
  return { x, bits: x.data, extent: x.shape[axis]!, inner, outer: sizeOf(x.shape.slice(0, axis)), ranks }
}

const INFINITY_BITS = 0x7c00

// Magnitudes of float16 are ordered like their bits.
function rankOf(bits: number): number {
  const magnitude = bits & 0x7fff
  if (magnitude > INFINITY_BITS) return INFINITY_BITS + 1
  return bits & 0x8000 ? -magnitude : magnitude
}

type VisitLine = (start: number, into: number) => void

// `start` is the first element of a line of x, `into` that of the result.
function eachLine({ extent, inner, outer }: Lines, k: number, visit: VisitLine): void {
  for (let block = 0; block < outer; block++) {
    for (let i = 0; i < inner; i++) visit(block * extent * inner + i, block * k * inner + i)
  }
}

// Positions in order of rank, the lower one of two equals first.
function ranked(lines: Lines, selection: Selection): Tensor {
  const { x, bits, extent, inner, ranks } = lines
  const result = emptyTensor('int32', x.shape.with(selection.axis, selection.k))
  // Rank and position in one exact number: sorting numbers is fast.
  const keys = new Float64Array(extent)
  eachLine(lines, selection.k, (start, into) => {
    for (let i = 0; i < extent; i++) keys[i] = i - ranks[bits[start + i * inner]!]! * 2 ** 32
    keys.sort()
    for (let t = 0; t < selection.k; t++) {
      const key = keys[t]!
      result.data[into + t * inner] = key - Math.floor(key / 2 ** 32) * 2 ** 32
    }
  })
  return result
}

function elementsAt(lines: Lines, { k, axis }: Selection, positions: Tensor): Tensor {
  const { x, inner } = lines
  const result = emptyTensor(x.dtype, x.shape.with(axis, k))
  eachLine(lines, k, (start, into) => {
    for (let t = into; t < into + k * inner; t += inner) {
      result.data[t] = x.data[start + Number(positions.data[t]) * inner]!
    }
  })
  return result
}

// The right positions that agree with `given` wherever those are right.
function nearest(lines: Lines, { k, sorted }: Selection, preferred: Tensor, given: Tensor): Tensor {
  const { bits, extent, inner, ranks } = lines
  const result = { ...preferred, data: preferred.data.slice() }
  eachLine(lines, k, (start, into) => {
    const end = into + k * inner
    let same = true
    for (let t = into; t < end && same; t += inner) same = given.data[t] === preferred.data[t]
    if (same) return
    const rankAt = (position: number) => ranks[bits[start + position * inner]!]!
    // Ranks that still have to be found, in order; a sorted result has a place for each.
    const open = Array.from({ length: k }, (_, t) => rankAt(Number(preferred.data[into + t * inner])))
    const counts = new Map<number, number>()
    for (const rank of open) counts.set(rank, (counts.get(rank) ?? 0) + 1)
    const taken = new Set<number>()
    const missing: number[] = []
    for (let t = 0; t < k; t++) {
      const position = Number(given.data[into + t * inner])
      const legal = position >= 0 && position < extent && !taken.has(position)
      const rank = legal ? rankAt(position) : NaN
      if (legal && (sorted ? rank === open[t] : (counts.get(rank) ?? 0) > 0)) {
        taken.add(position)
        counts.set(rank, counts.get(rank)! - 1)
        result.data[into + t * inner] = position
      } else missing.push(t)
    }
    if (missing.length === 0) return
    const rest = sorted ? missing.map((t) => open[t]!) : open.filter((rank) => takeOne(counts, rank))
    const free = new Map<number, number[]>()
    for (let i = extent - 1; i >= 0; i--) {
      if (taken.has(i)) continue
      const rank = rankAt(i)
      const list = free.get(rank)
      if (list) list.push(i)
      else free.set(rank, [i])
    }
    for (const [i, t] of missing.entries()) result.data[into + t * inner] = free.get(rest[i]!)!.pop()!
  })
  return result
}

function takeOne(counts: Map<number, number>, rank: number): boolean {
  const left = counts.get(rank) ?? 0
  if (left > 0) counts.set(rank, left - 1)
  return left > 0
}
