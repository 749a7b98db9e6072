import type { KernelCase } from '../../model/index.ts'
import { bytesOfArgument, dtypeOf, leastWork, type Work, type WrittenTask } from '../../task/index.ts'
import { multiplicationsOf } from './products.ts'
import { readInFull } from './read-in-full.ts'

/**
 * What every right kernel for a case of a task of NPUKernelBench has to do. Inputs count that no kernel gets by without reading
 * in full, whatever they hold; of others, nothing.
 */
export function workOfBenchmark(task: WrittenTask, kernelCase: KernelCase, prefilled: readonly string[] = []): Work {
  const { name } = task.interface
  const read = (readInFull[name] ?? []).reduce((sum, input) => sum + bytesOfArgument(kernelCase, input), 0)
  const count = multiplicationsOf(name, kernelCase)
  const [input = ''] = Object.keys(kernelCase.inputs)
  const products = count === 0 ? null : { count, dtype: dtypeOf(kernelCase, input) }
  return { ...leastWork(task, kernelCase, prefilled), read, products }
}
