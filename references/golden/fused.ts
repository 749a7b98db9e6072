import { roundBlock, roundTo, toFloat64, type DType, type GoldenBlocks, type Tensor } from 'vitest-npu'
import { map } from './elementwise.ts'

/** A result of its own with the magnitude that its roundings are proportional to. */
interface Scaled {
  values: Float64Array
  scale: Float64Array
}

const first = (tensor: Tensor): number => toFloat64(tensor)[0]!
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x))

/**
 * sigmoid(x * a) * b + c, a to c tensors of one element. The scale is |b| times the sigmoid s and what a rounding of its
 * argument t costs, s (1 - s) |t|.
 */
export function mulSigmoidMulAdd(x: Tensor, a: Tensor, b: Tensor, c: Tensor): GoldenBlocks {
  const [inner, outer, shift] = [first(a), first(b), first(c)]
  return {
    ...map(x, (values) => {
      for (let i = 0; i < values.length; i++) values[i] = sigmoid(values[i]! * inner) * outer + shift
    }),
    scaleBlock: map(x, (values) => {
      for (let i = 0; i < values.length; i++) {
        const argument = values[i]! * inner
        const share = sigmoid(argument)
        values[i] = Math.abs(outer) * share * (1 + (1 - share) * Math.abs(argument))
      }
    }).block,
  }
}

/** The same with each operation rounded to the dtype of x, as the public reference computes it. */
export function mulSigmoidMulAddInSteps(x: Tensor, a: Tensor, b: Tensor, c: Tensor): GoldenBlocks {
  const [inner, outer, shift] = [first(a), first(b), first(c)]
  return map(x, (values) => {
    const step = (operation: (value: number) => number) => {
      for (let i = 0; i < values.length; i++) values[i] = operation(values[i]!)
      roundBlock(x.dtype, values)
    }
    step((value) => value * inner)
    step(sigmoid)
    step((value) => value * outer)
    step((value) => value + shift)
  })
}

/** How a computation rounds its intermediate results: not at all, or to a dtype. */
type Round = (value: number) => number
const exactly: Round = (value) => value
const inDType =
  (dtype: DType): Round =>
  (value) =>
    roundTo(dtype, value)

/**
 * The softmax over the last axis of one of two tensors, element by element as `select` says. The scale is the result
 * times what rounding the distance from the maximum costs, its own and that in the sum.
 */
export const selectSoftmax = (select: Tensor, one: Tensor, other: Tensor): Scaled =>
  softmax(select, one, other, exactly)

/** The same with each step rounded to the dtype; the sum is added up in float32. */
export const selectSoftmaxInSteps = (select: Tensor, one: Tensor, other: Tensor): Scaled =>
  softmax(select, one, other, inDType(one.dtype))

function softmax(select: Tensor, one: Tensor, other: Tensor, round: Round): Scaled {
  const width = one.shape.at(-1)!
  const [values, others] = [toFloat64(one), toFloat64(other)]
  const scale = new Float64Array(values.length)
  for (let i = 0; i < values.length; i++) if (Number(select.data[i]) === 0) values[i] = others[i]!
  for (let start = 0; start < values.length; start += width) {
    const row = values.subarray(start, start + width)
    const scales = scale.subarray(start, start + width)
    const most = row.reduce((largest, value) => Math.max(largest, value), -Infinity)
    let sum = 0
    for (let i = 0; i < width; i++) {
      const distance = round(row[i]! - most)
      row[i] = round(Math.exp(distance))
      scales[i] = Math.abs(distance)
      sum += row[i]!
    }
    const total = round(sum)
    let average = 0
    for (let i = 0; i < width; i++) {
      row[i] = round(row[i]! / total)
      average += row[i]! * scales[i]!
    }
    for (let i = 0; i < width; i++) scales[i] = row[i]! * (1 + scales[i]! + average)
  }
  return { values, scale }
}

/** Arguments of addSigmoidMulReduceSum: [A, B, C], [1, 1, C], one element, [A, B, 1], [A, B, C]. */
export type SumOfSigmoids = readonly [x: Tensor, bias: Tensor, factor: Tensor, weight: Tensor, other: Tensor]

/**
 * The sum over B of sigmoid((x + bias) * factor) * weight * other. The scale is the sum of the magnitudes of its terms,
 * with what rounding the arguments costs; where e^-p is beyond float16, all of a term.
 */
export const addSigmoidMulReduceSum = (tensors: SumOfSigmoids): Scaled => sumOfSigmoids(tensors, exactly)

/** The same with each step rounded to float16; the sum is added up in float32. */
export const addSigmoidMulReduceSumInSteps = (tensors: SumOfSigmoids): Scaled =>
  sumOfSigmoids(tensors, inDType('float16'))

function sumOfSigmoids(tensors: SumOfSigmoids, round: Round): Scaled {
  const [xs, biases, factors, weights, others] = tensors.map(toFloat64)
  const [rows = 1, depth = 1, columns = 1] = tensors[0].shape
  const values = new Float64Array(rows * columns)
  const scale = new Float64Array(rows * columns)
  for (let row = 0; row < rows * depth; row++) {
    for (let c = 0; c < columns; c++) {
      const argument = round(round(xs![row * columns + c]! + biases![c]!) * factors![0]!)
      const share = round(1 / round(1 + round(Math.exp(-argument))))
      const term = round(round(share * weights![row]!) * others![row * columns + c]!)
      const at = Math.floor(row / depth) * columns + c
      values[at]! += term
      scale[at]! += Math.abs(term) * (argument < -10.9 ? 400 : 1 + (1 - share) * Math.abs(argument))
    }
  }
  return { values, scale }
}

/** Arguments of mulMulNormalise: [R, C] twice, one element twice, [1, C] twice. */
export type Normalised = readonly [x: Tensor, y: Tensor, factor: Tensor, epsilon: Tensor, gamma: Tensor, beta: Tensor]

/**
 * p = x * y * factor, normalised over its rows: (p - mean) * gamma / sqrt(variance + epsilon) + beta. The scale is the sum
 * of the magnitudes of beta and of both products with gamma / sqrt(…), the mean with the magnitudes that it is made of.
 */
export const mulMulNormalise = (tensors: Normalised): Scaled => normalise(tensors, exactly)

/** The same with each step rounded to the dtype; means are added up in float32. */
export const mulMulNormaliseInSteps = (tensors: Normalised): Scaled => normalise(tensors, inDType(tensors[0].dtype))

function normalise(tensors: Normalised, round: Round): Scaled {
  const [xs, ys, factors, epsilons, gammas, betas] = tensors.map(toFloat64)
  const width = tensors[0].shape[1]!
  const values = new Float64Array(xs!.length)
  const scale = new Float64Array(xs!.length)
  for (let start = 0; start < values.length; start += width) {
    const products = values.subarray(start, start + width)
    let [sum, size] = [0, 0]
    for (let c = 0; c < width; c++) {
      products[c] = round(round(xs![start + c]! * ys![start + c]!) * factors![0]!)
      sum += products[c]!
      size += Math.abs(products[c]!)
    }
    const mean = round(sum / width)
    let squares = 0
    for (const product of products) {
      const distance = round(product - mean)
      squares += round(distance * distance)
    }
    const deviation = round(Math.sqrt(round(round(squares / width) + epsilons![0]!)))
    for (let c = 0; c < width; c++) {
      const share = round(gammas![c]! / deviation)
      const [own, common] = [round(share * products[c]!), round(share * mean)]
      scale[start + c] = Math.abs(betas![c]!) + Math.abs(own) + (Math.abs(share) * size) / width
      products[c] = round(round(betas![c]! - common) + own)
    }
  }
  return { values, scale }
}
