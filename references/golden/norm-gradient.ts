import { toFloat64, type Tensor } from 'vitest-npu'
import { either } from './either.ts'
import { placesOf, scratch, walk, type Layout } from './norm-layout.ts'
import { quantity, sumOf, type Quantity, type Scaled } from './norm.ts'

/**
 * What the derivative says of the mean: nothing (root mean square), its own term, or the term that is left of the variance
 * where differences from the given mean do not add up to zero as well.
 */
type MeanTerm = 'none' | 'plain' | 'corrected'

/**
 * The derivative of a normalisation by its input: rstd * (g - mean(g)) - rstd^3 * mean(g * c) * c for every group, with g
 * the derivative by the normalised value and c the difference from the mean. The scale of c is the magnitude that its
 * absolute errors are proportional to: c itself may be much smaller.
 */
export function inputGradient(g: Quantity, c: Quantity, rstd: Float64Array, layout: Layout, term: MeanTerm): Quantity {
  const sums = sumsOf(g, c, layout)
  const [places, otherBuffer, scaleBuffer] = [placesOf(layout), scratch(), scratch()]
  const hasMean = term === 'none' ? 0 : 1
  const corrects = term === 'corrected' ? 1 : 0
  const { count } = layout.group
  // By group: what multiplies c, what is left of the mean, and the same of their errors.
  const columns = Array.from({ length: 5 }, () => new Float64Array(count))
  const [slope, constant, slopeScale, errorScale, constantScale] = columns
  if (!slope || !constant || !slopeScale || !errorScale || !constantScale) throw new RangeError('no groups')
  for (let group = 0; group < count; group++) {
    const square = rstd[group]! ** 2
    const product = sums.productSizes[group]! + sums.productErrors[group]! / 8
    slope[group] = square * sums.products[group]!
    constant[group] = hasMean * sums.upstream[group]! - corrects * slope[group]! * sums.differences[group]!
    slopeScale[group] = square * product
    errorScale[group] = square * (sums.productSizes[group]! / 8 + sums.productErrors[group]! * 2 ** -20)
    const differences = sums.differenceSizes[group]! + sums.errors[group]! / 8
    constantScale[group] = hasMean * sums.sizes[group]! + corrects * slopeScale[group]! * differences
  }
  return quantity(
    g.length,
    (start, values) => {
      const { groups } = places(start, values.length)
      const others = otherBuffer(values.length)
      g.block(start, values)
      c.block(start, others)
      for (let i = 0; i < values.length; i++) {
        const group = groups[i]!
        values[i] = rstd[group]! * (values[i]! - slope[group]! * others[i]! - constant[group]!)
      }
    },
    (start, values, scale) => {
      const { groups } = places(start, scale.length)
      const [others, errors] = [otherBuffer(scale.length), scaleBuffer(scale.length)]
      g.both(start, values, scale)
      c.both(start, others, errors)
      for (let i = 0; i < scale.length; i++) {
        const group = groups[i]!
        const terms = slopeScale[group]! * Math.abs(others[i]!) + errorScale[group]! * errors[i]!
        values[i] = rstd[group]! * (values[i]! - slope[group]! * others[i]! - constant[group]!)
        scale[i] = rstd[group]! * (scale[i]! + terms + constantScale[group]!)
      }
    },
  )
}

// Means over every group.
function sumsOf(g: Quantity, c: Quantity, layout: Layout) {
  const count = g.length / layout.group.count
  const zeros = () => new Float64Array(layout.group.count)
  const sums = {
    /** g, c and g * c */
    upstream: zeros(),
    differences: zeros(),
    products: zeros(),
    /** the magnitudes of the same */
    sizes: zeros(),
    differenceSizes: zeros(),
    productSizes: zeros(),
    /** the magnitudes that the errors of c, and those of g * c for that reason, are proportional to */
    errors: zeros(),
    productErrors: zeros(),
  }
  const { upstream, differences, products, sizes, differenceSizes, productSizes, errors, productErrors } = sums
  const [places, buffers] = [placesOf(layout), [scratch(), scratch(), scratch(), scratch()] as const]
  walk(g.length, (start, length) => {
    const { groups } = places(start, length)
    const [gs, gScales, cs, cScales] = buffers.map((buffer) => buffer(length))
    if (!gs || !gScales || !cs || !cScales) return
    g.both(start, gs, gScales)
    c.both(start, cs, cScales)
    for (let i = 0; i < length; i++) {
      const group = groups[i]!
      const own = gs[i]!
      const size = gScales[i]!
      const difference = cs[i]!
      const error = cScales[i]!
      upstream[group] = upstream[group]! + own
      differences[group] = differences[group]! + difference
      products[group] = products[group]! + own * difference
      sizes[group] = sizes[group]! + size
      differenceSizes[group] = differenceSizes[group]! + Math.abs(difference)
      productSizes[group] = productSizes[group]! + size * Math.abs(difference)
      errors[group] = errors[group]! + error
      productErrors[group] = productErrors[group]! + size * error
    }
  })
  for (const values of Object.values(sums)) for (let group = 0; group < values.length; group++) values[group]! /= count
  return sums
}

/** The derivatives by weight and offset: sums over the elements of every channel of u * c * rstd and of u. */
export function weightGradients(
  u: Quantity,
  c: Quantity,
  rstd: Float64Array,
  layout: Layout,
): { weight: Scaled; offset: Scaled } {
  const zeros = () => new Float64Array(layout.channel.count)
  const [weight, offset] = [
    { values: zeros(), scale: zeros() },
    { values: zeros(), scale: zeros() },
  ]
  const [places, buffers] = [placesOf(layout), [scratch(), scratch(), scratch(), scratch()] as const]
  walk(u.length, (start, length) => {
    const { groups, channels } = places(start, length)
    const [us, uScales, cs, cScales] = buffers.map((buffer) => buffer(length))
    if (!us || !uScales || !cs || !cScales) return
    u.both(start, us, uScales)
    c.both(start, cs, cScales)
    for (let i = 0; i < length; i++) {
      const channel = channels[i]!
      const root = rstd[groups[i]!]!
      const own = us[i]!
      const size = uScales[i]!
      const difference = cs[i]! * root
      offset.values[channel] = offset.values[channel]! + own
      offset.scale[channel] = offset.scale[channel]! + size
      weight.values[channel] = weight.values[channel]! + own * difference
      const error = Math.abs(difference) + (cScales[i]! / 8) * root
      weight.scale[channel] = weight.scale[channel]! + size * error
    }
  })
  return { weight, offset }
}

/** dy times the weight of its channel. */
export function weighted(dy: Quantity, gamma: Tensor, layout: Layout): Quantity {
  const weights = toFloat64(gamma)
  const places = placesOf(layout)
  return quantity(
    dy.length,
    (start, values) => {
      const { channels } = places(start, values.length)
      dy.block(start, values)
      for (let i = 0; i < values.length; i++) values[i] = values[i]! * weights[channels[i]!]!
    },
    (start, values, scale) => {
      const { channels } = places(start, values.length)
      dy.both(start, values, scale)
      for (let i = 0; i < values.length; i++) {
        const weight = weights[channels[i]!]!
        values[i] = values[i]! * weight
        scale[i] = scale[i]! * Math.abs(weight)
      }
    },
  )
}

/** x - mean of its group. */
export function centred(x: Quantity, mean: Tensor, layout: Layout): Quantity {
  const means = toFloat64(mean)
  const places = placesOf(layout)
  return quantity(
    x.length,
    (start, values) => {
      const { groups } = places(start, values.length)
      x.block(start, values)
      for (let i = 0; i < values.length; i++) values[i] = values[i]! - means[groups[i]!]!
    },
    (start, values, scale) => {
      const { groups } = places(start, values.length)
      x.both(start, values, scale)
      for (let i = 0; i < values.length; i++) {
        const own = means[groups[i]!]!
        values[i] = values[i]! - own
        scale[i] = scale[i]! + Math.abs(own)
      }
    },
  )
}

/** A tensor whose values are exact: no errors of its own. */
export function given(x: Tensor): Quantity {
  const { length, block } = sumOf(x)
  return quantity(length, block, (start, values, scale) => {
    block(start, values)
    scale.fill(0)
  })
}

/** factor * x + addend, the addend where there is one. */
export function combined(factor: number, x: Quantity, addend: Tensor | null): Quantity {
  const other = addend && sumOf(addend)
  const buffer = scratch()
  const terms = (start: number, length: number) => {
    const others = buffer(length)
    if (other) other.block(start, others)
    else others.fill(0)
    return others
  }
  return quantity(
    x.length,
    (start, values) => {
      x.block(start, values)
      const others = terms(start, values.length)
      for (let i = 0; i < values.length; i++) values[i] = factor * values[i]! + others[i]!
    },
    (start, values, scale) => {
      x.both(start, values, scale)
      const others = terms(start, values.length)
      for (let i = 0; i < values.length; i++) {
        values[i] = factor * values[i]! + others[i]!
        scale[i] = Math.abs(factor) * scale[i]! + Math.abs(others[i]!)
      }
    },
  )
}

/** Derivatives of a layer normalisation of `x` by its input and its weights, mean and rstd given. */
export function layerNormGrad(
  x: Quantity,
  { dy, gamma, mean, rstd }: Record<'dy' | 'gamma' | 'mean' | 'rstd', Tensor>,
  layout: Layout,
  term: MeanTerm,
): { dx: Quantity; dgamma: Scaled; dbeta: Scaled } {
  const [upstream, differences, roots] = [sumOf(dy), centred(x, mean, layout), toFloat64(rstd)]
  const { weight, offset } = weightGradients(upstream, differences, roots, layout)
  return {
    dx: inputGradient(weighted(upstream, gamma, layout), differences, roots, layout, term),
    dgamma: weight,
    dbeta: offset,
  }
}

/** Derivatives of a root-mean-square normalisation by its input and its weights. */
export function rmsNormGrad(
  { dy, x, rstd, gamma }: Record<'dy' | 'x' | 'rstd' | 'gamma', Tensor>,
  layout: Layout,
): { dx: Quantity; dgamma: Scaled } {
  const [upstream, differences, roots] = [sumOf(dy), given(x), toFloat64(rstd)]
  return {
    dx: inputGradient(weighted(upstream, gamma, layout), differences, roots, layout, 'none'),
    dgamma: weightGradients(upstream, differences, roots, layout).weight,
  }
}

interface SwishGradients {
  dx: Quantity
  dgamma: Scaled
  dbeta: Scaled
}

/**
 * Derivatives of swish after a group normalisation. The published slope is s * (1 + z * (1 - s)) with s = sigmoid(swish *
 * z), which leaves out the factor that the chain rule gives the second term where `swish` is not 1: either is right.
 */
export function groupNormSwishGrad(
  { dy, mean, rstd, x, gamma, beta }: Record<'dy' | 'mean' | 'rstd' | 'x' | 'gamma' | 'beta', Tensor>,
  layout: Layout,
  swish: number,
): SwishGradients {
  const [differences, roots] = [centred(sumOf(x), mean, layout), toFloat64(rstd)]
  const single = Math.fround(swish)
  const by = (factor: number): SwishGradients => {
    const upstream = throughSwish(sumOf(dy), differences, { roots, gamma, beta, layout, swish: single, factor })
    const { weight, offset } = weightGradients(upstream, differences, roots, layout)
    const dx = inputGradient(weighted(upstream, gamma, layout), differences, roots, layout, 'plain')
    return { dx, dgamma: weight, dbeta: offset }
  }
  const published = by(1)
  if (single === 1) return published
  const chained = by(single)
  return {
    dx: either('dx', published.dx, chained.dx),
    dgamma: either('dgamma', published.dgamma, chained.dgamma),
    dbeta: either('dbeta', published.dbeta, chained.dbeta),
  }
}

function throughSwish(
  dy: Quantity,
  c: Quantity,
  {
    roots,
    gamma,
    beta,
    layout,
    swish,
    factor,
  }: { roots: Float64Array; gamma: Tensor; beta: Tensor; layout: Layout; swish: number; factor: number },
): Quantity {
  const [weights, offsets] = [toFloat64(gamma), toFloat64(beta)]
  const [places, otherBuffer, errorBuffer] = [placesOf(layout), scratch(), scratch()]
  return quantity(
    dy.length,
    (start, values) => {
      const { groups, channels } = places(start, values.length)
      const others = otherBuffer(values.length)
      dy.block(start, values)
      c.block(start, others)
      for (let i = 0; i < values.length; i++) {
        const channel = channels[i]!
        const z = others[i]! * roots[groups[i]!]! * weights[channel]! + offsets[channel]!
        const sigmoid = 1 / (1 + Math.exp(-swish * z))
        values[i] = values[i]! * sigmoid * (1 + factor * z * (1 - sigmoid))
      }
    },
    (start, values, scale) => {
      const { groups, channels } = places(start, scale.length)
      const [others, errors] = [otherBuffer(scale.length), errorBuffer(scale.length)]
      dy.both(start, values, scale)
      c.both(start, others, errors)
      for (let i = 0; i < scale.length; i++) {
        const channel = channels[i]!
        const weight = roots[groups[i]!]! * weights[channel]!
        const z = others[i]! * weight + offsets[channel]!
        const ofZ = (Math.abs(others[i]!) + errors[i]! / 8) * Math.abs(weight) + Math.abs(offsets[channel]!)
        const sigmoid = 1 / (1 + Math.exp(-swish * z))
        // (1 + z - z * sigmoid) * sigmoid is rounded in proportion to 1 + |z|; the slope of the slope is below 1 + |swish|,
        // each second term times the factor.
        const own = sigmoid * (1 + Math.abs(factor * z)) * (1 + (1 - sigmoid) * Math.abs(swish * z))
        values[i] = values[i]! * sigmoid * (1 + factor * z * (1 - sigmoid))
        const ofSlope = (1 + Math.abs(swish)) * Math.max(1, Math.abs(factor)) * ofZ
        scale[i] = scale[i]! * (own + ofSlope)
      }
    },
  )
}
