import { bytesView, type Tensor } from '../model/index.ts'

/** Finds the bytes of an output that the kernel never wrote: those that still hold the eight poison bytes. */
export class PoisonMap {
  #bytes: Uint8Array
  #width: number
  #poison: Uint8Array

  /** @param poison eight bytes, repeated over the tensor from its first byte before the launch */
  constructor(tensor: Tensor, poison: Uint8Array) {
    this.#bytes = bytesView(tensor)
    this.#width = tensor.data.BYTES_PER_ELEMENT
    this.#poison = poison
  }

  /** Whether every byte of component `index` is as it was before the launch. */
  survivesAt(index: number): boolean {
    const start = index * this.#width
    for (let i = start; i < start + this.#width; i++) if (this.#bytes[i] !== this.#poison[i & 7]) return false
    return true
  }

  /**
   * Whether component `index`, which is as it was before the launch, stands in a run of such bytes that is as long as the
   * pattern: no value that a kernel writes looks like that, while a shorter run may be what it has written.
   */
  isPartOfRun(index: number): boolean {
    const length = this.#poison.length
    let [first, end] = [index * this.#width, (index + 1) * this.#width]
    while (end - first < length && this.#survives(first - 1)) first--
    while (end - first < length && this.#survives(end)) end++
    return end - first >= length
  }

  #survives(at: number): boolean {
    return at >= 0 && at < this.#bytes.length && this.#bytes[at] === this.#poison[at & 7]
  }

  /** Adds component `index` to a count of unwritten bytes; components come in ascending order. */
  count(index: number, unwritten: Unwritten): void {
    const start = index * this.#width
    if (unwritten.bytes === 0) unwritten.first = start
    unwritten.bytes += this.#width
    unwritten.last = start + this.#width - 1
  }
}

/** How many bytes were never written, and the offsets of the first and the last one. */
export interface Unwritten {
  bytes: number
  first: number
  last: number
}
