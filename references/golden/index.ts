import { emptyTensor, toFloat64, type Tensor } from 'vitest-npu'

/**
 * Overwrites, in every var[i] whose mask is not 0, the range s … s + l - 1 along `axis` with the first l slices of
 * updates[i]; (s, l) = indice[i]. `axis` is negative, counted from the end. Everything else is a bit copy of var.
 */
export function scatterList(
  variables: readonly Tensor[],
  indice: Tensor,
  updates: Tensor,
  mask: Tensor | null,
  axis: number,
): Tensor[] {
  const ranges = toFloat64(indice)
  return variables.map((variable, i) => {
    const data = variable.data.slice()
    const result = { ...variable, data }
    if (mask && Number(mask.data[i]) === 0) return result
    const extent = variable.shape.at(axis)!
    const available = updates.shape.at(axis)!
    const inner = axis === -1 ? 1 : variable.shape.slice(axis + 1).reduce((size, length) => size * length, 1)
    const outer = data.length / (extent * inner)
    // without lengths the updates go in whole
    const [start, length] = indice.shape.length === 1 ? [ranges[i]!, available] : [ranges[2 * i]!, ranges[2 * i + 1]!]
    const first = i * outer * available * inner
    for (let block = 0; block < outer; block++) {
      const from = first + block * available * inner
      copyRange(data, (block * extent + start) * inner, updates.data, from, length * inner)
    }
    return result
  })
}

/** x with its slices along `axis` replaced by those that `indices` name, in their order; a bit copy. */
export function gather(x: Tensor, indices: Tensor, axis: number): Tensor {
  const extent = x.shape[axis]!
  const positions = toFloat64(indices)
  const inner = x.shape.slice(axis + 1).reduce((size, length) => size * length, 1)
  const result = emptyTensor(x.dtype, x.shape.with(axis, positions.length))
  const outer = x.data.length / (extent * inner)
  for (let block = 0, at = 0; block < outer; block++) {
    for (let j = 0; j < positions.length; j++, at += inner) {
      copyRange(result.data, at, x.data, (block * extent + positions[j]!) * inner, inner)
    }
  }
  return result
}

function copyRange(target: Tensor['data'], at: number, source: Tensor['data'], from: number, length: number): void {
  const width = target.BYTES_PER_ELEMENT
  const bytes = new Uint8Array(source.buffer, source.byteOffset + from * width, length * width)
  new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(bytes, at * width)
}
