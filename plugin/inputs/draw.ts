import type { AttributeValue, DType, Tensor, TensorValue } from '../model/index.ts'
import { makeAdversarial } from './adversarial.ts'
import { toFloat64 } from './decode.ts'
import { encode } from './encode.ts'
import { fillTensor, type Fill } from './fill.ts'
import { normalFromWords, normalLimit } from './normal-table.ts'
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

/** A draw whose elements do not depend on each other or on anything else. */
interface IndependentDraw extends Draw {
  readonly fill: Fill
  /** What `fill` can give, where that is less than what the task defines an answer for. */
  readonly reach: Range
}

interface Range {
  readonly least: number
  readonly most: number
}

const isIndependent = (draw: Draw): draw is IndependentDraw => 'fill' in draw

interface Facts {
  min: number
  max: number
  nonFinite?: boolean
  whole?: boolean | undefined
  reach?: Range
}

function independent(fill: Fill, { min, max, nonFinite = false, whole = false, reach }: Facts): IndependentDraw {
  return {
    fill,
    min,
    max,
    nonFinite,
    whole,
    reach: reach ?? { least: min, most: max },
    write(target, context) {
      fillTensor(target, fill, context.random)
      if (context.adversarial) makeAdversarial(target, this, context.random)
    },
  }
}

/** Real numbers, evenly spread over [lo, hi). */
export const uniform = (lo: number, hi: number): Draw => {
  const step = (hi - lo) / 2 ** 32
  return independent(
    (words, values) => {
      for (let i = 0; i < values.length; i++) values[i] = lo + step * words[i]!
    },
    { min: lo, max: hi },
  )
}

/** Normally distributed real numbers; every finite value of the dtype is legal unless `within` says otherwise. */
export const normal = (mean = 0, deviation = 1): Draw => {
  const farthest = normalLimit * Math.abs(deviation)
  return independent((words, values) => normalFromWords(words, values, mean, deviation), {
    min: -Infinity,
    max: Infinity,
    reach: { least: mean - farthest, most: mean + farthest },
  })
}

/** Whole numbers lo … hi, both included. */
export const randint = (lo: number, hi: number): Draw => {
  const step = (hi - lo + 1) / 2 ** 32
  return independent(
    (words, values) => {
      for (let i = 0; i < values.length; i++) values[i] = lo + Math.floor(step * words[i]!)
    },
    { min: lo, max: hi, whole: true },
  )
}

/** False and true, evenly. */
export const bool = (): Draw => randint(0, 1)

/** The magnitude of another draw: `absolute(normal(0.01, 10))`. */
export function absolute(draw: Draw): Draw {
  const { fill, reach } = ofElements(draw, 'absolute')
  return independent(
    (words, values) => {
      fill(words, values)
      for (let i = 0; i < values.length; i++) values[i] = Math.abs(values[i]!)
    },
    {
      min: 0,
      max: Math.max(Math.abs(draw.min), Math.abs(draw.max)),
      nonFinite: draw.nonFinite,
      whole: draw.whole,
      reach: { least: 0, most: Math.max(Math.abs(reach.least), Math.abs(reach.most)) },
    },
  )
}

/** Another draw, moved by `offset`: with `oneOf`, cases that lie far from 0 as a whole. */
export function shifted(offset: number, draw: Draw): Draw {
  const { fill, reach } = ofElements(draw, 'shifted')
  return independent(
    (words, values) => {
      fill(words, values)
      for (let i = 0; i < values.length; i++) values[i] = values[i]! + offset
    },
    {
      min: draw.min + offset,
      max: draw.max + offset,
      nonFinite: draw.nonFinite,
      whole: draw.whole,
      reach: { least: reach.least + offset, most: reach.most + offset },
    },
  )
}

/** Same distribution, legal values limited to lo … hi: extremes of generated cases stay inside, outliers are clamped. */
export function within(lo: number, hi: number, draw: Draw): Draw {
  const { fill, reach } = ofElements(draw, 'within')
  const clamped: Fill = (words, values) => {
    fill(words, values)
    for (let i = 0; i < values.length; i++) values[i] = Math.min(hi, Math.max(lo, values[i]!))
  }
  const inside = reach.least >= lo && reach.most <= hi
  return independent(inside ? fill : clamped, {
    min: lo,
    max: hi,
    nonFinite: draw.nonFinite,
    whole: draw.whole,
    reach: inside ? reach : { least: lo, most: hi },
  })
}

/** Same distribution; generated cases also hold NaN and infinities. */
export function withNonFinite(draw: Draw): Draw {
  const { fill, min, max, reach } = ofElements(draw, 'withNonFinite')
  return independent(fill, { min, max, nonFinite: true, reach })
}

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

/** One of these draws for a tensor as a whole, each as often as the others. */
export const oneOf = (...draws: readonly Draw[]): Draw => byCase(({ random }) => draws[random.below(draws.length)]!)

/**
 * Magnitudes of another draw, which are positive. In generated cases the signs are random, or all negative in every fourth tensor: what
 * is legal are magnitudes, whatever lies between them and 0.
 */
export const eitherSign = (draw: Draw): Draw => ({
  min: -draw.max,
  max: draw.max,
  nonFinite: draw.nonFinite,
  write(target, context) {
    draw.write(target, context)
    const { random, adversarial } = context
    if (!adversarial) return
    const isNegative = random.below(4) === 0
    encode(
      toFloat64(target).map((value) => (isNegative || random.below(2) === 0 ? -value : value)),
      target,
    )
  },
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
