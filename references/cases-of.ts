import * as fc from 'fast-check'
import type { KernelCase } from '../plugin/model/index.ts'
import { largestArgument } from '../plugin/task/fit.ts'
import type { KernelTask } from '../plugin/task/index.ts'

/** Static rows and generated cases of at most `limit` elements per argument; the static ones first, smallest first. */
export function casesOf(task: KernelTask, generated: number, limit: number): KernelCase[] {
  const isSmall = (kernelCase: KernelCase) => largestArgument(kernelCase) <= limit
  return [
    ...task.staticCases.filter(isSmall).sort((one, other) => largestArgument(one) - largestArgument(other)),
    ...fc.sample(task.domain.filter(isSmall), { numRuns: generated, seed: 7 }),
  ]
}
