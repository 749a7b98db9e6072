const everyMs = 10_000

/** Counts calls, and tells now and then how many there were. */
export function everySoOften(tell: (count: number) => void): () => void {
  let [count, last] = [0, performance.now()]
  return () => {
    count++
    if (performance.now() - last < everyMs) return
    last = performance.now()
    tell(count)
  }
}
