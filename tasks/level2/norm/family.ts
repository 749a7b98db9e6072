import * as fc from 'fast-check'
import {
  absoluteAndRelative,
  dim,
  drawn,
  dtypeOf,
  roundBlock,
  shapeOf,
  sizeOf,
  tensorsOf,
  ulpScaled,
  uniform,
  within,
  type BenchmarkRule,
  type Draw,
  type DrawContext,
  type DType,
  type KernelCase,
  type Row,
  type Tensor,
  type ToleranceRule,
} from 'vitest-npu'
import { rowsOf } from '../../../references/golden/norm-layout.ts'
import { statisticsOf, type Quantity } from '../../../references/golden/norm.ts'
import { unitLimits } from '../../unit-limits.ts'

// What the normalisations have in common.

/** Squares and their sums stay finite, results fit into float16. */
export const content = within(-64, 64, uniform(0, 1))

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

/** Such rows: ranks up to 8, one to three normalised axes, `outer` leading ones at least. */
export const trailings = ({ outer = 0 }: { outer?: number } = {}): fc.Arbitrary<Row> =>
  fc
    .record({
      leading: dim.list({ min: outer, max: 5, last: { max: 512 } }),
      normalised: dim.list({ min: 1, max: 3, last: { max: 8192 } }),
    })
    .map(({ leading, normalised }) => trailing([...leading, ...normalised], normalised.length))

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

/** Mean or rstd of what went into the forward operator, as it would have given them. */
export const forward = (
  result: 'mean' | 'rstd',
  of: (arguments_: (name: string) => Tensor, context: DrawContext) => Quantity,
  { weights = 'gamma', epsilon }: { weights?: string; epsilon: (context: DrawContext) => number },
): Draw =>
  drawn((_, context) => {
    const input = (name: string) => tensorsOf(context.drawn[name])[0]!
    const x = of(input, context)
    const layout = rowsOf(x.length, sizeOf(context.shapes[weights]![0]!))
    return statisticsOf(x, layout, epsilon(context))[result]
  })

/** A bias of the shape of the input, of that of the weights, or none. */
export type Bias = 'present' | 'broadcast' | null
export const biases = fc.constantFrom<Bias>('present', 'broadcast', null)

/** A row with such a bias: `added` is its shape. */
export const withBias = (row: Row, bias: Bias): Row => ({
  ...row,
  ...(bias === null ? { bias: null } : { added: (bias === 'present' ? row.shape : row.normalised) ?? null }),
})

// Half a unit in the last place of a 16-bit number.
const units: Partial<Record<DType, number>> = { float16: 2 ** -11, bfloat16: 2 ** -8 }

/**
 * The strict bound of y, rstd and `sum` after an addition. 16-bit kernels may normalise the rounded sum, which is an
 * output as well: each element and, where all are rounded the same way, rstd. float16 ones may also round x * rstd
 * before they multiply by gamma.
 */
export const addRmsNormBound =
  ({ sum }: { sum: string }): ToleranceRule =>
  ({ case: kernelCase, output }) => {
    if (output === sum) return { absolute: 0, relative: 2 ** -24 }
    const float32 = summed(elementsOf(kernelCase, 'gamma'))
    const dtype = dtypeOf(kernelCase, 'x1')
    const unit = units[dtype] ?? 0
    if (output === 'rstd') return { absolute: 2 ** -126, relative: float32 + unit }
    const half = dtype === 'float16'
    return { absolute: half ? 2 ** -18 : 2 ** -126, relative: float32 + (half ? 3 : 2) * unit }
  }
