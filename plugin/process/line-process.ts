import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import type { z } from 'zod'
import { InfrastructureError } from '../model/error.ts'
import { startDeadline } from './deadline.ts'
import { onLines } from './lines.ts'

export interface LineProcessOptions {
  /** what messages call it */
  name: string
  args?: readonly string[]
  env: NodeJS.ProcessEnv
  cwd?: string
}

const keptErrorText = 4096

interface Pending {
  resolve: (line: string) => void
  reject: (error: Error) => void
}

/**
 * A program that is asked in lines of JSON: one request at a time, one line each way. It ends when its stdin is closed, so it
 * cannot outlive this process.
 */
export class LineProcess {
  readonly #name: string
  readonly #child: ChildProcessWithoutNullStreams
  #pending: Pending | null = null
  #dead: Error | null = null
  #errors = ''
  /** pieces of answers that have been read */
  #pieces = 0

  constructor(program: string, { name, args = [], env, cwd }: LineProcessOptions) {
    this.#name = name
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env, cwd })
    this.#child.stdout.on('data', () => this.#pieces++)
    onLines(this.#child.stdout, (line) => this.#answer(line))
    this.#child.stderr.on('data', (text: Buffer) => {
      this.#errors = (this.#errors + text.toString('utf8')).slice(-keptErrorText)
    })
    this.#child.stdin.on('error', () => {
      // the exit that caused it is reported
    })
    this.#child.once('error', (error) => this.#die(`cannot start ${program}: ${error.message}`))
    this.#child.once('close', (code, signal) => {
      this.#die(`${name} ended (${signal ?? `status ${code}`})${this.#errors === '' ? '' : `: ${this.#errors.trim()}`}`)
    })
    this.#idle(true)
  }

  get alive(): boolean {
    return this.#dead === null
  }

  /** The reply, checked. Rejects with `InfrastructureError` when the program dies, hangs or answers nonsense. */
  async request<T extends z.ZodType>(what: string, request: object, reply: T, limitMs: number): Promise<z.infer<T>> {
    return this.#checked(what, await this.#exchange(`${JSON.stringify(request)}\n`, limitMs), reply)
  }

  /** What the program says first, where it speaks unasked when it is ready. */
  async greeting<T extends z.ZodType>(reply: T, limitMs: number): Promise<z.infer<T>> {
    return this.#checked('its start', await this.#exchange('', limitMs), reply)
  }

  /** Kills the program at once. */
  kill(): void {
    this.#die(`${this.#name} was stopped`)
  }

  /** Closes its stdin: the program ends what it does, and itself. */
  end(): void {
    this.#child.stdin.destroy()
  }

  #checked<T extends z.ZodType>(what: string, line: string, reply: T): z.infer<T> {
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      throw this.#die(`${this.#name} sent something that is not JSON: ${line.slice(0, 200)}`)
    }
    const parsed = reply.safeParse(value)
    if (parsed.success) return parsed.data
    const issue = parsed.error.issues[0]
    const place = issue?.path.join('.')
    throw this.#die(`${this.#name} sent a malformed answer to ${what}${place ? ` at ${place}` : ''}: ${issue?.message}`)
  }

  #exchange(text: string, limitMs: number): Promise<string> {
    if (this.#dead) return Promise.reject(this.#dead)
    if (this.#pending) return Promise.reject(new Error(`${this.#name} takes one request at a time`))
    this.#idle(false)
    return new Promise((resolve, reject) => {
      const clear = startDeadline(
        limitMs,
        () => this.#pieces,
        () => this.#die(`${this.#name} did not answer within ${limitMs / 1000} s`),
      )
      const finish = (): void => {
        clear()
        this.#pending = null
        this.#idle(true)
      }
      this.#pending = {
        resolve: (line) => {
          finish()
          resolve(line)
        },
        reject: (error) => {
          finish()
          reject(error)
        },
      }
      this.#child.stdin.write(text)
    })
  }

  #answer(line: string): void {
    if (this.#pending) this.#pending.resolve(line)
    else this.#die(`${this.#name} sent a line without being asked: ${line.slice(0, 200)}`)
  }

  #die(reason: string): Error {
    this.#dead ??= new InfrastructureError(reason)
    this.#child.kill('SIGKILL')
    this.#pending?.reject(this.#dead)
    return this.#dead
  }

  /** An idle program must not keep this process alive. */
  #idle(idle: boolean): void {
    for (const handle of [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      // pipes of a child are sockets, which their declared type does not say
      const change: unknown = Reflect.get(handle, idle ? 'unref' : 'ref')
      if (typeof change === 'function') Reflect.apply(change, handle, [])
    }
  }
}
