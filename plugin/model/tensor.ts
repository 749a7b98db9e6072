import { bytesOf, type DType } from './dtype.ts'

/** Raw element storage. float16 and bfloat16 are bit patterns, complex64 is interleaved (re, im) float32. */
export type Storage =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array

/** A dense, row-major tensor. `shape` is in elements; rank 0 is a scalar. */
export interface Tensor {
  readonly dtype: DType
  readonly shape: readonly number[]
  readonly data: Storage
}

/** What a kernel argument holds: a tensor, a list of tensors, or nothing (an optional argument left out). */
export type TensorValue = Tensor | readonly Tensor[] | null

const storages = {
  float16: Uint16Array,
  bfloat16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
  complex64: Float32Array,
} as const satisfies Record<DType, unknown>

/** Number of elements of a shape; 1 for rank 0. */
export const sizeOf = (shape: readonly number[]): number => shape.reduce((n, extent) => n * extent, 1)

/** Bytes that a dense tensor of this shape occupies in global memory. */
export const byteLengthOf = (dtype: DType, shape: readonly number[]): number => sizeOf(shape) * bytesOf(dtype)

/** Views bytes as elements of `dtype`. `byteOffset` must be a multiple of the element size. */
export function storageView(dtype: DType, buffer: ArrayBuffer, byteOffset: number, byteLength: number): Storage {
  const View = storages[dtype]
  return new View(buffer, byteOffset, byteLength / View.BYTES_PER_ELEMENT)
}

/** A zero-filled tensor. */
export function emptyTensor(dtype: DType, shape: readonly number[]): Tensor {
  const bytes = byteLengthOf(dtype, shape)
  return { dtype, shape, data: storageView(dtype, new ArrayBuffer(bytes), 0, bytes) }
}

/** How the memory of a tensor is come by. */
export type Allocate = (dtype: DType, shape: readonly number[]) => Tensor

/** The raw bytes of a tensor, without a copy. */
export const bytesView = (tensor: Tensor): Uint8Array =>
  new Uint8Array(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength)

/** `float16[4, 1023]`, the way a shape is shown to people. */
export const describeShape = (dtype: DType, shape: readonly number[]): string => `${dtype}[${shape.join(', ')}]`
