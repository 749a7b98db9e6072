import { judge } from '../plugin/compare/index.ts'
import { roundTo } from '../plugin/compare/round.ts'
import { encode, toFloat64 } from '../plugin/inputs/index.ts'
import type { KernelCase, Tensor, TensorValue } from '../plugin/model/index.ts'
import {
  specsOf,
  tensorsOf,
  type Attributes,
  type GoldenOutputs,
  type Inputs,
  type KernelTask,
} from '../plugin/task/index.ts'
import { casesOf } from './cases-of.ts'
import { perfect, poison } from './trivial-candidates.ts'

/** A kernel as arithmetic: what it would leave in one output of a task, in float64 before the store. */
export type Kernel = (
  inputs: Record<string, Float64Array>,
  attrs: Attributes,
  shapes: Record<string, readonly number[]>,
  position: number,
) => number[]

/** The roundings of a kernel's steps. */
export const single = Math.fround
export const half = (value: number): number => roundTo('float16', value)

interface Sample {
  kernelCase: KernelCase
  inputs: Inputs
  golden: GoldenOutputs
}

// Generated cases, and elements of their largest argument.
const usual = { cases: 60, elements: 2 ** 12 }

// Drawing cases and computing golden costs more than judging them.
const sampled = new Map<KernelTask, Sample[]>()

function samplesOf(task: KernelTask, { cases, elements }: typeof usual): Sample[] {
  let samples = sampled.get(task)
  if (!samples) {
    samples = casesOf(task, cases, elements).map((kernelCase) => {
      const inputs = task.draw(kernelCase)
      return { kernelCase, inputs, golden: task.golden(inputs, kernelCase) }
    })
    sampled.set(task, samples)
  }
  return samples
}

/** Runs a kernel on every case of the named dtype of the first input; the names of its verdicts, once each. */
export function verdictsOf(
  task: KernelTask,
  output: string,
  kernel: Kernel,
  only: (dtype: string) => boolean = () => true,
  sample = usual,
): string[] {
  const kinds = new Set<string>()
  for (const { kernelCase, inputs, golden } of samplesOf(task, sample)) {
    if (!only(specsOf(Object.values(kernelCase.inputs)[0])[0]!.dtype)) continue
    const actual = perfect(kernelCase, golden)
    for (const [position, tensor] of tensorsOf(actual[output]).entries()) {
      const present = Object.entries(inputs).filter(([, value]) => value !== null)
      const parts = present.map(([key, value]): [string, Tensor] => [key, partOf(value, position)])
      const values = kernel(
        Object.fromEntries(parts.map(([key, part]) => [key, toFloat64(part)])),
        kernelCase.attrs,
        Object.fromEntries(parts.map(([key, part]) => [key, part.shape])),
        position,
      )
      encode(Float64Array.from(values), tensor)
    }
    kinds.add(judge(task, kernelCase, golden, actual, poison).strict.kind)
  }
  return [...kinds]
}

/** The tensor of a list that goes with one output, or the one all share. */
export function partOf(value: TensorValue, position: number): Tensor {
  const tensors = tensorsOf(value)
  return tensors[Math.min(position, tensors.length - 1)]!
}
