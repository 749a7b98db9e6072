import { z } from 'zod'
import { clockFactor, confinementLayers, InfrastructureError, type ConfinementLayer } from '../model/index.ts'
import { LineProcess } from '../process/line-process.ts'
import { runProcess } from '../process/run-process.ts'
import type { RunnerRequest } from './protocol.ts'

/** The runner enforces its limits itself, by a clock that stands still while others have the processor. After this it is dead. */
const deadAfterMs = (clockLimitMs: number): number => 15_000 + 4 * clockLimitMs

const layers = z.record(z.enum(confinementLayers), z.boolean())

/** The layers of the confinement that this machine lacks. */
export async function missingLayers(program: string): Promise<ConfinementLayer[]> {
  const { stdout, stderr } = await runProcess([program, '--confinement'], { timeoutMs: 20_000, env: { LC_ALL: 'C' } })
  const parsed = layers.safeParse(stdout === '' ? null : JSON.parse(stdout))
  if (!parsed.success) throw new InfrastructureError(`npu-runner does not say how it confines: ${stderr}`)
  return confinementLayers.filter((layer) => !parsed.data[layer])
}

/** One npu-runner. */
export class RunnerProcess {
  /** What tests do before each request: they keep launches, to carry them out again. */
  static before: ((request: RunnerRequest) => Promise<void>) | undefined
  readonly #process: LineProcess

  /** `allowMissing`: layers of the confinement that this machine may lack. */
  constructor(program: string, allowMissing: readonly ConfinementLayer[] = []) {
    const args = allowMissing.flatMap((layer) => ['--allow-missing', layer])
    this.#process = new LineProcess(program, { name: 'npu-runner', args, env: { LC_ALL: 'C' } })
  }

  get alive(): boolean {
    return this.#process.alive
  }

  /** The reply, checked. Rejects with `InfrastructureError` when the runner dies, hangs or answers nonsense. */
  async request<T extends z.ZodType>(request: RunnerRequest, reply: T): Promise<z.infer<T>> {
    await RunnerProcess.before?.(request)
    const clockLimitMs = request.timeoutMs * clockFactor
    // a launch that is tiled first has its time twice
    const limitMs = deadAfterMs('tile' in request ? 2 * clockLimitMs : clockLimitMs)
    return await this.#process.request(request.op, { ...request, clockLimitMs }, reply, limitMs)
  }

  /** Kills the runner at once; its children die with it. */
  kill(): void {
    this.#process.kill()
  }
}
