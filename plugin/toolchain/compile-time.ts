import { BuildError, simpleFailure } from './build-failure.ts'

/** Runs work where a processor is free, as a `Semaphore` does. */
export interface Slots {
  run: <T>(work: () => Promise<T>, urgent?: () => boolean) => Promise<T>
}

/**
 * So many times the limit of one run for all sources of a host part together: some seconds for each of the most that it may have,
 * also on a machine that has much else to do.
 */
const mostRuns = 20

/** Slots for one host part, whose compilers may run for so long together. Throws `BuildError` beyond that. */
export class LimitedSlots implements Slots {
  readonly #slots: Slots
  readonly #limitMs: number
  #spentMs = 0

  constructor(slots: Slots, timeoutMs: number) {
    this.#slots = slots
    this.#limitMs = mostRuns * timeoutMs
  }

  async run<T>(work: () => Promise<T>, urgent?: () => boolean): Promise<T> {
    return await this.#slots.run(async () => {
      if (this.#spentMs > this.#limitMs) {
        const message = `the sources of the host part take more than ${this.#limitMs / 1000} s to compile, ${mostRuns} times compileTimeoutMs`
        throw new BuildError(simpleFailure('host', message), false)
      }
      const from = performance.now()
      try {
        return await work()
      } finally {
        this.#spentMs += performance.now() - from
      }
    }, urgent)
  }
}
