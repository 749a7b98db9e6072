import type { Answer } from './compile.ts'
import type { Label } from './packs.ts'

/** What the card said of a pack, and what became of it here. */
export interface Judged {
  label: Label
  answer: Answer
}

/** A line of a file of the pack, with what a compiler says of it where that is known. */
export interface Place {
  file: string
  line: number
  message?: string
}

/** Errors in these are of the environment that the card's builds ran in, and not of the operator. */
const environmentFiles = /^(?:op_proto\.h|op\.cpp|\w+_[0-9a-f]{32}_\d+_kernel\.cpp)$/

/**
 * Whether the card's answer is about the operator: it compiled, or a compiler named a line of it. A build that failed without
 * one may have failed for the environment's sake; so did those whose folder kept a generated file beside the one of the pack.
 */
export function isComparable({ label, answer }: Judged): boolean {
  if (answer.kind === 'unusable') return false
  if (label.compiled) return true
  const [first] = label.errors
  if (first === undefined || environmentFiles.test(first.file)) return false
  return !isLeftoverOf(label.name, first.file, answer)
}

/** `pool1d_custom.cpp` beside the `pool_1d_custom.cpp` of the pack: a template that was never filled in. */
function isLeftoverOf(name: string, file: string, answer: Answer): boolean {
  const stem = /^(\w+_custom)\.cpp$/.exec(file)?.[1]
  if (stem === undefined || stem === `${name}_custom`) return false
  return stem.replaceAll('_', '') === `${name}_custom`.replaceAll('_', '') && !filesOf(answer).has(`${stem}.cpp`)
}

const filesOf = (answer: Answer): ReadonlySet<string> => new Set(answer.files.map((path) => path.split('/').at(-1)!))

export const compilesHere = ({ answer }: Judged): boolean => answer.kind === 'compiled'

/** The first error here that names a line of the pack. */
export function firstError({ answer }: Judged): Place | null {
  if (answer.kind !== 'rejected') return null
  const [first] = answer.verdict.diagnostics.filter(({ severity }) => severity === 'error')
  if (first?.file === undefined || first.line === undefined) return null
  return { file: first.file.split('/').at(-1)!, line: first.line, message: first.message }
}

/** Lines of the toolkit's own headers cannot agree: the emulator's are others. */
export const hasComparableLine = (one: Judged): boolean =>
  isComparable(one) && one.answer.kind === 'rejected' && filesOf(one.answer).has(one.label.errors[0]?.file ?? '')

/** Whether the first error here is number `index` of the card's. */
export function isErrorOfCard(one: Judged, index: number): boolean {
  const [here, there] = [firstError(one), one.label.errors[index]]
  return here !== null && here.file === there?.file && here.line === there.line
}

/** The card's compilers name the line as well, and another one first: their log interleaves what they say at the same time. */
export const isNamedLater = (one: Judged): boolean => isErrorOfCard(one, 1) || isErrorOfCard(one, 2)

/** Whether a launch here says something of the label: both have run the operator, on a problem that is known. */
export const isLaunchComparable = ({ label, answer }: Judged): boolean =>
  label.compiled &&
  label.correct !== null &&
  answer.kind === 'compiled' &&
  (answer.launched?.kind ?? 'not comparable') !== 'not comparable'

export const isClean = ({ answer }: Judged): boolean => answer.kind === 'compiled' && answer.launched?.kind === 'clean'
