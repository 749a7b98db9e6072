import { emptyTensor, sizeOf, toFloat64, type Tensor } from 'vitest-npu'

/** x repeated along new leading axes and along axes of extent 1 until it has this shape. */
export function expand(x: Tensor, shape: readonly number[]): Tensor {
  const result = emptyTensor(x.dtype, shape)
  // Distance in x of neighbours along every axis of the result; 0 where x is repeated.
  const steps = shape.map((_, axis) => {
    const own = axis - (shape.length - x.shape.length)
    return own < 0 || x.shape[own] === 1 ? 0 : sizeOf(x.shape.slice(own + 1))
  })
  for (let i = 0; i < result.data.length; i++) {
    let [rest, from] = [i, 0]
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      from += (rest % shape[axis]!) * steps[axis]!
      rest = Math.floor(rest / shape[axis]!)
    }
    result.data[i] = x.data[from]!
  }
  return result
}

/** Every row feeds[i] times[i] times, in order, then rows of +0 up to `count` rows. */
export function repeatRows(feeds: Tensor, times: Tensor, count: number): Tensor {
  const result = emptyTensor(feeds.dtype, feeds.shape.with(0, count))
  const width = sizeOf(feeds.shape.slice(1))
  let at = 0
  for (const [row, repeats] of toFloat64(times).entries()) {
    const source = bytesOf(feeds, row * width, width)
    for (let i = 0; i < repeats; i++, at++) bytesOf(result, at * width, width).set(source)
  }
  return result
}

/** x with the first lengths[b] positions along `axis` reversed, for every index b along `batchAxis`. */
export function reverseSequence(x: Tensor, lengths: Tensor, axis: number, batchAxis: number): Tensor {
  const result = emptyTensor(x.dtype, x.shape)
  const reversed = toFloat64(lengths)
  const [inner, batchInner] = [sizeOf(x.shape.slice(axis + 1)), sizeOf(x.shape.slice(batchAxis + 1))]
  // Runs of elements that stay together: up to the innermost of the two axes.
  const run = Math.min(inner, batchInner)
  for (let start = 0; start < sizeOf(x.shape); start += run) {
    const position = Math.floor(start / inner) % x.shape[axis]!
    const length = reversed[Math.floor(start / batchInner) % x.shape[batchAxis]!]!
    const source = position < length ? start + (length - 1 - 2 * position) * inner : start
    bytesOf(result, start, run).set(bytesOf(x, source, run))
  }
  return result
}

/** A slice along one axis: begin, end and stride; negative positions count from the end. */
export interface Slice {
  begin: number
  end: number
  stride: number
}

/** `variable` with a strided slice overwritten by `value`, which has the shape of the slice; one entry per axis. */
export function assignSlice(variable: Tensor, value: Tensor, slices: readonly Slice[]): Tensor {
  const { shape } = variable
  const data = variable.data.slice()
  const steps = shape.map((_, axis) => sizeOf(shape.slice(axis + 1)))
  const starts = slices.map(({ begin }, axis) => clamp(begin < 0 ? begin + shape[axis]! : begin, shape[axis]!))
  for (let i = 0; i < value.data.length; i++) {
    let [rest, to] = [i, 0]
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      to += (starts[axis]! + (rest % value.shape[axis]!) * slices[axis]!.stride) * steps[axis]!
      rest = Math.floor(rest / value.shape[axis]!)
    }
    data[to] = value.data[i]!
  }
  return { dtype: variable.dtype, shape, data }
}

/** Elements of a slice along an axis of this extent. */
export function sliceLength({ begin, end, stride }: Slice, extent: number): number {
  const [from, to] = [begin, end].map((position) => clamp(position < 0 ? position + extent : position, extent))
  return Math.max(0, Math.ceil((to! - from!) / stride))
}

const clamp = (position: number, extent: number): number => Math.min(extent, Math.max(0, position))

/**
 * Entries of a sparse tensor added up by coordinate: entry i goes to row targets[i]. The scale of a sum is that of the
 * magnitudes times the square root of its additions; int32 wraps around.
 */
export function coalesce(
  targets: Tensor,
  indices: Tensor,
  values: Tensor,
  rows: number,
): { indices: Tensor; values: Tensor | { values: Float64Array; scale: Float64Array } } {
  const places = toFloat64(targets)
  const dimensions = indices.shape[1]!
  const coordinates = emptyTensor(indices.dtype, [rows, dimensions])
  const width = sizeOf(values.shape.slice(1))
  const sums = new Float64Array(rows * width)
  const scale = new Float64Array(rows * width)
  const additions = new Float64Array(rows).fill(-1)
  const addends = toFloat64(values)
  for (const [entry, row] of places.entries()) {
    bytesOf(coordinates, row * dimensions, dimensions).set(bytesOf(indices, entry * dimensions, dimensions))
    additions[row]! += 1
    for (let i = 0; i < width; i++) {
      const value = addends[entry * width + i]!
      sums[row * width + i]! += value
      scale[row * width + i]! += Math.abs(value)
    }
  }
  if (values.dtype === 'int32') {
    const result = emptyTensor('int32', [rows, ...values.shape.slice(1)])
    for (let i = 0; i < sums.length; i++) result.data[i] = sums[i]! % 2 ** 32
    return { indices: coordinates, values: result }
  }
  // However many they are, additions of much the same value may all be rounded the same way.
  for (let i = 0; i < scale.length; i++) scale[i]! *= additions[Math.floor(i / width)]!
  return { indices: coordinates, values: { values: sums, scale } }
}

// Elements as bytes; a complex one has two components.
function bytesOf({ dtype, data }: Tensor, from: number, count: number): Uint8Array {
  const width = data.BYTES_PER_ELEMENT * (dtype === 'complex64' ? 2 : 1)
  return new Uint8Array(data.buffer, data.byteOffset + from * width, count * width)
}
