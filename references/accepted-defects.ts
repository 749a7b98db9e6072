import type { JudgingProfile } from '../plugin/compare/index.ts'
import { sizeOf, type KernelCase, type TensorSpec } from '../plugin/model/index.ts'
import { specsOf, type KernelTask } from '../plugin/task/index.ts'
import { defectSizes } from './typical-defects.ts'

/** Elements of a case that may all happen to be near enough to golden, whatever the defect. */
const FEW = 64

const steps = 'a right kernel may round its steps to float16'
const change = 'the scale of golden is an admissible error itself, and smaller than this defect takes it for'

/** What strict bounds cover, by task and defect: the spec says what a right kernel may do. */
const withinStrict: Record<string, Record<string, string>> = {
  AddRmsNorm: { 'summed coarsely': change },
  AddRmsNormCast: { 'summed coarsely': change },
  AddSigmoidMulReduceSumD: { 'cut off instead of rounded': steps, 'summed coarsely': steps },
  FastGelu: { 'cut off instead of rounded': steps, 'summed coarsely': steps },
  FastGeluGrad: { 'cut off instead of rounded': steps, 'summed coarsely': steps },
  InplaceAddRmsNorm: { 'summed coarsely': change },
  InplaceFusedMatmulSoftmaxGrad: { 'scaled a little': 'differences of probabilities cancel, which are rounded' },
  Mla: { 'summed coarsely': change },
  MulMulReduceMeanDTwice: { 'summed coarsely': steps },
  RmsNormGrad: { 'through float16': 'the products behind dgamma may be rounded to the type of dy' },
  SelectReduceMaxDSubExpReduceSumDRealDiv: { 'cut off instead of rounded': steps },
  Swish: { 'cut off instead of rounded': steps },
}

/** The same for the standard profile, where the public limit is below the largest error that the defect can have. */
const withinStandard: Record<string, Record<string, string>> = {
  CrossEntropyLossGrad: {
    'cut off instead of rounded': 'the few large gradients happen to lose little, the others are near zero',
  },
  MeanReductionOverADimensionCustom: {
    'through float16': 'the means are far smaller than the elements, whose size the public limit goes by',
  },
  DequantSwigluQuant: { 'scaled a little': 'the scale of golden is 42 times the factor that is returned' },
  ForeachAddcdivScalar: { 'summed coarsely': 'what is added is small: the error is a tenth of the public limit' },
  MulSigmoid: { 'cut off instead of rounded': 'the public limit is 0.003, the largest error 0.0039' },
  MulSigmoidMulAddCustom: { 'summed coarsely': 'what is added is small: the error is a unit in the last place' },
}

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
