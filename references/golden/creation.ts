import { emptyTensor, encode, sizeOf, toFloat64, type DType, type GoldenTensor, type Tensor } from 'vitest-npu'

/**
 * start + i * step for every i that stays short of `end`; all three are tensors of one element. The scale is
 * |start| + |i * step|.
 */
export function arange(start: Tensor, end: Tensor, step: Tensor): GoldenTensor {
  const [first, last, increment] = [toFloat64(start)[0]!, toFloat64(end)[0]!, toFloat64(step)[0]!]
  const length = Math.ceil((last - first) / increment)
  if (!start.dtype.includes('float')) {
    const values = Float64Array.from({ length }, (_, i) => first + i * increment)
    const result = emptyTensor(start.dtype, [length])
    encode(values, result)
    return result
  }
  return {
    length,
    block(from, values) {
      for (let i = 0; i < values.length; i++) values[i] = first + (from + i) * increment
    },
    scaleBlock(from, scale) {
      for (let i = 0; i < scale.length; i++) scale[i] = Math.abs(first) + Math.abs((from + i) * increment)
    },
  }
}

/** An identity matrix, rectangular ones too, for every index of the leading axes. */
export function eye(dtype: DType, shape: readonly number[]): Tensor {
  const [rows = 1, columns = 1] = shape.slice(-2)
  const result = emptyTensor(dtype, shape)
  const one = oneOf(dtype)
  for (let matrix = 0; matrix < sizeOf(shape); matrix += rows * columns) {
    for (let i = 0; i < Math.min(rows, columns); i++) result.data[matrix + i * (columns + 1)] = one
  }
  return result
}

function oneOf(dtype: DType): number {
  const one = emptyTensor(dtype, [])
  encode(Float64Array.of(1), one)
  return Number(one.data[0])
}

/** `value`, a tensor of one element, in every element of a tensor of a shape. */
export function fill(value: Tensor, shape: readonly number[]): Tensor {
  const result = emptyTensor(value.dtype, shape)
  const bytes = new Uint8Array(result.data.buffer)
  const width = value.data.BYTES_PER_ELEMENT
  bytes.set(new Uint8Array(value.data.buffer, value.data.byteOffset, width))
  for (let done = width; done < bytes.length; done *= 2) bytes.copyWithin(done, 0, Math.min(done, bytes.length - done))
  return result
}
