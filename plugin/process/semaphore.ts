import { InfrastructureError } from '../model/error.ts'

interface Waiter {
  urgent: () => boolean
  start: () => void
}

/** A counting semaphore that serves urgent waiters first, and equals in order of arrival. */
export class Semaphore {
  #free: number
  #closed = false
  readonly #waiters: Waiter[] = []

  constructor(count: number) {
    this.#free = Math.max(1, count)
  }

  /** Runs `work` when a slot is free. `urgent` is asked when a slot is given away, so it may change while waiting. */
  async run<T>(work: () => Promise<T>, urgent: () => boolean = () => true): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((start) => this.#waiters.push({ urgent, start }))
    try {
      if (this.#closed) throw new InfrastructureError('the run was stopped')
      return await work()
    } finally {
      this.#release()
    }
  }

  /** Work that has not begun will not: it fails with `InfrastructureError`. */
  close(): void {
    this.#closed = true
  }

  #release(): void {
    const first = this.#waiters.findIndex((waiter) => waiter.urgent())
    const next = this.#waiters.splice(Math.max(first, 0), 1)[0]
    if (next) next.start()
    else this.#free++
  }
}
