import { decode, emptyTensor, type Tensor } from 'vitest-npu'

const BLOCK = 4096

/** Whether every element is neither infinite nor NaN, as bool. */
export const isFinite = (x: Tensor): Tensor =>
  test(x, (values, result) => {
    for (let i = 0; i < values.length; i++) result[i] = Math.abs(values[i]!) < Infinity ? 1 : 0
  })

/** Whether every element is infinite, of either sign, as bool. */
export const isInf = (x: Tensor): Tensor =>
  test(x, (values, result) => {
    for (let i = 0; i < values.length; i++) result[i] = Math.abs(values[i]!) === Infinity ? 1 : 0
  })

/** 1 if any element of any tensor is infinite or NaN, else 0. */
export const foundNonFinite = (tensors: readonly Tensor[]): { values: Float64Array } => ({
  values: Float64Array.of(tensors.some(holdsNonFinite) ? 1 : 0),
})

function holdsNonFinite(tensor: Tensor): boolean {
  const block = new Float64Array(BLOCK)
  for (let start = 0; start < tensor.data.length; start += BLOCK) {
    const values = block.subarray(0, Math.min(BLOCK, tensor.data.length - start))
    decode(tensor, start, values)
    for (let i = 0; i < values.length; i++) if (!(Math.abs(values[i]!) < Infinity)) return true
  }
  return false
}

function test(x: Tensor, apply: (values: Float64Array, result: Uint8Array) => void): Tensor {
  const result = emptyTensor('bool', x.shape)
  const block = new Float64Array(BLOCK)
  for (let start = 0; start < x.data.length; start += BLOCK) {
    const values = block.subarray(0, Math.min(BLOCK, x.data.length - start))
    decode(x, start, values)
    apply(values, new Uint8Array(result.data.buffer, start, values.length))
  }
  return result
}
