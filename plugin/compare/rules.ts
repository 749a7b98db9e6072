import type {
  Accuracy,
  Answer,
  DType,
  KernelCase,
  TaskInterface,
  Tensor,
  TensorValue,
  Verdict,
} from '../model/index.ts'

/**
 * A golden output before its one rounding to the output dtype: float64 values for floating outputs (complex64: re and im
 * interleaved) and quantised int8 ones, the exact tensor for every other dtype and for bit copies. `scale` (same length) is
 * the magnitude the rounding errors of a correct kernel are proportional to, where that is not |value| itself: sum(|a||b|)
 * of a dot product, for instance.
 */
export type GoldenTensor = GoldenResult | GoldenChoice<GoldenResult>

/** One right result. */
export type GoldenResult = { values: Float64Array; scale?: Float64Array } | GoldenBlocks | Tensor

/**
 * A result that is one of several right ones: which of two equal elements was found, in which order, by which of two
 * definitions. `nearestTo` is given all outputs of a candidate, of the right structure, and returns the right result that is
 * nearest to them; the choice itself is golden where there is no candidate.
 */
export type GoldenChoice<T extends GoldenResult = Tensor> = T & {
  readonly nearestTo: (actual: Readonly<Record<string, TensorValue | undefined>>) => T
  /** the shape that a kernel has to tell of the output, where that follows from what it computes: what is behind it is not judged */
  readonly told?: readonly number[]
}

/** The same, computed a block at a time while it is compared: large element-wise outputs need no float64 copy. */
export interface GoldenBlocks {
  readonly length: number
  /** Computes components `start` … `start + values.length - 1`. */
  readonly block: (start: number, values: Float64Array) => void
  readonly scaleBlock?: (start: number, scale: Float64Array) => void
  /** where results are those of the bit patterns of a 16-bit tensor: result i is that of patterns[i] */
  readonly byPattern?: { readonly patterns: Uint16Array; readonly results: Float64Array }
}

/** Golden outputs by name; a list output is an array. */
export type GoldenOutputs = Record<string, GoldenTensor | readonly GoldenTensor[]>

/**
 * The admissible error of a result before its one rounding to the output dtype: absolute + relative * |golden| + scaled *
 * scale. An element is right if some value that close to golden rounds to it; all zero means golden, correctly rounded.
 */
export interface ErrorBound {
  absolute: number
  relative: number
  scaled?: number
}

/** The strict profile: the bound of one output of one case. Structure and non-finite positions are always checked first. */
export type ToleranceRule = (context: { case: KernelCase; output: string; dtype: DType }) => ErrorBound

/**
 * What the public benchmark does with one output, its defects included. It is asked once for each tensor and returns what
 * looks at it; rules hold no state of their own.
 */
export type BenchmarkRule = (context: {
  case: KernelCase
  output: string
  dtype: DType
  /** components of the tensor: twice its elements where they are complex */
  elements: number
}) => BenchmarkCheck

/** Looks at one tensor in consecutive blocks. */
export interface BenchmarkCheck {
  /**
   * False: rejected, whatever follows. `expected` is the reference before any rounding, which the rule rounds the way the
   * benchmark does; a complex number is never cut in two. Both arrays are the rule's own until the next
   * block.
   */
  readonly block: (expected: Float64Array, actual: Float64Array) => boolean
  /** True: elements that are finite and the reference, rounded once to the dtype, need not be shown. */
  readonly acceptsRounded?: boolean
  /** Asked when no block was rejected, by rules that count; true when left out. */
  readonly end?: () => boolean
  /** What the rule says of one element, as data: the standard profile repairs it. A rule without has no such form. */
  readonly tolerance?: ElementTolerance
}

/** A rule of the public benchmark for one element: |error| <= limit * max(1, |expected|). */
export interface ElementTolerance {
  readonly limit: number
  /** share of the elements of a tensor that may be wrong; 0 when absent */
  readonly share?: number
}

export interface ToleranceProfiles {
  strict: ToleranceRule
  benchmark: BenchmarkRule
  /** what other revisions of the public benchmark accept, by their names: they answer beside it and decide nothing */
  revisions?: Readonly<Record<string, BenchmarkRule>>
  /** outputs that say something in a case; all when absent */
  judged?: (kernelCase: KernelCase) => readonly string[]
}

/** What of a task a comparison looks at. */
export interface JudgedTask {
  readonly interface: TaskInterface
  readonly profiles: ToleranceProfiles
}

/** What a profile of ours says of the outputs of a case: the verdict on their values, with the worst element. */
export type Finding = Extract<Verdict, { kind: 'correct' | 'wrong-structure' | 'wrong-nonfinite' | 'wrong-value' }>

/** What comparing all outputs of a case came to, under every profile. */
export interface Judgement {
  standard: Finding
  strict: Finding
  /** the public benchmark's own answer, for comparability: it does not say where */
  benchmark: Answer
  /** those of its revisions, where the task names some */
  revisions?: Readonly<Record<string, Answer>>
  /** absent where not even the standard profile accepts */
  accuracy?: Accuracy
}

/** The profiles that say what is wrong, and where. */
export type JudgingProfile = Exclude<keyof Judgement, 'benchmark' | 'revisions' | 'accuracy'>
