/**
 * A seeded stream of 32-bit words (the "small fast counter" recurrence on four 32-bit integers). Only integer operations:
 * the same words on every machine and engine.
 */
export class RandomStream {
  // a, b, c and the counter. One array: with four private fields the compiler throws the loop of `words` away each time.
  readonly #state: Int32Array

  /** `label` names the use (argument name, position in a list), so that streams of one seed are independent. */
  constructor(seed: number, label = '') {
    const [a, b] = [seed | 0, hash(label)]
    this.#state = Int32Array.of(a, b, mix(a ^ 0x9e3779b9) ^ b, 1)
    this.words(new Uint32Array(12))
  }

  /** The next word, 0 … 2^32 - 1. */
  next(): number {
    const state = this.#state
    const [b, c, counter] = [state[1]!, state[2]!, state[3]!]
    const sum = (state[0]! + b + counter) | 0
    state[3] = counter + 1
    state[0] = b ^ (b >>> 9)
    state[1] = c + (c << 3)
    state[2] = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }

  /** An integer in 0 … bound - 1; `bound` is at most 2^32. */
  below(bound: number): number {
    return Math.floor((this.next() / 2 ** 32) * bound)
  }

  /** Overwrites `words` with the next words. The state stays in registers: this loop feeds every large tensor. */
  words(words: Uint32Array): void {
    const state = this.#state
    let a = state[0]!
    let b = state[1]!
    let c = state[2]!
    let counter = state[3]!
    for (let i = 0; i < words.length; i++) {
      const sum = (a + b + counter) | 0
      counter = (counter + 1) | 0
      a = b ^ (b >>> 9)
      b = (c + (c << 3)) | 0
      c = (((c << 21) | (c >>> 11)) + sum) | 0
      words[i] = sum
    }
    state[0] = a
    state[1] = b
    state[2] = c
    state[3] = counter
  }
}

/** A 32-bit hash of a text: seeds of static cases, labels of streams. */
export function hash(text: string): number {
  let state = 0x811c9dc5
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193)
  return mix(state)
}

// Spreads every input bit over the word (multiply and xor-shift finaliser).
function mix(word: number): number {
  let x = word
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return x ^ (x >>> 16)
}
