import type { JudgingProfile } from '../plugin/compare/index.ts'
import { sizeOf, type KernelCase, type TensorSpec } from '../plugin/model/index.ts'
import { specsOf, type KernelTask } from '../plugin/task/index.ts'
import { defectSizes } from './typical-defects.ts'

/** Elements of a case that may all happen to be near enough to golden, whatever the defect. */
const FEW = 64

const inHalf = 'the bound is that of steps in float16'

/** What strict bounds cover, by task and defect: the spec says which steps a right kernel may do. */
const withinStrict: Record<string, Record<string, string>> = {
  AddRmsNorm: { 'summed coarsely': inHalf },
}

/** The same for the standard profile, where no public limit as large as the defect explains it. */
const withinStandard: Record<string, Record<string, string>> = {}

/** Why a profile accepts a candidate that is not right, where that follows from its bounds. */
export function reasonToAccept(
  task: KernelTask,
  kernelCase: KernelCase,
  candidate: string,
  profile: JudgingProfile,
): string | undefined {
  const specs = judgedSpecs(task, kernelCase)
  const elements = specs.reduce((sum, [, { shape }]) => sum + sizeOf(shape), 0)
  if (elements <= FEW) return 'few elements, which happen to be near enough'
  const strict = withinStrict[task.interface.name]?.[candidate]
  if (strict !== undefined || profile === 'strict') return strict
  return withinPublicLimit(task, kernelCase, candidate, specs) ?? withinStandard[task.interface.name]?.[candidate]
}

function withinPublicLimit(
  task: KernelTask,
  kernelCase: KernelCase,
  candidate: string,
  specs: readonly [string, TensorSpec][],
): string | undefined {
  const size = defectSizes[candidate]
  if (!size) return undefined
  const limits = specs.flatMap(([output, { dtype, shape }]) => {
    const context = { case: kernelCase, output, dtype, elements: sizeOf(shape) }
    const limit = task.profiles.benchmark(context).tolerance?.limit ?? 0
    return limit >= size(dtype) ? [limit] : []
  })
  return limits.length > 0 ? `the public limit is ${Number(Math.max(...limits).toPrecision(3))}` : undefined
}

function judgedSpecs({ interface: { outputs }, profiles }: KernelTask, kernelCase: KernelCase): [string, TensorSpec][] {
  const judged = profiles.judged?.(kernelCase)
  return outputs
    .filter(({ name }) => !judged || judged.includes(name))
    .flatMap(({ name }) => specsOf(kernelCase.outputs[name]).map((spec): [string, TensorSpec] => [name, spec]))
}
