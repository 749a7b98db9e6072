import type { z } from 'zod'
import { clockFactor } from '../model/index.ts'
import { LineProcess } from '../process/line-process.ts'
import type { RunnerRequest } from './protocol.ts'

/** The runner enforces its limits itself, by a clock that stands still while others have the processor. After this it is dead. */
const deadAfterMs = (clockLimitMs: number): number => 15_000 + 4 * clockLimitMs

/** One npu-runner. */
export class RunnerProcess {
  readonly #process: LineProcess

  constructor(program: string) {
    this.#process = new LineProcess(program, { name: 'npu-runner', env: { LC_ALL: 'C' } })
  }

  get alive(): boolean {
    return this.#process.alive
  }

  /** The reply, checked. Rejects with `InfrastructureError` when the runner dies, hangs or answers nonsense. */
  async request<T extends z.ZodType>(request: RunnerRequest, reply: T): Promise<z.infer<T>> {
    const clockLimitMs = request.timeoutMs * clockFactor
    const limitMs = deadAfterMs(clockLimitMs)
    return await this.#process.request(request.op, { ...request, clockLimitMs }, reply, limitMs)
  }

  /** Kills the runner at once; its children die with it. */
  kill(): void {
    this.#process.kill()
  }
}
