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
const kinds: readonly Kind[] = [
  'key',
  'keyOfCombination',
  'limit',
  'shape',
  'blockDim',
  'word',
  'order',
  'exact',
  'ratio',
  'rest',
]

/** What integers of 8 and 16 bits do not hold: counters and lengths of kernels are often shorter than the words they come from. */
export const limits = [2 ** 8, 2 ** 15, 2 ** 16]

interface Feature {
  id: string
  kind: Kind
}

/**
 * What of a tiling the cases of a search have shown so far: tiling keys, block dims, and for the words of the tiling data their
 * magnitudes, which is larger, how often one goes into another, with or without a rest, and how long a rest is. These are the counts of
 * loops and tails.
 */
export class TilingNovelty {
  /** places of words that differ between the cases of one key and combination */
  readonly #varying: ReadonlyMap<string, readonly number[]>
  readonly #known = new Set<string>()
  /** how many cases show a feature, of all */
  readonly #counts = new Map<string, number>()
  readonly #all: number
  /** of each sketch, which is asked for again and again */
  readonly #features = new WeakMap<TilingSketch, Feature[]>()

  /** `all`: cases that the places of the words follow from. */
  constructor(all: readonly Sketched[]) {
    this.#varying = varyingPlaces(all)
    this.#all = all.length
    for (const each of all)
      for (const { id } of this.#featuresOf(each)) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1)
  }

  /** How much of a tiling no case has shown. */
  of(sketched: Sketched): number {
    return this.#featuresOf(sketched).reduce(
      (sum, feature) => sum + (this.#known.has(feature.id) ? 0 : this.#weightOf(feature)),
      0,
    )
  }

  /** What half of the cases show weighs once, what a quarter of them show twice. */
  #weightOf({ id, kind }: Feature): number {
    return weights[kind] * Math.log2((1 + this.#all) / (this.#counts.get(id) ?? 1))
  }

  /** Notes what a case shows. */
  note(sketched: Sketched): void {
    for (const { id } of this.#featuresOf(sketched)) this.#known.add(id)
  }

  #featuresOf(sketched: Sketched): Feature[] {
    const found = this.#features.get(sketched.sketch) ?? this.#find(sketched)
    this.#features.set(sketched.sketch, found)
    return found
  }

  #find({ case: kernelCase, sketch }: Sketched): Feature[] {
    const key = keyOf(kernelCase, sketch)
    const all = wordsOf(sketch)
    const words = (this.#varying.get(key) ?? []).map((place) => all[place] ?? 0)
    return [
      feature('key', sketch.tilingKey),
      feature('keyOfCombination', key),
      feature('shape', key, ...words.map((word) => Math.min(word, 3))),
      feature('blockDim', key, magnitudeOf(sketch.blockDim)),
      ...words.map((word, place) => feature('word', key, place, magnitudeOf(word))),
      ...words.map((word, place) => feature('limit', key, place, limits.filter((limit) => word >= limit).length)),
      ...pairsOf(words).flatMap(([place, otherPlace, word, other]) => [
        feature('order', key, place, otherPlace, Math.sign(word - other)),
        ...(other > 1 && other <= word
          ? [
              feature('ratio', key, place, otherPlace, Math.min(Math.floor(word / other), 4), Number(word % other > 0)),
              ...(word % other === 0 ? [feature('exact', key, place, otherPlace)] : []),
            ]
          : []),
      ]),
      // what one word leaves of another, in units of a third: tiles of the last core
      ...pairsOf(words.slice(0, wordsOfRests)).flatMap(([place, otherPlace, word, other]) =>
        words
          .slice(0, wordsOfRests)
          .flatMap((unit, unitPlace) =>
            unit > 1 && unit < other && other < word
              ? [feature('rest', key, place, otherPlace, unitPlace, Math.min(Math.ceil((word % other) / unit), 4))]
              : [],
          ),
      ),
    ]
  }
}

/** All pairs of different places, each with its word. */
const pairsOf = (words: readonly number[]): [place: number, otherPlace: number, word: number, other: number][] =>
  words.flatMap((word, place) =>
    words.flatMap((other, otherPlace): [number, number, number, number][] =>
      place === otherPlace ? [] : [[place, otherPlace, word, other]],
    ),
  )

/** Places of the words that differ between cases of one key and combination. */
export function varyingPlaces(all: readonly Sketched[]): ReadonlyMap<string, readonly number[]> {
  const first = new Map<string, number[]>()
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
    for (const [place, word] of words.entries())
      if (places.length < wordsLookedAt && word !== other[place] && !places.includes(place)) places.push(place)
  }
  for (const places of varying.values()) places.sort((a, b) => a - b)
  return varying
}

const feature = (kind: Kind, ...parts: (string | number)[]): Feature => ({
  id: [kinds.indexOf(kind), ...parts].join(),
  kind,
})

export const keyOf = ({ combination }: KernelCase, { tilingKey }: TilingSketch): string => `${combination}/${tilingKey}`

/** The tiling data as words of 32 bits: most fields are such, and of others the halves tell as much. */
export function wordsOf({ tiling }: TilingSketch): number[] {
  const bytes = Buffer.from(tiling, 'base64')
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readUInt32LE(4 * i))
}

/** 0, 1, 2, 3, then by powers of two. */
const magnitudeOf = (value: number): number => (value < 4 ? value : 2 + Math.floor(Math.log2(value)))
