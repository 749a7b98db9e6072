import * as fc from 'fast-check'

/**
 * Extents at which kernels break: one element, around 32-byte blocks and 256-byte repeats of 1-, 2- and 4-byte types,
 * around core counts (24, 48), the same 256 or 512 bytes for each of 48 cores, primes, whole tiles and one more.
 */
const boundaries = [
  1, 2, 3, 7, 8, 9, 13, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 48, 49, 61, 63, 64, 65, 95, 97, 127, 128, 129, 251, 255,
  256, 257, 509, 511, 512, 513, 1021, 1023, 1024, 1025, 2039, 2047, 2048, 2049, 4093, 4095, 4096, 4097, 6144, 8191,
  8192, 8193, 12287, 12288, 12289, 16383, 16384, 16385, 32749, 32768, 65521, 65536,
]

export interface DimensionOptions {
  /** smallest legal extent; default 1 */
  min?: number
  /** largest legal extent */
  max: number
  /** further extents to try often, with their neighbours */
  near?: readonly number[]
}

interface Extents {
  /** by the place among all extents of a draw */
  named: ReadonlyMap<number, number>
  drawn: number[]
}

/** Of the draw that is being made. fast-check hands an arbitrary nothing but random numbers. */
let current: Extents | undefined

/**
 * Makes a draw in which some extents, by their places in the order in which they are drawn, are those named, as far as they are legal.
 * All else is as without.
 */
export function withExtents<T>(named: ReadonlyMap<number, number>, draw: () => T): { made: T; extents: number[] } {
  const outer = current
  const own: Extents = { named, drawn: [] }
  current = own
  try {
    return { made: draw(), extents: own.drawn }
  } finally {
    current = outer
  }
}

/** An extent: half of the draws are boundaries, the rest small or spread over all magnitudes. Shrinks towards `min`. */
export class Extent extends fc.Arbitrary<number> {
  readonly min: number
  readonly max: number
  #special: readonly number[]
  #small: number
  #shrinker: fc.Arbitrary<number>

  /** @param small share of draws among the very smallest extents */
  constructor({ min = 1, max, near = [] }: DimensionOptions, small = 0.25) {
    super()
    this.min = min
    this.max = max
    const special = [...boundaries, ...near.flatMap((extent) => [extent - 1, extent, extent + 1]), min, max - 1, max]
    this.#special = [...new Set(special)].filter((extent) => extent >= min && extent <= max)
    this.#small = small
    this.#shrinker = fc.integer({ min, max })
  }

  generate(random: fc.Random): fc.Value<number> {
    const drawn = this.#pick(random)
    if (!current) return new fc.Value(drawn, undefined)
    const named = current.named.get(current.drawn.length) ?? drawn
    const extent = Math.max(this.min, Math.min(this.max, named))
    current.drawn.push(extent)
    return new fc.Value(extent, undefined)
  }

  #pick(random: fc.Random): number {
    const { min, max } = this
    const way = random.nextDouble()
    if (way < this.#small) return random.nextInt(min, Math.min(max, min + 3))
    if (way < this.#small + (1 - this.#small) * 0.6) return this.#special[random.nextInt(0, this.#special.length - 1)]!
    // Every magnitude equally likely.
    const bits = random.nextInt(0, Math.floor(Math.log2(max - min + 1)))
    return Math.min(max, min + random.nextInt(0, 2 ** (bits + 1) - 1))
  }

  canShrinkWithoutContext(value: unknown): value is number {
    return typeof value === 'number' && Number.isInteger(value) && value >= this.min && value <= this.max
  }

  shrink(value: number, context?: unknown): fc.Stream<fc.Value<number>> {
    return this.#shrinker.shrink(value, context)
  }
}

interface ListOptions {
  /** fewest extents; default 0 */
  min?: number
  /** most extents */
  max: number
  /** the last extent; default up to 16384 */
  last?: DimensionOptions
}

/** Extents of a run: mostly small ones in front, any in the last place. */
function list({ min = 0, max, last = { max: 16384 } }: ListOptions): fc.Arbitrary<number[]> {
  const run = fc
    .tuple(
      fc.array(new Extent({ max: 64 }, 0.7), { minLength: Math.max(min - 1, 0), maxLength: max - 1, size: 'max' }),
      new Extent(last),
    )
    .map(([leading, extent]) => [...leading, extent])
  return min === 0 ? fc.oneof({ weight: 1, arbitrary: fc.constant<number[]>([]) }, { weight: 6, arbitrary: run }) : run
}

interface ShapesOptions {
  /** most tensors in the list */
  max: number
  /** highest rank; default 4 */
  rank?: number
}

/** Shapes of a tensor list, each its own. */
const shapes = ({ max, rank = 4 }: ShapesOptions): fc.Arbitrary<number[][]> =>
  fc.array(list({ min: 1, max: rank, last: { max: 4096 } }), { minLength: 1, maxLength: max, size: 'max' })

/**
 * Extent generators for the shape domain of a task: `dim({ max, near })`, `dim.list({ max })`, `dim.shapes({ max })`.
 */
export const dim = Object.assign((options: DimensionOptions): fc.Arbitrary<number> => new Extent(options), {
  list,
  shapes,
})
