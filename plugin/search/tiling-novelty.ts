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

/**
 * A feature as a number, since each search notes many thousands of them: what it belongs to, its kind, places of words, and a value below
 * 64. Places and values of all kinds fit the digits that they have here.
 */
type Feature = number
const [digitsOfKind, digitsOfDetail] = [2 ** 4, 2 ** 24]

/**
 * What of a tiling the cases of a search have shown so far: tiling keys, block dims, and for the words of the tiling data their
 * magnitudes, which is larger, how often one goes into another, with or without a rest, and how long a rest is. These are the counts of
 * loops and tails.
 */
export class TilingNovelty {
  /** places of words that differ between the cases of one key and combination */
  readonly #varying: ReadonlyMap<string, readonly number[]>
  readonly #known = new Set<Feature>()
  /** how many cases show a feature, of all */
  readonly #counts = new Map<Feature, number>()
  readonly #all: number
  /** of each sketch, which is asked for again and again */
  readonly #features = new WeakMap<TilingSketch, Feature[]>()
  /** what features belong to, by number: tiling keys, alone and of a combination */
  readonly #owners = new Map<string, number>()

  /** `all`: cases that the places of the words follow from. */
  constructor(all: readonly Sketched[]) {
    this.#varying = varyingPlaces(all)
    this.#all = all.length
    for (const each of all)
      for (const feature of this.#featuresOf(each)) this.#counts.set(feature, (this.#counts.get(feature) ?? 0) + 1)
  }

  /** How much of a tiling no case has shown. */
  of(sketched: Sketched): number {
    return this.#featuresOf(sketched).reduce(
      (sum, feature) => sum + (this.#known.has(feature) ? 0 : this.#weightOf(feature)),
      0,
    )
  }

  /** What half of the cases show weighs once, what a quarter of them show twice. */
  #weightOf(feature: Feature): number {
    const kind = kinds[Math.floor(feature / digitsOfDetail) % digitsOfKind]
    return (kind ? weights[kind] : 0) * Math.log2((1 + this.#all) / (this.#counts.get(feature) ?? 1))
  }

  /** Notes what a case shows. */
  note(sketched: Sketched): void {
    for (const feature of this.#featuresOf(sketched)) this.#known.add(feature)
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
    const owner = this.#ownerOf(key)
    const found = [
      featureOf(this.#ownerOf(sketch.tilingKey), 'key'),
      featureOf(owner, 'keyOfCombination'),
      featureOf(
        owner,
        'shape',
        words.reduce((digits, word) => 4 * digits + Math.min(word, 3), 0),
      ),
      featureOf(owner, 'blockDim', magnitudeOf(sketch.blockDim)),
    ]
    const note = (kind: Kind, value: number, ...places: number[]): void => {
      found.push(featureOf(owner, kind, detailOf(value, places)))
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
        if (rest === 0) note('exact', Number(isShared(sketch)), place, otherPlace)
        // what one word leaves of another, in units of a third: tiles of the last core
        if (other === word || place >= wordsOfRests || otherPlace >= wordsOfRests) continue
        for (const [unitPlace, unit] of words.slice(0, wordsOfRests).entries())
          if (unit > 1 && unit < other) note('rest', Math.min(Math.ceil(rest / unit), 4), place, otherPlace, unitPlace)
      }
    }
    return found
  }

  #ownerOf(name: string): number {
    const owner = this.#owners.get(name) ?? this.#owners.size
    this.#owners.set(name, owner)
    return owner
  }
}

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

const featureOf = (owner: number, kind: Kind, detail = 0): Feature =>
  (owner * digitsOfKind + kinds.indexOf(kind)) * digitsOfDetail + detail

/** A value and up to three places. */
const detailOf = (value: number, places: readonly number[]): number =>
  places.reduce((digits, place) => digits * 16 + place, 0) * 64 + value

export const keyOf = ({ combination }: KernelCase, { tilingKey }: TilingSketch): string => `${combination}/${tilingKey}`

/** Whether several cores share a tensor: what a share comes to decides nothing between cores where there is one. */
export const isShared = ({ blockDim }: TilingSketch): boolean => blockDim > 1

/** The tiling data as words of 32 bits: most fields are such, and of others the halves tell as much. */
export function wordsOf({ tiling }: TilingSketch): number[] {
  const bytes = Buffer.from(tiling, 'base64')
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readUInt32LE(4 * i))
}

/** 0, 1, 2, 3, then by powers of two. */
const magnitudeOf = (value: number): number => (value < 4 ? value : 2 + Math.floor(Math.log2(value)))
