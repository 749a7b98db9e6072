import { createContext, Script } from 'node:vm'

/** Work has been ended, as it took too long. */
export class LateError extends Error {
  override readonly name = 'LateError'
}

const room: { work?: (() => void) | undefined } = createContext({})
const call = new Script('work()')

/** It is an error of the room, and so none of the class that has this name here. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'

/**
 * Does work that waits for nothing, and ends it after so many milliseconds wherever it is, in a regular expression too. Throws `LateError`
 * then. What the work had begun to write stays as it is: it is for work of which nothing is left but what it returns.
 */
export function withinTime<T>(limitMs: number, work: () => T): T {
  let made: { value: T } | undefined
  room.work = () => (made = { value: work() })
  try {
    call.runInContext(room, { timeout: Math.max(1, Math.ceil(limitMs)), displayErrors: false })
  } catch (error) {
    if (isTimeout(error)) throw new LateError(`it took more than ${limitMs / 1000} s`)
    throw error
  } finally {
    room.work = undefined
  }
  return made!.value
}
