import type { BuildArgs, BuildResult, LaunchArgs, LaunchResult } from '../model/index.ts'

/** Asks where right outcomes of an artifact on a task are kept. */
export interface RememberedArgs {
  artifact: string
  /** absolute path of the spec, and the Vitest project that runs it */
  spec: string
  project: string
}

/** Every call a worker can make of the service: newline-delimited JSON over a unix socket. */
export interface ServiceCalls {
  build: { args: BuildArgs; result: BuildResult }
  launch: { args: LaunchArgs; result: LaunchResult }
  /** a file, named by everything that an outcome follows from beside its case; null when that cannot be told */
  remembered: { args: RememberedArgs; result: string | null }
}

/** Fire-and-forget: build soon what will be asked for. */
export interface ServiceNotices {
  prefetch: BuildArgs[]
}
