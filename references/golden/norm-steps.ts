import {
  decode,
  roundBlock,
  toFloat64,
  type DType,
  type GoldenBlocks,
  type GoldenTensor,
  type Tensor,
} from 'vitest-npu'
import { add } from './elementwise.ts'
import { placesOf, walk, type Layout } from './norm-layout.ts'
import { sumOf } from './norm.ts'

// What the public references compute: every step rounded to the dtype of x, sums inside a mean excepted.

/** Root-mean-square normalisation of x1 + x2 over the last axis. */
export function addRmsNormInSteps(
  x1: Tensor,
  x2: Tensor,
  gamma: Tensor,
  epsilon: number,
): Record<'y' | 'rstd' | 'x', GoldenTensor> {
  const { dtype } = x1
  const weights = toFloat64(gamma)
  const width = weights.length
  const sum = add(x1, x2)
  const rstd = new Float64Array(sum.length / width)
  const [row, squares] = [new Float64Array(width), new Float64Array(width)]
  const x: GoldenBlocks = { length: sum.length, block: rounding(dtype, sum.block) }
  for (let index = 0; index < rstd.length; index++) {
    x.block(index * width, row)
    for (let i = 0; i < width; i++) squares[i] = row[i]! * row[i]!
    roundBlock(dtype, squares)
    let total = 0
    for (let i = 0; i < width; i++) total += squares[i]!
    rstd[index] = total / width
  }
  rootsOf(dtype, rstd, epsilon)
  const y: GoldenBlocks = {
    length: sum.length,
    block(start, values) {
      x.block(start, values)
      for (let i = 0; i < values.length; i++) values[i] = values[i]! * rstd[Math.floor((start + i) / width)]!
      roundBlock(dtype, values)
      for (let i = 0; i < values.length; i++) values[i] = values[i]! * weights[(start + i) % width]!
      roundBlock(dtype, values)
    },
  }
  return { y, rstd: { values: rstd }, x }
}

const rounding =
  (dtype: DType, block: GoldenBlocks['block']): GoldenBlocks['block'] =>
  (start, values) => {
    block(start, values)
    roundBlock(dtype, values)
  }

// 1 / sqrt(mean + epsilon), in place.
function rootsOf(dtype: DType, means: Float64Array, epsilon: number): void {
  roundBlock(dtype, means)
  for (let i = 0; i < means.length; i++) means[i] = means[i]! + epsilon
  roundBlock(dtype, means)
  for (let i = 0; i < means.length; i++) means[i] = 1 / Math.sqrt(means[i]!)
  roundBlock(dtype, means)
}

/**
 * Batch normalisation, with the statistics of the batch in inference as well. Products with weights of another dtype, and
 * what follows from them, are float32.
 */
export function batchNormInSteps(
  x: Tensor,
  layout: Layout,
  { weight, bias }: Record<'weight' | 'bias', Tensor | null>,
  epsilon: number,
): Record<'y' | 'save_mean' | 'save_rstd', GoldenTensor> {
  const { dtype } = x
  const { run, count: channels } = layout.channel
  const count = x.data.length / channels
  const { block, length } = sumOf(x)
  const [mean, rstd] = [new Float64Array(channels), new Float64Array(channels)]
  const places = placesOf(layout)
  const differences = (start: number, values: Float64Array) => {
    const { channels: own } = places(start, values.length)
    block(start, values)
    for (let i = 0; i < values.length; i++) values[i] = values[i]! - mean[own[i]!]!
    roundBlock(dtype, values)
  }
  const buffer = new Float64Array(4096)
  const totals = (read: GoldenBlocks['block'], into: Float64Array) => {
    walk(length, (start, size) => {
      const values = buffer.subarray(0, size)
      read(start, values)
      for (let i = 0; i < size; i++) {
        const channel = Math.floor((start + i) / run) % channels
        into[channel] = into[channel]! + values[i]!
      }
    })
    for (let channel = 0; channel < channels; channel++) into[channel] = into[channel]! / count
    roundBlock(dtype, into)
  }
  const sums = new Float64Array(channels)
  totals(block, sums)
  mean.set(sums)
  totals((start, values) => {
    differences(start, values)
    for (let i = 0; i < values.length; i++) values[i] = values[i]! * values[i]!
    roundBlock(dtype, values)
  }, rstd)
  rootsOf(dtype, rstd, epsilon)
  const [weights, offsets] = [weight && toFloat64(weight), bias && toFloat64(bias)]
  const affine: DType = weight && weight.dtype !== dtype ? 'float32' : dtype
  const y: GoldenBlocks = {
    length,
    block(start, values) {
      differences(start, values)
      const { channels: own } = places(start, values.length)
      for (let i = 0; i < values.length; i++) values[i] = values[i]! * rstd[own[i]!]!
      roundBlock(dtype, values)
      if (weights) for (let i = 0; i < values.length; i++) values[i] = values[i]! * weights[own[i]!]!
      roundBlock(affine, values)
      if (offsets) for (let i = 0; i < values.length; i++) values[i] = values[i]! + offsets[own[i]!]!
      roundBlock(affine, values)
    },
  }
  return { y, save_mean: { values: mean }, save_rstd: { values: rstd } }
}

/** The derivative of a root-mean-square normalisation by its weights: sums over rows of dy * x, rounded, times rstd. */
export function rmsNormGradInSteps(dy: Tensor, x: Tensor, rstd: Tensor): GoldenTensor {
  const roots = toFloat64(rstd)
  const width = x.data.length / roots.length
  const values = new Float64Array(width)
  const [row, others] = [new Float64Array(width), new Float64Array(width)]
  for (const [index, root] of roots.entries()) {
    decode(dy, index * width, row)
    decode(x, index * width, others)
    for (let i = 0; i < width; i++) row[i] = row[i]! * others[i]!
    roundBlock(x.dtype, row)
    for (let i = 0; i < width; i++) values[i] = values[i]! + row[i]! * root
  }
  return { values }
}
