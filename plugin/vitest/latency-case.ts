import type { KernelCase } from '../model/index.ts'
import { staticCaseOf } from '../task/facts.ts'
import { largestArgument } from '../task/fit.ts'
import { bytesOfCase } from '../task/work.ts'

/** What decides which static case a latency is taken on. */
export interface LatencyChoice {
  /** the one with the most bytes, or the one with this id */
  latencyCase: 'largest' | number
  /** id of the only case that the sample is judged on */
  fixedCase?: number | undefined
  /** elements of the largest argument up to which cases are judged */
  maxElements?: number | undefined
}

const idOf = ({ latencyCase, fixedCase }: LatencyChoice): number | undefined =>
  fixedCase ?? (latencyCase === 'largest' ? undefined : latencyCase)

/** The static case that latency is taken on; undefined where there is none of that id or size. */
export function latencyCaseOf(staticCases: readonly KernelCase[], choice: LatencyChoice): KernelCase | undefined {
  const id = idOf(choice)
  const cases = id === undefined ? staticCases : [staticCaseOf(staticCases, id)]
  return cases
    .filter((kernelCase) => kernelCase !== undefined)
    .filter((kernelCase) => largestArgument(kernelCase) <= (choice.maxElements ?? Infinity))
    .reduce<KernelCase | undefined>(
      (largest, next) => (largest && bytesOfCase(largest) >= bytesOfCase(next) ? largest : next),
      undefined,
    )
}

/** Why there is no such case. */
export function noLatencyCase(choice: LatencyChoice): string {
  const id = idOf(choice)
  const size = choice.maxElements === undefined ? '' : ` of at most ${choice.maxElements} elements`
  return `the task has no static case${id === undefined ? '' : ` ${id}`}${size}`
}
