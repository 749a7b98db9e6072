import type { Artifact, TaskInterface } from '../model/index.ts'
import type { OperatorDescription } from './prelude.ts'
import type { SourceTree } from './sources.ts'

/** What a launch loads: the kernel for vector cores and that for cube cores. */
export interface KernelLibraries {
  aiv: string | null
  aic: string | null
}

/** The kernel for one dtype combination. */
export type KernelVariants =
  | (KernelLibraries & {
      supported: true
      /** that there is a kernel for, decimal */
      tilingKeys: ReadonlySet<string>
      /** where it is compiled for each tiling key by itself: those of each, of which the first are those above */
      byKey?: ReadonlyMap<string, KernelLibraries>
    })
  /** the operator does not declare the combination; cases of it cannot be launched */
  | { supported: false; message: string }

type BuiltKernel = Extract<KernelVariants, { supported: true }>

const buildsOf = ({ aiv, aic, byKey }: BuiltKernel): KernelLibraries[] => (byKey ? [...byKey.values()] : [{ aiv, aic }])

/** All libraries of a kernel. */
export const librariesOf = (kernel: BuiltKernel): (string | null)[] =>
  buildsOf(kernel).flatMap(({ aiv, aic }) => [aiv, aic])

/** Does it run on cube cores? */
export const hasCube = (kernel: BuiltKernel): boolean => buildsOf(kernel).some(({ aic }) => aic !== null)

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
