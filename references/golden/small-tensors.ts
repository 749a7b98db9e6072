import { encode, RandomStream, toFloat64, uniform } from '../../plugin/inputs/index.ts'
import { emptyTensor, type DType, type Tensor } from '../../plugin/model/index.ts'
import type { GoldenTensor } from '../../plugin/task/index.ts'

/** A tensor of these values, each rounded to the dtype. */
export function tensorOf(dtype: DType, shape: number[], values: ArrayLike<number>): Tensor {
  const tensor = emptyTensor(dtype, shape)
  encode(Float64Array.from(values), tensor)
  return tensor
}

/** A tensor of numbers between -1 and 1. */
export function random(dtype: DType, shape: number[], seed: number): Tensor {
  const tensor = emptyTensor(dtype, shape)
  const context = { random: new RandomStream(seed), adversarial: false, drawn: {}, shapes: {}, attrs: {}, content: {} }
  uniform(-1, 1).write(tensor, context)
  return tensor
}

/** All values of a golden result. */
export function valuesOf(golden: GoldenTensor): number[] {
  if ('data' in golden) return [...toFloat64(golden)]
  if ('values' in golden) return [...golden.values]
  // In two uneven pieces: a block may start at any number, complex ones take two components.
  const values = new Float64Array(golden.length)
  const cut = 2 * Math.floor(golden.length / 6)
  golden.block(0, values.subarray(0, cut))
  golden.block(cut, values.subarray(cut))
  return [...values]
}

/** Its scale, block by block, where it has one of its own. */
export function scaleOf(golden: GoldenTensor): number[] {
  if (!('scaleBlock' in golden) || !golden.scaleBlock) throw new Error('golden has no scale')
  const scale = new Float64Array(golden.length)
  golden.scaleBlock(0, scale)
  return [...scale]
}
