/**
 * Lets what comes in an order be done a few at a time. The next one begins when the first of those under way has ended, so that
 * what is under way are always neighbours.
 */
export class SampleWindow {
  readonly #width: number
  #entered = 0
  /** those below have all left */
  #floor = 0
  readonly #left = new Set<number>()
  readonly #waiting: { place: number; start: () => void }[] = []

  constructor(width: number) {
    this.#width = Math.max(1, width)
  }

  /** Resolves when the next in order may begin, to its place, which is given to `leave`. */
  async enter(): Promise<number> {
    const place = this.#entered++
    if (place >= this.#floor + this.#width) await new Promise<void>((start) => this.#waiting.push({ place, start }))
    return place
  }

  leave(place: number): void {
    this.#left.add(place)
    while (this.#left.delete(this.#floor)) this.#floor++
    while (this.#waiting[0] && this.#waiting[0].place < this.#floor + this.#width) this.#waiting.shift()?.start()
  }
}
