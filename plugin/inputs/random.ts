/**
 * A seeded stream of 32-bit words (the "small fast counter" recurrence on four 32-bit integers). Only integer operations:
 * the same words on every machine and engine.
 */
export class RandomStream {
  #a: number
  #b: number
  #c: number
  #counter = 1

  /** `label` names the use (argument name, position in a list), so that streams of one seed are independent. */
  constructor(seed: number, label = '') {
    this.#a = seed | 0
    this.#b = hash(label)
    this.#c = mix(this.#a ^ 0x9e3779b9) ^ this.#b
    for (let i = 0; i < 12; i++) this.next()
  }

  /** The next word, 0 … 2^32 - 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** An integer in 0 … bound - 1; `bound` is at most 2^32. */
  below(bound: number): number {
    return Math.floor((this.next() / 2 ** 32) * bound)
  }

  /** Overwrites `words` with the next words. The state stays in registers: this loop feeds every large tensor. */
  words(words: Uint32Array): void {
    let a = this.#a
    let b = this.#b
    let c = this.#c
    let counter = this.#counter
    for (let i = 0; i < words.length; i++) {
      const sum = (a + b + counter) | 0
      counter = (counter + 1) | 0
      a = b ^ (b >>> 9)
      b = (c + (c << 3)) | 0
      c = (((c << 21) | (c >>> 11)) + sum) | 0
      words[i] = sum
    }
    this.#a = a
    this.#b = b
    this.#c = c
    this.#counter = counter
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
