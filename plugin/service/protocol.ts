import type {
  BuildArgs,
  BuildResult,
  KernelCode,
  LaunchArgs,
  LaunchResult,
  Measured,
  MeasureArgs,
  SketchArgs,
  TilingSketch,
} from '../model/index.ts'

/** Asks for the file that keeps right outcomes of an artifact on a task. */
export interface VerdictFileArgs {
  artifact: string
  /** absolute path of the spec, and the Vitest project that runs it */
  spec: string
  project: string
}

/** Asks what the run that is continued has come to about a sample, whose build has come to the same again or not. */
export interface EarlierArgs {
  model: string | null
  suite: string
  task: string
  sample: string
  artifact?: string
  sources?: string
  /** absolute path of the spec, and the Vitest project that runs it */
  spec: string
  project: string
}

/** Every call a worker can make of the service: newline-delimited JSON over a unix socket. */
export interface ServiceCalls {
  build: { args: BuildArgs; result: BuildResult }
  launch: { args: LaunchArgs; result: LaunchResult }
  /** what tiling functions make of cases (`Target.sketch`); null where that is not known */
  sketch: { args: SketchArgs; result: (TilingSketch | null)[] | null }
  /** times of two artifacts in turn; null where every launch of the target tells its time */
  measure: { args: MeasureArgs; result: Measured | null }
  /** the code that launches of an artifact tell to have reached; null where the target does not see it */
  code: { args: { artifact: string }; result: KernelCode | null }
  /** absolute path, named by everything that an outcome follows from besides its case; null: nothing may be remembered */
  verdictFile: { args: VerdictFileArgs; result: string | null }
  /** entries of the ledger, for whoever knows them; null where the sample has to be judged */
  earlier: { args: EarlierArgs; result: readonly unknown[] | null }
}

/** Fire-and-forget: build soon what will be asked for. */
export interface ServiceNotices {
  prefetch: BuildArgs[]
}
