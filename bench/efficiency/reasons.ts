import type { KernelCase } from '../../plugin/model/index.ts'
import type { Bound } from './bounds.ts'

/** A row on the emulated device. */
export interface Measured {
  kernelCase: KernelCase
  latencyNs: number
  bound: Bound
  /** per cent of the latency that the bound is */
  share: number
  /** the pipe that works most of the time on the core that ends last, and per cent of the latency that it works */
  pipe: string
  busy: number
}

const panels = 'panels are read once for each block, at the pace of HBM: the clock knows no reads from L2'
const shared =
  'the clock gives each core that uses global memory the same share of it: a third is left to the cube cores'
const elements = 'single elements that the scalar unit waits for'

/** Why an operator stays below its aim where the busiest pipe does not say it, by task. */
const reasons: Record<string, string> = {
  BasicMatmul: panels,
  MatmulBias: panels,
  SplitkMatmul: panels,
  GroupedMatmulSliceK: panels,
  GroupedMatmulSliceM: panels,
  FlashAttentionScoreWithLargeHeadDim: `${shared}; scores and exponentials pass through it`,
  Gemm: shared,
  GroupGemm: shared,
  GroupedMatmulSliceKPerTokenDequant: shared,
  GroupedMatmulSliceMPerTokenDequant: shared,
  InplaceFusedMatmulSoftmaxGrad: shared,
  MatmulAdd: shared,
  OptimizedMatmul: `${shared}; rows are copied first`,
  PaddingMatmul: `${shared}; rows are copied first`,
  QuantMatmul: shared,
  Mla: 'short: two products and what is between them, one after the other through the workspace',
  BatchNormV3: 'a core works on whole channels, of which some cores have one more, and reads long ones three times',
  CrossEntropyLossGrad: `the class of each sample: ${elements}`,
  FeedsRepeat: `how often each row is repeated: ${elements}, on every core`,
  GroupNormSwishGrad: `mean, deviation and sums of each group: ${elements}`,
  PreLayerNorm: 'gamma and beta are read again for each row, at the pace of HBM: the clock knows no reads from L2',
  MaskedSelectV3: 'the mask is read once to count and once more to select',
}

/** Per cent of the latency from which on a pipe is what a kernel waits for. */
const DECIDES = 45

const units: Record<string, string> = {
  V: 'vector instructions',
  S: 'single elements read by the scalar unit',
  MTE2: 'reads',
  MTE3: 'writes',
}

/** Why a measured row is below the aim. */
export function reasonOf(name: string, { bound, pipe, busy }: Measured): string {
  const known = reasons[name]
  if (known) return known
  if (busy >= DECIDES) return units[pipe] ?? pipe
  if (bound.from === 'launch') return 'short: no pipe is busy for half of the time'
  return 'unknown'
}
