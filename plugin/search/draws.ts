import { Random, type Arbitrary, type Value } from 'fast-check'
import { RandomStream } from '../inputs/index.ts'
import type { KernelCase } from '../model/index.ts'

/**
 * Names a draw of a domain: its number, e.g. `12`, or that of the draw that it varies and its own among the variations of that one,
 * `12.3`. With the seed it says all that the case follows from.
 */
export type DrawName = string

/** The draws of a domain under one seed, each to be had by its name alone. */
export class Draws {
  readonly #domain: Arbitrary<KernelCase>
  readonly #seed: number

  constructor(domain: Arbitrary<KernelCase>, seed: number) {
    this.#domain = domain
    this.#seed = seed
  }

  /** A draw, with what fast-check needs to shrink it. */
  value(name: DrawName): Value<KernelCase> {
    return this.#drawn(name).value
  }

  #drawn(name: DrawName): { value: Value<KernelCase>; words: Words; used: number } {
    const [first = '0'] = name.split('.')
    const words = new Words(new RandomStream(this.#seed, `draw ${first}`))
    const cut = name.lastIndexOf('.')
    if (cut >= 0) {
      const parent = this.#drawn(name.slice(0, cut))
      const chance = new RandomStream(this.#seed, `draw ${name}`)
      for (const [place, word] of parent.words.changed) words.changed.set(place, word)
      for (let changes = 1 + chance.below(2); changes > 0; changes--)
        words.changed.set(chance.below(parent.used), chance.next())
    }
    // later draws are biased less towards small values, as those of fast-check are
    const bias = 2 + Math.floor(Math.log10(Number(first) + 1))
    const value = this.#domain.generate(new Random(new WordReader(words)), bias)
    return { value, words, used: words.used }
  }
}

/**
 * The random words that a draw is made of. Whatever they are, a domain makes a legal case of them: one that differs in a word or two is
 * a neighbour, often with another extent and else the same.
 */
class Words {
  readonly changed = new Map<number, number>()
  /** how many a draw has read */
  used = 0
  readonly #stream: RandomStream
  readonly #made: number[] = []

  constructor(stream: RandomStream) {
    this.#stream = stream
  }

  at(place: number): number {
    while (this.#made.length <= place) this.#made.push(this.#stream.next())
    this.used = Math.max(this.used, place + 1)
    return this.changed.get(place) ?? this.#made[place] ?? 0
  }
}

/** Words in order, as fast-check reads them. */
class WordReader {
  readonly #words: Words
  #place: number

  constructor(words: Words, place = 0) {
    this.#words = words
    this.#place = place
  }

  next(): number {
    return this.#words.at(this.#place++) | 0
  }

  clone(): WordReader {
    return new WordReader(this.#words, this.#place)
  }

  // without it fast-check makes clones that read from one place
  jump(): void {
    this.#place += 64
  }

  getState(): readonly number[] {
    return [this.#place]
  }
}
