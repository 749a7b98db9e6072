import * as fc from 'fast-check'
import {
  absoluteAndRelative,
  byDtype,
  dim,
  drawn,
  dtypeOf,
  oneOf,
  roundBlock,
  shapeOf,
  shifted,
  sizeOf,
  tensorsOf,
  ulpScaled,
  uniform,
  widened,
  within,
  type BenchmarkRule,
  type Draw,
  type DrawContext,
  type DType,
  type ErrorBound,
  type KernelCase,
  type Row,
  type ToleranceRule,
} from 'vitest-npu'
import { rowsOf } from '../../../references/golden/norm-layout.ts'
import { statisticsOf, sumOf } from '../../../references/golden/norm.ts'
import { unitLimits } from '../../unit-limits.ts'

// What the normalisations have in common.

/** Squares and their sums stay finite, results fit into float16. */
export const content = within(-64, 64, uniform(0, 1))

/**
 * What is normalised about its mean. Generated float32 tensors may lie so far from 0 that a mean of squares less the square of the mean
 * has no digit of the variance left; no 16-bit number has both a distance from 0 and digits.
 */
export const offCentre = (draw: Draw): Draw =>
  byDtype(draw, { float32: widened(draw, oneOf(draw, shifted(4096, draw), shifted(-4096, draw))) })

/** Shape domains of operators that normalise the last axis. */
export const rows = dim.list({ max: 7, last: { max: 512 } })
export const width = dim({ max: 16384, near: [8, 64, 128, 4096] })

/**
 * A row whose last axes are normalised: `shape` is that of the input, `normalised` that of the weights, `reduced` that of
 * the statistics.
 */
export const trailing = (shape: readonly number[], axes: number): Row => ({
  shape,
  normalised: shape.slice(shape.length - axes),
  reduced: shape.map((extent, axis) => (axis < shape.length - axes ? extent : 1)),
})

/**
 * Such rows: ranks up to 8, one to three normalised axes, `outer` leading ones at least; `flag` names an argument that is
 * absent in half of them.
 */
export const trailings = ({ outer = 0, flag }: { outer?: number; flag?: string } = {}): fc.Arbitrary<Row> =>
  fc
    .record({
      leading: dim.list({ min: outer, max: 5, last: { max: 512 } }),
      normalised: dim.list({ min: 1, max: 3, last: { max: 8192 } }),
      absent: fc.boolean(),
    })
    .map(({ leading, normalised, absent }) => ({
      ...trailing([...leading, ...normalised], normalised.length),
      ...(flag !== undefined && absent && { [flag]: null }),
    }))

/**
 * The float32 roundings of a sum of `count` terms, in lanes or one after the other, and of a few steps around it: those of
 * a long sum are random and grow with its root.
 */
export const summed = (count: number): number => (16 + Math.sqrt(count)) * 2 ** -24

/** Elements of an argument of a case. */
export const elementsOf = (kernelCase: KernelCase, argument: string): number => sizeOf(shapeOf(kernelCase, argument))

/** The public rule `ulpScaled` with the limit of the dtype of `argument` for every output. */
export const unitLimitsOf = (argument: string): BenchmarkRule =>
  ulpScaled(({ case: kernelCase }) => unitLimits({ dtype: dtypeOf(kernelCase, argument) }))

/** The public rule of the in-place operators: 0.01 for 16-bit inputs, 0.001 for float32 ones. */
export const inPlaceRule: BenchmarkRule = absoluteAndRelative(({ case: kernelCase }) =>
  dtypeOf(kernelCase, 'x1') === 'float32' ? 1e-3 : 1e-2,
)

/** A rule for a reference that rounds its results to the dtype of `argument`, wider as the outputs of the kernel may be. */
export const roundedLike =
  (argument: string, rule: BenchmarkRule): BenchmarkRule =>
  (context) => {
    const dtype: DType = dtypeOf(context.case, argument)
    const check = rule(context)
    if (dtype === context.dtype) return check
    const block: typeof check.block = (expected, actual) => {
      const reference = expected.slice()
      roundBlock(dtype, reference)
      return check.block(reference, actual)
    }
    return { ...check, block }
  }

/** What an input was in the forward operator, which drew it as a result of `terms`: their root mean square is a `root`. */
export const forward = (
  result: 'mean' | 'rstd' | 'root',
  terms: readonly [string, ...string[]],
  {
    epsilon,
    factor = () => 1,
  }: { epsilon: (context: DrawContext) => number; factor?: (context: DrawContext) => number },
): Draw =>
  drawn(({ data }, context) => {
    const [first, ...rest] = terms.map((name) => tensorsOf(context.drawn[name])[0]!)
    const x = sumOf([factor(context), first!], ...rest)
    const layout = rowsOf(x.length, x.length / data.length)
    if (result !== 'root') return statisticsOf(x, layout, epsilon(context))[result]
    const { mean, variance } = statisticsOf(x, layout, 0)
    const roots = variance.map((value, row) => 1 / Math.sqrt(value + mean[row]! ** 2 + epsilon(context)))
    // published as a number of the dtype
    if (!context.adversarial) roundBlock(first!.dtype, roots)
    return roots
  })

/** The strict bound of gradients: float32 throughout, sums over a row for dx and over all rows for those of the weights. */
export const gradientBound = ({ case: kernelCase, output }: Parameters<ToleranceRule>[0]): ErrorBound => {
  const [elements, weights] = [elementsOf(kernelCase, 'dy'), elementsOf(kernelCase, 'gamma')]
  if (output === 'dgamma' || output === 'dbeta') return columnBound(elements / weights)
  return { absolute: 2 ** -110, relative: 0, scaled: summed(weights) }
}

/**
 * The strict bound of a sum of `count` terms that may cancel: roundings grow with the root of the count as far as the sum
 * grows itself, and hardly with terms that have cancelled.
 */
export const columnBound = (count: number): ErrorBound => ({
  absolute: 2 ** -110,
  relative: Math.sqrt(count) * 2 ** -24,
  scaled: (8 + Math.sqrt(count) / 4) * 2 ** -24,
})

/** A bias of the shape of the input, of that of the weights, or none. */
export type Bias = 'present' | 'broadcast' | null
export const biases = fc.constantFrom<Bias>('present', 'broadcast', null)

/** A row with such a bias: `added` is its shape. */
export const withBias = (row: Row, bias: Bias): Row => ({
  ...row,
  ...(bias === null ? { bias: null } : { added: (bias === 'present' ? row.shape : row.normalised) ?? null }),
})

/** Half a unit in the last place of a 16-bit number. */
export const units: Partial<Record<DType, number>> = { float16: 2 ** -11, bfloat16: 2 ** -8 }

/**
 * The strict bound of y, rstd and `sum` after an addition. 16-bit kernels may normalise the rounded sum, which is an
 * output as well, or take it for the elements or for rstd alone: golden says what that changes. float16 ones may also
 * round x * rstd before they multiply by gamma.
 */
export const addRmsNormBound =
  ({ sum }: { sum: string }): ToleranceRule =>
  ({ case: kernelCase, output }) => {
    if (output === sum) return { absolute: 0, relative: 2 ** -24 }
    const float32 = summed(elementsOf(kernelCase, 'gamma'))
    const dtype = dtypeOf(kernelCase, 'x1')
    const unit = units[dtype] ?? 0
    // of the changed result, whose roundings are relative to it
    const scaled = dtype === 'float32' ? 0 : 1 + 2 * unit
    if (output === 'rstd' || dtype !== 'float16') return { absolute: 2 ** -126, relative: float32, scaled }
    return { absolute: 2 ** -18, relative: float32 + unit, scaled }
  }

/** [N, C, ...] of rank 2 to 8 in groups of channels. */
export const images = fc
  .record({
    N: dim({ max: 128 }),
    groups: dim({ max: 128 }),
    each: dim({ max: 32 }),
    spatial: dim.list({ max: 6, last: { max: 2048 } }),
  })
  .map(({ N, groups, each, spatial }) => ({ shape: [N, groups * each, ...spatial], num_groups: groups }))
