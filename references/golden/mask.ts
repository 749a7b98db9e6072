import { emptyTensor, type GoldenChoice, type Tensor } from 'vitest-npu'

/** The lower triangle of every matrix in x: element [i, j] is copied where j - i <= diagonal, +0 elsewhere. */
export function tril(x: Tensor, diagonal: number): Tensor {
  const [rows = 1, columns = 1] = x.shape.slice(-2)
  const data = x.data.slice()
  for (let start = 0, row = 0; start < data.length; start += columns, row = (row + 1) % rows) {
    const kept = Math.min(columns, Math.max(0, row + diagonal + 1))
    // All-zero bits are +0 in every dtype, also where the storage holds bit patterns.
    clear(data, start + kept, start + columns)
  }
  return { dtype: x.dtype, shape: x.shape, data }
}

/** The upper triangle of every matrix in x: element [i, j] is copied where j - i >= diagonal, +0 elsewhere. */
export function triu(x: Tensor, diagonal: number): Tensor {
  const [rows = 1, columns = 1] = x.shape.slice(-2)
  const data = x.data.slice()
  for (let start = 0, row = 0; start < data.length; start += columns, row = (row + 1) % rows) {
    clear(data, start, start + Math.min(columns, Math.max(0, row + diagonal)))
  }
  return { dtype: x.dtype, shape: x.shape, data }
}

/**
 * The elements of x whose mask is true, in order. The result is as long as x; behind them everything is right, golden has
 * zeros there. The kernel tells how many they are.
 */
export function maskedSelect(x: Tensor, mask: Tensor): GoldenChoice {
  const y = emptyTensor(x.dtype, [x.data.length])
  let count = 0
  for (let i = 0; i < x.data.length; i++) if (Number(mask.data[i]) !== 0) y.data[count++] = x.data[i]!
  const nearestTo: GoldenChoice['nearestTo'] = ({ y: actual }) => {
    if (!actual || !('data' in actual)) return y
    const data = actual.data.slice()
    bytesOf(data).set(bytesOf(y.data.subarray(0, count)))
    return { ...y, data }
  }
  return { ...y, nearestTo, told: [count] }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Tensor['data']) => new Uint8Array(buffer, byteOffset, byteLength)

function clear(data: Tensor['data'], from: number, to: number): void {
  new Uint8Array(data.buffer).fill(0, from * data.BYTES_PER_ELEMENT, to * data.BYTES_PER_ELEMENT)
}
