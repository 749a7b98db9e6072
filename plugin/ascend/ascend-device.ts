import type { z } from 'zod'
import { InfrastructureError, type CompletedLaunch, type FailedLaunch, type LaunchArgs } from '../model/index.ts'
import type { AscendArtifact } from './build-operator.ts'
import type { Toolkit } from './cann.ts'
import { mayBeOfOthers, reportsOf, untold, verdictOf } from './launch-outcome.ts'
import type { Machine, PlacedCase } from './machine.ts'
import { RunnerPool, type AscendRunner } from './runner-pool.ts'
import { runnerArguments } from './runner-arguments.ts'
import type { RunnerProgram } from './runner-program.ts'
import { launchReply, openReply, type AscendFailure, type Share } from './runner-protocol.ts'

export interface DeviceOptions {
  machine: Machine
  toolkit: Toolkit
  program: RunnerProgram
  soc: string
  /** by the numbers that the runtime gives them */
  devices: readonly number[]
  launchTimeoutMs: number
  /** what the caches in front of the memory hold, which a cold launch must not find */
  cacheBytes: number
  /** whether the vendor's profiler tells kernel times as well */
  profiler: boolean
}

/** What others may keep a device for. */
export const lockTimeoutMs = 600_000

/** What the runner does beside waiting for the device: copies, the start of the runtime, the reset after a fault. */
export const overheadMs = 300_000

/** Where the first byte is that a kernel may write; the end where it may write none. */
export const firstOutput = (slots: LaunchArgs['slots'], fileBytes: number): number =>
  slots.flat().reduce((first, slot) => (slot && slot.access !== 'in' ? Math.min(first, slot.offset) : first), fileBytes)

/** The devices of a machine, which run what was built for them. */
export class AscendDevice {
  readonly #options: DeviceOptions
  readonly #pool: RunnerPool

  constructor(options: DeviceOptions) {
    this.#options = options
    this.#pool = new RunnerPool(options.machine, options.toolkit, options.devices)
  }

  /**
   * Loads a package and tells the device's name: what is missing in the package is a failure, another device than that of
   * the run an `InfrastructureError`.
   */
  async open(artifact: AscendArtifact): Promise<AscendFailure | null> {
    const answer = await this.#use(artifact, async (runner) =>
      runner.request({ op: 'open', share: 'many', lockTimeoutMs }, openReply, overheadMs),
    )
    if (!answer.ok) return answer
    const { soc, machine } = this.#options
    if (answer.soc !== '' && answer.soc !== soc)
      throw new InfrastructureError(
        `the device of ${machine.name} is ${answer.soc}, and the run is for ${soc}: set \`soc\` (NPU_SOC) to ${answer.soc}`,
      )
    return null
  }

  /**
   * Runs one case. A fault may be that of another launch, since it ends whatever a device does: what has met one is launched once
   * more with the device for itself, and that counts.
   */
  async launch(artifact: AscendArtifact, args: LaunchArgs): Promise<CompletedLaunch | FailedLaunch> {
    const placed = await this.#options.machine.placeCase(args.file, firstOutput(args.slots, args.fileBytes))
    try {
      const first = await this.#launched(artifact, args, placed, 'many')
      const answer = !first.ok && mayBeOfOthers(first) ? await this.#launched(artifact, args, placed, 'one') : first
      return this.#outcome(artifact, answer)
    } finally {
      await placed.collect()
    }
  }

  /** Works with runners that nobody else asks, one for each artifact and all on one device; anew where a connection was lost. */
  async alone<T>(
    artifacts: readonly AscendArtifact[],
    work: (started: { runner: AscendRunner; program: string }[]) => Promise<T>,
  ): Promise<T> {
    return await this.#again(async () => {
      const device = this.#pool.leastUsed()
      const started: { runner: AscendRunner; program: string }[] = []
      try {
        for (const artifact of artifacts) {
          const program = await this.#options.program.build(artifact)
          started.push({ runner: this.#pool.start(artifact, program, device), program })
        }
        return await work(started)
      } finally {
        for (const { runner } of started) runner.end()
      }
    })
  }

  close(): void {
    this.#pool.close()
  }

  async #use<T>(artifact: AscendArtifact, work: (runner: AscendRunner) => Promise<T>): Promise<T> {
    const program = await this.#options.program.build(artifact)
    return await this.#again(async () => await this.#pool.use(artifact, program, work))
  }

  /** A lost connection takes its runners with it: what they were asked is asked of the next ones. */
  async #again<T>(work: () => Promise<T>): Promise<T> {
    for (let left = this.#options.machine.reconnects; ; left--) {
      try {
        return await work()
      } catch (error) {
        if (left <= 0 || !(error instanceof InfrastructureError)) throw error
      }
    }
  }

  async #launched(
    artifact: AscendArtifact,
    { case: kernelCase, slots, fileBytes, poison }: LaunchArgs,
    { path: file }: PlacedCase,
    share: Share,
  ): Promise<z.infer<typeof launchReply>> {
    const { launchTimeoutMs: timeoutMs } = this.#options
    const args = runnerArguments(artifact, kernelCase, slots)
    return await this.#use(artifact, async (runner) =>
      runner.request(
        { op: 'launch', share, lockTimeoutMs, timeoutMs, file, fileBytes, poison, args },
        launchReply,
        3 * timeoutMs + overheadMs,
      ),
    )
  }

  #outcome(artifact: AscendArtifact, answer: z.infer<typeof launchReply>): CompletedLaunch | FailedLaunch {
    const { soc, toolkit, launchTimeoutMs } = this.#options
    if (!answer.ok) {
      const verdict = verdictOf(answer, artifact.task.name, launchTimeoutMs)
      return { ok: false, verdict, reports: 'report' in verdict ? [verdict.report] : [], log: answer.log }
    }
    return {
      ok: true,
      ...untold,
      latencyNs: answer.ns,
      profile: `${soc}, CANN ${toolkit.version}`,
      reports: reportsOf(answer),
      log: answer.log,
    }
  }
}
