import type { z } from 'zod'
import type { LineProcess } from '../process/line-process.ts'
import type { AscendArtifact } from './build-operator.ts'
import { inToolkit, type Toolkit } from './cann.ts'
import type { Machine } from './machine.ts'
import type { AscendRequest } from './runner-protocol.ts'

/** A runner that holds one operator on one device. */
export class AscendRunner {
  readonly device: number
  readonly #process: LineProcess
  /** requests wait for each other */
  #last: Promise<unknown> = Promise.resolve()
  uses = 0

  constructor(process: LineProcess, device: number) {
    this.#process = process
    this.device = device
  }

  get alive(): boolean {
    return this.#process.alive
  }

  /** `limitMs`: what the runner may take for the work, beside what others keep the device. Rejects when it is gone. */
  async request<T extends z.ZodType>(request: AscendRequest, reply: T, limitMs: number): Promise<z.infer<T>> {
    const waits = 'lockTimeoutMs' in request ? request.lockTimeoutMs : 0
    const work = this.#last.then(
      async () => await this.#process.request(request.op, request, reply, limitMs + waits),
      async () => await this.#process.request(request.op, request, reply, limitMs + waits),
    )
    this.#last = work.catch(() => {})
    return await work
  }

  end(): void {
    this.#process.end()
  }

  kill(): void {
    this.#process.kill()
  }
}

/** Idle runners that are kept: an operator that is launched again needs no new process. */
const keptRunners = 8

/** Runners by operator and device. A device that few use comes first. */
export class RunnerPool {
  readonly #machine: Machine
  readonly #toolkit: Toolkit
  readonly #devices: readonly number[]
  readonly #runners = new Map<string, AscendRunner>()

  constructor(machine: Machine, toolkit: Toolkit, devices: readonly number[]) {
    this.#machine = machine
    this.#toolkit = toolkit
    this.#devices = devices
  }

  /** Works with a runner of an artifact, on the device that has least to do. */
  async use<T>(
    artifact: Pick<AscendArtifact, 'id' | 'libraries' | 'package'>,
    program: string,
    work: (runner: AscendRunner) => Promise<T>,
  ): Promise<T> {
    const device = this.leastUsed()
    const key = `${artifact.id} ${device}`
    let runner = this.#runners.get(key)
    if (!runner?.alive) runner = this.start(artifact, program, device)
    this.#runners.delete(key)
    // behind all others: the first ones are those that were used longest ago
    this.#runners.set(key, runner)
    runner.uses++
    try {
      return await work(runner)
    } finally {
      runner.uses--
      this.#trim()
    }
  }

  /** A runner that nobody else asks, to be ended by the caller. */
  start(
    { libraries, package: folder }: Pick<AscendArtifact, 'libraries' | 'package'>,
    program: string,
    device: number,
  ): AscendRunner {
    // that folder and no other: what else is installed for operators must not take part
    const argv = inToolkit(this.#toolkit, [program, libraries.join(':'), String(device), lockFolder], {
      ASCEND_CUSTOM_OPP_PATH: folder,
    })
    const name = `the device runner on ${this.#machine.name}`
    return new AscendRunner(this.#machine.start(argv, { name }), device)
  }

  /** The device that has least to do. */
  leastUsed(): number {
    const uses = (device: number): number =>
      [...this.#runners.values()].reduce((sum, each) => sum + (each.device === device ? each.uses : 0), 0)
    return this.#devices.reduce((best, each) => (uses(each) < uses(best) ? each : best), this.#devices[0] ?? 0)
  }

  close(): void {
    for (const runner of this.#runners.values()) runner.kill()
    this.#runners.clear()
  }

  #trim(): void {
    for (const [key, runner] of this.#runners) {
      if (this.#runners.size <= keptRunners) return
      if (runner.uses > 0) continue
      runner.end()
      this.#runners.delete(key)
    }
  }
}

/** On the machine with the devices, and of all its users: the locks are between them. */
const lockFolder = '/tmp/vitest-npu-devices'
