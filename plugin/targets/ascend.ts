import { join } from 'node:path'
import { AscendDevice, firstOutput, type DeviceOptions } from '../ascend/ascend-device.ts'
import { OperatorBuilder, type AscendArtifact } from '../ascend/build-operator.ts'
import { requireToolkit } from '../ascend/cann.ts'
import { LocalMachine, type Machine } from '../ascend/machine.ts'
import { SshMachine } from '../ascend/ssh-machine.ts'
import { measureTimes, type Subject } from '../ascend/measure-times.ts'
import { parseClock } from '../ascend/npu-smi.ts'
import { RunnerProgram } from '../ascend/runner-program.ts'
import type { VendorOperator } from '../ascend/vendor/call.ts'
import { findVendorOperator, type FoundOperator } from '../ascend/vendor/vendor-operator.ts'
import { Cache } from '../cache/cache.ts'
import { packagedBaseline } from '../candidates/packaged.ts'
import { repositoryAround } from '../candidates/project.ts'
import {
  confinementLayers,
  InfrastructureError,
  type BuildArgs,
  type CompletedLaunch,
  type ConfinementLayer,
  type FailedLaunch,
  type LaunchArgs,
  type Measured,
  type MeasureArgs,
  type Target,
  type TargetBuild,
  type TargetDescription,
  type TargetFactory,
  type TargetOptions,
  type TaskInterface,
  type VendorFigures,
} from '../model/index.ts'
import { killProcesses } from '../process/run-process.ts'
import { Semaphore } from '../process/semaphore.ts'
import { socOf } from '../soc/devices.ts'
import { simpleFailure } from '../toolchain/build-failure.ts'
import { ProgramCompiler } from './program-compiler.ts'
import { Programs } from './program.ts'

/** What the target is told beside the options of every run. */
export interface AscendOptions {
  /** a machine that ssh reaches, e.g. `user@box`: candidates are built and launched there; this machine where left out */
  host?: string
  /** further arguments of ssh, e.g. `['-p', '2222']` */
  ssh?: readonly string[]
  /** devices by the numbers of the runtime; all that the driver lists */
  devices?: readonly number[]
  /** wall-clock milliseconds of the build of one operator by the vendor's tools; 600 000 */
  buildTimeoutMs?: number
  /** builds at the same time; as many as `jobs` */
  buildJobs?: number
  /** whether the vendor's profiler (`msprof`) tells kernel times beside those of events */
  profiler?: boolean
  /** bytes that the tensors of cold launches have to exceed; twice the L2 of the device */
  cacheBytes?: number
}

const defaultBuildTimeoutMs = 600_000

/** The machine that options name. */
export const machineOf = ({ host, ssh }: Pick<AscendOptions, 'host' | 'ssh'>, cacheDir: string): Machine =>
  host === undefined ? new LocalMachine(cacheDir) : new SshMachine({ host, ...(ssh && { ssh }) })

/** A real device, with the vendor's toolkit, on this machine or on another. */
export const ascendTarget = (own: AscendOptions = {}): TargetFactory<AscendArtifact> => ({
  name: 'ascend',
  create: (options) => new AscendTarget(options, own),
})

export const ascend = ascendTarget()

/** What figures of a device hold for. */
export type MeasuredUnder = Pick<VendorFigures, 'cann' | 'driver' | 'clockMHz'>

interface Equipment {
  cache: Cache
  compiler: ProgramCompiler
  builder: OperatorBuilder
  deviceOptions: DeviceOptions
  device: AscendDevice
}

export class AscendTarget implements Target<AscendArtifact> {
  readonly description: TargetDescription
  readonly #options: TargetOptions
  readonly #own: AscendOptions
  #machine: Machine | null = null
  #finding: Promise<Equipment> | null = null
  #found: Equipment | null = null
  readonly #programs = new Programs<AscendArtifact>()

  constructor(options: TargetOptions, own: AscendOptions) {
    this.#options = options
    this.#own = own
    const unconfined =
      'tools of the vendor and the runtime load code of candidates into processes that nothing confines'
    this.description = { name: 'ascend', soc: options.soc, latencySource: 'measured', prefetches: true, unconfined }
  }

  async build(args: BuildArgs, urgent: () => boolean): Promise<TargetBuild<AscendArtifact>> {
    return await this.#programs.build(
      args.sample,
      async () => await this.#equipment(),
      async (sample) => await this.#built({ ...args, sample }, urgent),
    )
  }

  async launch(artifact: AscendArtifact, args: LaunchArgs): Promise<CompletedLaunch | FailedLaunch> {
    const { device } = await this.#equipment()
    return this.#programs.launched(artifact, await device.launch(artifact, args))
  }

  async measure(artifact: AscendArtifact, baseline: AscendArtifact | null, args: MeasureArgs): Promise<Measured> {
    const { device, deviceOptions: options } = await this.#equipment()
    const placed = await options.machine.placeCase(args.file, firstOutput(args.slots, args.fileBytes))
    try {
      return await device.alone([artifact, ...(baseline ? [baseline] : [])], async ([own, other]) => {
        const subject: Subject = { of: 'artifact', artifact, ...own! }
        const others: Subject[] = baseline && other ? [{ of: 'baseline', artifact: baseline, ...other }] : []
        return await measureTimes([subject, ...others], { options, args, file: placed.path })
      })
    } finally {
      await placed.collect()
    }
  }

  /** An operator of the toolkit, ready to be launched as what was built is, or why there is none. */
  async vendorOperator(task: TaskInterface, operator: VendorOperator): Promise<FoundOperator> {
    const { device, deviceOptions } = await this.#equipment()
    const found = await findVendorOperator(deviceOptions.machine, deviceOptions.toolkit, { task, operator })
    const failure = found.ok ? await device.open(found.artifact) : null
    return failure ? { ok: false, why: failure.message || failure.kind } : found
  }

  /** What times are measured under. */
  async conditions(): Promise<MeasuredUnder> {
    const { machine, toolkit, devices } = (await this.#equipment()).deviceOptions
    const { card = 0 } = toolkit.chips[devices[0] ?? 0] ?? {}
    const { stdout } = await machine.run(['npu-smi', 'info', '-t', 'common', '-i', String(card)], { timeoutMs: 30_000 })
    return { cann: toolkit.version, driver: toolkit.driver, clockMHz: parseClock(stdout) }
  }

  /** What was measured may be measured otherwise the next time. */
  conditionsOf(): null {
    return null
  }

  /** The vendor's tools and the runtime load code of candidates into processes that nothing confines. */
  missingConfinement(): Promise<readonly ConfinementLayer[]> {
    return Promise.resolve(confinementLayers)
  }

  release(): void {
    this.#found?.device.close()
    this.#found?.compiler.close()
    killProcesses()
  }

  async close(): Promise<void> {
    this.release()
    await this.#machine?.close()
  }

  async #built(args: BuildArgs, urgent: () => boolean): Promise<TargetBuild<AscendArtifact>> {
    const { builder, device } = await this.#equipment()
    const built = await builder.build(args, urgent)
    if (!built.ok) return built
    const failure = await device.open(built.artifact)
    if (failure?.kind === 'symbol') {
      const message = `the package of ${args.task.name} cannot be loaded: ${failure.message}`
      return { ok: false, failure: simpleFailure('link', message), cached: built.cached }
    }
    if (failure) throw new InfrastructureError(`the device cannot be used: ${failure.message || failure.kind}`)
    return built
  }

  /** Looked for when it is first needed. A machine without toolkit or device says so in every build, in one line. */
  #equipment(): Promise<Equipment> {
    this.#finding ??= this.#find()
    return this.#finding
  }

  async #find(): Promise<Equipment> {
    const { cacheDir, soc, jobs, launchTimeoutMs = 20_000 } = this.#options
    const { buildTimeoutMs = defaultBuildTimeoutMs, buildJobs = jobs, devices } = this.#own
    const { defaultHost = ({ name }) => join(packagedBaseline, name) } = this.#options
    const machine = (this.#machine = machineOf(this.#own, cacheDir))
    const toolkit = await requireToolkit(machine)
    const builder = new OperatorBuilder({
      machine,
      toolkit,
      soc,
      timeoutMs: buildTimeoutMs,
      semaphore: new Semaphore(buildJobs),
      defaultHost,
      repositoryAround,
    })
    const program = new RunnerProgram(machine, toolkit, buildTimeoutMs)
    const deviceOptions: DeviceOptions = {
      machine,
      toolkit,
      program,
      soc,
      devices: devices ?? toolkit.chips.map((_, index) => index),
      launchTimeoutMs,
      profiler: this.#own.profiler ?? false,
      cacheBytes: this.#own.cacheBytes ?? 2 * socOf(soc).l2Bytes,
    }
    const device = new AscendDevice(deviceOptions)
    this.#found = { cache: new Cache(cacheDir), compiler: new ProgramCompiler(), builder, deviceOptions, device }
    return this.#found
  }
}
