import { AsyncLocalStorage } from 'node:async_hooks'
import { LateError, withinTime } from '../process/within-time.ts'
import { BuildError, simpleFailure, type BuildFailure } from './build-failure.ts'

/**
 * Of one part of what a candidate wrote, or of what compilers made of it: some seconds for the longest that there may be, also on a machine
 * that has much else to do. Everything else that this process does waits meanwhile.
 */
const longestMs = 10_000

interface ReadingTime {
  /** of a candidate, for all that is read of it */
  limitMs: number
  spentMs: number
  isReading: boolean
}

const times = new AsyncLocalStorage<ReadingTime>()

/** Builds a candidate, of which all together is read for no longer than this. */
export const withReadingTime = async <T>(limitMs: number, build: () => Promise<T>): Promise<T> =>
  await times.run({ limitMs, spentMs: 0, isReading: false }, build)

/** Reads what a candidate chose, and waits for nothing meanwhile. Throws `BuildError` where that takes too long. */
export function reading<T>(stage: BuildFailure['stage'], read: () => T): T {
  const time = times.getStore() ?? { limitMs: Infinity, spentMs: 0, isReading: false }
  if (time.isReading) return read()
  const limitMs = Math.min(longestMs, time.limitMs - time.spentMs)
  const started = performance.now()
  time.isReading = true
  try {
    if (limitMs <= 0) throw new LateError()
    return withinTime(limitMs, read)
  } catch (error) {
    if (error instanceof LateError) throw tooSlow(stage, Math.min(longestMs, time.limitMs))
    throw error
  } finally {
    time.isReading = false
    time.spentMs += performance.now() - started
  }
}

/** Another machine may be fast enough. */
const tooSlow = (stage: BuildFailure['stage'], limitMs: number): BuildError =>
  new BuildError(
    simpleFailure(
      stage,
      `reading the sources, or what compilers make of them, takes more than ${limitMs / 1000} s: make them shorter`,
    ),
    false,
  )
