import type { Sample } from '../model/index.ts'
import type { KernelTask } from '../task/kernel-task.ts'
import type { WorkerOptions } from './meta.ts'

/** What all tests of a task share. */
export interface TaskScope {
  task: KernelTask
  samples: readonly Sample[]
  options: WorkerOptions
  /** absolute path of the spec */
  file: string
  /** stack line of the `kernelSuite()` call, indented */
  at: string
}

/** The stack line of whoever called `below`. */
export function callSite(below: (...args: never[]) => unknown): string {
  const holder: { stack?: string } = {}
  Error.captureStackTrace(holder, below)
  return holder.stack?.split('\n')[1] ?? ''
}
