/** One wrong component, and how wrong it is. */
export interface Miss {
  index: number
  golden: number
  actual: number
  /** the admissible error */
  limit: number
  severity: number
}

const none = (): Miss => ({ index: 0, golden: 0, actual: 0, limit: 0, severity: -1 })

/** How many of each kind are kept: eight in all. */
const [largestKept, firstKept, lastKept] = [4, 2, 2]

/** Some of the wrong components of a tensor, which come in ascending order: the worst ones, the first and the last ones. */
export class Examples {
  /** the worst first; of equal ones the first */
  readonly #largest: Miss[] = [none()]
  readonly #first: Miss[] = []
  /** the last ones, in turns: most tensors that are wrong are wrong in many places */
  readonly #last = Array.from({ length: lastKept }, none)
  #turn = 0

  get worst(): Readonly<Miss> {
    return this.#largest[0]!
  }

  add(index: number, golden: number, actual: number, limit: number, severity: number): void {
    const last = this.#last[this.#turn]!
    this.#turn = (this.#turn + 1) % lastKept
    last.index = index
    last.golden = golden
    last.actual = actual
    last.limit = limit
    last.severity = severity
    if (this.#first.length < firstKept) this.#first.push({ ...last })
    const isFull = this.#largest.length === largestKept
    if (isFull && severity <= this.#largest[largestKept - 1]!.severity) return
    const place = this.#largest.findIndex((other) => severity > other.severity)
    this.#largest.splice(place < 0 ? this.#largest.length : place, 0, { ...last })
    if (isFull || this.#largest.at(-1)!.severity < 0) this.#largest.pop()
  }

  /** The worst one, then the others in the order of their places; each once. */
  all(): Miss[] {
    const [worst, ...others] = [...this.#largest, ...this.#first, ...this.#last].filter(({ severity }) => severity >= 0)
    if (!worst) return []
    const byPlace = new Map(others.map((miss) => [miss.index, miss]))
    byPlace.delete(worst.index)
    return [worst, ...[...byPlace.values()].toSorted((one, other) => one.index - other.index)]
  }
}
