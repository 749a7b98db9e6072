import {
  bytesView,
  type KernelCase,
  type LaunchArgs,
  type LaunchResult,
  type Report,
  type Tensor,
  type TensorValue,
} from '../model/index.ts'
import type { KernelTask } from '../task/kernel-task.ts'
import { shuffleOf } from './seed.ts'

type Outputs = Record<string, TensorValue>
type Launched = Extract<LaunchResult, { ok: true }>

/** Bytes of a case, and device time, up to which a launch is repeated. Never host time: a verdict must not vary. */
const repeatedBytes = 1 << 20
const repeatedNs = 200_000

/**
 * Whether a launch is repeated in another order, of cores and of copies: where that costs little compared with the rest of
 * its case, and whatever it costs where cores have looked for what others store, or what they do depends on which of them comes
 * first. Nothing else says of these that they wait, and a kernel could be slow, or wrong on large cases alone, where nobody looks
 * twice. Where there is one core only copies can be late: of the static cases, which are few.
 */
export const isRepeated = (
  { blockDim, latencyNs, polls, meets, addsFloats }: Launched,
  fileBytes: number,
  isStatic: boolean,
): boolean =>
  polls === true ||
  meets === true ||
  addsFloats ||
  ((blockDim > 1 || isStatic) && fileBytes <= repeatedBytes && latencyNs <= repeatedNs)

/**
 * The other order: cores the other way round, each as far ahead of the others as waits allow, and copies as late as flags allow.
 * What it takes is known from the first launch.
 */
export const otherOrder = { coreOrder: 'reverse', lateCopies: true, clock: false } as const

/** One finds by chance alone who is far ahead of whom. */
const shuffles = 3

/** Of the generated cases whose kernel adds floats atomically, one in so many is launched in drawn orders. */
const ofSums = 4

/**
 * Whether a case is launched in drawn orders: where cores meet by words, as what a core finds may be what it needs whichever
 * end of them begins, and nowhere between. So may sums of floats: of these all static cases are, and some of the others,
 * which nobody can tell from the rest. Others pay nothing for it.
 */
export const isShuffled = (
  { meets, addsFloats }: { meets: boolean | undefined; addsFloats: boolean },
  { seed }: KernelCase,
  isStatic: boolean,
): boolean => meets === true || (addsFloats && (isStatic || seed % ofSums === 0))

/** Drawn orders, with copies as in the first launch. */
export const shuffledOrders = (kernelCase: KernelCase): Order[] =>
  Array.from({ length: shuffles }, (_, i) => ({ coreOrder: shuffleOf(kernelCase, i), clock: false }))

/** Another order that a case is launched in. */
export type Order = Pick<LaunchArgs, 'coreOrder' | 'lateCopies' | 'clock'>

const finding = (message: string): Report => ({
  code: 'CoreOrder',
  severity: 'error',
  message,
  hint: 'give every core its own range, and let SyncAll order what one core leaves for another',
  core: 'device',
  instruction: 'launch',
  count: 1,
})

/** Two launches of one case, to be compared. */
export interface OtherRun {
  order: Order
  task: Pick<KernelTask, 'profiles'>
  kernelCase: KernelCase
  /** outputs of the launch that was right */
  first: Outputs
  /** the launch in the other order, and its outputs */
  again: LaunchResult
  outputs: Outputs
  /** whether outputs are right, as the first ones were, under the profile that decides */
  accepts: (outputs: Outputs) => boolean
}

/**
 * What the other order shows: errors of the device that the first order hid, or other outputs. Sums of floats that cores
 * add atomically are rounded in the order of cores: they need only be right. Late copies are to blame where there are
 * some; where the outputs are the same, whoever missed them did not need them. Failures of ours throw.
 */
export function findingsOf({ order, task, kernelCase, first, again, outputs, accepts }: OtherRun): Report[] {
  const blamed = (what: string): Report[] => (late.length > 0 ? late : [finding(`${nameOf(order)}, ${what}`)])
  const late = again.reports.filter(({ code }) => code === 'LateCopy')
  if (!again.ok) {
    const { verdict } = again
    if (verdict.kind === 'infrastructure') throw new Error(verdict.message)
    const reason = verdict.kind === 'device-error' ? `${verdict.report.code}: ${verdict.report.message}` : verdict.kind
    return blamed(`the launch fails: ${reason}`)
  }
  const errors = again.reports.filter(({ code, severity }) => severity === 'error' && code !== 'LateCopy')
  if (errors.length > 0) return errors
  const other = differenceOf(task, kernelCase, first, outputs)
  if (other === undefined || (again.addsFloats && accepts(outputs))) return []
  return blamed(other)
}

const nameOf = ({ lateCopies }: Order): string =>
  lateCopies === true
    ? 'with the cores in reverse order, and copies as late as flags allow'
    : 'with the cores in a shuffled order, in which others may go on wherever one stores or looks past its cache'

/** Where outputs differ, bit by bit; an output of this case that nobody judges may hold anything. */
function differenceOf(
  { profiles }: Pick<KernelTask, 'profiles'>,
  kernelCase: KernelCase,
  first: Outputs,
  again: Outputs,
): string | undefined {
  const judged = profiles.judged?.(kernelCase)
  for (const [name, value] of Object.entries(first)) {
    if (judged && !judged.includes(name)) continue
    const others = tensorsOf(again[name])
    for (const [i, tensor] of tensorsOf(value).entries()) {
      const other = others[i]
      const at = other ? firstDifference(bytesView(tensor), bytesView(other)) : 0
      if (at >= 0) return `${Array.isArray(value) ? `${name}[${i}]` : name} differs from byte ${at} on`
    }
  }
  return undefined
}

const tensorsOf = (value: TensorValue | undefined): readonly Tensor[] =>
  value === null || value === undefined ? [] : isList(value) ? value : [value]

const isList = (value: Tensor | readonly Tensor[]): value is readonly Tensor[] => Array.isArray(value)

/** -1: none. */
function firstDifference(one: Uint8Array, other: Uint8Array): number {
  if (Buffer.compare(one, other) === 0) return -1
  return one.findIndex((byte, i) => byte !== other[i])
}
