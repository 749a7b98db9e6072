import { Semaphore } from '../process/semaphore.ts'

interface Job<T> {
  result: Promise<T>
  awaited: boolean
}

/**
 * Builds in order of demand: what someone waits for goes before what is only expected, and the same content is built once
 * at a time, whoever asks.
 */
export class BuildQueue<T> {
  readonly #semaphore: Semaphore
  readonly #running = new Map<string, Job<T>>()

  constructor(jobs: number) {
    this.#semaphore = new Semaphore(jobs)
  }

  /** Joins a build of the same key, or queues a new one. `work` is given a function that tells whether someone waits. */
  run(key: string, awaited: boolean, work: (urgent: () => boolean) => Promise<T>): Promise<T> {
    const known = this.#running.get(key)
    if (known) {
      known.awaited ||= awaited
      return known.result
    }
    const urgent = (): boolean => job.awaited
    const job: Job<T> = {
      awaited,
      result: Promise.resolve()
        .then(async () => await this.#semaphore.run(async () => await work(urgent), urgent))
        .finally(() => this.#running.delete(key)),
    }
    this.#running.set(key, job)
    return job.result
  }
}
