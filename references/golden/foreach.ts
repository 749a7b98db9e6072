import { decode, roundBlock, toFloat64, type GoldenTensor, type Tensor } from 'vitest-npu'
import { map, mapPairs } from './elementwise.ts'

/** A list of tensors of one dtype. */
export type List = readonly Tensor[]

/**
 * x1[i] + alpha * x2[i] for every tensor of two lists, or the difference. int32 wraps around; for floats the scale is
 * |alpha * x2|, which the rounding of the product is proportional to.
 */
export function addList(x1: List, x2: List, alpha: Tensor, sign: 1 | -1 = 1): GoldenTensor[] {
  const factor = sign * toFloat64(alpha)[0]!
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
export function addListInSteps(x1: List, x2: List, alpha: Tensor, sign: 1 | -1 = 1): GoldenTensor[] {
  const factor = sign * toFloat64(alpha)[0]!
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
  return int32Pairs(left, right, (values, others) => {
    for (let i = 0; i < values.length; i++) values[i] = values[i]! + Math.imul(factor, others[i]!)
  })
}

/** A changed copy of an int32 tensor. What is stored in it wraps around by itself; products need Math.imul. */
export function int32(x: Tensor, apply: (values: Int32Array) => void): Tensor {
  const data = words(x).slice()
  apply(data)
  return { ...x, data }
}

const int32Pairs = (x: Tensor, y: Tensor, apply: (values: Int32Array, others: Int32Array) => void): Tensor =>
  int32(x, (values) => apply(values, words(y)))

function words({ data }: Tensor): Int32Array {
  if (data instanceof Int32Array) return data
  throw new TypeError(`an int32 tensor is stored as Int32Array, not ${data.constructor.name}`)
}

/** The scalar of one tensor of a list, as a tensor: the one that all share, or its own. */
export const scalarFor = ({ dtype, data }: Tensor, index: number): Tensor =>
  data.length === 1 ? { dtype, shape: [], data } : { dtype, shape: [], data: data.subarray(index, index + 1) }

/** Every tensor of a list with its scalar: one for all, or one for each. */
export function eachScalar(
  x: List,
  scalars: Tensor,
  compute: (tensor: Tensor, scalar: number, index: number) => GoldenTensor,
) {
  const values = toFloat64(scalars)
  return x.map((tensor, index) => compute(tensor, values[values.length === 1 ? 0 : index]!, index))
}

/** x[i] + scalar, or the difference; one scalar, or one for each tensor. int32 wraps around. */
export const addScalar = (x: List, scalars: Tensor, sign: 1 | -1 = 1): GoldenTensor[] =>
  eachScalar(x, scalars, (tensor, scalar) => {
    const addend = sign * scalar
    const add = (values: Float64Array | Int32Array) => {
      for (let i = 0; i < values.length; i++) values[i] = values[i]! + addend
    }
    return tensor.dtype === 'int32' ? int32(tensor, add) : map(tensor, add)
  })

/** x[i] * scalar; one scalar, or one for each tensor. int32 wraps around. */
export const multiplyScalar = (x: List, scalars: Tensor): GoldenTensor[] =>
  eachScalar(x, scalars, (tensor, scalar) =>
    tensor.dtype === 'int32'
      ? int32(tensor, (values) => {
          for (let i = 0; i < values.length; i++) values[i] = Math.imul(values[i]!, scalar)
        })
      : map(tensor, (values) => {
          for (let i = 0; i < values.length; i++) values[i] = values[i]! * scalar
        }),
  )

/** x[i] / scalar; one scalar, or one for each tensor. */
export const divideScalar = (x: List, scalars: Tensor): GoldenTensor[] =>
  eachScalar(x, scalars, (tensor, scalar) =>
    map(tensor, (values) => {
      for (let i = 0; i < values.length; i++) values[i] = values[i]! / scalar
    }),
  )

/** The larger of x[i] and the scalar; NaN where either is NaN. */
export const maximumScalar = (x: List, scalars: Tensor): GoldenTensor[] =>
  eachScalar(x, scalars, (tensor, scalar) => {
    const larger = (values: Float64Array | Int32Array) => {
      for (let i = 0; i < values.length; i++) values[i] = Math.max(values[i]!, scalar)
    }
    return tensor.dtype === 'int32' ? int32(tensor, larger) : map(tensor, larger)
  })

/** The smaller of x[i] and the scalar; NaN where either is NaN. */
export const minimumScalar = (x: List, scalars: Tensor): GoldenTensor[] =>
  eachScalar(x, scalars, (tensor, scalar) => {
    const smaller = (values: Float64Array | Int32Array) => {
      for (let i = 0; i < values.length; i++) values[i] = Math.min(values[i]!, scalar)
    }
    return tensor.dtype === 'int32' ? int32(tensor, smaller) : map(tensor, smaller)
  })

/** x1[i] * x2[i]; int32 wraps around. */
export const multiplyLists = (x1: List, x2: List): GoldenTensor[] =>
  x1.map((left, index) =>
    left.dtype === 'int32'
      ? int32Pairs(left, x2[index]!, (values, others) => {
          for (let i = 0; i < values.length; i++) values[i] = Math.imul(values[i]!, others[i]!)
        })
      : mapPairs(left, x2[index]!, (values, others) => {
          for (let i = 0; i < values.length; i++) values[i] = values[i]! * others[i]!
        }),
  )

/** x1[i] / x2[i]. */
export const divideLists = (x1: List, x2: List): GoldenTensor[] =>
  x1.map((left, index) =>
    mapPairs(left, x2[index]!, (values, others) => {
      for (let i = 0; i < values.length; i++) values[i] = values[i]! / others[i]!
    }),
  )

/** The larger of x1[i] and x2[i]; NaN where either is NaN. */
export const maximumLists = (x1: List, x2: List): GoldenTensor[] => eachPair(x1, x2, larger)

/** The smaller of x1[i] and x2[i]; NaN where either is NaN. */
export const minimumLists = (x1: List, x2: List): GoldenTensor[] => eachPair(x1, x2, smaller)

type Numbers = Float64Array | Int32Array

// What needs no rounding is computed alike for floats and int32.
const eachPair = (x1: List, x2: List, apply: (values: Numbers, others: Numbers) => void): GoldenTensor[] =>
  x1.map((left, index) =>
    left.dtype === 'int32' ? int32Pairs(left, x2[index]!, apply) : mapPairs(left, x2[index]!, apply),
  )

function larger(values: Numbers, others: Numbers): void {
  for (let i = 0; i < values.length; i++) values[i] = Math.max(values[i]!, others[i]!)
}

function smaller(values: Numbers, others: Numbers): void {
  for (let i = 0; i < values.length; i++) values[i] = Math.min(values[i]!, others[i]!)
}
