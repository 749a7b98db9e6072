import type { Sample } from './candidate.ts'
import type { DType } from './dtype.ts'
import type { TaskInterface } from './task.ts'
import type { Confinement } from './confinement.ts'
import type { Diagnostic, Verdict } from './verdict.ts'

/** dtypes of one combination, by argument, in kernel-argument order (OpDef columns are matched against it). */
export interface Combination {
  inputs: DType[]
  outputs: DType[]
}

/** What is asked of a target to build: a candidate, for all dtype combinations of its task. */
export interface BuildArgs {
  sample: Sample
  task: TaskInterface
  combinations: Combination[]
}

/** What a build came to. A second request for the same content is a hit. */
export type BuildResult = (
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
) & {
  /** what confined the build, and will confine launches; absent where the target tells none */
  confinement?: Confinement
  /** hash of names and contents of the files of the candidate; absent where they cannot be read */
  sources?: string
}
