import { totalmem } from 'node:os'
import { byteLengthOf, emptyTensor, storageView, type Allocate } from '../model/index.ts'

/** Smaller tensors are quickly allocated. */
const leastBytes = 1 << 20

/** Bytes that a worker keeps between two cases. */
const defaultLimit = Math.min(2 ** 30, totalmem() / 16)

/**
 * Memory of large tensors, reused from case to case: the operating system takes longer to hand out fresh pages than it takes to
 * draw what goes into them.
 */
export class TensorPool {
  readonly #limit: number
  /** the most recently released buffer comes last */
  #idle: ArrayBuffer[] = []

  constructor(limitBytes: number = defaultLimit) {
    this.#limit = limitBytes
  }

  /** Hands out tensors that are valid until `end` is called. */
  lease(): { allocate: Allocate; end: () => void } {
    const taken: ArrayBuffer[] = []
    return {
      allocate: (dtype, shape) => {
        const bytes = byteLengthOf(dtype, shape)
        if (bytes < leastBytes) return emptyTensor(dtype, shape)
        const buffer = this.#acquire(bytes) ?? new ArrayBuffer(bytes)
        taken.push(buffer)
        return { dtype, shape, data: storageView(dtype, buffer, 0, bytes) }
      },
      end: () => this.#release(taken.splice(0)),
    }
  }

  // The smallest that is large enough, filled with zeros like a new one.
  #acquire(bytes: number): ArrayBuffer | undefined {
    const [best] = this.#idle
      .filter(({ byteLength }) => byteLength >= bytes)
      .sort((one, other) => one.byteLength - other.byteLength)
    if (!best) return undefined
    this.#idle.splice(this.#idle.indexOf(best), 1)
    new Uint8Array(best, 0, bytes).fill(0)
    return best
  }

  #release(buffers: ArrayBuffer[]): void {
    this.#idle.push(...buffers)
    let total = this.#idle.reduce((sum, { byteLength }) => sum + byteLength, 0)
    while (total > this.#limit) total -= this.#idle.shift()?.byteLength ?? total
  }
}
