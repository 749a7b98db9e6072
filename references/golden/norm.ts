import { decode, roundBlock, toFloat64, type GoldenBlocks, type Tensor } from 'vitest-npu'
import { either } from './either.ts'
import { add, map } from './elementwise.ts'
import { placesOf, scratch, walk, type Layout } from './norm-layout.ts'

/** Values, and the magnitude that the rounding errors of a right kernel are proportional to. */
export interface Quantity extends Required<Omit<GoldenBlocks, 'byPattern'>> {
  /** Both at a time: inputs are decoded once. */
  readonly both: (start: number, values: Float64Array, scale: Float64Array) => void
}

/** A quantity by its values alone and with their scale. */
export function quantity(length: number, block: Quantity['block'], both: Quantity['both']): Quantity {
  const buffer = scratch()
  return { length, block, both, scaleBlock: (start, scale) => both(start, buffer(scale.length), scale) }
}

/** A golden result of a few values, with that magnitude. */
export interface Scaled {
  values: Float64Array
  scale: Float64Array
}

/**
 * Root-mean-square normalisation over the last axis of x, whose extent is that of gamma: rstd = 1 / sqrt(mean(x^2) +
 * epsilon), one per row, and y = x * rstd * gamma. The device receives epsilon as float32.
 */
export const rmsNorm = (x: Tensor, gamma: Tensor, epsilon: number) => rmsNormOf(asItIs(x), gamma, epsilon)

/** The same of x = x1 + x2. The scale is what changes when the sum is rounded to its type first, or only in places. */
export function addRmsNorm(x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: number) {
  const x = add(x1, x2)
  const rounded: GoldenBlocks = {
    length: x.length,
    block(start, values) {
      x.block(start, values)
      roundBlock(x1.dtype, values)
    },
  }
  const { y, rstd } = rmsNormOf(x, gamma, epsilon)
  let ofRounded: Float64Array | undefined
  const others = () => (ofRounded ??= rmsNormOf(rounded, gamma, epsilon).rstd.values)
  const weights = toFloat64(gamma)
  return {
    y: {
      ...y,
      scaleBlock(start: number, scale: Float64Array) {
        const sums = new Float64Array(scale.length)
        x.block(start, sums)
        rounded.block(start, scale)
        for (let i = 0; i < scale.length; i++) {
          const index = Math.floor((start + i) / weights.length)
          const [one, other] = [rstd.values[index]!, others()[index]!]
          const element = Math.abs(scale[i]! - sums[i]!) * Math.max(one, other)
          const statistic = Math.max(Math.abs(scale[i]!), Math.abs(sums[i]!)) * Math.abs(other - one)
          scale[i] = (element + statistic) * Math.abs(weights[(start + i) % weights.length]!)
        }
      },
    },
    rstd: {
      values: rstd.values,
      get scale() {
        return rstd.values.map((value, row) => Math.abs(others()[row]! - value))
      },
    },
    x,
  }
}

const asItIs = (x: Tensor): GoldenBlocks => map(x, () => {})

function rmsNormOf(
  x: GoldenBlocks,
  gamma: Tensor,
  epsilon: number,
): { y: GoldenBlocks; rstd: { values: Float64Array } } {
  const weights = toFloat64(gamma)
  const width = weights.length
  const rstd = new Float64Array(x.length / width)
  const row = new Float64Array(width)
  for (let index = 0; index < rstd.length; index++) {
    x.block(index * width, row)
    let squares = 0
    for (let i = 0; i < width; i++) squares += row[i]! * row[i]!
    rstd[index] = 1 / Math.sqrt(squares / width + Math.fround(epsilon))
  }
  const y: GoldenBlocks = {
    length: x.length,
    block(start, values) {
      x.block(start, values)
      let index = Math.floor(start / width)
      let column = start - index * width
      for (let i = 0; i < values.length; i++) {
        values[i] = values[i]! * rstd[index]! * weights[column]!
        if (++column === width) {
          column = 0
          index++
        }
      }
    },
  }
  return { y, rstd: { values: rstd } }
}

/** Tensors with factors, added; the smaller ones repeat from start to end. The scale is the sum of the magnitudes. */
export function sumOf(...terms: readonly (Tensor | readonly [factor: number, Tensor])[]): Quantity {
  const parts = terms.map((term) => ('data' in term ? { factor: 1, of: term } : { factor: term[0], of: term[1] }))
  const buffer = scratch()
  return quantity(
    Math.max(...parts.map(({ of }) => of.data.length)),
    (start, values) => {
      for (const [index, { factor, of }] of parts.entries()) {
        const others = index === 0 ? values : buffer(values.length)
        decodeRepeated(of, start, others)
        if (index > 0) for (let i = 0; i < values.length; i++) values[i] = values[i]! + factor * others[i]!
        else if (factor !== 1) for (let i = 0; i < values.length; i++) values[i] = values[i]! * factor
      }
    },
    (start, values, scale) => {
      values.fill(0)
      scale.fill(0)
      for (const { factor, of } of parts) {
        const others = buffer(values.length)
        decodeRepeated(of, start, others)
        for (let i = 0; i < values.length; i++) {
          const term = factor * others[i]!
          values[i] = values[i]! + term
          scale[i] = scale[i]! + Math.abs(term)
        }
      }
    },
  )
}

function decodeRepeated(tensor: Tensor, start: number, values: Float64Array): void {
  const { length } = tensor.data
  for (let at = 0; at < values.length;) {
    const from = (start + at) % length
    const count = Math.min(length - from, values.length - at)
    decode(tensor, from, count === values.length ? values : values.subarray(at, at + count))
    at += count
  }
}

/** Of every group. */
export interface Statistics {
  readonly mean: Float64Array
  /** of the population: divided by the count */
  readonly variance: Float64Array
  /** 1 / sqrt(variance + epsilon) */
  readonly rstd: Float64Array
  /** root mean square of what was added up to get x: the error of a mean is in proportion to it */
  readonly size: Float64Array
  /** how much larger than its own roundings the relative error of rstd is */
  readonly condition: Float64Array
}

/**
 * Mean and variance of every group. The variance of a right kernel is that of differences from the mean; with `onePass` it
 * may also be a mean of squares less the square of the mean, which loses more where the mean is large.
 */
export function statisticsOf(x: Quantity, layout: Layout, epsilon: number, onePass = false): Statistics {
  const { run, count: groupCount } = layout.group
  const count = x.length / groupCount
  const zeros = () => new Float64Array(groupCount)
  const [shift, mean, variance, rstd, size, condition] = [zeros(), zeros(), zeros(), zeros(), zeros(), zeros()]
  // Differences from the first element: equal elements have no variance, and none is lost where the mean is large.
  const one = new Float64Array(1)
  for (let group = 0; group < groupCount; group++) {
    x.block(group * run, one)
    shift[group] = one[0]!
  }
  const [places, valueBuffer, scaleBuffer] = [placesOf(layout), scratch(), scratch()]
  walk(x.length, (start, length) => {
    const { groups } = places(start, length)
    const [values, scale] = [valueBuffer(length), scaleBuffer(length)]
    x.both(start, values, scale)
    for (let i = 0; i < length; i++) {
      const group = groups[i]!
      const distance = values[i]! - shift[group]!
      mean[group] = mean[group]! + distance
      variance[group] = variance[group]! + distance * distance
      size[group] = size[group]! + scale[i]! * scale[i]!
    }
  })
  for (let group = 0; group < groupCount; group++) {
    const distance = mean[group]! / count
    mean[group] = shift[group]! + distance
    variance[group] = Math.max(0, variance[group]! / count - distance * distance)
    rstd[group] = 1 / Math.sqrt(variance[group]! + Math.fround(epsilon))
    size[group] = Math.sqrt(size[group]! / count)
    condition[group] = 1 + (size[group]! * rstd[group]!) ** (onePass ? 2 : 1)
  }
  return { mean, variance, rstd, size, condition }
}

/** Mean and rstd as results. */
export const resultsOf = ({ mean, rstd, size, condition }: Statistics): { mean: Scaled; rstd: Scaled } => ({
  mean: { values: mean, scale: size },
  rstd: { values: rstd, scale: rstd.map((value, group) => value * condition[group]!) },
})

/** (x - mean) * rstd * gamma + beta; weights that are absent are 1 and 0. */
export function normalised(
  x: Quantity,
  layout: Layout,
  { mean, rstd, size, condition }: Omit<Statistics, 'variance'>,
  gamma: Tensor | null,
  beta: Tensor | null,
): Quantity {
  const weights = gamma ? toFloat64(gamma) : new Float64Array(layout.channel.count).fill(1)
  const offsets = beta ? toFloat64(beta) : new Float64Array(layout.channel.count)
  const places = placesOf(layout)
  return quantity(
    x.length,
    (start, values) => {
      const { groups, channels } = places(start, values.length)
      x.block(start, values)
      for (let i = 0; i < values.length; i++) {
        const group = groups[i]!
        const channel = channels[i]!
        values[i] = (values[i]! - mean[group]!) * rstd[group]! * weights[channel]! + offsets[channel]!
      }
    },
    (start, values, scale) => {
      const { groups, channels } = places(start, scale.length)
      x.both(start, values, scale)
      for (let i = 0; i < scale.length; i++) {
        const group = groups[i]!
        const channel = channels[i]!
        const distance = values[i]! - mean[group]!
        const weight = rstd[group]! * weights[channel]!
        const errors = scale[i]! + size[group]! + Math.abs(distance) * condition[group]!
        values[i] = distance * weight + offsets[channel]!
        scale[i] = errors * Math.abs(weight) + Math.abs(offsets[channel]!)
      }
    },
  )
}

/** Layer normalisation of a sum over groups of a layout: y, mean and rstd. */
export function layerNorm(
  x: Quantity,
  layout: Layout,
  { gamma, beta, epsilon }: { gamma: Tensor | null; beta: Tensor | null; epsilon: number },
) {
  const statistics = statisticsOf(x, layout, epsilon)
  return { y: normalised(x, layout, statistics, gamma, beta), ...resultsOf(statistics) }
}

/** Group normalisation, and z * sigmoid(swish * z) of its results unless `swish` is null. */
export function groupNormSwish(
  x: Tensor,
  layout: Layout,
  { gamma, beta, epsilon, swish }: { gamma: Tensor; beta: Tensor; epsilon: number; swish: number | null },
) {
  const terms = sumOf(x)
  const statistics = statisticsOf(terms, layout, epsilon, true)
  const z = normalised(terms, layout, statistics, gamma, beta)
  return { y: swish === null ? z : swished(z, Math.fround(swish)), ...resultsOf(statistics) }
}

// The slope of z * sigmoid(swish * z) is below 1.1; exp turns the rounding of its argument into a relative error.
function swished(z: Quantity, swish: number): Quantity {
  return quantity(
    z.length,
    (start, values) => {
      z.block(start, values)
      for (let i = 0; i < values.length; i++) values[i] = values[i]! / (1 + Math.exp(-swish * values[i]!))
    },
    (start, values, scale) => {
      z.both(start, values, scale)
      for (let i = 0; i < scale.length; i++) {
        const argument = swish * values[i]!
        values[i] = values[i]! / (1 + Math.exp(-argument))
        scale[i] = 1.1 * scale[i]! + Math.abs(values[i]!) * (1 + Math.abs(argument))
      }
    },
  )
}

/**
 * Batch normalisation. In training with the statistics of the batch, which also move the running ones by `momentum`; in
 * inference with the running ones, which stay, or with those of the batch, as the public reference does. Nothing is said
 * about the saved statistics of inference.
 */
export function batchNorm(
  x: Tensor,
  layout: Layout,
  { weight, bias, mean, variance }: Record<'weight' | 'bias', Tensor | null> & Record<'mean' | 'variance', Tensor>,
  { epsilon, momentum, training }: { epsilon: number; momentum: number; training: boolean },
) {
  const terms = sumOf(x)
  const [runningMean, runningVariance] = [toFloat64(mean), toFloat64(variance)]
  if (!training) {
    const rstd = runningVariance.map((value) => 1 / Math.sqrt(value + Math.fround(epsilon)))
    const known = { mean: runningMean, rstd, size: runningMean.map(Math.abs), condition: rstd.map(() => 1) }
    const by = (statistics: Omit<Statistics, 'variance'>) => normalised(terms, layout, statistics, weight, bias)
    return {
      y: either('y', by(known), by(statisticsOf(terms, layout, epsilon))),
      running_mean: unscaled(runningMean),
      running_var: unscaled(runningVariance),
      save_mean: unscaled(runningMean),
      save_rstd: unscaled(rstd),
    }
  }
  const batch = statisticsOf(terms, layout, epsilon)
  const share = Math.fround(momentum)
  const saved = resultsOf(batch)
  const moved = (from: Float64Array, to: Float64Array) => from.map((old, c) => (1 - share) * old + share * to[c]!)
  return {
    y: normalised(terms, layout, batch, weight, bias),
    running_mean: { values: moved(runningMean, batch.mean), scale: moved(runningMean.map(Math.abs), batch.size) },
    running_var: {
      values: moved(runningVariance, batch.variance),
      // The error of the mean counts squared.
      scale: batch.variance.map((own, c) => share * (own * batch.condition[c]! + 2 ** -20 * batch.size[c]! ** 2)),
    },
    save_mean: saved.mean,
    save_rstd: saved.rstd,
  }
}

const unscaled = (values: Float64Array): Scaled => ({ values, scale: new Float64Array(values.length) })

/**
 * That of x1 + x2, divided by the scale of its column, with the zero point of the column added before it is rounded to
 * int8, ties to even; larger values saturate. The result is what is rounded.
 */
export function addRmsNormQuant(
  x1: Tensor,
  x2: Tensor,
  gamma: Tensor,
  scales: Tensor,
  zeroPoints: Tensor,
  epsilon: number,
): { y: Quantity; x: GoldenBlocks } {
  const { y, x } = addRmsNorm(x1, x2, gamma, epsilon)
  const divisors = toFloat64(scales)
  const width = divisors.length
  const offsets = toFloat64(zeroPoints)
  return {
    y: quantity(
      y.length,
      (start, values) => {
        y.block(start, values)
        let column = start % width
        for (let i = 0; i < values.length; i++) {
          values[i] = saturated(values[i]! / divisors[column]! + offsets[column]!)
          if (++column === width) column = 0
        }
      },
      (start, values, scale) => {
        y.block(start, values)
        let column = start % width
        for (let i = 0; i < scale.length; i++) {
          const quotient = values[i]! / divisors[column]!
          values[i] = saturated(quotient + offsets[column]!)
          scale[i] = Math.abs(quotient) + Math.abs(offsets[column]!)
          if (++column === width) column = 0
        }
      },
    ),
    x,
  }
}

const saturated = (value: number): number => (value < -128 ? -128 : value > 127 ? 127 : value)
