import {
  allClose,
  dim,
  normal,
  oneOf,
  shifted,
  sizeOf,
  tensor,
  widened,
  within,
  type BenchmarkRule,
  type Draw,
  type ErrorBound,
} from 'vitest-npu'

/**
 * Shapes of the public cases. `revision` is the state of the benchmark that has them: 2026-01 has tensors of gigabytes, 2025-07 smaller
 * ones. `published` is what it says; what is judged has its rank and proportions and at most 2^22 elements.
 */
export interface PublishedShapes {
  revision: '2025-07' | '2026-01'
  published: readonly number[]
  judged: readonly number[]
}

const today = allClose(1e-4)

/**
 * What the benchmark accepts: |out - reference| <= limit + limit |reference|, with 1e-2 until it was tightened in January 2026, and 1e-4
 * since. The later state is the one whose limit the standard profile repairs.
 */
export const publicRules: { tolerance: BenchmarkRule; revisions: Readonly<Record<string, BenchmarkRule>> } = {
  tolerance: today,
  revisions: { 'mkb-2025-07': allClose(1e-2), 'mkb-2026-01': today },
}

/** Its weaknesses, for people. */
export const note = 'draws from [0, 1) only, five times, for one shape'

/**
 * The elements of most tasks: normal ones in public cases, anything of this size in generated ones, where exponentials of float32
 * overflow unless they are guarded.
 */
export const elements: Draw = within(-128, 128, normal())

/** In generated cases a tensor may as a whole lie far above or below 0. */
export const orFarFrom0 = (draw: Draw): Draw => widened(draw, oneOf(draw, shifted(4096, draw), shifted(-4096, draw)))

/** Elements of what only compares, adds or averages. */
export const distant: Draw = orFarFrom0(elements)

/** Elements of activations: in generated cases also such that no limit stands for infinity, and rows whose maximum is far below 0. */
const argumentsOf: Draw = widened(
  elements,
  oneOf(elements, elements, within(-8192, 8192, normal(0, 2048)), shifted(-4096, elements)),
)

/** One tensor of float32 in, one alike out, as the activations have it. */
export const matrix = { x: tensor({ dtype: 'float32', shape: ['B', 'D'], draw: argumentsOf }) }
export const sameShape = { y: tensor.like('x') }

/** Shapes of generated cases of matrices. */
export const matrices = { B: dim({ max: 512 }), D: dim({ max: 16384, near: [64, 4096] }) }

/** Public cases of most activations. */
export const activationShapes: readonly PublishedShapes[] = [
  { revision: '2026-01', published: [4096, 393216], judged: [208, 19968] },
  { revision: '2025-07', published: [16, 16384], judged: [16, 16384] },
]

/** Rows of the argument that these are the shapes of. */
export const casesOf = (name: string, shapes: readonly PublishedShapes[]) =>
  shapes.map(({ judged }) => ({ [name]: judged }))

/**
 * A sum of `count` float32 in any order that kernels have: lanes that add up one element after the other, whose errors have a direction
 * where elements are alike, and grow with the root of their number where they are not.
 */
export const summed = (count: number): number => (32 + Math.min(count / 32, 2 * Math.sqrt(count))) * 2 ** -24

/** `steps` roundings in float32, relative to the scale of golden; results may be subnormal. */
export const scaled = (steps: number): ErrorBound => ({ absolute: 2 ** -126, relative: 0, scaled: steps * 2 ** -24 })

export { sizeOf }
