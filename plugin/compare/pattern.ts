/** Numbers as a progression: the smallest, the largest, and the step of which all differences are multiples. */
interface Progression {
  first: number
  last: number
  step: number
}

const greatestDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestDivisor(other, one % other)

const countOf = ({ first, last, step }: Progression): number => (step === 0 ? 1 : (last - first) / step + 1)

/** Adds all numbers between two. */
function addRange(to: Progression, first: number, last: number): void {
  if (to.last < to.first) Object.assign(to, { first, last, step: last > first ? 1 : 0 })
  else {
    to.step = greatestDivisor(to.step, Math.abs(first - to.first))
    if (last > first) to.step = 1
    to.first = Math.min(to.first, first)
    to.last = Math.max(to.last, last)
  }
}

const empty = (): Progression => ({ first: 0, last: -1, step: 0 })

/** Wrong elements that lie apart, and are as many as this share of a part of the tensor, are said to be within it. */
const dense = 0.5

/**
 * Where the wrong elements of a tensor lie: in a row of memory, or in a box of indices, both with steps. A part that holds them and
 * has as many elements as are wrong is exactly those.
 */
export class MismatchPattern {
  readonly #shape: readonly number[]
  readonly #elements: number
  readonly #inMemory = empty()
  readonly #byDimension: Progression[]
  #count = 0
  /** elements that follow each other, not yet added by dimension */
  #run = empty()

  constructor(shape: readonly number[]) {
    this.#shape = shape
    this.#elements = shape.reduce((product, extent) => product * extent, 1)
    this.#byDimension = shape.map(empty)
  }

  /** Elements come in ascending order, each once. */
  add(index: number): void {
    this.#count++
    if (index === this.#run.last + 1 && this.#run.last >= this.#run.first) this.#run.last = index
    else {
      this.#endRun()
      this.#run = { first: index, last: index, step: 0 }
    }
  }

  /** A clause on where the wrong elements of `output` lie; nothing where they are one, all, or everywhere. */
  describe(output: string): string | undefined {
    this.#endRun()
    this.#run = empty()
    const count = this.#count
    if (count <= 1 || count === this.#elements) return undefined
    const flat = this.#inMemory
    const boxed = this.#byDimension.reduce((product, each) => product * countOf(each), 1)
    const isBox = boxed === count
    // one dimension and memory are the same
    const isInMemory = countOf(flat) === count
    if (isBox && (this.#shape.length > 1 || isInMemory)) return `exactly ${this.#box(output)}`
    if (isInMemory) return `exactly ${this.#inWords(output)}`
    if (boxed * 2 > this.#elements || count < dense * boxed) return undefined
    return `all within ${this.#box(output)}, which has ${boxed} elements`
  }

  #endRun(): void {
    let { first, last } = this.#run
    if (last < first) return
    addRange(this.#inMemory, first, last)
    for (let i = this.#shape.length - 1; i >= 0; i--) {
      const extent = this.#shape[i]!
      const [row, end] = [Math.floor(first / extent), Math.floor(last / extent)]
      if (row === end) addRange(this.#byDimension[i]!, first % extent, last % extent)
      else addRange(this.#byDimension[i]!, 0, extent - 1)
      ;[first, last] = [row, end]
    }
  }

  /** `y[0..3, 60..63]` */
  #box(output: string): string {
    const ranges = this.#byDimension.map((range, i) => {
      const { first, last, step } = range
      if (step === 0) return String(first)
      const whole = first === 0 && last === this.#shape[i]! - 1 && step === 1
      const end = last === this.#shape[i]! - 1 ? `${last} (the last)` : String(last)
      return whole ? '*' : `${first}..${this.#shape.length === 1 ? end : last}${step > 1 ? ` each ${step}` : ''}`
    })
    return `${output}[${ranges.join(', ')}]`
  }

  #inWords(output: string): string {
    const { first, last, step } = this.#inMemory
    const end = last === this.#elements - 1 ? 'the end' : String(last)
    const each = step > 1 ? `, each ${step}` : ''
    return `the elements of ${output} from ${first} to ${end}${each}, counted in memory`
  }
}
