import { decode, roundBlock, toFloat64, type GoldenTensor, type Tensor } from 'vitest-npu'
import { mapPairs } from './elementwise.ts'

/**
 * x1[i] + alpha * x2[i] for every tensor of two lists. int32 wraps around; for floats the scale is |alpha * x2|, which the
 * rounding of the product is proportional to.
 */
export function addList(x1: readonly Tensor[], x2: readonly Tensor[], alpha: Tensor): GoldenTensor[] {
  const factor = toFloat64(alpha)[0]!
  return x1.map((left, index) => {
    const right = x2[index]!
    return left.dtype === 'int32' ? addScaledInt32(left, right, factor) : addScaled(left, right, factor)
  })
}

function addScaled(left: Tensor, right: Tensor, factor: number): GoldenTensor {
  const sum = mapPairs(left, right, (values, others) => {
    for (let i = 0; i < values.length; i++) values[i] = values[i]! + factor * others[i]!
  })
  return {
    ...sum,
    scaleBlock(start, scale) {
      decode(right, start, scale)
      for (let i = 0; i < scale.length; i++) scale[i] = Math.abs(factor * scale[i]!)
    },
  }
}

/** The same in the steps of the public reference: float16 rounds the product and the sum, other floats compute in float32. */
export function addListInSteps(x1: readonly Tensor[], x2: readonly Tensor[], alpha: Tensor): GoldenTensor[] {
  const factor = toFloat64(alpha)[0]!
  return x1.map((left, index) => {
    const right = x2[index]!
    if (left.dtype === 'int32') return addScaledInt32(left, right, factor)
    const step = left.dtype === 'float16' ? 'float16' : 'float32'
    return mapPairs(left, right, (values, products) => {
      for (let i = 0; i < products.length; i++) products[i] = factor * products[i]!
      roundBlock(step, products)
      for (let i = 0; i < values.length; i++) values[i] = values[i]! + products[i]!
      roundBlock(step, values)
    })
  })
}

function addScaledInt32(left: Tensor, right: Tensor, factor: number): Tensor {
  const data = new Int32Array(left.data.length)
  const [addends, factors] = [left.data, right.data]
  for (let i = 0; i < data.length; i++) data[i] = Number(addends[i]) + Math.imul(factor, Number(factors[i]))
  return { dtype: 'int32', shape: left.shape, data }
}
