interface Waiter {
  bytes: number
  start: () => void
}

/**
 * Lets work that needs memory run at the same time within a sum of bytes, in order of arrival. What is larger than the sum runs
 * alone.
 */
export class MemoryBudget {
  readonly #limit: number
  #taken = 0
  readonly #waiting: Waiter[] = []

  constructor(limitBytes: number) {
    this.#limit = limitBytes
  }

  async run<T>(bytes: number, work: () => Promise<T>): Promise<T> {
    const share = Math.min(bytes, this.#limit)
    if (this.#waiting.length > 0 || this.#taken + share > this.#limit)
      await new Promise<void>((start) => this.#waiting.push({ bytes: share, start }))
    else this.#taken += share
    try {
      return await work()
    } finally {
      this.#taken -= share
      this.#serve()
    }
  }

  #serve(): void {
    for (let next = this.#waiting[0]; next && this.#taken + next.bytes <= this.#limit; next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#taken += next.bytes
      next.start()
    }
  }
}
