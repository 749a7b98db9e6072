import { decode, emptyTensor, type Tensor } from 'vitest-npu'

/** x == y, element by element, as bool: +0 equals -0, NaN equals nothing. */
export const equal = (x: Tensor, y: Tensor): Tensor =>
  compare(x, y, {
    numbers(left, right, result) {
      for (let i = 0; i < left.length; i++) result[i] = left[i] === right[i] ? 1 : 0
    },
    wide: (left, right) => left === right,
  })

/** x < y as bool; false where one is NaN. */
export const less = (x: Tensor, y: Tensor): Tensor =>
  compare(x, y, {
    numbers(left, right, result) {
      for (let i = 0; i < left.length; i++) result[i] = left[i]! < right[i]! ? 1 : 0
    },
    wide: (left, right) => left < right,
  })

/** x <= y as bool; false where one is NaN. */
export const lessEqual = (x: Tensor, y: Tensor): Tensor =>
  compare(x, y, {
    numbers(left, right, result) {
      for (let i = 0; i < left.length; i++) result[i] = left[i]! <= right[i]! ? 1 : 0
    },
    wide: (left, right) => left <= right,
  })

interface Relation {
  /** compares blocks of values that float64 holds exactly */
  numbers: (left: Float64Array, right: Float64Array, result: Uint8Array) => void
  /** compares 64-bit integers, which float64 would round */
  wide: (left: bigint, right: bigint) => boolean
}

const BLOCK = 4096

function compare(x: Tensor, y: Tensor, relation: Relation): Tensor {
  const result = emptyTensor('bool', x.shape)
  const { data } = result
  if (isWide(x.data) && isWide(y.data)) {
    for (let i = 0; i < data.length; i++) data[i] = relation.wide(x.data[i]!, y.data[i]!) ? 1 : 0
    return result
  }
  const left = new Float64Array(BLOCK)
  const right = new Float64Array(BLOCK)
  for (let start = 0; start < data.length; start += BLOCK) {
    const length = Math.min(BLOCK, data.length - start)
    decode(x, start, left.subarray(0, length))
    decode(y, start, right.subarray(0, length))
    relation.numbers(left.subarray(0, length), right, new Uint8Array(data.buffer, start, length))
  }
  return result
}

const isWide = (data: Tensor['data']): data is BigInt64Array | BigUint64Array =>
  data instanceof BigInt64Array || data instanceof BigUint64Array
