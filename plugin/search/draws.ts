import { Random, type Arbitrary, type Value } from 'fast-check'
import { RandomStream } from '../inputs/index.ts'
import type { KernelCase } from '../model/index.ts'
import { withExtents } from '../task/dimension.ts'

/**
 * Names a draw of a domain: its number, e.g. `12`; that of the draw that it varies and its own among the variations of that one,
 * `12.3`; or a draw with one extent, counted from 0, replaced: `12@2=4096`. With the seed it says all that the case follows from.
 */
export type DrawName = string

/** What a name of a draw looks like. */
export const drawPattern = String.raw`\d+(?:\.\d+|@\d+=\d+)*`

/** The draw that another is made of, and what is changed of it. */
function partsOf(name: DrawName): { of: DrawName; change: string } | undefined {
  const cut = Math.max(name.lastIndexOf('.'), name.lastIndexOf('@'))
  return cut < 0 ? undefined : { of: name.slice(0, cut), change: name.slice(cut) }
}

export const parentOf = (name: DrawName): DrawName => partsOf(name)?.of ?? ''

/** The draws of a domain under one seed, each to be had by its name alone. */
export class Draws {
  readonly #domain: Arbitrary<KernelCase>
  readonly #seed: number
  /** cases and extents that have been asked for: a guide looks at each several times */
  readonly #known = new Map<DrawName, Seen>()

  constructor(domain: Arbitrary<KernelCase>, seed: number) {
    this.#domain = domain
    this.#seed = seed
  }

  /** A draw, with what fast-check needs to shrink it. */
  value(name: DrawName): Value<KernelCase> {
    return this.#drawn(name).value
  }

  /** The case of a draw. */
  case(name: DrawName): KernelCase {
    return this.#seen(name).case
  }

  /** The extents of a draw in the order in which they are drawn, also those that its case has no part of. */
  extents(name: DrawName): readonly number[] {
    return this.#seen(name).extents
  }

  /** Random numbers that follow from the seed. */
  random(purpose: string): RandomStream {
    return new RandomStream(this.#seed, purpose)
  }

  #seen(name: DrawName): Seen {
    const known = this.#known.get(name)
    if (known) return known
    const { value, extents } = this.#drawn(name)
    const seen = { case: value.value, extents }
    this.#known.set(name, seen)
    return seen
  }

  #drawn(name: DrawName): Drawn {
    const [first = '0'] = name.split(/[.@]/)
    const { words, named } = this.#recipe(name)
    // later draws are biased less towards small values, as those of fast-check are
    const bias = 2 + Math.floor(Math.log10(Number(first) + 1))
    const { made, extents } = withExtents(named, () => this.#domain.generate(new Random(new WordReader(words)), bias))
    return { value: made, extents, words, named }
  }

  /** What a draw is made of. */
  #recipe(name: DrawName): Recipe {
    const parts = partsOf(name)
    if (!parts) return { words: new Words(new RandomStream(this.#seed, `draw ${name}`)), named: new Map() }
    const [, place, extent] = /^@(\d+)=(\d+)$/.exec(parts.change) ?? []
    if (place !== undefined) {
      const { words, named } = this.#recipe(parts.of)
      return { words, named: new Map(named).set(Number(place), Number(extent)) }
    }
    const { words, named } = this.#drawn(parts.of)
    const chance = new RandomStream(this.#seed, `draw ${name}`)
    words.change(1 + chance.below(2), chance)
    return { words, named }
  }
}

/** What a guide asks for. */
interface Seen {
  case: KernelCase
  extents: readonly number[]
}

interface Recipe {
  words: Words
  /** extents that are not those of the words */
  named: ReadonlyMap<number, number>
}

interface Drawn extends Recipe {
  value: Value<KernelCase>
  extents: readonly number[]
}

/**
 * The random words that a draw is made of. Whatever they are, a domain makes a legal case of them: one that differs in a word or two is
 * a neighbour, often with another extent and else the same.
 */
class Words {
  readonly #changed = new Map<number, number>()
  /** how many a draw has read */
  #used = 0
  readonly #stream: RandomStream
  readonly #made: number[] = []

  constructor(stream: RandomStream) {
    this.#stream = stream
  }

  /** Replaces some of those that have been read. */
  change(count: number, chance: RandomStream): void {
    const used = this.#used
    this.#used = 0
    for (let changes = count; changes > 0; changes--) this.#changed.set(chance.below(used), chance.next())
  }

  at(place: number): number {
    while (this.#made.length <= place) this.#made.push(this.#stream.next())
    this.#used = Math.max(this.#used, place + 1)
    return this.#changed.get(place) ?? this.#made[place] ?? 0
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
