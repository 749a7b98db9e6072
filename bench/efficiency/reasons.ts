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
  /** per cent of the latency that this core waits for others */
  waits: number
}

const panels = 'panels are read once for each block of the result'
const elements = 'single elements that the scalar unit waits for'
const addresses = 'addresses of rows, which the scalar unit computes one by one'

/** Why an operator stays below its aim where the busiest pipe does not say it, by task. */
const reasons: Record<string, string> = {
  BasicMatmul: panels,
  MatmulBias: panels,
  SplitkMatmul: panels,
  GroupedMatmulSliceK: panels,
  GroupedMatmulSliceM: panels,
  GroupedMatmulSliceMPerTokenDequant: panels,
  FlashAttentionScoreWithLargeHeadDim: 'scores and exponentials pass through global memory',
  OptimizedMatmul: 'rows are copied first, by the vector cores',
  PaddingMatmul: 'rows are copied first, by the vector cores',
  Mla: 'short: two products and what is between them, one after the other through the workspace',
  BatchNormV3: 'a core works on whole channels, of which some cores have one more, and reads long ones three times',
  CrossEntropyLossGrad: `the class of each sample: ${elements}`,
  FeedsRepeat: `how often each row is repeated: ${elements}, on every core`,
  GroupNormSwishGrad: `mean, deviation and sums of each group: ${elements}`,
  MaskedSelectV3: 'the mask is read once to count and once more to select',
  ReverseSequence: addresses,
  StridedSliceAssignV2: addresses,
}

/** Per cent of the latency from which on a pipe is what a kernel waits for. */
const DECIDES = 45

const units: Record<string, string> = {
  V: 'vector instructions',
  S: 'single elements read by the scalar unit',
  MTE2: 'reads',
  MTE3: 'writes',
}

/** Lists of tensors come with where each begins and how long it is: 3 KiB that every core reads first. */
const hasLists = (name: string): boolean => name.startsWith('Foreach')

/** Why a measured row is below the aim. */
export function reasonOf(name: string, { bound, pipe, busy, waits }: Measured): string {
  const known = reasons[name]
  if (known) return known
  if (hasLists(name) && pipe !== 'V') return 'tiling data of lists, which the scalar unit reads line by line'
  if (busy >= DECIDES) return units[pipe] ?? pipe
  if (bound.from === 'launch') return 'short: no pipe is busy for half of the time'
  if (waits >= DECIDES) return 'cores wait for each other'
  return 'unknown'
}
