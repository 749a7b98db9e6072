import { benchmarkAnswers } from '../plugin/compare/judge.ts'
import { decode, encode, RandomStream, toFloat64 } from '../plugin/inputs/index.ts'
import { emptyTensor, type KernelCase, type Tensor } from '../plugin/model/index.ts'
import { largestArgument } from '../plugin/task/fit.ts'
import { specsOf, tensorsOf, type Inputs, type KernelTask } from '../plugin/task/index.ts'
import { perfect, poison, type Outputs } from './trivial-candidates.ts'
import { accepts } from '../plugin/compare/index.ts'

// Kernels that compute nothing of their task, on elements as the public harness of MultiKernelBench draws them: from [0, 1).

/** What a kernel knows: the inputs of a case, and inputs and right outputs of other draws of it. */
interface Known {
  kernelCase: KernelCase
  inputs: Inputs
  right: Outputs
  other: { inputs: Inputs; right: Outputs }
}

type PublicKernel = (known: Known, spec: { name: string; like: Tensor }) => Float64Array | undefined

/** By name, what each leaves in an output; undefined: it cannot be made here. */
export const publicKernels: Readonly<Record<string, PublicKernel>> = {
  zeros: (_, { like }) => new Float64Array(like.data.length),
  'a constant': ({ other }, { name, like }) => {
    const before = valuesOf(other.right, name)
    return new Float64Array(like.data.length).fill(before.reduce((sum, value) => sum + value, 0) / before.length)
  },
  'an input as it is': (known, { like }) => sourcesOf(known.inputs, like)[0]?.values,
  'an input, scaled and shifted': (known, { name, like }) => {
    const fits = sourcesOf(known.other.inputs, like).map(({ values }) =>
      lineThrough(values, valuesOf(known.other.right, name)),
    )
    const best = fits.reduce((least, fit, i) => (fit.error < fits[least]!.error ? i : least), 0)
    const source = sourcesOf(known.inputs, like)[best]
    return source?.values.map((value) => fits[best]!.slope * value + fits[best]!.offset)
  },
  'the beginning of each row': (_, { like }) => {
    const width = like.shape.at(-1) ?? 1
    const kept = Math.floor(width / 32)
    return kept === 0 ? undefined : toFloat64(like).map((value, i) => (i % width < kept ? value : 0))
  },
}

const valuesOf = (outputs: Outputs, name: string): Float64Array => toFloat64(tensorsOf(outputs[name])[0]!)

/** Inputs with as many elements as an output. */
const sourcesOf = (inputs: Inputs, like: Tensor): { values: Float64Array }[] =>
  Object.values(inputs)
    .flatMap((value) => [...tensorsOf(value)])
    .filter(({ dtype, data }) => dtype === like.dtype && data.length === like.data.length)
    .map((tensor) => ({ values: toFloat64(tensor) }))

const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** The line that is nearest to the points, by least squares. */
function lineThrough(x: Float64Array, y: Float64Array): { slope: number; offset: number; error: number } {
  const [middle, height] = [mean(x), mean(y)]
  let [along, square] = [0, 0]
  for (let i = 0; i < x.length; i++) {
    along += (x[i]! - middle) * (y[i]! - height)
    square += (x[i]! - middle) ** 2
  }
  const slope = square === 0 ? 0 : along / square
  const offset = height - slope * middle
  let error = 0
  for (let i = 0; i < x.length; i++) error = Math.max(error, Math.abs(slope * x[i]! + offset - y[i]!))
  return { slope, offset, error }
}

/** Whose inputs the public harness multiplies by a number that it draws: no constant is near the mean of what comes of it. */
const isScaled = (name: string): boolean => /^(?:Mse|Huber|KlDiv|TripletMargin)/.test(name)

/** The task is to scale an input: there is nothing trivial in it. */
const isScaling = (name: string): boolean => name.startsWith('MatrixScalar')

/** The inputs of a case with floats from [0, 1); class numbers, masks and signs stay what the spec draws. */
function publicInputs(task: KernelTask, kernelCase: KernelCase): Inputs {
  const inputs = task.draw(kernelCase)
  const factor = new RandomStream(kernelCase.seed, 'public scale').next() / 2 ** 32
  for (const [i, [name, value]] of Object.entries(inputs).entries())
    for (const tensor of tensorsOf(value)) {
      if (tensor.dtype !== 'float32' || isOfSigns(tensor)) continue
      const random = new RandomStream(kernelCase.seed, `public ${name}`)
      const most = i === 0 && isScaled(task.interface.name) ? factor : 1
      encode(
        Float64Array.from({ length: tensor.data.length }, () => (most * random.next()) / 2 ** 32),
        tensor,
      )
    }
  return inputs
}

function isOfSigns(tensor: Tensor): boolean {
  const values = new Float64Array(Math.min(64, tensor.data.length))
  decode(tensor, 0, values)
  return values.every((value) => Math.abs(value) === 1)
}

/** Which kernels the rules of a task accept in its smallest static case: by rule, their names. */
export function acceptedPublicKernels(task: KernelTask): ReadonlyMap<string, readonly string[]> {
  const [kernelCase] = [...task.staticCases].sort((one, other) => largestArgument(one) - largestArgument(other))
  const drawn = (seed: number): { inputs: Inputs; golden: ReturnType<KernelTask['golden']>; right: Outputs } => {
    const inputs = publicInputs(task, { ...kernelCase!, seed })
    const golden = task.golden(inputs, kernelCase!)
    return { inputs, golden, right: perfect(kernelCase!, golden) }
  }
  const [mine, other] = [drawn(kernelCase!.seed), drawn(kernelCase!.seed + 1)]
  const found = new Map<string, string[]>()
  for (const [kernel, make] of Object.entries(publicKernels)) {
    if (isScaling(task.interface.name) && kernel.includes('scaled')) continue
    const outputs = outputsOf(make, { kernelCase: kernelCase!, ...mine, other })
    if (!outputs) continue
    const { revisions = {} } = benchmarkAnswers(task, kernelCase!, mine.golden, outputs)
    const strict = accepts(task, kernelCase!, mine.golden, outputs, poison, 'strict')
    for (const [rule, answer] of Object.entries({ ...revisions, strict: strict ? 'accepted' : 'rejected' }))
      if (answer === 'accepted') found.set(rule, [...(found.get(rule) ?? []), kernel])
  }
  return found
}

function outputsOf(make: PublicKernel, known: Known): Outputs | undefined {
  const made = Object.entries(known.kernelCase.outputs).map(([name, spec]) => {
    const [like] = specsOf(spec)
    const right = tensorsOf(known.right[name])[0]
    const values = like && right && make(known, { name, like: right })
    if (!values) return undefined
    const tensor = emptyTensor(right.dtype, right.shape)
    encode(values, tensor)
    return [name, tensor] as const
  })
  return made.every((each) => each !== undefined) ? Object.fromEntries(made) : undefined
}
