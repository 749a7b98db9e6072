import * as fc from 'fast-check'
import type { KernelCase } from '../plugin/model/index.ts'
import { largestArgument } from '../plugin/task/fit.ts'
import type { KernelTask } from '../plugin/task/index.ts'

/** What every task has cases below. */
const LARGE = 2 ** 17

/**
 * Static rows and generated cases of at most `limit` elements per argument; the static ones first, smallest first. Tasks
 * that have none so small give somewhat larger ones.
 */
export function casesOf(task: KernelTask, generated: number, limit: number): KernelCase[] {
  const isSmall = (kernelCase: KernelCase) => largestArgument(kernelCase) <= limit
  // no domain is searched for ever
  let misses = 0
  const found = [
    ...task.staticCases.filter(isSmall).sort((one, other) => largestArgument(one) - largestArgument(other)),
    ...fc
      .sample(
        task.domain.filter((kernelCase) => isSmall(kernelCase) || ++misses > 2000),
        { numRuns: generated, seed: 7 },
      )
      .filter(isSmall),
  ]
  return found.length > 0 || generated === 0 || limit >= LARGE ? found : casesOf(task, generated, LARGE)
}
