import type { DType } from '../model/index.ts'
import { neverRun, type Buffer, type Extent, type Mask } from './operand.ts'

// The module `vitest-npu/dsl`: what editors and `tsc` know of programs. A program is data: nothing here is ever executed.

export * from './vector.ts'
export type { Buffer, Extent, Mask } from './operand.ts'

/** A kind of argument, in `inputs` and `outputs`. */
export interface Argument {
  readonly argument: 'tensor' | 'list'
}

interface TensorArgument extends Argument {
  readonly argument: 'tensor'
}

interface ListArgument extends Argument {
  readonly argument: 'list'
}

/** A tensor as the host part sees it. */
export interface HostTensor {
  /** elements */
  readonly size: number
  /** dimensions */
  readonly rank: number
  /** bytes of an element */
  readonly bytes: number
  /** whether an optional input is there */
  readonly given: boolean
  /** the extent of an axis, which counts from the end where it is negative */
  shape(axis: number): number
  /** the product of extents from one axis to another, which is left out: `x.product(0, -1)` for all but the last */
  product(from: number, to?: number): number
}

/** A list of tensors as the host part sees it. */
export interface HostList {
  /** tensors */
  readonly count: number
  /** elements of all of them */
  readonly size: number
  /** bytes of an element */
  readonly bytes: number
  readonly [index: number]: { readonly size: number }
}

/** A tensor in global memory, as the kernel sees it. */
export interface Tensor {
  readonly dtype: DType
}

/** A list of tensors in global memory, of one dtype. */
export interface TensorList {
  readonly dtype: DType
  /** tensors */
  readonly count: number
  /** elements of all of them */
  readonly size: number
  readonly [index: number]: ListItem
}

/** One tensor of a list. */
export interface ListItem {
  readonly size: number
}

/** An attribute, with the type of its value. */
export interface AttributeOf<T> {
  readonly value: T
}

type Values<A> = { readonly [K in keyof A]: A[K] extends AttributeOf<infer T> ? T : never }

/** What host returns. */
type Fields = Readonly<Record<string, number | boolean>>

export interface Operator<I, O, A, F extends Fields> {
  /** e.g. `RmsNorm` */
  readonly name: string
  /** the entry point of the kernel; left out: the name with small letters, `rms_norm` */
  readonly entry?: string
  readonly inputs: I
  readonly outputs: O
  readonly attrs?: A
  /** decides how work is shared: the number of cores, and what the kernel reads */
  host(
    given: { readonly [K in keyof I]: I[K] extends ListArgument ? HostList : HostTensor } & Values<A>,
    device: { readonly cores: number },
  ): F & { readonly blockDim: number }
  kernel(
    tensors: { readonly [K in keyof I | keyof O]: (I & O)[K] extends ListArgument ? TensorList : Tensor },
    fields: F,
    core: number,
  ): void
}

export function operator<
  const I extends Readonly<Record<string, Argument>>,
  const O extends Readonly<Record<string, Argument>>,
  F extends Fields,
  const A extends Readonly<Record<string, AttributeOf<unknown>>>,
>(definition: Operator<I, O, A, F>): Operator<I, O, A, F> {
  void definition
  return neverRun()
}

/** A tensor by its dtypes, a column each, and its shape: names, numbers, and `...rows` for any number of dimensions. */
export function tensor(dtypes: DType | readonly DType[], shape?: readonly (string | number)[]): TensorArgument {
  void [dtypes, shape]
  return neverRun()
}

/** With the shape and the dtypes of an input. */
tensor.like = (input: string): TensorArgument => {
  void input
  return neverRun()
}

/** Any number of tensors, of any shapes, by their dtypes, a column each. */
export function tensorList(dtypes: DType | readonly DType[]): ListArgument {
  void dtypes
  return neverRun()
}

/** With as many tensors as another list, of the same shapes and dtypes. */
tensorList.like = (input: string): ListArgument => {
  void input
  return neverRun()
}

/** An input that may be left out: `x.given` tells. */
export function optional(argument: TensorArgument): TensorArgument {
  void argument
  return neverRun()
}

export const attr = {
  int: (_initial?: number): AttributeOf<number> => neverRun(),
  float: (_initial?: number): AttributeOf<number> => neverRun(),
  bool: (_initial?: boolean): AttributeOf<boolean> => neverRun(),
  string: (_initial?: string): AttributeOf<string> => neverRun(),
  listInt: (_initial?: readonly number[]): AttributeOf<readonly number[]> => neverRun(),
  listFloat: (_initial?: readonly number[]): AttributeOf<readonly number[]> => neverRun(),
}

/** a / b, rounded up. */
export function ceilDiv(a: number, b: number): number {
  void [a, b]
  return neverRun()
}

/** The multiple of `unit` that is not below `value`. */
export function alignUp(value: number, unit: number): number {
  void [value, unit]
  return neverRun()
}

/** The smallest of numbers; of buffers, the smaller of each pair of elements: NaN wins. */
export function min(a: number, b: number, ...more: number[]): number
export function min(dst: Buffer, a: Buffer, b: Buffer, extent: Extent): void
export function min(...given: unknown[]): unknown {
  void given
  return neverRun()
}

/** The largest of numbers; of buffers, the larger of each pair of elements: NaN wins. */
export function max(a: number, b: number, ...more: number[]): number
export function max(dst: Buffer, a: Buffer, b: Buffer, extent: Extent): void
export function max(...given: unknown[]): unknown {
  void given
  return neverRun()
}

/** A whole number as a fraction: `/` between whole numbers cuts off. */
export function float(value: number): number {
  void value
  return neverRun()
}

/** A fraction without what stands behind the point. */
export function int(value: number): number {
  void value
  return neverRun()
}

/** The largest value up to `limit` with which all buffers fit into the unified buffer; 0 where there is none. */
export function fit(limit: number): number {
  void limit
  return neverRun()
}

/** Memory for elements, or for rows: `depth` says how many are in flight where it is loaded or stored (2). */
export function buffer(dtype: DType, size: Extent, options?: { readonly depth?: 1 | 2 }): Buffer {
  void [dtype, size, options]
  return neverRun()
}

/** Memory for a bit of each element. */
export function mask(size: Extent): Mask {
  void size
  return neverRun()
}

/** From `from` (0) up to `to`, which is left out, in steps (1). */
export function range(to: number): Iterable<number>
export function range(from: number, to: number, step?: number): Iterable<number>
export function range(...bounds: (number | undefined)[]): Iterable<number> {
  void bounds
  return neverRun()
}

/**
 * The part of a list that a core works on, if all elements are shared in order: tensors `i`, and of each the elements
 * `from` … `to`. Cores take over from each other at whole bursts, so that their shares differ a little.
 */
export function split(
  list: TensorList,
  core: number,
  share: number,
): Iterable<{ readonly i: number; readonly from: number; readonly to: number }> {
  void [list, core, share]
  return neverRun()
}

/** The stage that loads. */
export function copyIn(body: () => void): void {
  void body
  return neverRun()
}

/** The stage that computes. */
export function compute(body: () => void): void {
  void body
  return neverRun()
}

/** The stage that stores. */
export function copyOut(body: () => void): void {
  void body
  return neverRun()
}

/** Copies from a tensor, from its element `offset` on; rows begin `pitch` elements apart, or follow each other. */
export function load(
  to: Buffer,
  from: Tensor | ListItem | undefined,
  offset: number,
  extent: Extent,
  pitch?: number,
): void {
  void [to, from, offset, extent, pitch]
  return neverRun()
}

/** Copies to a tensor. */
export function store(
  to: Tensor | ListItem | undefined,
  offset: number,
  from: Buffer,
  extent: Extent,
  pitch?: number,
): void {
  void [to, offset, from, extent, pitch]
  return neverRun()
}

/**
 * `c[m, n] = a[m, k] * b[k, n]`, and `bias[n]` added to each row, with sums in float32 that are rounded once. Cube cores carry
 * it out for all cores together: it is the whole of a kernel.
 */
export function matmul(
  c: Tensor,
  a: Tensor,
  b: Tensor,
  extents: readonly [m: number, k: number, n: number],
  bias?: Tensor,
): void {
  void [c, a, b, extents, bias]
  return neverRun()
}

/** One element of a buffer, or of a tensor that nobody writes. */
export function get(from: Buffer | Tensor, index: number): number {
  void [from, index]
  return neverRun()
}

/** Writes one element of a buffer. */
export function set(to: Buffer, index: number, value: number): void {
  void [to, index, value]
  return neverRun()
}
