import type * as fc from 'fast-check'
import type { GoldenOutputs, ToleranceProfiles } from '../compare/index.ts'
import type { Pattern } from './pattern.ts'
import type { Allocate, ArgumentSpec, AttributeValue, KernelCase, TaskInterface, TensorValue } from '../model/index.ts'

export type Inputs = Record<string, TensorValue>
export type Attributes = Record<string, AttributeValue>

/** Arguments as somebody has them: dtypes and shapes of tensors, attributes by name. */
export interface GivenCase {
  /** every input of the task; null for an absent one */
  readonly inputs: Readonly<Record<string, ArgumentSpec>>
  /** shapes of outputs, where the inputs do not say them; one shape for all tensors of a list */
  readonly outputs?: Readonly<Record<string, readonly number[]>>
  readonly attrs: Readonly<Record<string, AttributeValue>>
  /** column of dtypes; the first that the inputs fit where left out */
  readonly combination?: number
}

/** A task ready to be judged: everything a spec says, resolved and checked. */
export interface KernelTask {
  readonly interface: TaskInterface
  /** what the operator computes, as its spec says it */
  readonly description?: string
  /** shapes of inputs and outputs: patterns of extents, null where each case gives its own */
  readonly patterns: Readonly<Record<'inputs' | 'outputs', Readonly<Record<string, Pattern | null>>>>
  /** elements that an argument of a generated case has at most */
  readonly maxElements: number
  /** named by their id in the public list, `static <id>`, in its order */
  readonly staticCases: readonly KernelCase[]
  /** any legal case of the shape domain; draws the dtype combination, shapes, attributes and the seed */
  readonly domain: fc.Arbitrary<KernelCase>
  readonly profiles: ToleranceProfiles
  /** the case that somebody's tensors are; throws an error that names `place` and the argument that does not fit */
  caseOf(given: GivenCase, place: string): KernelCase
  /** draws every input of a case from its seed; deterministic across machines. `allocate` hands out zeros */
  draw(kernelCase: KernelCase, allocate?: Allocate): Inputs
  /** float64 or exact; throws on inputs outside the domain */
  golden(inputs: Inputs, kernelCase: KernelCase): GoldenOutputs
  /**
   * What the public reference computes, for the outputs where that is not golden rounded once: sums in the dtype, a
   * defect. Only the benchmark's own answer looks at it.
   */
  reference?(inputs: Inputs, kernelCase: KernelCase): GoldenOutputs
}
