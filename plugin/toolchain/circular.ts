/** What leads to itself, be it by way of others, in time linear in all that they lead to. */
export function circular<T>(all: readonly T[], leadsTo: (from: T) => readonly T[]): T[] {
  /** when each was met first, and the earliest of those it comes back to that are still open */
  const met = new Map<T, number>()
  const earliest = new Map<T, number>()
  const open: T[] = []
  const isOpen = new Set<T>()
  const found: T[] = []
  /** the way from where the search has begun, with those that are left to go to */
  const way: { from: T; to: readonly T[]; next: number }[] = []
  const enter = (from: T): void => {
    met.set(from, met.size)
    earliest.set(from, met.size - 1)
    open.push(from)
    isOpen.add(from)
    way.push({ from, to: leadsTo(from), next: 0 })
  }
  const lower = (from: T, to: number | undefined): void => {
    if (to !== undefined && to < (earliest.get(from) ?? 0)) earliest.set(from, to)
  }
  const leave = ({ from, to }: { from: T; to: readonly T[] }): void => {
    const last = way.at(-1)
    if (last) lower(last.from, earliest.get(from))
    if (earliest.get(from) !== met.get(from)) return
    const circle = open.splice(open.lastIndexOf(from))
    for (const each of circle) isOpen.delete(each)
    if (circle.length > 1 || to.includes(from)) for (const each of circle) found.push(each)
  }
  for (const start of all) {
    if (met.has(start)) continue
    enter(start)
    for (let last = way.at(-1); last; last = way.at(-1)) {
      const next = last.to[last.next++]
      if (last.next > last.to.length) {
        way.pop()
        leave(last)
      } else if (!met.has(next!)) enter(next!)
      else if (isOpen.has(next!)) lower(last.from, met.get(next!))
    }
  }
  return found
}
