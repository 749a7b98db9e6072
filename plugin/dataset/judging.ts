import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import { readProject } from '../candidates/index.ts'
import { problemOf } from '../imports/index.ts'
import {
  InfrastructureError,
  type BuildArgs,
  type KernelCase,
  type Sample,
  type TaskInterface,
  type Tiled,
  type Verdict,
  type ProjectFile,
} from '../model/index.ts'
import { machineOf, type RunMachine } from '../mutation/machine.ts'
import type { CaseOptions } from '../mutation/original.ts'
import { scratchName, sweepScratch } from '../process/scratch.ts'
import { ServiceClient } from '../service/client.ts'
import { KernelService } from '../service/index.ts'
import type { KernelTask } from '../task/index.ts'
import { latencyCaseOf } from '../vitest/latency-case.ts'
import type { ResolvedOptions } from '../vitest/options.ts'
import { confinementRefusal, targetOf } from '../vitest/run.ts'
import type { RunSuites } from '../vitest/run-suites.ts'

const prefix = 'vitest-npu-dataset'

/** The project that data is made in. */
export interface JudgingProject {
  root: string
  options: ResolvedOptions
  suites: RunSuites
}

/** What compiling something came to: an artifact, by its name, or why there is none. */
export type Compiled =
  | { ok: true; artifact: string }
  | { ok: false; verdict: Extract<Verdict, { kind: 'compile-failed' }> }

/** Compiles and judges what rows are made of, as a run does: under the project's confinement, with golden of the specs. */
export class Judging {
  readonly soc: string
  readonly #project: JudgingProject
  readonly #service: KernelService
  readonly #signal: AbortSignal
  #client: Promise<ServiceClient> | undefined
  /** of each folder of sources, how many use it now */
  readonly #users = new Map<string, number>()
  readonly #scratch: string

  constructor(project: JudgingProject, signal: AbortSignal, onProgress: (line: string) => void) {
    const { root, options, suites } = project
    const target = targetOf(options, root, suites, onProgress)
    this.soc = options.soc
    this.#project = project
    this.#signal = signal
    this.#service = new KernelService({
      target,
      cacheDir: resolve(root, options.cacheDir),
      jobs: options.jobs,
      refusalOf: (missing) => confinementRefusal(missing, options.allowWeakConfinement, target.description.unconfined),
    })
    sweepScratch(tmpdir(), prefix)
    this.#scratch = join(tmpdir(), scratchName(prefix))
  }

  /** Started by whoever asks first. */
  #connected(): Promise<ServiceClient> {
    return (this.#client ??= this.#service.start().then(() => new ServiceClient(this.#service.path)))
  }

  /** Compiles a sample. Rejects with an {@link InfrastructureError} where the machine is at fault. */
  async build(args: BuildArgs): Promise<Compiled> {
    const client = await this.#connected()
    const built = await client.call('build', args, this.#signal)
    if (built.ok) return built
    const { verdict } = built
    if (verdict.kind === 'infrastructure') throw new InfrastructureError(verdict.message)
    return { ok: false, verdict }
  }

  /** Builds samples of a task, and judges them on its cases. */
  async machineOf(task: KernelTask): Promise<RunMachine> {
    const client = await this.#connected()
    const { profile, warnings, soc, latencyCase, maxElements } = this.#project.options
    const timed = latencyCaseOf(task.staticCases, { latencyCase, maxElements, fixedCase: undefined })
    const rules = { profile, warnings, soc, latencyCase: timed }
    return machineOf({ task, service: this.#service, client, rules, signal: this.#signal })
  }

  /** What the host part of something that was built makes of a case. Rejects where the target cannot tell. */
  async tiling(artifact: string, kernelCase: KernelCase): Promise<Tiled> {
    const tiled = await this.#service.tiling(artifact, kernelCase)
    if (!tiled) throw new InfrastructureError('the target of this project does not tell what host parts decide')
    return tiled
  }

  /**
   * Writes files as a sample of a task, for as long as `work` takes. Files that no sample can have are told as a sentence instead:
   * their names and sizes may come from anywhere.
   */
  async withFiles<T>(
    task: Pick<TaskInterface, 'name'>,
    files: readonly ProjectFile[],
    work: (sample: Sample) => Promise<T>,
  ): Promise<T | { problem: string }> {
    const byPath = new Map(files.map(({ path, content }) => [path, content]))
    const problem = problemOf({ task: task.name, sample: 'row', model: null, files: byPath })
    if (problem !== undefined) return { problem }
    // what is built remembers where its sources lay: those that are the same lie there again
    const place = join(this.#scratch, hashOf(task.name, ...[...byPath].flat()))
    const root = join(place, task.name)
    this.#users.set(place, (this.#users.get(place) ?? 0) + 1)
    try {
      for (const [path, content] of byPath) {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), content)
      }
      const { samples, ignored } = readProject(root, { task: task.name, name: 'row' })
      const [sample] = samples
      return sample ? await work(sample) : { problem: ignored[0]?.reason ?? 'holds no operator project' }
    } finally {
      const others = this.#users.get(place)! - 1
      this.#users.set(place, others)
      if (others === 0) {
        this.#users.delete(place)
        rmSync(place, { recursive: true, force: true })
      }
    }
  }

  /** Which cases a run of that seed judges a sample on, but for those that failed before. */
  casesOf(seed: number): CaseOptions {
    const { fuzzRuns, fuzzBudgetMs, narrowDevices, guided, maxElements } = this.#project.options
    return { seed, fuzzRuns, fuzzBudgetMs, narrowDevices, guided, maxElements, corpus: [] }
  }

  /** The case that latency is taken on, where the task has one. */
  timedCaseOf({ staticCases }: KernelTask): KernelCase | undefined {
    const { latencyCase, maxElements } = this.#project.options
    return latencyCaseOf(staticCases, { latencyCase, maxElements })
  }

  get signal(): AbortSignal {
    return this.#signal
  }

  async close(): Promise<void> {
    const client = await this.#client
    client?.close()
    if (client) await this.#service.close()
    rmSync(this.#scratch, { recursive: true, force: true })
  }
}
