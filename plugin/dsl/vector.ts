import { neverRun, type Buffer, type Extent, type Mask } from './operand.ts'

// The vector primitives, as editors know them: made of the table in `primitives.ts` by `npm run docs`.

/** A + b. */
export function add(dst: Buffer, a: Buffer, b: Buffer, extent: Extent): void {
  void [dst, a, b, extent]
  return neverRun()
}

/** A - b. */
export function sub(dst: Buffer, a: Buffer, b: Buffer, extent: Extent): void {
  void [dst, a, b, extent]
  return neverRun()
}

/** A * b. */
export function mul(dst: Buffer, a: Buffer, b: Buffer, extent: Extent): void {
  void [dst, a, b, extent]
  return neverRun()
}

/** A / b. */
export function div(dst: Buffer, a: Buffer, b: Buffer, extent: Extent): void {
  void [dst, a, b, extent]
  return neverRun()
}

/** Bits of both. */
export function and(dst: Buffer, a: Buffer, b: Buffer, extent: Extent): void {
  void [dst, a, b, extent]
  return neverRun()
}

/** Bits of either. */
export function or(dst: Buffer, a: Buffer, b: Buffer, extent: Extent): void {
  void [dst, a, b, extent]
  return neverRun()
}

/** |src|. */
export function abs(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** E ^ src. */
export function exp(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The natural logarithm. */
export function ln(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The square root. */
export function sqrt(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Max(src, 0). */
export function relu(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The bits turned. */
export function not(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Src + scalar. */
export function adds(dst: Buffer, src: Buffer, scalar: number, extent: Extent): void {
  void [dst, src, scalar, extent]
  return neverRun()
}

/** Src * scalar. */
export function muls(dst: Buffer, src: Buffer, scalar: number, extent: Extent): void {
  void [dst, src, scalar, extent]
  return neverRun()
}

/** The larger of src and scalar. */
export function maxs(dst: Buffer, src: Buffer, scalar: number, extent: Extent): void {
  void [dst, src, scalar, extent]
  return neverRun()
}

/** The smaller of src and scalar. */
export function mins(dst: Buffer, src: Buffer, scalar: number, extent: Extent): void {
  void [dst, src, scalar, extent]
  return neverRun()
}

/** Src, times scalar where it is negative. */
export function leakyRelu(dst: Buffer, src: Buffer, scalar: number, extent: Extent): void {
  void [dst, src, scalar, extent]
  return neverRun()
}

/** Dst + src * scalar, rounded once. */
export function axpy(dst: Buffer, src: Buffer, scalar: number, extent: Extent): void {
  void [dst, src, scalar, extent]
  return neverRun()
}

/** Dst + a * b, rounded once. */
export function mulAddDst(dst: Buffer, a: Buffer, b: Buffer, extent: Extent): void {
  void [dst, a, b, extent]
  return neverRun()
}

/** Scalar everywhere. */
export function duplicate(dst: Buffer, scalar: number, extent: Extent): void {
  void [dst, scalar, extent]
  return neverRun()
}

/** First, first + 1, first + 2, …. */
export function arange(dst: Buffer, first: number, extent: Extent): void {
  void [dst, first, extent]
  return neverRun()
}

/** Src in the type of dst; a copy where the types are the same. Fractions are rounded to even, on the way to whole numbers cut off, unless `round` says else. */
export function cast(
  dst: Buffer,
  src: Buffer,
  extent: Extent,
  round?: 'none' | 'rint' | 'floor' | 'ceil' | 'round' | 'trunc',
): void {
  void [dst, src, extent, round]
  return neverRun()
}

/** A bit for each element: does a stand in this relation to b?. */
export function compare(
  dst: Mask,
  a: Buffer,
  b: Buffer,
  is: 'lt' | 'gt' | 'le' | 'ge' | 'eq' | 'ne',
  extent: Extent,
): void {
  void [dst, a, b, is, extent]
  return neverRun()
}

/** The same with a scalar. */
export function compares(
  dst: Mask,
  src: Buffer,
  scalar: number,
  is: 'lt' | 'gt' | 'le' | 'ge' | 'eq' | 'ne',
  extent: Extent,
): void {
  void [dst, src, scalar, is, extent]
  return neverRun()
}

/** A where the bit is set, else b. */
export function select(dst: Buffer, mask: Mask, a: Buffer, b: Buffer, extent: Extent): void {
  void [dst, mask, a, b, extent]
  return neverRun()
}

/** Src where the bit is set, else scalar. */
export function selects(dst: Buffer, mask: Mask, a: Buffer, scalar: number, extent: Extent): void {
  void [dst, mask, a, scalar, extent]
  return neverRun()
}

/** And of masks. */
export function maskAnd(dst: Mask, a: Mask, b: Mask, extent: Extent): void {
  void [dst, a, b, extent]
  return neverRun()
}

/** Or of masks. */
export function maskOr(dst: Mask, a: Mask, b: Mask, extent: Extent): void {
  void [dst, a, b, extent]
  return neverRun()
}

/** Not of masks. */
export function maskNot(dst: Mask, a: Mask, extent: Extent): void {
  void [dst, a, extent]
  return neverRun()
}

/** 1 where the bit is set, else 0, as int8, uint8 or bool. */
export function fromMask(dst: Buffer, mask: Mask, extent: Extent): void {
  void [dst, mask, extent]
  return neverRun()
}

/** A bit where int8, uint8 or bool is not 0. */
export function toMask(dst: Mask, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Add with values[row] in each place. */
export function addRows(dst: Buffer, src: Buffer, values: Buffer, extent: Extent): void {
  void [dst, src, values, extent]
  return neverRun()
}

/** Sub with values[row] in each place. */
export function subRows(dst: Buffer, src: Buffer, values: Buffer, extent: Extent): void {
  void [dst, src, values, extent]
  return neverRun()
}

/** Mul with values[row] in each place. */
export function mulRows(dst: Buffer, src: Buffer, values: Buffer, extent: Extent): void {
  void [dst, src, values, extent]
  return neverRun()
}

/** Div with values[row] in each place. */
export function divRows(dst: Buffer, src: Buffer, values: Buffer, extent: Extent): void {
  void [dst, src, values, extent]
  return neverRun()
}

/** Add with values[column] in each place. */
export function addColumns(dst: Buffer, src: Buffer, values: Buffer, extent: Extent): void {
  void [dst, src, values, extent]
  return neverRun()
}

/** Sub with values[column] in each place. */
export function subColumns(dst: Buffer, src: Buffer, values: Buffer, extent: Extent): void {
  void [dst, src, values, extent]
  return neverRun()
}

/** Mul with values[column] in each place. */
export function mulColumns(dst: Buffer, src: Buffer, values: Buffer, extent: Extent): void {
  void [dst, src, values, extent]
  return neverRun()
}

/** Div with values[column] in each place. */
export function divColumns(dst: Buffer, src: Buffer, values: Buffer, extent: Extent): void {
  void [dst, src, values, extent]
  return neverRun()
}

/** Dst[row]: the sum of each row. */
export function rowSum(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Dst[row]: the max of each row. */
export function rowMax(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Dst[row]: the min of each row. */
export function rowMin(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Dst[0]: the sum of all elements. */
export function reduceSum(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Dst[0]: the max of all elements. */
export function reduceMax(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Dst[0]: the min of all elements. */
export function reduceMin(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** 1 / src, correctly rounded (the instruction Reciprocal is a look-up, good to 0.3 %). */
export function reciprocal(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Src[index], index in elements as int32. */
export function gather(dst: Buffer, src: Buffer, index: Buffer, extent: Extent): void {
  void [dst, src, index, extent]
  return neverRun()
}

/** The hyperbolic tangent. */
export function tanh(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The hyperbolic sine. */
export function sinh(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The hyperbolic cosine. */
export function cosh(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The sine, within [-65504, 65504]. */
export function sin(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The cosine, within [-65504, 65504]. */
export function cos(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The tangent, within [-65504, 65504]. */
export function tan(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The arc sine. */
export function asin(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The arc cosine. */
export function acos(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The arc tangent. */
export function atan(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The error function. */
export function erf(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** 1 minus the error function. */
export function erfc(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The whole number below. */
export function floor(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The whole number above. */
export function ceil(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Without the fraction. */
export function trunc(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The nearest whole number, halves to even. */
export function round(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** -1, 0 or 1. */
export function sign(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Dst[column]: the sum of each column, row after row. */
export function columnSum(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Dst[column]: the product of each column, row after row. */
export function columnProduct(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Dst[column]: the max of each column, row after row. */
export function columnMax(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Dst[column]: the min of each column, row after row. */
export function columnMin(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** The sum of each row up to an element, itself included; backward: from it to the end. */
export function runningSum(dst: Buffer, src: Buffer, extent: Extent, direction?: 'forward' | 'backward'): void {
  void [dst, src, extent, direction]
  return neverRun()
}

/** The product of each row up to an element, itself included; backward: from it to the end. */
export function runningProduct(dst: Buffer, src: Buffer, extent: Extent, direction?: 'forward' | 'backward'): void {
  void [dst, src, extent, direction]
  return neverRun()
}

/** Dst[row]: the element of each row in this column. */
export function pick(dst: Buffer, src: Buffer, column: number, extent: Extent): void {
  void [dst, src, column, extent]
  return neverRun()
}

/** Dst[row][i]: the sum of src[row][first + i * step + k] for k < size, of those places that lie in [0, width). */
export function windowSum(
  dst: Buffer,
  src: Buffer,
  size: number,
  step: number,
  first: number,
  width: number,
  extent: Extent,
): void {
  void [dst, src, size, step, first, width, extent]
  return neverRun()
}

/** Dst[row][i]: the max of src[row][first + i * step + k] for k < size, of those places that lie in [0, width). */
export function windowMax(
  dst: Buffer,
  src: Buffer,
  size: number,
  step: number,
  first: number,
  width: number,
  extent: Extent,
): void {
  void [dst, src, size, step, first, width, extent]
  return neverRun()
}

/** Dst[i]: the sum of the rows src[first + i * step + k] for k < size, of those that lie in [0, height). */
export function windowRowsSum(
  dst: Buffer,
  src: Buffer,
  size: number,
  step: number,
  first: number,
  height: number,
  extent: Extent,
): void {
  void [dst, src, size, step, first, height, extent]
  return neverRun()
}

/** Dst[i]: the max of the rows src[first + i * step + k] for k < size, of those that lie in [0, height). */
export function windowRowsMax(
  dst: Buffer,
  src: Buffer,
  size: number,
  step: number,
  first: number,
  height: number,
  extent: Extent,
): void {
  void [dst, src, size, step, first, height, extent]
  return neverRun()
}

/** Dst[i]: the sum of src[i] of all cores, in their order; every core has to come here. */
export function allReduceSum(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Dst[i]: the max of src[i] of all cores, in their order; every core has to come here. */
export function allReduceMax(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}

/** Dst[i]: the min of src[i] of all cores, in their order; every core has to come here. */
export function allReduceMin(dst: Buffer, src: Buffer, extent: Extent): void {
  void [dst, src, extent]
  return neverRun()
}
