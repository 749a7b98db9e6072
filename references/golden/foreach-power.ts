import { type GoldenTensor, type Tensor } from 'vitest-npu'
import { map } from './elementwise.ts'
import { eachScalar, int32, type List } from './foreach.ts'

/** x[i] to the power of a scalar. int32 needs results within its range and no negative exponent. */
export const power = (x: List, exponent: Tensor): GoldenTensor[] =>
  eachScalar(x, exponent, (tensor, scalar) => {
    const raise = (values: Float64Array | Int32Array) => {
      for (let i = 0; i < values.length; i++) values[i] = values[i]! ** scalar
    }
    return tensor.dtype === 'int32' ? int32(tensor, raise) : map(tensor, raise)
  })

/** A scalar to the power of x[i]. */
export const powerOf = (base: Tensor, x: List): GoldenTensor[] =>
  eachScalar(x, base, (tensor, scalar) => {
    const raise = (values: Float64Array | Int32Array) => {
      for (let i = 0; i < values.length; i++) values[i] = scalar ** values[i]!
    }
    return tensor.dtype === 'int32' ? int32(tensor, raise) : map(tensor, raise)
  })
