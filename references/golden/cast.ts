import { decode, emptyTensor, encode, type DType, type GoldenTensor, type Tensor } from 'vitest-npu'
import { map } from './elementwise.ts'

const BLOCK = 4096

/**
 * x in another dtype. Floats lose their fraction on the way to integers, integers their high bits on the way to smaller
 * ones; whatever is not 0, NaN included, is true. 64-bit integers stay below 2^53, where float64 is exact.
 */
export function cast(x: Tensor, dtype: DType): GoldenTensor {
  if (dtype.includes('float')) return map(x, () => {})
  const result = emptyTensor(dtype, x.shape)
  const block = new Float64Array(BLOCK)
  for (let start = 0; start < x.data.length; start += BLOCK) {
    const values = block.subarray(0, Math.min(BLOCK, x.data.length - start))
    decode(x, start, values)
    if (dtype !== 'bool') for (let i = 0; i < values.length; i++) values[i] = Math.trunc(values[i]!)
    encode(values, result, start)
  }
  return result
}
