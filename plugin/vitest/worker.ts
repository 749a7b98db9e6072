import { inject } from 'vitest'
import { PreparedCases } from '../evaluation/prepared.ts'
import { serviceClient, type ServiceClient } from '../service/client.ts'
import type { WorkerOptions } from './meta.ts'

/** Options of the run. Outside a run that `npuKernels()` configured this is an error that says what is missing. */
export function workerOptions(): WorkerOptions {
  const options = inject('npu:options') as WorkerOptions | undefined
  if (!options)
    throw new Error("kernelSuite() needs the plugin: add npuKernels() from 'vitest-npu/plugin' to vitest.config.ts")
  return options
}

/** The service of this run, over this worker's one connection. */
export const service = (): ServiceClient => serviceClient(workerOptions().socket)

/** Cases of this worker, shared by all suites it runs. */
export const prepared = new PreparedCases()
