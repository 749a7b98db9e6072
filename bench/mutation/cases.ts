import type { ArgumentSpec, KernelCase, TensorSpec } from '../../plugin/model/index.ts'
import type { KernelTask } from '../../plugin/task/index.ts'
import { casesOf } from '../../references/cases-of.ts'

/** Elements of the largest argument: of the cases every mutant meets, and of the static ones that survivors meet as well. */
const small = 2 ** 15
const large = 2 ** 23
/** The same where every element is a sum of many products. */
const largeProduct = 1.7e6
const generatedPerCombination = 12

/** The shape of each tensor argument, or of each tensor of a list. */
type Shapes = Record<string, number[] | number[][]>

/** A problem made for an operator. An attribute or the content of an input that it does not give is that of a drawn case. */
interface Made {
  shapes: Shapes
  attrs?: KernelCase['attrs']
  /** of one dtype combination only; of each where there is none */
  combination?: number
  values?: Record<string, number[]>
}

const all = (names: readonly string[], shape: number[] | number[][]): Shapes =>
  Object.fromEntries(names.map((name) => [name, shape]))

const repeat = (count: number, shape: number[]): number[][] => Array.from({ length: count }, () => shape)

/** A list of tensors, updates of their last but one or of their last dimension, and where these go; no mask. */
const scattered = (shape: number[], extent: number, axis: -1 | -2, indice: number[], starts: number): Made => ({
  shapes: {
    var: repeat(starts, shape),
    updates: [starts, ...shape.with(axis, extent)],
    indice: indice.length === starts ? [starts] : [starts, 2],
  },
  attrs: { reduce: 'update', axis },
  values: { indice, mask: repeat(starts, [1]).flat() },
})

/**
 * What neither public cases nor small generated ones reach: tensors so large that every step fills its buffers, and
 * sizes at which the operator takes another way.
 */
const further: Record<string, readonly Made[]> = {
  Equal: [{ shapes: all(['x1', 'x2', 'y'], [3_200_037]) }],
  Gelu: [{ shapes: all(['x', 'y'], [3_300_037]) }],
  Sqrt: [{ shapes: all(['x', 'y'], [6_300_037]) }],
  ForeachAddList: [{ shapes: all(['x1', 'x2', 'y'], [[3_100_000], [17], [3_100_037]]) }],
  // several tiles for each of several rows; rows enough to fill the buffers
  RmsNorm: [
    { shapes: { x: [103, 20_011], gamma: [20_011], y: [103, 20_011], rstd: [103, 1] } },
    { shapes: { x: [26_011, 120], gamma: [120], y: [26_011, 120], rstd: [26_011, 1] } },
    { shapes: { x: [40_011, 24], gamma: [24], y: [40_011, 24], rstd: [40_011, 1] } },
  ],
  Tril: [
    { shapes: all(['x', 'y'], [400, 63, 65]) },
    { shapes: all(['x', 'y'], [205, 30_011]) },
    // segments that are kept whole
    { shapes: all(['x', 'y'], [205, 30_011]), attrs: { diagonal: 29_000 } },
    // matrices larger than a step, and steps of several small ones that end between repeats
    { shapes: all(['x', 'y'], [3, 411, 67]), attrs: { diagonal: 3 } },
    { shapes: all(['x', 'y'], [6400, 5, 7]), attrs: { diagonal: 1 } },
    // a diagonal that is farther down than the arithmetic on places reaches in one step
    { shapes: all(['x', 'y'], [1_100_000, 2]), attrs: { diagonal: -1_060_000 } },
  ],
  ScatterList: [
    // rows longer than a buffer, and short ones that fill it together
    { ...scattered([200, 2, 50_021], 2, -2, [0, 2], 1), combination: 0 },
    { ...scattered([21_000, 1, 1000], 1, -2, [0, 1], 1), combination: 0 },
    // few elements of a long row, which has room for pieces that stay empty
    scattered([2049], 2049, -1, [0, 3, 5, 8, 2000, 1, 7, 2], 4),
    // where to begin and no lengths: the whole extent of the updates
    scattered([7, 40, 33], 9, -2, [0, 31, 11], 3),
  ],
  // rows longer than the stride of a copy can be
  BasicMatmul: [
    { shapes: { a: [19, 70_001], b: [70_001, 24], c: [19, 24] } },
    { shapes: { a: [33, 40], b: [40, 70_001], c: [33, 70_001] } },
  ],
}

function reshaped(kernelCase: KernelCase, { shapes, attrs, values }: Made, name: string): KernelCase {
  const change = (side: KernelCase['inputs']): KernelCase['inputs'] =>
    Object.fromEntries(
      Object.entries(side).map(([argument, spec]) => [argument, withShape(spec, shapes[argument], values?.[argument])]),
    )
  const [inputs, outputs] = [change(kernelCase.inputs), change(kernelCase.outputs)]
  return { ...kernelCase, name, inputs, outputs, attrs: { ...kernelCase.attrs, ...attrs } }
}

function withShape(
  spec: ArgumentSpec,
  wanted: number[] | number[][] | undefined,
  values: number[] | undefined,
): ArgumentSpec {
  if (spec === null || (wanted === undefined && values === undefined)) return spec
  const dtype = isList(spec) ? spec[0]?.dtype : spec.dtype
  if (dtype === undefined) return spec
  const shape = wanted ?? (values ? [values.length] : [])
  const nested = shape.flatMap((part) => (typeof part === 'number' ? [] : [part]))
  if (isList(spec)) return nested.map((each) => ({ dtype, shape: each }))
  const flat = { dtype, shape: shape.flatMap((part) => (typeof part === 'number' ? [part] : [])) }
  return values ? { ...flat, values } : flat
}

const isList = (spec: TensorSpec | readonly TensorSpec[]): spec is readonly TensorSpec[] => Array.isArray(spec)

/**
 * Small cases first, those of one combination after the other: a mutant is built for the next one when it has passed those of
 * the last. Then the larger static ones, where tiles repeat, then the ones made for the operator.
 */
export function problemsOf(task: KernelTask): KernelCase[] {
  const { inputs, outputs, category } = task.interface
  const combinations = Math.max(...[...inputs, ...outputs].map(({ dtypes }) => dtypes.length))
  const first = casesOf(task, generatedPerCombination * combinations, small)
  const rest = casesOf(task, 0, category === 'GMM' ? largeProduct : large).filter(
    (kernelCase) => !first.includes(kernelCase),
  )
  const patterns = Array.from({ length: combinations }, (_, i) => first.find(({ combination }) => combination === i))
  const made = (further[task.interface.name] ?? []).flatMap((problem, i) =>
    patterns.flatMap((pattern) =>
      pattern && pattern.combination === (problem.combination ?? pattern.combination)
        ? [reshaped(pattern, problem, `made ${i}`)]
        : [],
    ),
  )
  return [...first.toSorted((one, other) => one.combination - other.combination), ...rest, ...made]
}
