import type { Artifact, TaskInterface } from '../model/index.ts'
import type { OperatorDescription } from './prelude.ts'
import type { SourceTree } from './sources.ts'

/** What a launch of one dtype combination loads. */
export type KernelVariants =
  | {
      supported: true
      aiv: string | null
      aic: string | null
      /** that there is a kernel for, decimal */
      tilingKeys: ReadonlySet<string>
    }
  /** the operator does not declare the combination; cases of it cannot be launched */
  | { supported: false; message: string }

/** What the toolchain built from one candidate for one task. Paths lie in the cache. */
export interface EmulatorArtifact extends Artifact {
  task: TaskInterface
  operator: OperatorDescription
  host: string
  /** by `combinationKey` */
  kernels: Map<string, KernelVariants>
  autoSync: boolean
  /** the folders whose files reports may name */
  trees: readonly Pick<SourceTree, 'root' | 'mark'>[]
  /** lines of the kernel that somebody wrote, where others are of a compiler: reports name the innermost of these */
  written?: { readonly has: (line: number) => boolean }
}
