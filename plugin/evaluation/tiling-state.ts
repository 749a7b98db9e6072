import type { KernelCase, LaunchResult, Report } from '../model/index.ts'
import type { KernelTask } from '../task/kernel-task.ts'
import { bytesOfCase } from '../task/work.ts'

/**
 * Cases that the tiling function is asked for before a case, in the same process, as in a program that calls an operator with many
 * shapes: static ones of other dtypes and of its own, as unlike in size as there are. None but for two static cases: what is kept
 * between calls shows there, and the others cost nothing. These are the smallest with a byte and the largest, which is timed.
 */
export function casesBefore({ staticCases }: Pick<KernelTask, 'staticCases'>, { name }: KernelCase): KernelCase[] {
  if (staticCases.length < 2 || !staticCases.some((one) => one.name === name)) return []
  const sized = staticCases.map((one) => ({ case: one, bytes: bytesOfCase(one) })).filter(({ bytes }) => bytes > 0)
  const falling = sized.toSorted((one, other) => other.bytes - one.bytes).map((one) => one.case)
  const [own, ...others] = falling[0]?.name === name ? falling : falling.toReversed()
  if (own?.name !== name) return []
  const ofOtherDtypes = others.findLast(({ combination }) => combination !== own.combination)
  const ofSameDtypes = others.findLast(({ combination }) => combination === own.combination)
  return [ofOtherDtypes, ofSameDtypes].filter((one) => one !== undefined)
}

/** A case that was launched with the tiling that the tiling function makes of it after other cases. */
export interface LaterRun {
  kernelCase: KernelCase
  before: readonly KernelCase[]
  again: LaunchResult
  /** whether the outputs of that launch are right, under the profile that decides */
  isRight: () => boolean
}

/**
 * What that launch shows: another tiling that is as right as the first is none of it, as bytes between fields may hold anything. Failures
 * of ours throw.
 */
export function stateFindings({ kernelCase, before, again, isRight }: LaterRun): Report[] {
  const problem = problemOf(again, isRight)
  return problem === undefined ? [] : [tilingStateReport(kernelCase.name, before, problem)]
}

function problemOf(again: LaunchResult, isRight: () => boolean): string | undefined {
  if (again.ok) {
    const error = again.reports.find(({ severity }) => severity === 'error')
    return error ? `${error.code}: ${error.message}` : isRight() ? undefined : 'its outputs are wrong then'
  }
  const { verdict } = again
  if (verdict.kind === 'infrastructure') throw new Error(verdict.message)
  if (verdict.kind === 'device-error') return `${verdict.report.code}: ${verdict.report.message}`
  return 'message' in verdict ? verdict.message : verdict.kind
}

/** What is reported of a tiling that follows from what was tiled before. */
export const tilingStateReport = (name: string, before: readonly Pick<KernelCase, 'name'>[], what: string): Report => ({
  code: 'TilingState',
  severity: 'error',
  message: `the tiling function keeps state between calls: the tiling of ${name} differs when it is asked after ${before.map((one) => one.name).join(' and ')}: ${what}`,
  hint: 'compute all of the tiling from the context of each call, and keep nothing of a case in variables that are static or global',
  core: 'host',
  instruction: 'tiling',
  count: 1,
})
