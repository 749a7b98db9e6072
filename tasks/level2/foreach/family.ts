import {
  absoluteAndRelative,
  byDtype,
  dim,
  drawn,
  normal,
  oneOf,
  planted,
  randint,
  tensorList,
  uniform,
  widened,
  within,
  type BenchmarkRule,
  type Draw,
  type DType,
  type GoldenTensor,
  type KernelCase,
  type Row,
  type Tensor,
  type ToleranceRule,
} from 'vitest-npu'
import { unitLimits } from '../../unit-limits.ts'

// What the Foreach operators have in common: lists of 1 … 50 tensors, any shapes, one dtype per list.

type Shapes = readonly (readonly number[])[]

/** The lists most public rows use: tensors of 1, 15 and 24552 elements among them, so that nothing is aligned. */
export const odd: readonly Shapes[] = [
  [[1]],
  [[512, 3]],
  [[1, 3, 224, 224]],
  [[1], [15]],
  [
    [512, 3],
    [1024, 512, 128],
    [24, 1023],
  ],
  [[1], [15], [512, 3], [1024, 512, 128], [1, 3, 224, 224], [24, 1023]],
]

/** The lists of the others: every tensor is a multiple of 256 bytes. */
export const aligned: readonly Shapes[] = [
  [[48, 1024]],
  [[512, 2048]],
  [[24, 16, 128, 128]],
  [[8192], [2048]],
  [
    [512, 2048],
    [1024, 512, 128],
    [48, 2048],
  ],
  [[8192], [2048], [512, 2048], [1024, 512, 128], [24, 16, 128, 128], [512, 2048]],
]

/** The dtypes of the public rows, in their order. */
export const floats = ['float16', 'bfloat16', 'float32'] as const
export const numbers = [...floats, 'int32'] as const

/** Shapes of generated lists. */
export const shapes = dim.shapes({ max: 50, rank: 8 })

/**
 * The rows of a public list: for each dtype, one per list of shapes. `list` names the argument that gives them, `rest` the
 * other fields.
 */
export const rows = (
  lists: readonly Shapes[],
  dtypes: readonly DType[] = floats,
  { list = 'x', rest }: { list?: string; rest?: (row: { dtype: DType; shapes: Shapes }) => Row } = {},
): Row[] => dtypes.flatMap((dtype) => lists.map((shapes) => ({ [list]: shapes, dtype, ...rest?.({ dtype, shapes }) })))

/** The scalars 1, 2, 3, … of a public row, one for each tensor. */
export const counting = ({ shapes }: { shapes: Shapes }): Row => ({
  values: { scalars: shapes.map((_, index) => index + 1) },
})

/** A published draw for floats, and the published whole numbers -100 … 99 of int32 lists, where all of int32 is legal. */
export const orInt32 = (draw: Draw): Draw => byDtype(draw, { int32: int32 })
const int32 = within(-(2 ** 31), 2 ** 31 - 1, randint(-100, 99))

/** Normal numbers whose sums, doubles and products with small factors stay finite in every dtype, each step of them too. */
export const moderate = orInt32(within(-2048, 2048, normal()))

/** Factors whose products of three stay finite in every dtype. */
export const factors = orInt32(
  byDtype(within(-(2 ** 20), 2 ** 20, uniform(0, 1)), { float16: within(-64, 64, uniform(0, 1)) }),
)

/** The arguments of roots and logarithms: generated tensors may also hold numbers whose result is an infinity or NaN. */
export const orTooSmall = (draw: Draw, tooSmall: readonly number[] = [0, -1, -100]): Draw =>
  widened(draw, oneOf(draw, planted(draw, tooSmall)))

/** One of the given numbers at a time. */
export const pick = (values: readonly number[]): Draw =>
  drawn((target, { random }) => Array.from({ length: target.data.length }, () => values[random.below(values.length)]!))

/** Scalars for generated cases: exact in every dtype, so that it does not matter where a kernel rounds them. */
export const scalars = byDtype(pick([1, 0, -1, 0.5, -2.75, 3, 8, 0.03125]), {
  int32: randint(-9, 9),
  int64: randint(-9, 9),
})

/** Divisors for generated cases, not all exact: a float32 one is not to be rounded to the dtype of its list. */
export const divisors = pick([1, -1, 0.5, -2.75, 3, 8, 0.3, 1.2])

/** What every definition of the family starts with. */
export const foreach = (kernel: string) => ({ category: 'Foreach', kernel, maxElements: 2 ** 15 })

/** Dtypes of lists and of scalars that live on the device or come from the host, column by column. */
export const columns = {
  floats: ['float16', 'float32', 'bfloat16'],
  numbers: ['float16', 'float32', 'int32', 'bfloat16'],
  /** bfloat16 lists take a float32 scalar */
  floatScalar: ['float16', 'float32', 'float32'],
  scalar: ['float16', 'float32', 'int32', 'float32'],
  hostScalar: ['float32', 'float32', 'int64', 'float32'],
} as const

/** The public scalar 1.2, or 1 for int32, under the name the task gives it. */
export const twelveTenths =
  (name: string) =>
  ({ dtype }: { dtype: DType }): Row => ({ [name]: dtype === 'int32' ? 1 : 1.2 })

/** The public rule with two limits; bfloat16 results are compared with a reference that stays in float32. */
export const publicLimits = (others: number, bfloat16: number): BenchmarkRule =>
  absoluteAndRelative(({ dtype }) => (dtype === 'bfloat16' ? bfloat16 : others), {
    promoted: { bfloat16: 'float32' },
  })

interface Unary {
  kernel: string
  description: string
  dtypes?: readonly DType[]
  draw: Draw
  golden: (x: Tensor) => GoldenTensor
  strict: ToleranceRule
  benchmark?: { tolerance?: BenchmarkRule; note?: string }
  cases: readonly Row[]
}

/** Operators y[i] = f(x[i]). */
export const unary = ({ kernel, dtypes = columns.floats, draw, golden, ...rest }: Unary) => ({
  ...foreach(kernel),
  inputs: { x: tensorList({ dtype: dtypes, draw }) },
  outputs: { y: tensorList.like('x') },
  golden: ({ x }: { readonly x: readonly Tensor[] }) => ({ y: x.map(golden) }),
  domain: { x: shapes },
  ...rest,
})

/**
 * Computed in float32 by a few instructions and rounded once: sixteen roundings relative to the result (the library's
 * functions are sums of several terms) and two of 1, where a result near zero is the difference of larger numbers.
 */
export const byFloat32 =
  (absolute = 2 ** -22, relative = 2 ** -20): ToleranceRule =>
  () => ({ absolute, relative })

/** The same, or for float16 one instruction of that type, good to one unit in the last place. */
export const oneInstruction =
  (relative = 2 ** -21, absolute = 2 ** -126): ToleranceRule =>
  ({ dtype }) =>
    dtype === 'float16' ? { absolute: 2 ** -25, relative: 2 ** -11 } : { absolute, relative }

/** The limits of the public rule `ulpScaled`; an error of 1, or of its own size, passes in int32. */
export const unitsOrOne = ({ dtype }: { dtype: DType }): number => (dtype === 'int32' ? 1 : unitLimits({ dtype }))

/** The same where rows 6 … 11 hold float32 and are judged as the bfloat16 they are called. */
export const mislabelled = ({ case: { name }, dtype }: { case: KernelCase; dtype: DType }): number =>
  unitsOrOne({ dtype: /^static ([6-9]|1[01])$/.test(name) ? 'bfloat16' : dtype })

/**
 * A sum with a product of `roundings` steps, each rounded to float16 or, for every other float, to float32. `lost` is what
 * a float16 step may lose where it is subnormal, times the factors that follow.
 */
export const sumWithProduct =
  (roundings: number, lost = 2 ** -25): ToleranceRule =>
  ({ dtype }) =>
    dtype === 'float16'
      ? { absolute: lost, relative: 2 ** -24, scaled: roundings * 2 ** -11 }
      : { absolute: 2 ** -128, relative: 2 ** -24, scaled: (1 + roundings) * 2 ** -23 }
