import { emptyTensor, type Tensor } from 'vitest-npu'

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

/** The elements of x whose mask is true, in order, and (1, their number). */
export function maskedSelect(x: Tensor, mask: Tensor): { y: Tensor; shapeout: Tensor } {
  const selected: number[] = []
  for (let i = 0; i < mask.data.length; i++) if (Number(mask.data[i]) !== 0) selected.push(i)
  const y = emptyTensor(x.dtype, [selected.length])
  for (const [to, from] of selected.entries()) y.data[to] = x.data[from]!
  const shapeout: Tensor = { dtype: 'uint64', shape: [2], data: BigUint64Array.of(1n, BigInt(selected.length)) }
  return { y, shapeout }
}

function clear(data: Tensor['data'], from: number, to: number): void {
  new Uint8Array(data.buffer).fill(0, from * data.BYTES_PER_ELEMENT, to * data.BYTES_PER_ELEMENT)
}
