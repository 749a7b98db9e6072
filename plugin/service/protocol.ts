import type { DType, KernelCase, Report, Sample, TaskInterface, Verdict, Diagnostic } from '../model/index.ts'
import type { Slot } from '../runner/protocol.ts'

/** dtypes of one combination, by argument, in kernel-argument order (OpDef columns are matched against it). */
export interface Combination {
  inputs: DType[]
  outputs: DType[]
}

/** Builds the host part and one kernel library per combination and core kind; a second request for the same content is a hit. */
export interface BuildArgs {
  sample: Sample
  task: TaskInterface
  combinations: Combination[]
}

export type BuildResult =
  | {
      ok: true
      /** names the artifact: hash of everything that went into it; pass it to `launch` */
      artifact: string
      /** wall-clock milliseconds of the build; 0 for a cache hit */
      ms: number
      cached: boolean
      warnings: Diagnostic[]
    }
  | { ok: false; verdict: Extract<Verdict, { kind: 'compile-failed' | 'infrastructure' }>; ms: number; cached: boolean }

/** Tiles and runs one case on a built artifact. The inputs are already in `file` at the offsets of `slots`. */
export interface LaunchArgs {
  artifact: string
  case: KernelCase
  file: string
  fileBytes: number
  /** in kernel-argument order: inputs, then outputs */
  slots: (Slot | Slot[] | null)[]
  /** eight bytes, hexadecimal */
  poison: string
  /** which core runs first: `reverse`, or the seed of a shuffled order as a decimal string; by number when absent */
  coreOrder?: string
  /** false leaves races and garbage unseen, to measure what seeing them costs; does not travel over the socket */
  hazards?: boolean
}

export type LaunchResult =
  | {
      ok: true
      latencyNs: number
      /** milliseconds of processor time that emulating the kernel took; says nothing about the kernel */
      hostMs: number
      source: 'emulated' | 'measured'
      /** some core added floats atomically: the order of cores decides how sums are rounded */
      addsFloats: boolean
      /** e.g. `Ascend910B2 v1` */
      profile: string
      /** busy nanoseconds per pipe on the busiest core */
      pipes: Record<string, number>
      /** warnings and hazards; errors that stopped the kernel come as a verdict */
      reports: Report[]
      blockDim: number
      /** a decimal string when a number cannot hold it */
      tilingKey: number | string
      log: string
    }
  | {
      ok: false
      verdict: Extract<Verdict, { kind: 'tiling-failed' | 'device-error' | 'timeout' | 'crashed' | 'infrastructure' }>
      reports: Report[]
      log: string
    }

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
