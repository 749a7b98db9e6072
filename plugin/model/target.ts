import type { BuildArgs } from './build.ts'
import type { ConfinementLayer } from './confinement.ts'
import type { KernelCode } from './kernel-code.ts'
import type {
  CompletedLaunch,
  FailedLaunch,
  LaunchArgs,
  Measured,
  MeasureArgs,
  SketchArgs,
  TilingSketch,
} from './launch.ts'
import type { KernelCase } from './case.ts'
import type { TaskInterface } from './task.ts'
import type { Tiled } from './tiling.ts'
import type { Diagnostic, Latency, Verdict } from './verdict.ts'

/** What a target built. What else belongs to it is the target's own business. */
export interface Artifact {
  /** hash of everything that went into it */
  readonly id: string
}

/** What a target made of a candidate. A failure is the candidate's; what the machine is to blame for is thrown. */
export type TargetBuild<A extends Artifact = Artifact> =
  | { ok: true; artifact: A; cached: boolean; warnings: Diagnostic[] }
  | { ok: false; failure: Omit<Extract<Verdict, { kind: 'compile-failed' }>, 'kind'>; cached: boolean }

/** What a target says of itself. */
export interface TargetDescription {
  /** as the option `target` and the ledger name it */
  name: string
  /** device profile, e.g. `Ascend910B2` */
  soc: string
  /** where its latencies are from: a model or a clock */
  latencySource: Latency['source']
  /** why code of candidates is not confined, whatever the machine has: a clause; left out by targets that confine it */
  unconfined?: string
  /** whether it heeds the `device` of a case; it does not where left out */
  narrows?: boolean
  /** whether a candidate may be built before anybody waits for it */
  prefetches: boolean
}

/** Where candidates run: builds them, and launches cases on what it built. One for each run, in the main process. */
export interface Target<A extends Artifact = Artifact> {
  readonly description: TargetDescription
  /**
   * Builds a candidate. Rejects when the machine is at fault. `urgent` tells whether somebody waits for it, which may change
   * meanwhile. Nothing is looked for or started before the first call.
   */
  build(args: BuildArgs, urgent: () => boolean): Promise<TargetBuild<A>>
  /** Runs one case, whose file holds the inputs, and leaves the outputs there. */
  launch(artifact: A, args: LaunchArgs): Promise<CompletedLaunch | FailedLaunch>
  /**
   * What an outcome of an artifact follows from beside its id, the case and the options of the run, e.g. the places of the
   * sources that reports name. Null: no outcome holds in later runs.
   */
  conditionsOf(artifact: A): readonly string[] | null
  /**
   * What every outcome of this run follows from beside the options, e.g. how functions are computed: where it is another, nothing that
   * was judged holds. Asked once something was built; none where left out.
   */
  runConditions?(): readonly string[]
  /**
   * What the tiling function makes of many cases, for a search that looks for those worth launching: nothing is judged by it. By case,
   * null where the function fails; null altogether where it did not come to its end. Left out by targets that cannot tell cheaply.
   */
  sketch?(artifact: A, args: SketchArgs): Promise<(TilingSketch | null)[] | null>
  /** What the host part makes of a case, field by field. Left out by targets that cannot tell. */
  tiling?(artifact: A, kernelCase: KernelCase): Promise<Tiled>
  /**
   * Times two artifacts in turn on one case; the second is null where there is nothing to compare with. Left out by targets whose
   * every launch tells its time, whatever else goes on.
   */
  measure?(artifact: A, baseline: A | null, args: MeasureArgs): Promise<Measured>
  /** The code that launches of an artifact tell to have reached. Left out by targets that do not see it. */
  codeOf?(artifact: A): Promise<KernelCode>
  /**
   * Names all that launches of an artifact load: two artifacts of one content do the same. Left out by targets that cannot
   * tell.
   */
  contentOf?(artifact: A): Promise<string>
  /**
   * Layers of the confinement that this machine lacks, whatever is allowed. Left out by targets that confine nothing, or in
   * another way.
   */
  missingConfinement?(): Promise<readonly ConfinementLayer[]>
  /** Ends every process at once. Synchronous: for the exit handler, where nothing can be awaited. */
  release(): void
  /** Releases everything and waits for the end of what has one. */
  close(): Promise<void>
}

/** The folder of the operator whose op_host completes a candidate of a task that is a kernel only; undefined: there is none. */
export type DefaultHost = (task: TaskInterface) => string | undefined

/** Versions of the toolkit whose headers candidates find. */
export const cannVersions = ['8.3', '8.5'] as const
export type CannVersion = (typeof cannVersions)[number]
/** The newest: what earlier ones have, it has as well. */
export const defaultCann: CannVersion = '8.5'

/** What a target is made with. Limits are those of the options of the same names. */
export interface TargetOptions {
  /** folder for what is built once */
  cacheDir: string
  soc: string
  /** version of the toolkit; the newest */
  cann?: CannVersion
  /** compilers at the same time, and launches at the same time */
  jobs: number
  /** milliseconds of processor time of one launch; 20 000 */
  launchTimeoutMs?: number
  /** wall-clock milliseconds of one compiler run; 120 000 */
  compileTimeoutMs?: number
  /** MiB a process of a candidate may use; 4096 */
  memoryLimitMiB?: number
  /** where the host part of kernel-only candidates is; among the packaged baseline operators */
  defaultHost?: DefaultHost
  /** layers of the confinement that this machine may lack; none */
  allowWeakConfinement?: readonly ConfinementLayer[]
  /** one line about work that takes long, e.g. the first build of the emulator */
  onProgress?: (line: string) => void
}

/** A kind of target, to be made for a run. */
export interface TargetFactory<A extends Artifact = Artifact> {
  readonly name: string
  create(options: TargetOptions): Target<A>
}
