import type { GoldenTensor } from '../../plugin/compare/index.ts'
import { toFloat64 } from '../../plugin/inputs/index.ts'
import type { AttributeValue, DType, Tensor } from '../../plugin/model/index.ts'
import { geluOf } from '../../references/golden/activation.ts'
import {
  argmax,
  eachOf,
  logSoftmax,
  multiplied,
  pooled,
  pooledExtent,
  recurrent,
  scanned,
  selu,
  seluAlpha,
  seluScale,
  sigmoid,
  tripletLoss,
  type Window,
} from './formulas.ts'

/** Extents by name, e.g. `rows` and `columns`. */
export type Extents = Readonly<Record<string, number>>

/** An input as the card's harness made it: uniform in [0, high). */
export interface DrawnInput {
  shape: number[]
  /** 1 where left out; negative bounds are for weights, which are uniform in [-high, high) */
  high?: number
  signed?: boolean
  /** `lower`: zeros above the diagonal; `symmetric`: equal to its transpose */
  matrix?: 'lower' | 'symmetric'
}

/** What MultiKernelBench asks of an operator: the problem that the card ran, and its result. */
export interface ReferenceOperator {
  /** of the problem that the card ran */
  extents: Extents
  /** of the problems that are launched here, where that of the card needs gigabytes or minutes; a kernel has to be right on all */
  scaled?: readonly Extents[]
  /** tensors in the order in which the harness passes them */
  inputs: (extents: Extents) => DrawnInput[]
  /** what the harness passes to models, and what the formula has for other names that packs give attributes */
  attrs?: Readonly<Record<string, AttributeValue>>
  output: (extents: Extents) => { dtype: DType; shape: number[] }
  golden: (inputs: readonly Tensor[], extents: Extents) => GoldenTensor
}

const float = (shape: number[]): { dtype: DType; shape: number[] } => ({ dtype: 'float32', shape })
const of = (extents: Extents, ...names: string[]): number[] => names.map((name) => extents[name]!)

/** One value of x for each result. 6.4 GB of input on the card: here the same rows, fewer of them. */
const elementwise = (element: (value: number) => number, attrs = {}): ReferenceOperator => ({
  extents: { rows: 4096, columns: 393_216 },
  scaled: [{ rows: 32, columns: 393_216 }],
  inputs: (extents) => [{ shape: of(extents, 'rows', 'columns') }],
  attrs,
  output: (extents) => float(of(extents, 'rows', 'columns')),
  golden: ([x]) => eachOf(x!, element),
})

const square = (length: number, from: Extents, matrix?: 'lower' | 'symmetric'): ReferenceOperator => ({
  extents: { n: from['n']! },
  scaled: [{ n: length }],
  inputs: ({ n = 0 }) => Array.from({ length: 2 }, () => ({ shape: [n, n], ...(matrix && { matrix }) })),
  output: ({ n = 0 }) => float([n, n]),
  golden: ([a, b], { n = 0 }) => {
    const whole = multiplied(a!, b!, n, n, n)
    if (matrix === 'lower') for (let row = 0; row < n; row++) whole.fill(0, row * n + row + 1, (row + 1) * n)
    return { values: whole }
  },
})

interface Pooling {
  extents: Extents
  scaled?: readonly Extents[]
  spatial: string[]
  window: Window
  kind: 'max' | 'mean'
}

const pooling = ({ extents, scaled, spatial, window, kind }: Pooling): ReferenceOperator => ({
  extents,
  ...(scaled && { scaled }),
  inputs: (all) => [{ shape: of(all, 'batch', 'channels', ...spatial) }],
  attrs: {
    kernel_size: window.size,
    stride: window.stride,
    padding: window.padding,
    dilation: 1,
    return_indices: false,
    ceil_mode: false,
  },
  output: (all) =>
    float([...of(all, 'batch', 'channels'), ...of(all, ...spatial).map((extent) => pooledExtent(extent, window))]),
  golden: ([x]) => pooled(x!, window, kind),
})

/** Along rows of a matrix of a gibibyte on the card. */
const alongRows = (scan: (row: Float64Array) => void): ReferenceOperator => ({
  extents: { rows: 32_768, columns: 32_768 },
  scaled: [{ rows: 128, columns: 32_768 }],
  inputs: (extents) => [{ shape: of(extents, 'rows', 'columns') }],
  attrs: { dim: 1 },
  output: (extents) => float(of(extents, 'rows', 'columns')),
  golden: ([x]) => scanned(x!, scan),
})

/** The operators of the labels that MultiKernelBench has a reference of. */
export const operators: Readonly<Record<string, ReferenceOperator>> = {
  softplus: elementwise((x) => (x > 20 ? x : Math.log1p(Math.exp(x))), { beta: 1, threshold: 20 }),
  gelu: {
    ...elementwise((x) => x),
    golden: ([x]) => eachOf(x!, geluOf.erf),
  },
  min_gpt_new_gelu: {
    ...elementwise((x) => x),
    extents: { rows: 8192, columns: 8192 },
    scaled: [{ rows: 2048, columns: 8192 }],
    golden: ([x]) => eachOf(x!, geluOf.tanh),
  },
  relu: elementwise((x) => Math.max(x, 0)),
  selu: elementwise(selu, { scale: seluScale, alpha: seluAlpha }),
  sigmoid: elementwise(sigmoid),
  softsign: elementwise((x) => x / (1 + Math.abs(x))),
  log_softmax: {
    ...elementwise((x) => x, { dim: 1 }),
    golden: ([x]) => scanned(x!, logSoftmax),
  },
  cumprod: alongRows((row) => {
    for (let i = 1; i < row.length; i++) row[i]! *= row[i - 1]!
  }),
  cumsum_reverse: alongRows((row) => {
    for (let i = row.length - 2; i >= 0; i--) row[i]! += row[i + 1]!
  }),
  frobenius_norm: {
    extents: { batch: 128, channels: 64, height: 512, width: 512 },
    scaled: [{ batch: 1, channels: 64, height: 512, width: 512 }],
    inputs: (extents) => [{ shape: of(extents, 'batch', 'channels', 'height', 'width') }],
    output: (extents) => float(of(extents, 'batch', 'channels', 'height', 'width')),
    golden: ([x]) => {
      const norm = Math.sqrt(toFloat64(x!).reduce((sum, value) => sum + value * value, 0))
      return eachOf(x!, (value) => value / norm)
    },
  },
  argmax_over_a_dimension: {
    extents: { batch: 128, rows: 4096, columns: 4095 },
    scaled: [
      { batch: 1, rows: 4096, columns: 4095 },
      { batch: 128, rows: 32, columns: 4095 },
    ],
    inputs: (extents) => [{ shape: of(extents, 'batch', 'rows', 'columns') }],
    attrs: { dim: 1 },
    output: (extents) => ({ dtype: 'int64', shape: of(extents, 'batch', 'columns') }),
    golden: ([x]) => argmax(x!),
  },
  triplet_margin_loss: {
    extents: { rows: 32_768, columns: 8192 },
    scaled: [{ rows: 512, columns: 8192 }],
    inputs: (extents) => [
      { shape: of(extents, 'rows', 'columns'), high: 0.5 },
      { shape: of(extents, 'rows', 'columns') },
      { shape: of(extents, 'rows', 'columns') },
      // the harness of the card passes the margin as well
      { shape: [] },
    ],
    attrs: { margin: 1 },
    output: () => float([]),
    golden: (inputs) => tripletLoss(inputs, 1),
  },
  max_pooling_1d: pooling({
    extents: { batch: 64, channels: 192, length: 2048 },
    spatial: ['length'],
    window: { size: 8, stride: 1, padding: 4 },
    kind: 'max',
  }),
  max_pooling_2d: pooling({
    extents: { batch: 32, channels: 64, height: 512, width: 512 },
    scaled: [{ batch: 1, channels: 64, height: 512, width: 512 }],
    spatial: ['height', 'width'],
    window: { size: 4, stride: 1, padding: 1 },
    kind: 'max',
  }),
  max_pooling_3d: pooling({
    extents: { batch: 16, channels: 32, depth: 128, height: 128, width: 128 },
    scaled: [{ batch: 1, channels: 4, depth: 128, height: 128, width: 128 }],
    spatial: ['depth', 'height', 'width'],
    window: { size: 3, stride: 2, padding: 1 },
    kind: 'max',
  }),
  average_pooling_1d: pooling({
    extents: { batch: 64, channels: 128, length: 65_536 },
    scaled: [{ batch: 1, channels: 128, length: 65_536 }],
    spatial: ['length'],
    window: { size: 8, stride: 1, padding: 4 },
    kind: 'mean',
  }),
  matmul_for_lower_triangular_matrices: square(1024, { n: 4096 }, 'lower'),
  matmul_for_symmetric_matrices: square(1024, { n: 4096 }, 'symmetric'),
  matmul_with_transposed_both: {
    extents: { m: 2048, k: 8192, n: 4096 },
    scaled: [{ m: 512, k: 2048, n: 1024 }],
    inputs: (extents) => [{ shape: of(extents, 'k', 'm') }, { shape: of(extents, 'n', 'k') }],
    output: (extents) => float(of(extents, 'm', 'n')),
    golden: ([a, b], { m = 0, k = 0, n = 0 }) => ({
      values: multiplied(a!, b!, m, k, n, { transposedA: true, transposedB: true }),
    }),
  },
  gemm_sigmoid_scaling_residual_add: {
    extents: { rows: 1024, columns: 8192 },
    scaled: [{ rows: 128, columns: 2048 }],
    inputs: ({ rows = 0, columns = 0 }) => [
      { shape: [rows, columns] },
      { shape: [columns, columns], high: columns ** -0.5, signed: true },
      { shape: [columns], high: columns ** -0.5, signed: true },
      { shape: [] },
    ],
    attrs: { scaling: 2 },
    output: (extents) => float(of(extents, 'rows', 'columns')),
    golden: ([x, w, b], { rows: m = 0, columns: n = 0 }) => {
      const values = multiplied(x!, w!, m, n, n, { transposedB: true })
      const bias = toFloat64(b!)
      for (let i = 0; i < values.length; i++) {
        values[i]! += bias[i % n]!
        values[i]! += 2 * sigmoid(values[i]!)
      }
      return { values }
    },
  },
  vanilla_rnn_hidden: {
    extents: { steps: 256, batch: 8, width: 1024, hidden: 256, out: 128 },
    // 671 million steps of a scalar loop, which are minutes here
    scaled: [{ steps: 16, batch: 8, width: 1024, hidden: 256, out: 128 }],
    inputs: ({ steps = 0, batch = 0, width = 0, hidden = 0, out = 0 }) => [
      { shape: [steps, batch, width] },
      { shape: [batch, hidden] },
      { shape: [hidden, width + hidden], high: (width + hidden) ** -0.5, signed: true },
      { shape: [hidden], high: (width + hidden) ** -0.5, signed: true },
      { shape: [out, hidden], high: hidden ** -0.5, signed: true },
      { shape: [out], high: hidden ** -0.5, signed: true },
    ],
    output: (extents) => float(of(extents, 'steps', 'batch', 'out')),
    golden: (inputs) => recurrent(inputs),
  },
}
