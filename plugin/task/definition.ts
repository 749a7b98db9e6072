import type * as fc from 'fast-check'
import type { BenchmarkRule, GoldenTensor, ToleranceRule } from '../compare/rules.ts'
import type { AttributeValue, KernelCase, TaskArgument, Tensor } from '../model/index.ts'
import type { ArgumentDefinition } from './argument.ts'
import type { AttributeDefinition } from './attribute.ts'

/**
 * One case as a spec writes it: shapes by argument or extents by pattern variable, a number for a scalar tensor, null
 * for an absent argument, attributes and content columns by name; `dtype` is the column, or the dtype of the first
 * input where that is unambiguous; `values` fixes the content of small arguments. `id` is the row's number in the
 * public list where that is not the number of the row before plus one.
 */
export type Row = Readonly<Record<string, RowValue>>
export type RowValue =
  | AttributeValue
  | null
  | readonly number[]
  | readonly (readonly number[])[]
  | Readonly<Record<string, readonly number[]>>

type ArgumentValue<Kind extends TaskArgument['kind']> = Kind extends 'tensorList' ? readonly Tensor[] : Tensor

/** Golden's first parameter: the value of every input, null possible only for optional ones. */
export type InputsOf<I> = {
  readonly [K in keyof I]: I[K] extends ArgumentDefinition<infer Kind, infer Optional>
    ? ArgumentValue<Kind> | (Optional extends false ? never : null)
    : never
}

/** Golden's second parameter: the value of every attribute. */
export type AttrsOf<A> = {
  readonly [K in keyof A]: A[K] extends AttributeDefinition<infer Value> ? Value : never
}

export type Arguments = Readonly<Record<string, ArgumentDefinition>>
export type AttributeDefinitions = Readonly<Record<string, AttributeDefinition>>

/** A task as its spec states it. */
export interface TaskDefinition<
  I extends Arguments = Arguments,
  O extends Arguments = Arguments,
  A extends AttributeDefinitions = AttributeDefinitions,
> {
  /** group of the suite, where the folder of the spec does not say it; it must not say another */
  group?: string
  /** `level: 2` is short for `group: 'level2'` */
  level?: number
  category: string
  /** what it computes, in a sentence or two with its formula: for people and for prompts */
  description?: string
  /** symbol of the device entry point */
  kernel: string
  /** in kernel-argument order */
  inputs: I
  outputs: O
  attrs?: A
  /** columns of a row that say what its inputs hold; seen by their draws, never by a candidate */
  content?: AttributeDefinitions
  /** float64 or exact result of every output */
  golden: (
    inputs: InputsOf<I>,
    attrs: AttrsOf<A>,
    kernelCase: KernelCase,
  ) => { readonly [K in keyof O]: GoldenTensor | readonly GoldenTensor[] }
  /** rows to generate: one arbitrary per row field, or one of whole rows */
  domain: Readonly<Record<string, fc.Arbitrary<RowValue>>> | fc.Arbitrary<Row>
  /** generated cases keep every argument at or below this many elements; default 65536 */
  maxElements?: number
  /** admissible error of the strict profile */
  strict: ToleranceRule
  /** outputs that mean something in a case, where an attribute switches others off; all when left out */
  judged?: (kernelCase: KernelCase) => readonly (keyof O & string)[]
  /** what the public benchmark does; the default rule when left out */
  benchmark?: {
    tolerance?: BenchmarkRule
    /** what other revisions of it accept, by name: they answer beside it */
    revisions?: Readonly<Record<string, BenchmarkRule>>
    /** outputs it looks at, the same in all cases or by case; all when left out */
    outputs?: readonly (keyof O & string)[] | ((kernelCase: KernelCase) => readonly (keyof O & string)[])
    /**
     * What its reference computes, for the outputs where that is not golden rounded once (steps in the dtype itself,
     * defects). Values that the reference holds in the dtype are given rounded; `roundBlock` rounds a block of them.
     */
    reference?: (
      inputs: InputsOf<I>,
      attrs: AttrsOf<A>,
      kernelCase: KernelCase,
    ) => { readonly [K in keyof O]?: GoldenTensor | readonly GoldenTensor[] }
    /** its weakness, for people */
    note?: string
  }
  /** the public list, in order */
  cases: readonly Row[]
}

/** A defect of a spec: names the task, the place and what to do about it. */
export class DefinitionError extends Error {
  override name = 'DefinitionError'
  readonly task: string
  readonly place: string

  constructor(task: string, place: string, problem: string) {
    super(`task ${task}: ${place}: ${problem}`)
    this.task = task
    this.place = place
  }
}
