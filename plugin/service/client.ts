import { createConnection, type Socket } from 'node:net'
import type { ServiceCalls, ServiceNotices } from './protocol.ts'
import { answerMessage, onMessages, sendMessage, type AnswerMessage } from './wire.ts'

interface PendingCall {
  resolve: (result: AnswerMessage['result']) => void
  reject: (error: Error) => void
}

/** Raised by every call once the connection to the service is lost. */
export class ServiceGoneError extends Error {
  override readonly name = 'ServiceGoneError'
}

/** The worker's side of the service: one connection, which does not keep the worker alive while nothing is asked. */
export class ServiceClient {
  readonly path: string
  readonly #socket: Socket
  readonly #pending = new Map<number, PendingCall>()
  #lastId = 0
  #gone: ServiceGoneError | null = null

  constructor(path: string) {
    this.path = path
    this.#socket = createConnection(path)
    this.#socket.unref()
    onMessages(this.#socket, (message) => this.#answer(message))
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#disconnect(error.code ?? error.message))
    this.#socket.on('close', () => this.#disconnect('connection closed'))
  }

  get connected(): boolean {
    return this.#gone === null
  }

  /** Asks the service. Rejects with the signal's reason when aborted, with `ServiceGoneError` when the service is gone. */
  call<K extends keyof ServiceCalls>(
    op: K,
    args: ServiceCalls[K]['args'],
    signal?: AbortSignal,
  ): Promise<ServiceCalls[K]['result']> {
    if (this.#gone) return Promise.reject(this.#gone)
    if (signal?.aborted) return Promise.reject(abortReason(signal))
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        signal?.removeEventListener('abort', abort)
        this.#pending.delete(id)
        if (this.#pending.size === 0) this.#socket.unref()
      }
      const abort = (): void => {
        finish()
        reject(abortReason(signal))
      }
      this.#pending.set(id, {
        resolve: (result) => {
          finish()
          resolve(result)
        },
        reject: (error) => {
          finish()
          reject(error)
        },
      })
      signal?.addEventListener('abort', abort, { once: true })
      this.#socket.ref()
      sendMessage(this.#socket, { id, op, args })
    })
  }

  /** Tells the service something that needs no answer; lost when the service is gone. */
  notify<K extends keyof ServiceNotices>(op: K, args: ServiceNotices[K]): void {
    if (!this.#gone) sendMessage(this.#socket, { op, args })
  }

  close(): void {
    this.#socket.destroy()
  }

  #answer(message: unknown): void {
    const { id, result, error } = answerMessage.parse(message)
    const call = this.#pending.get(id)
    if (error === undefined) call?.resolve(result)
    else call?.reject(new Error(error))
  }

  #disconnect(why: string): void {
    this.#gone ??= new ServiceGoneError(`the vitest-npu service is gone (${why})`)
    for (const call of this.#pending.values()) call.reject(this.#gone)
  }
}

const abortReason = (signal: AbortSignal | undefined): Error =>
  signal?.reason instanceof Error ? signal.reason : new Error('the call was aborted')

/** Survives module resets between test files, and a package that is loaded twice. */
const registry = Symbol.for('vitest-npu.service-client')

/** This worker's connection to the service at `path`; a lost one is replaced. */
export function serviceClient(path: string): ServiceClient {
  const existing: ServiceClient | undefined = Reflect.get(globalThis, registry)
  if (existing?.connected && existing.path === path) return existing
  existing?.close()
  const client = new ServiceClient(path)
  Reflect.set(globalThis, registry, client)
  return client
}
