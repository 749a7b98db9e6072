/** A long answer comes in pieces, each of which waits until the one before it is read. */
const graceMs = 1000

/**
 * Calls `onLate` when the time of a child is over, unless what is returned is called before. Timers run before anything is read:
 * where this process was busy, an answer may lie there. So it is read first; and where some of it has come only now, as `received` tells,
 * the rest has another second.
 */
export function startDeadline(limitMs: number, received: () => number, onLate: () => void): () => void {
  let timer: NodeJS.Timeout
  let turn: NodeJS.Immediate | undefined
  const end = (isLast: boolean): void => {
    const before = received()
    const look = (): void => {
      if (isLast || received() === before) onLate()
      else timer = setTimeout(() => end(true), graceMs)
    }
    // in the first turn of the event loop pipes are read, in the second they are known to be closed
    turn = setImmediate(() => (turn = setImmediate(look)))
  }
  timer = setTimeout(() => end(false), limitMs)
  return () => {
    clearTimeout(timer)
    clearImmediate(turn)
  }
}
