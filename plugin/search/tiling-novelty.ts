import type { KernelCase, TilingSketch } from '../model/index.ts'

/** A case and what the tiling function makes of it. */
export interface Sketched {
  case: KernelCase
  sketch: TilingSketch
}

/** Words of the tiling data that are looked at, of those that differ between cases. */
const wordsLookedAt = 12
/** Of these the ones whose rests are measured by a third one. */
const wordsOfRests = 6

/**
 * What counts as new, and how much, before it is weighed by how few cases show it: most branches hang on the key, then on counts of
 * loops and tails.
 */
const weights = {
  key: 64,
  keyOfCombination: 16,
  limit: 16,
  shape: 2,
  blockDim: 2,
  word: 1,
  order: 2,
  exact: 8,
  ratio: 1,
  rest: 2,
}
type Kind = keyof typeof weights
/** Features are told apart by numbers, since a search finds many thousands of them. */
const kinds = Object.keys(weights)
/** more than four words of two bits, or three places and a value, take */
const details = 2 ** 24

/** What integers of 8 and 16 bits do not hold: counters and lengths of kernels are often shorter than the words they come from. */
export const limits = [2 ** 8, 2 ** 15, 2 ** 16]

/** What some cases of a search show. */
interface Feature {
  kind: Kind
  /** how many cases show it, of all */
  count: number
  /** of a case that is the first to show it */
  weight: number
  isKnown: boolean
}

/**
 * What of a tiling the cases of a search have shown so far: tiling keys, block dims, and for the words of the tiling data their
 * magnitudes, which is larger, how often one goes into another, with or without a rest, and how long a rest is. These are the counts of
 * loops and tails.
 */
export class TilingNovelty {
  /** places of words that differ between the cases of one key and combination */
  readonly #varying: ReadonlyMap<string, readonly number[]>
  readonly #all: number
  /** by what they show, as a number */
  readonly #known = new Map<number, Feature>()
  /** of each sketch, which is asked for again and again */
  readonly #features = new WeakMap<TilingSketch, Feature[]>()
  /** what features belong to, by number: tiling keys, alone and of a combination */
  readonly #owners = new Map<string, number>()

  /** `all`: cases that the places of the words follow from. */
  constructor(all: readonly Sketched[]) {
    this.#varying = varyingPlaces(all)
    this.#all = all.length
    for (const each of all) for (const feature of this.#featuresOf(each)) feature.count++
    for (const feature of this.#known.values()) feature.weight = this.#weightOf(feature)
  }

  /** How much of a tiling no case has shown. */
  of(sketched: Sketched): number {
    let sum = 0
    for (const { isKnown, weight } of this.#featuresOf(sketched)) if (!isKnown) sum += weight
    return sum
  }

  /** What half of the cases show weighs once, what a quarter of them show twice. */
  #weightOf({ kind, count }: Pick<Feature, 'kind' | 'count'>): number {
    return weights[kind] * Math.log2((1 + this.#all) / Math.max(count, 1))
  }

  /** Notes what a case shows. */
  note(sketched: Sketched): void {
    for (const feature of this.#featuresOf(sketched)) feature.isKnown = true
  }

  #featuresOf(sketched: Sketched): Feature[] {
    const known = this.#features.get(sketched.sketch)
    if (known) return known
    const found = this.#find(sketched)
    this.#features.set(sketched.sketch, found)
    return found
  }

  #find({ case: kernelCase, sketch }: Sketched): Feature[] {
    const key = keyOf(kernelCase, sketch)
    const all = wordsOf(sketch)
    const words = (this.#varying.get(key) ?? []).map((place) => all[place] ?? 0)
    const owner = this.#ownerOf(key)
    const shape = words.reduce((digits, word) => 4 * digits + Math.min(word, 3), 0)
    const found = [
      this.#feature(this.#ownerOf(sketch.tilingKey), 'key', 0),
      this.#feature(owner, 'keyOfCombination', 0),
      this.#feature(owner, 'shape', shape),
      this.#feature(owner, 'blockDim', magnitudeOf(sketch.blockDim)),
    ]
    const note = (kind: Kind, value: number, place: number, other = 0, unit = 0): void => {
      found.push(this.#feature(owner, kind, ((place * 16 + other) * 16 + unit) * 64 + value))
    }
    for (const [place, word] of words.entries()) {
      note('word', magnitudeOf(word), place)
      note('limit', limits.filter((limit) => word >= limit).length, place)
      for (const [otherPlace, other] of words.entries()) {
        if (place === otherPlace) continue
        note('order', 1 + Math.sign(word - other), place, otherPlace)
        if (other < 2 || other > word) continue
        const rest = word % other
        note('ratio', 2 * Math.min(Math.floor(word / other), 4) + Number(rest > 0), place, otherPlace)
        if (rest === 0) note('exact', 0, place, otherPlace)
        // what one word leaves of another, in units of a third: tiles of the last core
        if (other === word || place >= wordsOfRests || otherPlace >= wordsOfRests) continue
        for (const [unitPlace, unit] of words.slice(0, wordsOfRests).entries())
          if (unit > 1 && unit < other) note('rest', Math.min(Math.ceil(rest / unit), 4), place, otherPlace, unitPlace)
      }
    }
    return found
  }

  /** The feature of a number below `details`: its places and its value, each with the digits that it has here. */
  #feature(owner: number, kind: Kind, detail: number): Feature {
    const id = (owner * kinds.length + kinds.indexOf(kind)) * details + detail
    let feature = this.#known.get(id)
    if (!feature) {
      feature = { kind, count: 0, weight: this.#weightOf({ kind, count: 1 }), isKnown: false }
      this.#known.set(id, feature)
    }
    return feature
  }

  #ownerOf(name: string): number {
    const owner = this.#owners.get(name) ?? this.#owners.size
    this.#owners.set(name, owner)
    return owner
  }
}

/** Places of the words that differ between cases of one key and combination. */
export function varyingPlaces(all: readonly Sketched[]): ReadonlyMap<string, readonly number[]> {
  const first = new Map<string, readonly number[]>()
  const varying = new Map<string, number[]>()
  for (const { case: kernelCase, sketch } of all) {
    const key = keyOf(kernelCase, sketch)
    const words = wordsOf(sketch)
    const other = first.get(key)
    if (!other) {
      first.set(key, words)
      varying.set(key, [])
      continue
    }
    const places = varying.get(key) ?? []
    for (let place = 0; place < words.length && places.length < wordsLookedAt; place++)
      if (words[place] !== other[place] && !places.includes(place)) places.push(place)
  }
  for (const places of varying.values()) places.sort((a, b) => a - b)
  return varying
}

export const keyOf = ({ combination }: KernelCase, { tilingKey }: TilingSketch): string => `${combination}/${tilingKey}`

/** The tiling data as words of 32 bits: most fields are such, and of others the halves tell as much. */
export function wordsOf(sketch: TilingSketch): readonly number[] {
  const known = wordsOfSketches.get(sketch)
  if (known) return known
  const bytes = Buffer.from(sketch.tiling, 'base64')
  const words: number[] = []
  for (let at = 0; at + 4 <= bytes.length; at += 4) words.push(bytes.readUInt32LE(at))
  wordsOfSketches.set(sketch, words)
  return words
}

/** Words are asked for several times, of several hundred sketches. */
const wordsOfSketches = new WeakMap<TilingSketch, readonly number[]>()

/** 0, 1, 2, 3, then by powers of two. */
const magnitudeOf = (value: number): number => (value < 4 ? value : 2 + Math.floor(Math.log2(value)))
