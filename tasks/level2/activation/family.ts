import * as fc from 'fast-check'
import {
  absoluteAndRelative,
  dim,
  drawn,
  type GoldenBlocks,
  type DType,
  type ErrorBound,
  type Row,
  type Tensor,
} from 'vitest-npu'

/** The limit of most public rules of this category. */
export const hundredth = absoluteAndRelative(0.01)
export const hundredthOfHalves = absoluteAndRelative({ float16: 0.01, bfloat16: 0.01, float32: 0.001 })

/** A shape, an axis of even extent and the shape without its second half. */
export const halvable: fc.Arbitrary<{ shape: number[]; half: number[]; axis: number }> = fc
  .record({ shape: dim.list({ min: 1, max: 8, last: { max: 4096 } }), axis: fc.nat({ max: 7 }), counted: fc.boolean() })
  .map(({ shape, axis, counted }) => {
    const at = axis % shape.length
    return { shape: shape.with(at, 2 * shape[at]!), half: shape, axis: counted ? at - shape.length : at }
  })

/** A public row of an operator that halves x along an axis. */
export const halved = (x: readonly number[], dtype: DType, axis: number): Row & { half: number[] } => {
  const at = axis < 0 ? axis + x.length : axis
  return { x, half: x.with(at, x[at]! / 2), dtype, dim: axis }
}

/** What the caller passes along although it follows from x: `compute(x)`, rounded to the dtype. */
export const computed = (compute: (x: Tensor, attrs: Readonly<Record<string, unknown>>) => GoldenBlocks) =>
  drawn((target, { drawn: { x }, attrs }) => {
    if (!x || !('data' in x)) throw new TypeError('there is no earlier tensor argument x')
    const values = new Float64Array(target.data.length)
    compute(x, attrs).block(0, values)
    return values
  })

/** Unit roundoff of the 16-bit types; 0 for float32, which a kernel computes in anyway. */
export const halfUnit = (dtype: DType): number => ({ float16: 2 ** -11, bfloat16: 2 ** -8 })[dtype as string] ?? 0

/** float32 inside, with `roundings` results rounded to the dtype on the way. */
export const withRoundings = (dtype: DType, roundings: number, bound: Required<ErrorBound>): ErrorBound => ({
  ...bound,
  relative: bound.relative + roundings * halfUnit(dtype),
})
