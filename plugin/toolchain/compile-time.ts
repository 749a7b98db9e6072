import { BuildError, simpleFailure, type BuildFailure } from './build-failure.ts'

/** Runs work where a processor is free, as a `Semaphore` does. */
export interface Slots {
  run: <T>(work: () => Promise<T>, urgent?: () => boolean) => Promise<T>
}

/**
 * So many times the limit of one run for all sources of a host part together, or all builds of a kernel: some seconds for each of the most
 * that there may be, also on a machine that has much else to do.
 */
const mostRuns = 20

/** What is compiled, and what takes too long of it. */
export interface Limited {
  stage: BuildFailure['stage']
  what: string
}

/** Slots for one part of a candidate, whose compilers may run for so long together. Throws `BuildError` beyond that. */
export class LimitedSlots implements Slots {
  readonly #slots: Slots
  readonly #limitMs: number
  readonly #limited: Limited
  #spentMs = 0

  constructor(slots: Slots, timeoutMs: number, limited: Limited) {
    this.#limited = limited
    this.#slots = slots
    this.#limitMs = mostRuns * timeoutMs
  }

  async run<T>(work: () => Promise<T>, urgent?: () => boolean): Promise<T> {
    return await this.#slots.run(async () => {
      if (this.#spentMs > this.#limitMs) {
        const { stage, what } = this.#limited
        const message = `${what} more than ${this.#limitMs / 1000} s to compile, ${mostRuns} times compileTimeoutMs`
        throw new BuildError(simpleFailure(stage, message), false)
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
