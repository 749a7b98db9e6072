import type { ArgumentSpec, KernelCase, TensorSpec } from '../../plugin/model/index.ts'
import type { KernelTask } from '../../plugin/task/index.ts'
import { casesOf } from '../../references/cases-of.ts'

/** Elements of the largest argument: of the cases every mutant meets, and of the static ones that survivors meet as well. */
const small = 2 ** 15
const large = 2 ** 23
const generatedPerCombination = 12

/** The shape of each tensor argument, or of each tensor of a list. */
type Shapes = Record<string, number[] | number[][]>

const all = (names: readonly string[], shape: number[] | number[][]): Shapes =>
  Object.fromEntries(names.map((name) => [name, shape]))

/**
 * What neither public cases nor small generated ones reach: tensors so large that every step fills its buffers, and
 * sizes at which the operator takes another way.
 */
const further: Record<string, readonly Shapes[]> = {
  Equal: [all(['x1', 'x2', 'y'], [3_200_037])],
  Gelu: [all(['x', 'y'], [3_300_037])],
  Sqrt: [all(['x', 'y'], [6_300_037])],
  ForeachAddList: [all(['x1', 'x2', 'y'], [[3_100_000], [17], [3_100_037]])],
  // several tiles for each of several rows; rows enough to fill the buffers
  RmsNorm: [
    { x: [103, 20_011], gamma: [20_011], y: [103, 20_011], rstd: [103, 1] },
    { x: [26_011, 120], gamma: [120], y: [26_011, 120], rstd: [26_011, 1] },
    { x: [40_011, 24], gamma: [24], y: [40_011, 24], rstd: [40_011, 1] },
  ],
  Tril: [all(['x', 'y'], [400, 63, 65]), all(['x', 'y'], [205, 30_011])],
  // rows longer than the stride of a copy can be
  BasicMatmul: [
    { a: [19, 70_001], b: [70_001, 24], c: [19, 24] },
    { a: [33, 40], b: [40, 70_001], c: [33, 70_001] },
  ],
}

function reshaped(kernelCase: KernelCase, shapes: Shapes, name: string): KernelCase {
  const change = (side: KernelCase['inputs']): KernelCase['inputs'] =>
    Object.fromEntries(Object.entries(side).map(([argument, spec]) => [argument, withShape(spec, shapes[argument])]))
  return { ...kernelCase, name, inputs: change(kernelCase.inputs), outputs: change(kernelCase.outputs) }
}

function withShape(spec: ArgumentSpec, shape: number[] | number[][] | undefined): ArgumentSpec {
  if (spec === null || shape === undefined) return spec
  const dtype = isList(spec) ? spec[0]?.dtype : spec.dtype
  if (dtype === undefined) return spec
  const nested = shape.flatMap((part) => (typeof part === 'number' ? [] : [part]))
  if (isList(spec)) return nested.map((each) => ({ dtype, shape: each }))
  return { dtype, shape: shape.flatMap((part) => (typeof part === 'number' ? [part] : [])) }
}

const isList = (spec: TensorSpec | readonly TensorSpec[]): spec is readonly TensorSpec[] => Array.isArray(spec)

/** Small cases first, then the larger static ones, where tiles repeat, then the ones made for the operator. */
export function problemsOf(task: KernelTask): KernelCase[] {
  const { inputs, outputs } = task.interface
  const combinations = Math.max(...[...inputs, ...outputs].map(({ dtypes }) => dtypes.length))
  const first = casesOf(task, generatedPerCombination * combinations, small)
  const rest = casesOf(task, 0, large).filter((kernelCase) => !first.includes(kernelCase))
  const patterns = Array.from({ length: combinations }, (_, i) => first.find(({ combination }) => combination === i))
  const made = (further[task.interface.name] ?? []).flatMap((shapes, i) =>
    patterns.flatMap((pattern) => (pattern ? [reshaped(pattern, shapes, `made ${i}`)] : [])),
  )
  return [...first, ...rest, ...made]
}
