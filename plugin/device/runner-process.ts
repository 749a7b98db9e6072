import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { z } from 'zod'
import { InfrastructureError } from '../toolchain/failure.ts'
import { clockFactor, type RunnerRequest } from './protocol.ts'

/** The runner enforces its limits itself, by a clock that stands still while others have the processor. After this it is dead. */
const deadAfterMs = (clockLimitMs: number): number => 15_000 + 4 * clockLimitMs
const keptErrorText = 4096

interface Pending {
  resolve: (line: string) => void
  reject: (error: Error) => void
}

/**
 * One npu-runner: a request at a time, a line each way. It ends when its stdin is closed, so it cannot outlive this process.
 */
export class RunnerProcess {
  readonly #child: ChildProcessWithoutNullStreams
  #pending: Pending | null = null
  #dead: Error | null = null
  #errors = ''

  constructor(program: string) {
    this.#child = spawn(program, [], { stdio: ['pipe', 'pipe', 'pipe'], env: { LC_ALL: 'C' } })
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#answer(line))
    this.#child.stderr.on('data', (text: Buffer) => {
      this.#errors = (this.#errors + text.toString('utf8')).slice(-keptErrorText)
    })
    this.#child.stdin.on('error', () => {
      // the exit that caused it is reported
    })
    this.#child.once('error', (error) => this.#die(`cannot start ${program}: ${error.message}`))
    this.#child.once('close', (code, signal) => {
      this.#die(
        `npu-runner ended (${signal ?? `status ${code}`})${this.#errors === '' ? '' : `: ${this.#errors.trim()}`}`,
      )
    })
    this.#idle(true)
  }

  get alive(): boolean {
    return this.#dead === null
  }

  /** The reply, checked. Rejects with `InfrastructureError` when the runner dies, hangs or answers nonsense. */
  async request<T extends z.ZodType>(request: RunnerRequest, reply: T): Promise<z.infer<T>> {
    const clockLimitMs = request.timeoutMs * clockFactor
    const line = await this.#exchange(JSON.stringify({ ...request, clockLimitMs }), deadAfterMs(clockLimitMs))
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      throw this.#die(`npu-runner answered no JSON: ${line.slice(0, 200)}`)
    }
    const parsed = reply.safeParse(value)
    if (parsed.success) return parsed.data
    const issue = parsed.error.issues[0]
    throw this.#die(`npu-runner answered ${request.op} wrongly at ${issue?.path.join('.')}: ${issue?.message}`)
  }

  /** Kills the runner at once; its children die with it. */
  kill(): void {
    this.#die('npu-runner was stopped')
  }

  #exchange(line: string, limitMs: number): Promise<string> {
    if (this.#dead) return Promise.reject(this.#dead)
    if (this.#pending) return Promise.reject(new Error('npu-runner takes one request at a time'))
    this.#idle(false)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#die(`npu-runner did not answer within ${limitMs / 1000} s`), limitMs)
      const settle = (): void => {
        clearTimeout(timer)
        this.#pending = null
        this.#idle(true)
      }
      this.#pending = {
        resolve: (text) => {
          settle()
          resolve(text)
        },
        reject: (error) => {
          settle()
          reject(error)
        },
      }
      this.#child.stdin.write(`${line}\n`)
    })
  }

  #answer(line: string): void {
    if (this.#pending) this.#pending.resolve(line)
    else this.#die(`npu-runner spoke unasked: ${line.slice(0, 200)}`)
  }

  #die(reason: string): Error {
    this.#dead ??= new InfrastructureError(reason)
    this.#child.kill('SIGKILL')
    this.#pending?.reject(this.#dead)
    return this.#dead
  }

  /** An idle runner must not keep the process alive. */
  #idle(idle: boolean): void {
    for (const handle of [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      // pipes of a child are sockets, which their declared type does not say
      const change: unknown = Reflect.get(handle, idle ? 'unref' : 'ref')
      if (typeof change === 'function') Reflect.apply(change, handle, [])
    }
  }
}
