import { setTimeout as sleep } from 'node:timers/promises'

/** Longest time that a server may have us wait. */
const longestWaitMs = 10 * 60_000

/** A timer of Node.js ends at once where it is given more. */
const longestTimerMs = 2 ** 31 - 1

/** Spreads requests over time: so many a minute, and none while the server asks for a pause. */
export class Pace {
  readonly #everyMs: number
  #next = 0

  /** `perMinute` left out: as fast as they come. */
  constructor(perMinute?: number) {
    this.#everyMs = perMinute === undefined ? 0 : 60_000 / perMinute
  }

  /** Resolves when the next request may go out. */
  async turn(signal: AbortSignal): Promise<void> {
    for (let now = Date.now(); ; now = Date.now()) {
      if (now >= this.#next) {
        this.#next = now + this.#everyMs
        return
      }
      await sleep(Math.min(this.#next - now, longestTimerMs), undefined, { signal })
    }
  }

  /** No request for so long. */
  pause(ms: number): void {
    this.#next = Math.max(this.#next, Date.now() + ms)
  }
}

/** Milliseconds before try `attempt` (1: the first one after a failure): doubled each time, with some chance in it. */
export const backOffMs = (attempt: number, random = Math.random(), firstMs = 1000): number =>
  Math.min(60_000, firstMs * 2 ** (attempt - 1)) * (0.5 + random / 2)

/**
 * How long the answer of a server asks us to wait; undefined where it says nothing that can be used. A date is held against the
 * server's own clock, where it tells that: ours may be wrong.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now = Date.now()): number | undefined {
  const exact = Number(headers['retry-after-ms'] || Number.NaN)
  if (exact >= 0) return Math.min(exact, longestWaitMs)
  const asked = headers['retry-after']
  if (asked === undefined || asked.trim() === '') return undefined
  const seconds = Number(asked)
  const date = Date.parse(headers['date'] ?? '')
  const ms = Number.isNaN(seconds) ? Date.parse(asked) - (Number.isNaN(date) ? now : date) : seconds * 1000
  return ms >= 0 ? Math.min(ms, longestWaitMs) : undefined
}
