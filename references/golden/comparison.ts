import { decode, type Tensor } from 'vitest-npu'

const BLOCK = 4096

/** x == y, element by element, as bool: +0 equals -0, NaN equals nothing. */
export function equal(x: Tensor, y: Tensor): Tensor {
  const data = new Uint8Array(x.data.length)
  const left = new Float64Array(BLOCK)
  const right = new Float64Array(BLOCK)
  for (let start = 0; start < data.length; start += BLOCK) {
    const length = Math.min(BLOCK, data.length - start)
    decode(x, start, left.subarray(0, length))
    decode(y, start, right.subarray(0, length))
    for (let i = 0; i < length; i++) data[start + i] = left[i] === right[i] ? 1 : 0
  }
  return { dtype: 'bool', shape: x.shape, data }
}
