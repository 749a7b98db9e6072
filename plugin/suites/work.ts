import type { KernelCase } from '../model/index.ts'
import { leastWork, type Work, type WrittenTask } from '../task/index.ts'
import { npuKernelBench } from './npukernelbench.ts'
import { workOfBenchmark } from './npukernelbench/work.ts'

/** What a suite knows of its tasks beyond what their interfaces say. */
const known: Readonly<Record<string, typeof leastWork>> = { [npuKernelBench.name]: workOfBenchmark }

/**
 * What every right kernel for a case has to do, as far as the suite of its task knows: of a task that nothing is known of, the
 * outputs.
 */
export const workOf = (task: WrittenTask, kernelCase: KernelCase, prefilled?: readonly string[]): Work =>
  (known[task.interface.suite] ?? leastWork)(task, kernelCase, prefilled)
