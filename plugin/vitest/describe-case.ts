import {
  describeShape,
  type ArgumentSpec,
  type KernelCase,
  type NarrowDevice,
  type TaskInterface,
} from '../model/index.ts'

/** Tensors of a list that are shown one by one. */
const shownOfList = 3

/** `x float16[48, 128]`, `x 50 tensors: float16[1], float16[3], …` or `mask none`. */
function describeArgument(name: string, value: ArgumentSpec): string {
  if (value === null) return `${name} none`
  if (!Array.isArray(value)) return `${name} ${describeShape(value.dtype, value.shape)}`
  const shapes = value.slice(0, shownOfList).map((tensor) => describeShape(tensor.dtype, tensor.shape))
  const rest = value.length > shownOfList ? ', …' : ''
  return `${name} ${value.length} ${value.length === 1 ? 'tensor' : 'tensors'}: ${shapes.join(', ')}${rest}`
}

/** `on 3 cores, 1/4 of UB`, of a device that is not whole. */
function describeDevice({ cores, unifiedBuffer }: NarrowDevice): string {
  const share = unifiedBuffer === 1 ? '' : `, 1/${Math.round(1 / unifiedBuffer)} of UB`
  return `on ${cores} ${cores === 1 ? 'core' : 'cores'}${share}`
}

/** Inputs and attributes of a case as a person reads them: `x float16[31, 64], gamma float16[64], epsilon 1e-6`. */
export function describeCase(kernelCase: KernelCase): string {
  const inputs = Object.entries(kernelCase.inputs).map(([name, value]) => describeArgument(name, value))
  const attrs = Object.entries(kernelCase.attrs).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  const device = kernelCase.device ? [describeDevice(kernelCase.device)] : []
  return [...inputs, ...attrs, ...device].join(', ')
}

/** The title of a static case: its first input says most of it, attributes tell equal shapes apart. */
export function titleOf(kernelCase: KernelCase, task: TaskInterface): string {
  const first = task.inputs[0]
  const value = first && kernelCase.inputs[first.name]
  const input = first && value !== undefined ? describeArgument(first.name, value) : 'no inputs'
  const attrs = Object.entries(kernelCase.attrs).map(([name, value]) => `, ${name} ${JSON.stringify(value)}`)
  return `${kernelCase.name}: ${input}${attrs.join('')}`
}
