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

/** A case made for an operator. Attributes and contents of inputs that it does not give are those of a drawn case. */
interface CustomCase {
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
const scattered = (shape: number[], extent: number, axis: -1 | -2, indice: number[], starts: number): CustomCase => ({
  shapes: {
    var: repeat(starts, shape),
    updates: [starts, ...shape.with(axis, extent)],
    indice: indice.length === starts ? [starts] : [starts, 2],
  },
  attrs: { reduce: 'update', axis },
  values: { indice, mask: repeat(starts, [1]).flat() },
})

/**
 * Rows longer than the stride of a copy can be; blocks so large that there is room for one accumulator; a sum that cores
 * share; blocks that are finished in full tiles; rows that are padded in several pieces.
 */
const extents: readonly [m: number, k: number, n: number][] = [
  [19, 70_001, 24],
  [33, 40, 70_001],
  [768, 1280, 1152],
  [100, 20_011, 90],
  [1024, 128, 1024],
  [40, 16_500, 300],
  [300, 40, 16_500],
]

type Product = (m: number, k: number, n: number) => CustomCase

const attention = (batch: number, rows: number, heads: number, depth: number): CustomCase => ({
  shapes: {
    ...all(['query', 'key', 'value', 'attention_out'], [batch, rows, heads * depth]),
    ...all(['softmax_max', 'softmax_sum'], [batch, heads, rows, 8]),
  },
  attrs: { head_num: heads },
})

/** Rows that are normalised: arguments of the shape of the rows, of one row, and numbers of each. */
const normalised = (full: readonly string[], vectors: readonly string[], scalars: readonly string[]): CustomCase[] =>
  wideRows.map(([count, width]) => ({
    shapes: { ...all(full, [count, width]), ...all(vectors, [width]), ...all(scalars, [count, 1]) },
  }))

/** Rows that come in tiles and stay, rows too long to stay, and so many that a step holds all it can. */
const wideRows: readonly [count: number, width: number][] = [
  [3, 13_011],
  [2, 40_011],
  [26_011, 24],
]

const highest = (x: number[], dim: number, k: number): CustomCase => ({
  shapes: { x, k: [], ...all(['values', 'indices'], x.with(dim, k)) },
  attrs: { dim, sorted: true },
  values: { k: [k] },
})

/** What operators call the matrices of a product, and what they need besides. */
const product: Product = (m, k, n) => ({
  shapes: { a: [m, k], b: [k, n], c: [m, n], d: [m, n], bias: [n], scale: [n], per_token_scale: [m] },
})

/** One group of all rows, or of all terms. */
const grouped =
  (by: 'm' | 'k'): Product =>
  (m, k, n) => ({
    shapes: {
      a: [m, k],
      b: by === 'm' ? [1, k, n] : [k, n],
      c: [m * n],
      scale: [1, n],
      per_token_scale: by === 'm' ? [m] : [1, m],
      groupList: [1],
    },
    values: { groupList: [by === 'm' ? m : k] },
  })

const products: Record<string, Product> = {
  BasicMatmul: product,
  BatchedMatmul: (m, k, n) => ({ shapes: { a: [1, m, k], b: [1, k, n], c: [1, m, n] } }),
  Gemm: product,
  GroupGemm: (m, k, n) => ({
    shapes: { a: [m * k], b: [k * n], c: [m * n], alpha: [1], beta: [1] },
    attrs: { mList: [m], kList: [k], nList: [n] },
  }),
  GroupedMatmulSliceK: grouped('k'),
  GroupedMatmulSliceKPerTokenDequant: grouped('k'),
  GroupedMatmulSliceM: grouped('m'),
  GroupedMatmulSliceMPerTokenDequant: grouped('m'),
  MatmulAdd: product,
  MatmulBias: product,
  OptimizedMatmul: product,
  PaddingMatmul: product,
  QuantMatmul: product,
  SplitkMatmul: product,
}

/**
 * What neither public cases nor small generated ones reach: tensors so large that every step fills its buffers, and
 * sizes at which the operator takes another way.
 */
const further: Record<string, readonly CustomCase[]> = {
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
  AddRmsNorm: normalised(['x1', 'x2', 'y', 'x'], ['gamma'], ['rstd']),
  AddRmsNormCast: normalised(['x1', 'x2', 'y1', 'y2', 'x'], ['gamma'], ['rstd']),
  DeepNorm: normalised(['x', 'gx', 'y'], ['beta', 'gamma'], ['mean', 'rstd']),
  InplaceAddRmsNorm: normalised(['x1', 'x2'], ['gamma'], ['rstd']),
  RmsNormGrad: [
    ...normalised(['dy', 'x', 'dx'], ['gamma', 'dgamma'], ['rstd']),
    // several long rows for each core
    { shapes: { ...all(['dy', 'x', 'dx'], [101, 9011]), ...all(['gamma', 'dgamma'], [9011]), rstd: [101, 1] } },
  ],
  // channels longer than a tile
  GroupNormSwishGrad: [
    {
      shapes: {
        ...all(['dy', 'x', 'dx'], [2, 6, 13_011]),
        ...all(['mean', 'rstd'], [2, 2]),
        ...all(['gamma', 'beta', 'dgamma', 'dbeta'], [6]),
      },
      attrs: { num_groups: 2, dgamma_is_require: true, dbeta_is_require: true },
    },
  ],
  // more classes than fit, with their weights or without
  CrossEntropyLoss: [13_011, 40_011].flatMap((classes) =>
    [0, 0.1].map((smoothing) => ({
      shapes: {
        ...all(['input', 'log_prob'], [3, classes]),
        ...all(['target', 'lse_for_zloss'], [3]),
        weight: [classes],
        loss: [],
      },
      attrs: { reduction: 'mean', label_smoothing: smoothing },
    })),
  ),
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
  // heads as deep as those of the larger public cases
  FlashAttentionScoreWithLargeHeadDim: [
    attention(1, 300, 4, 128),
    attention(1, 200, 2, 256),
    // rows longer than the stride of a copy can be
    attention(1, 20, 600, 128),
  ],
  // blocks so large that there is room for one accumulator only
  InplaceFusedMatmulSoftmaxGrad: [
    { shapes: { softmaxOutput: [1, 768, 1152], gradOutput: [1, 768, 1280], values: [1, 1152, 1280] } },
    // rows longer than the stride of a copy can be
    { shapes: { softmaxOutput: [1, 19, 24], gradOutput: [1, 19, 70_001], values: [1, 24, 70_001] } },
    // blocks whose rows fill whole tiles
    { shapes: { softmaxOutput: [1, 128, 6144], gradOutput: [1, 128, 64], values: [1, 6144, 64] } },
  ],
  // a vector of several panels
  Gemv: [{ shapes: { a: [60, 33_011], x: [33_011], y: [60], out: [60] } }],
  // lines that are sorted in pieces, also side by side, and of which more are kept than one list can hold
  TopKV3: [
    highest([3, 9000], 1, 700),
    highest([2, 9000, 3], 1, 1030),
    highest([2, 9000], 1, 6000),
    highest([5, 1100, 40], 1, 1100),
  ],
  Mla: [
    // rows longer than the stride of a copy can be
    {
      shapes: {
        ...all(['query_nope', 'out'], [1, 130, 512]),
        query_rope: [1, 130, 64],
        kv_nope_cache: [1, 128, 130, 512],
        kv_rope_cache: [1, 128, 130, 64],
        block_tables: [1, 1],
      },
      attrs: { q_seqlen_list: [1], k_seqlen_list: [37] },
      values: { block_tables: [0] },
    },
    // a sequence so long that its scores are several steps
    {
      shapes: {
        ...all(['query_nope', 'out'], [1, 64, 512]),
        query_rope: [1, 64, 64],
        kv_nope_cache: [6, 128, 1, 512],
        kv_rope_cache: [6, 128, 1, 64],
        block_tables: [1, 6],
      },
      attrs: { q_seqlen_list: [1], k_seqlen_list: [700] },
      values: { block_tables: [3, 0, 5, 1, 4, 2] },
    },
  ],
  ...Object.fromEntries(Object.entries(products).map(([name, made]) => [name, extents.map((each) => made(...each))])),
}

function reshaped(kernelCase: KernelCase, { shapes, attrs, values }: CustomCase, name: string): KernelCase {
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
export function casesForMutants(task: KernelTask): KernelCase[] {
  const { inputs, outputs, category } = task.interface
  const combinations = Math.max(...[...inputs, ...outputs].map(({ dtypes }) => dtypes.length))
  const first = casesOf(task, generatedPerCombination * combinations, small)
  const larger = category === 'GMM' ? casesOf(task, 4 * combinations, largeProduct) : casesOf(task, 0, large)
  const rest = larger.filter((kernelCase) => !first.includes(kernelCase))
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
