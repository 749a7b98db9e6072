import { sizeOf, type ArgumentSpec, type KernelCase, type TensorSpec } from '../../plugin/model/index.ts'
import { specsOf, type KernelTask } from '../../plugin/task/index.ts'
import { largestArgument } from '../../plugin/task/fit.ts'

/** Tasks beside those on lists that compute each element of tensors of one shape, and whose public rows are short. */
const elementwise = new Set(
  'Addcdiv Addcmul AddCustom CastMath CosMath Lerp Less LessEqual Equal MulSigmoid Muls Neg Rsqrt SinMath Spence TanhMath'.split(
    ' ',
  ),
)

/**
 * A static row of an element-wise task with as many times more elements as fit below `limit`: public rows are mostly so
 * short that a launch is all one sees. Other rows stay as they are.
 */
export function enlarged(task: KernelTask, kernelCase: KernelCase, limit: number): KernelCase {
  const { name, category } = task.interface
  const factor = Math.floor(limit / largestArgument(kernelCase))
  if (factor < 2 || (category !== 'Foreach' && !elementwise.has(name))) return kernelCase
  const most = Math.max(...tensorsOf(kernelCase).map(({ shape }) => sizeOf(shape)))
  const grow = (spec: TensorSpec): TensorSpec => ({
    ...spec,
    shape: spec.shape.map((n, i) => (i === 0 ? n * factor : n)),
  })
  const growAll = (spec: ArgumentSpec): ArgumentSpec => {
    if (Array.isArray(spec)) return spec.map(grow)
    return spec && sizeOf(spec.shape) === most ? grow(spec) : spec
  }
  const change = (side: KernelCase['inputs']) =>
    Object.fromEntries(Object.entries(side).map(([argument, spec]) => [argument, growAll(spec)]))
  return {
    ...kernelCase,
    name: `${kernelCase.name} x ${factor}`,
    inputs: change(kernelCase.inputs),
    outputs: change(kernelCase.outputs),
  }
}

const tensorsOf = ({ inputs, outputs }: KernelCase): TensorSpec[] =>
  [...Object.values(inputs), ...Object.values(outputs)].flatMap((spec) => [...specsOf(spec)])
