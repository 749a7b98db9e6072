import * as fc from 'fast-check'
import {
  byCase,
  dim,
  drawn,
  type DType,
  eitherSign,
  type KernelCase,
  randint,
  type ToleranceRule,
  ulpScaled,
  uniform,
  widened,
  within,
} from 'vitest-npu'

/** What all tasks of this family state alike. */
export const gmm = (kernel: string) => ({ category: 'GMM', kernel }) as const

/** Elements of matrices: all of them legal, and sums of thousands of products fit into float16. */
export const unit = uniform(-1, 1)

/** Elements of integer matrices, as published; generated cases use the whole range. */
export const bytes = widened(randint(-16, 16), randint(-128, 127))

/** Factors of rows and columns. Zero aside, generated ones are large enough for their product to be a normal float32. */
export const factors = widened(uniform(0, 1), eitherSign(within(2 ** -20, 1, uniform(0, 1))))

/** The same where the whole range of int8 would overflow float16: 4096 terms times two of these stay below 2^14. */
export const smallFactors = widened(uniform(0, 1), eitherSign(within(0, 2 ** -6, uniform(0, 2 ** -6))))

/** Extents of one product, with the tiles of the cube and of a core. */
export const extents = {
  m: dim({ max: 1024, near: [16, 128] }),
  k: dim({ max: 4096, near: [16, 64, 256] }),
  n: dim({ max: 2048, near: [16, 128, 256] }),
}

/** Shapes that most public lists share, after a first one of their own. */
export const shapes = (m: number, k: number, n: number): { m: number; k: number; n: number }[] => [
  { m, k, n },
  { m: 640, k: 512, n: 210 },
  { m: 256, k: 128, n: 1024 },
  { m: 1024, k: 864, n: 128 },
  { m: 327, k: 1152, n: 554 },
  { m: 1152, k: 512, n: 1433 },
  { m: 640, k: 256, n: 619 },
  { m: 128, k: 1152, n: 1152 },
  { m: 512, k: 512, n: 512 },
  { m: 1152, k: 640, n: 640 },
]

/**
 * Exact products, float32 sums of k terms in any order (their errors grow like sqrt(k)), one rounding to the output. Sums
 * kept in float16, and float32 products in a shorter format, fail. Every product of tiny numbers may be subnormal.
 */
export const sumsOf =
  (terms: (kernelCase: KernelCase) => number): ToleranceRule =>
  ({ case: kernelCase }) => ({
    absolute: terms(kernelCase) * 2 ** -149,
    relative: 2 ** -24,
    scaled: (8 + Math.sqrt(terms(kernelCase))) * 2 ** -24,
  })

const limits: Partial<Record<DType, readonly [short: number, long: number]>> = {
  float16: [1 / 256, 1 / 128],
  bfloat16: [1 / 128, 1 / 64],
  float32: [1 / 2048, 1 / 512],
}

/** The public rule of the family; the limit depends on an extent that is meant to be the number of terms. */
export const publicRule = (terms: (kernelCase: KernelCase) => number) =>
  ulpScaled(({ case: kernelCase, dtype }) => limits[dtype]![terms(kernelCase) < 2048 ? 0 : 1])

/** Ends of groups, ascending, up to `limit`; `complete`: the last one is the limit. */
const ends = (limit: number, complete: boolean) =>
  drawn(({ data: { length } }, { random, adversarial }) => {
    const way = adversarial ? random.below(4) : 0
    const one = random.below(limit + 1)
    // As published; one group with everything; short ones that start anywhere; multiples of 16 as far as they fit.
    const positions = Array.from({ length }, () => {
      if (way === 1) return one
      if (way === 2) return Math.min(limit, one + random.below(4))
      const position = random.below(limit + 1)
      return way === 3 ? position - (position % 16) : position
    })
    if (complete) positions[length - 1] = limit
    return positions.sort((left, right) => left - right)
  })

/** Ends of groups along axis `axis` of a; the last one may leave a rest. */
export const groupEnds = (axis: number, { complete }: { complete: boolean }) =>
  byCase(({ shapes: all }) => ends(all.a![0]![axis]!, complete))

/** Shapes of the grouped products, and the number of groups of each. */
export const groupedShapes = (groups: readonly number[]) =>
  [
    { m: 128, k: 1280, n: 640 },
    { m: 640, k: 512, n: 210 },
    { m: 256, k: 128, n: 1024 },
    { m: 1024, k: 864, n: 128 },
    { m: 327, k: 1152, n: 554 },
    { m: 1152, k: 512, n: 1433 },
    { m: 640, k: 256, n: 619 },
    { m: 512, k: 512, n: 512 },
  ].map((shape, row) => ({ ...shape, G: groups[row]! }))

/** Extents of a grouped product, none of whose arguments has more than 65536 elements. */
export const groupedExtents = fc
  .record({ ...extents, G: fc.oneof(fc.integer({ min: 1, max: 8 }), dim({ max: 64 })) })
  .map(({ m, k, n, G }) => {
    const columns = Math.min(n, Math.floor(2 ** 16 / G))
    const depth = Math.min(k, Math.floor(2 ** 16 / (G * columns)))
    return { m: Math.min(m, Math.floor(2 ** 16 / Math.max(depth, G * columns))), k: depth, n: columns, G }
  })

/** Factors of a product and of what is added to it, on both sides of every short cut. */
export const coefficient = fc.oneof(
  fc.constantFrom(0, 1, -1, 0.5, -2),
  fc.integer({ min: -(2 ** 24), max: 2 ** 24 }).map((steps) => steps * 2 ** -24),
)

/** The public list draws alpha and beta from [-1, 1) for each row and does not say them; these stand for them. */
export const coefficients = (row: number) => ({
  alpha: Math.fround((((row * 7 + 3) % 16) - 7.7) / 8.1),
  beta: Math.fround((((row * 5 + 9) % 16) - 7.3) / 8.1),
})
