import type { AttributeValue, DType, Tensor, TensorValue } from '../model/index.ts'
import { disturb } from './adversarial.ts'
import { encode } from './encode.ts'
import { normalFromWords } from './normal-table.ts'
import type { RandomStream } from './random.ts'

/** What a draw may look at besides its own random stream. */
export interface DrawContext {
  readonly random: RandomStream
  /** generated cases mix in zeros, subnormals, extremes, …; static cases follow the plain distribution */
  readonly adversarial: boolean
  /** the arguments drawn before this one, by name */
  readonly drawn: Readonly<Record<string, TensorValue>>
  /** shapes of every tensor argument of the case; a list argument has several */
  readonly shapes: Readonly<Record<string, readonly (readonly number[])[]>>
  readonly attrs: Readonly<Record<string, AttributeValue>>
  /** what the row says of the content of its inputs */
  readonly content: Readonly<Record<string, AttributeValue>>
}

/** How the content of one input is drawn. `min` … `max` are the values the task defines an answer for. */
export interface Draw {
  readonly min: number
  readonly max: number
  /** true: NaN and infinities are legal inputs */
  readonly nonFinite: boolean
  /** true: whole numbers only, whatever the dtype could hold */
  readonly whole?: boolean
  /** Fills `target`; the same context and stream always give the same bytes. */
  write(target: Tensor, context: DrawContext): void
}

/** Elements drawn at a time: small enough to stay in the first-level cache. */
const BLOCK = 4096

type Fill = (random: RandomStream, values: Float64Array) => void

const words = new Uint32Array(BLOCK)

/** A draw whose elements do not depend on each other or on anything else. */
interface IndependentDraw extends Draw {
  readonly fill: Fill
}

const isIndependent = (draw: Draw): draw is IndependentDraw => 'fill' in draw

function independent(fill: Fill, min: number, max: number, nonFinite = false, whole = false): IndependentDraw {
  return {
    fill,
    min,
    max,
    nonFinite,
    whole,
    write(target, context) {
      const block = new Float64Array(BLOCK)
      for (let start = 0; start < target.data.length; start += BLOCK) {
        const values = block.subarray(0, Math.min(BLOCK, target.data.length - start))
        fill(context.random, values)
        encode(values, target, start)
      }
      if (context.adversarial) disturb(target, this, context.random)
    },
  }
}

/** Real numbers, evenly spread over [lo, hi). */
export const uniform = (lo: number, hi: number): Draw =>
  independent(
    (random, values) => {
      random.words(words)
      for (let i = 0; i < values.length; i++) values[i] = lo + (hi - lo) * (words[i]! / 2 ** 32)
    },
    lo,
    hi,
  )

/** Normally distributed real numbers; every finite value of the dtype is legal unless `within` says otherwise. */
export const normal = (mean = 0, deviation = 1): Draw =>
  independent(
    (random, values) => {
      random.words(words)
      normalFromWords(words, values)
      for (let i = 0; i < values.length; i++) values[i] = mean + deviation * values[i]!
    },
    -Infinity,
    Infinity,
  )

/** Whole numbers lo … hi, both included. */
export const randint = (lo: number, hi: number): Draw =>
  independent(
    (random, values) => {
      random.words(words)
      for (let i = 0; i < values.length; i++) values[i] = lo + Math.floor((words[i]! / 2 ** 32) * (hi - lo + 1))
    },
    lo,
    hi,
    false,
    true,
  )

/** False and true, evenly. */
export const bool = (): Draw => randint(0, 1)

/** The magnitude of another draw: `absolute(normal(0.01, 10))`. */
export function absolute(draw: Draw): Draw {
  const { fill } = ofElements(draw, 'absolute')
  return independent(
    (random, values) => {
      fill(random, values)
      for (let i = 0; i < values.length; i++) values[i] = Math.abs(values[i]!)
    },
    0,
    Math.max(Math.abs(draw.min), Math.abs(draw.max)),
    draw.nonFinite,
    draw.whole,
  )
}

/** Same distribution, legal values limited to lo … hi: extremes of generated cases stay inside, outliers are clamped. */
export function within(lo: number, hi: number, draw: Draw): Draw {
  const { fill } = ofElements(draw, 'within')
  return independent(
    (random, values) => {
      fill(random, values)
      for (let i = 0; i < values.length; i++) values[i] = Math.min(hi, Math.max(lo, values[i]!))
    },
    lo,
    hi,
    draw.nonFinite,
    draw.whole,
  )
}

/** Same distribution; generated cases also hold NaN and infinities. */
export const withNonFinite = (draw: Draw): Draw =>
  independent(ofElements(draw, 'withNonFinite').fill, draw.min, draw.max, true)

/** One draw per dtype; `otherwise` serves the dtypes that are not named. */
export function byDtype(otherwise: Draw, draws: Partial<Record<DType, Draw>>): Draw {
  const { min, max, nonFinite } = otherwise
  return {
    min,
    max,
    nonFinite,
    write: (target, context) => (draws[target.dtype] ?? otherwise).write(target, context),
  }
}

/** A draw that depends on the case as a whole: `byCase(({ attrs }) => uniform(0, attrs.high))`. */
export const byCase = (choose: (context: DrawContext) => Draw): Draw => ({
  min: -Infinity,
  max: Infinity,
  nonFinite: false,
  write: (target, context) => choose(context).write(target, context),
})

/** Static cases as published, generated ones from another distribution. */
export const widened = (published: Draw, generated: Draw): Draw =>
  byCase(({ adversarial }) => (adversarial ? generated : published))

/** A draw that needs shapes, attributes or other arguments: returns the components of `target` as numbers. */
export const drawn = (compute: (target: Tensor, context: DrawContext) => ArrayLike<number>): Draw => ({
  min: -Infinity,
  max: Infinity,
  nonFinite: false,
  write: (target, context) => encode(Float64Array.from(compute(target, context)), target),
})

function ofElements(draw: Draw, name: string): IndependentDraw {
  if (isIndependent(draw)) return draw
  throw new TypeError(
    `${name}() takes a draw of independent elements: uniform, normal, randint or a composition of them`,
  )
}
