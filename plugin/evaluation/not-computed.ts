import type { GoldenOutputs } from '../compare/rules.ts'
import {
  bytesOf,
  bytesView,
  type Coverage,
  type KernelCase,
  type Report,
  type Tensor,
  type TensorValue,
} from '../model/index.ts'
import { specsOf, tensorsOf, type Inputs, type KernelTask } from '../task/index.ts'

/** A launch whose outputs are right, and what it has read. */
export interface RightRun {
  task: Pick<KernelTask, 'interface' | 'draw' | 'golden'>
  kernelCase: KernelCase
  inputs: Inputs
  outputs: Readonly<Record<string, TensorValue>>
  /** absent where the device does not see it */
  coverage: readonly Coverage[] | undefined
  /** whether the outputs would be right as well if this were golden, under the profile that decides */
  accepts: (golden: GoldenOutputs) => boolean
}

/** One tensor of the inputs: which of a list, and its name as slots have it. */
interface InputTensor {
  input: string
  index: number
  slot: string
}

/**
 * An input that the outputs follow from, and of which the kernel has read nothing: then they come from somewhere else. Whether
 * they follow from it is tried out: with other values in its place, golden is another one that the outputs do not agree with.
 */
export function notComputed(run: RightRun): Report[] {
  const missed = unreadOf(run).find((it) => !mayRemain(run, it) && isLookedAt(run, it) && dependsOn(run, it))
  return missed ? [notComputedReport(missed.slot)] : []
}

/** What is reported of a tensor that was not read. */
export const notComputedReport = (slot: string): Report => ({
  code: 'NotComputed',
  severity: 'error',
  message: `the outputs are right, and no instruction has read a byte of ${slot}, which they follow from`,
  hint: 'compute the outputs from the inputs, and read them by instructions',
  core: 'device',
  instruction: 'launch',
  count: 1,
})

/** Tensors that have bytes and of which none was read. Values that a case fixes may be known to the host part. */
function unreadOf({ kernelCase, coverage }: RightRun): InputTensor[] {
  const unread = new Set((coverage ?? []).filter(({ bytes, read }) => bytes > 0 && read === 0).map(({ slot }) => slot))
  if (unread.size === 0) return []
  return Object.entries(kernelCase.inputs).flatMap(([input, spec]) =>
    specsOf(spec).flatMap(({ values }, index) => {
      const slot = Array.isArray(spec) ? `${input}[${index}]` : input
      return values === undefined && unread.has(slot) ? [{ input, index, slot }] : []
    }),
  )
}

/** An output that overwrites the input may be right where nobody has written: wherever it is what was there before. */
function mayRemain({ task, inputs, outputs }: RightRun, { input, index }: InputTensor): boolean {
  const overwriting = task.interface.outputs.filter(({ aliases }) => aliases === input)
  const before = tensorsOf(inputs[input])[index]
  return overwriting.some(({ name }) => {
    const after = tensorsOf(outputs[name])[index]
    return !before || !after || sharesElement(before, after)
  })
}

function sharesElement(one: Tensor, other: Tensor): boolean {
  const [bytes, others] = [bytesView(one), bytesView(other)]
  const size = bytesOf(one.dtype)
  for (let begin = 0; begin < bytes.length; begin += size) {
    let same = 0
    while (same < size && bytes[begin + same] === others[begin + same]) same++
    if (same === size) return true
  }
  return false
}

/** Whether golden looks at the values of a tensor at all. It asks for golden once, and draws nothing. */
function isLookedAt({ task, kernelCase, inputs, accepts }: RightRun, { input, index }: InputTensor): boolean {
  const tensor = tensorsOf(inputs[input])[index]
  if (!tensor) return false
  let looked = false
  const watched: Tensor = {
    dtype: tensor.dtype,
    shape: tensor.shape,
    get data() {
      looked = true
      return tensor.data
    },
  }
  // what golden computes block by block is computed while it is compared
  attempt(() => accepts(task.golden({ ...inputs, [input]: replaced(inputs[input], watched, index) }, kernelCase)))
  return looked
}

/** Seeds of the values that are tried in place of those of the case. */
const otherSeeds = [0x5eed1, 0x5eed2] as const

function dependsOn({ task, kernelCase, inputs, accepts }: RightRun, { input, index }: InputTensor): boolean {
  return otherSeeds.some((seed) => {
    const drawn = task.draw({ ...kernelCase, seed: kernelCase.seed ^ seed })
    const other = tensorsOf(drawn[input])[index]
    const given = other ? { ...inputs, [input]: replaced(inputs[input], other, index) } : inputs
    // values that do not go together with those of other inputs prove nothing
    return attempt(() => !accepts(task.golden(given, kernelCase))) ?? false
  })
}

function replaced(value: TensorValue | undefined, other: Tensor, index: number): TensorValue {
  const all = tensorsOf(value).with(index, other)
  return Array.isArray(value) ? all : other
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
