import { join } from 'node:path'
import { Cache } from '../cache/cache.ts'
import { packagedBaseline } from '../candidates/packaged.ts'
import { repositoryAround } from '../candidates/project.ts'
import { EmulatorDevice, exactApproximations } from '../device/emulator-device.ts'
import {
  defaultCann,
  InfrastructureError,
  type BuildArgs,
  type CompletedLaunch,
  type ConfinementLayer,
  type FailedLaunch,
  type KernelCase,
  type KernelCode,
  type Tiled,
  type LaunchArgs,
  type SketchArgs,
  type Target,
  type TargetBuild,
  type TargetDescription,
  type TargetFactory,
  type TargetOptions,
  type TilingSketch,
} from '../model/index.ts'
import { killProcesses } from '../process/run-process.ts'
import { Semaphore } from '../process/semaphore.ts'
import type { EmulatorArtifact } from '../toolchain/artifact.ts'
import { buildCandidate, describeHost, type CandidateContext } from '../toolchain/build-candidate.ts'
import { findCompiler } from '../toolchain/compiler.ts'
import { contentOfArtifact } from '../toolchain/loaded-content.ts'
import { Runtime } from '../toolchain/runtime.ts'
import { ProgramCompiler } from './program-compiler.ts'
import { Programs } from './program.ts'

/** The emulated device, which every machine with a C++ compiler has. */
export const emulator: TargetFactory<EmulatorArtifact> = {
  name: 'emulator',
  create: (options) => new EmulatorTarget(options),
}

/** Operators by what their OpDef says. */
export type RegisteredOperators = Awaited<ReturnType<typeof describeHost>>

/** Reads host parts of operator projects, several one after the other. */
export interface ProjectReader {
  /**
   * What the host part of a project registers: it is compiled and loaded in the confinement, like that of every candidate. Rejects
   * with what keeps it from that.
   */
  describe(args: BuildArgs): Promise<RegisteredOperators>
  /** Ends the tools of this process. */
  close(): Promise<void>
}

export function projectReader(options: TargetOptions): ProjectReader {
  const target = new EmulatorTarget(options)
  return {
    async describe(args) {
      const missing = await target.missingConfinement()
      const refused = missing.filter((layer) => !(options.allowWeakConfinement ?? []).includes(layer))
      if (refused.length > 0) throw new InfrastructureError(`this machine has no ${refused.join(' and no ')}`)
      return await target.describe(args)
    },
    close: async () => await target.close(),
  }
}

/** What the host part of one project registers. */
export async function describeProject(options: TargetOptions, args: BuildArgs): Promise<RegisteredOperators> {
  const reader = projectReader(options)
  try {
    return await reader.describe(args)
  } finally {
    await reader.close()
  }
}

/**
 * MiB of address space of one compiler. The limit of candidates is none of compilers: what they build is kept for runs with
 * other limits.
 */
const compilerMemoryMiB = 4096

interface Equipment {
  cache: Cache
  semaphore: Semaphore
  runtime: Runtime
  device: EmulatorDevice
  compiler: ProgramCompiler
}

class EmulatorTarget implements Target<EmulatorArtifact> {
  readonly description: TargetDescription
  readonly #options: Required<TargetOptions>
  #finding: Promise<Equipment> | null = null
  #found: Equipment | null = null
  /** what artifacts were compiled from, where that is a program */
  readonly #programs = new Programs<EmulatorArtifact>()
  /** known once a build has ended */
  #missing: readonly ConfinementLayer[] = []

  constructor(options: TargetOptions) {
    this.#options = {
      launchTimeoutMs: 20_000,
      compileTimeoutMs: 120_000,
      memoryLimitMiB: 4096,
      cann: defaultCann,
      defaultHost: ({ name }) => join(packagedBaseline, name),
      allowWeakConfinement: [],
      onProgress: () => {},
      ...options,
    }
    const { soc } = this.#options
    this.description = { name: emulator.name, soc, latencySource: 'emulated', prefetches: true, narrows: true }
  }

  async build(args: BuildArgs, urgent: () => boolean): Promise<TargetBuild<EmulatorArtifact>> {
    return await this.#programs.build(
      args.sample,
      async () => await this.#equipment(),
      async (sample) => await buildCandidate(await this.#context(urgent), { ...args, sample }),
    )
  }

  /** What the host part of an operator project registers. */
  async describe(args: BuildArgs): Promise<RegisteredOperators> {
    return await describeHost(await this.#context(() => true), args)
  }

  async #context(urgent: () => boolean): Promise<CandidateContext> {
    const { cache, semaphore, runtime, device } = await this.#equipment()
    const { soc, compileTimeoutMs: timeoutMs, defaultHost } = this.#options
    const describe: CandidateContext['describe'] = async (library) => await device.describe(library)
    const limits = { timeoutMs, memoryMiB: compilerMemoryMiB }
    return { cache, soc, semaphore, runtime, limits, describe, urgent, defaultHost, repositoryAround }
  }

  async launch(artifact: EmulatorArtifact, args: LaunchArgs): Promise<CompletedLaunch | FailedLaunch> {
    const { device } = await this.#equipment()
    return this.#programs.launched(artifact, await device.launch(artifact, args))
  }

  async sketch(artifact: EmulatorArtifact, args: SketchArgs): Promise<(TilingSketch | null)[] | null> {
    const { device } = await this.#equipment()
    return await device.sketch(artifact, args)
  }

  async tiling(artifact: EmulatorArtifact, kernelCase: KernelCase): Promise<Tiled> {
    const { device } = await this.#equipment()
    return await device.tiling(artifact, kernelCase)
  }

  async codeOf(artifact: EmulatorArtifact): Promise<KernelCode> {
    const { device } = await this.#equipment()
    return (await device.reachedCode(artifact)).code
  }

  contentOf(artifact: EmulatorArtifact): Promise<string> {
    return Promise.resolve(contentOfArtifact(artifact))
  }

  /**
   * Reports name files of the candidate: the same content in other folders has other reports. What was judged without a layer of
   * the confinement is nothing that a machine with all of them may take for right.
   */
  conditionsOf({ trees }: EmulatorArtifact): string[] {
    return [...trees.map(({ root }) => root), ...this.runConditions()]
  }

  runConditions(): string[] {
    const without = this.#missing.map((layer) => `without ${layer}`)
    return [...(exactApproximations() ? ['exact approximations'] : []), ...without]
  }

  async missingConfinement(): Promise<readonly ConfinementLayer[]> {
    const { device } = await this.#equipment()
    return (this.#missing = await device.missingLayers())
  }

  release(): void {
    if (this.#found) {
      const { semaphore, device, runtime, compiler } = this.#found
      semaphore.close()
      compiler.close()
      device.close()
      void runtime.close()
    }
    killProcesses()
  }

  async close(): Promise<void> {
    this.release()
    await this.#found?.runtime.close()
  }

  /** Compiler, cache and device, found when first needed. A machine without a compiler says so in every build. */
  #equipment(): Promise<Equipment> {
    this.#finding ??= this.#find()
    return this.#finding
  }

  async #find(): Promise<Equipment> {
    const { cacheDir, soc, cann, jobs, allowWeakConfinement, onProgress } = this.#options
    const { launchTimeoutMs, memoryLimitMiB } = this.#options
    const cpp = await findCompiler()
    const cache = new Cache(cacheDir)
    const semaphore = new Semaphore(jobs)
    const runtime = new Runtime(cpp, cache, semaphore, onProgress, cann, allowWeakConfinement)
    const limits = { launches: jobs, launchTimeoutMs, memoryLimitMiB }
    const device = new EmulatorDevice({ runtime, soc, ...limits, onWarning: onProgress })
    this.#found = { cache, semaphore, runtime, device, compiler: new ProgramCompiler() }
    return this.#found
  }
}
