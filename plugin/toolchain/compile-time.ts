import { BuildError, simpleFailure } from './build-failure.ts'

/** Runs work where a processor is free, as a `Semaphore` does. */
export interface Slots {
  run: <T>(work: () => Promise<T>, urgent?: () => boolean) => Promise<T>
}

/** A candidate has so many times the limit of one run for all runs of compilers together. */
const mostRuns = 5

/** Slots for the build of one candidate, whose compilers may run for so long together. Throws `BuildError` beyond that. */
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
        const message = `its compilations take more than ${this.#limitMs / 1000} s together, ${mostRuns} times compileTimeoutMs`
        throw new BuildError(simpleFailure('kernel', message), false)
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
