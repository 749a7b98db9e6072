import { mixed, similarityOf, type Shingles } from './shingles.ts'

/** Bins of a signature: the least hash in each. */
const bins = 126
/** Signatures that agree in one of these bands of bins are looked at: at a similarity of 0.8, 99.8 % do, and of 0.4, 8 %. */
const bands = 21
const rowsOfBand = bins / bands
/** Signatures kept in one array. */
const perChunk = 4096

/** What a signature says less of is not compared: an estimate of 126 bins is within this of the similarity, mostly. */
const slack = 0.15

/**
 * Of rows that follow one template nearly all are nearly alike: so many are looked at for each, the last ones first, and of these the ones
 * whose signatures agree most are compared.
 */
const mostSeen = 4096
const mostCompared = 32

/** A duplicate that was found: the number of what was added before, and how similar they are. */
export interface Duplicate {
  index: number
  similarity: number
}

/**
 * Finds what is nearly the same as something before it: MinHash by one permutation (Li, Owen, Zhang 2012), empty bins
 * filled from others (Shrivastava 2017), bands of bins as keys. Signatures propose, the shingles decide; 600 bytes for each that is added.
 */
export class NearDuplicates {
  readonly #threshold: number
  readonly #chunks: Uint32Array[] = []
  readonly #tables = Array.from({ length: bands }, () => new Map<number, number>())
  /** by number, the one before it in the same bucket, for each band */
  readonly #before: Int32Array[] = []
  #size = 0

  /** @param threshold the share of shingles that two have in common, from which on they are the same */
  constructor(threshold: number) {
    this.#threshold = threshold
  }

  get size(): number {
    return this.#size
  }

  /**
   * Whether something that was added is nearly this; else it is added, as number `size - 1` from then on.
   * @param shinglesAt of what was added before, by its number
   */
  findOrAdd(shingles: Shingles, shinglesAt: (index: number) => Shingles): Duplicate | undefined {
    const signature = signatureOf(shingles)
    const keys = Array.from({ length: bands }, (_, band) => keyOf(signature, band))
    const found = this.#find(signature, keys, shingles, shinglesAt)
    if (!found) this.#add(signature, keys)
    return found
  }

  #find(
    signature: Uint32Array,
    keys: readonly number[],
    shingles: Shingles,
    shinglesAt: (index: number) => Shingles,
  ): Duplicate | undefined {
    const seen = new Set<number>()
    const proposed: { index: number; agrees: number }[] = []
    for (const [band, key] of keys.entries()) {
      for (let index = this.#tables[band]!.get(key) ?? -1; index >= 0; index = this.#previous(index, band)) {
        if (seen.size >= mostSeen) break
        if (seen.has(index)) continue
        seen.add(index)
        const agrees = agreement(signature, this.#signatureAt(index))
        if (agrees >= this.#threshold - slack) proposed.push({ index, agrees })
      }
    }
    proposed.sort((one, other) => other.agrees - one.agrees)
    for (const { index } of proposed.slice(0, mostCompared)) {
      const similarity = similarityOf(shingles, shinglesAt(index))
      if (similarity >= this.#threshold) return { index, similarity }
    }
    return undefined
  }

  #add(signature: Uint32Array, keys: readonly number[]): void {
    const index = this.#size++
    const offset = index % perChunk
    if (offset === 0) {
      this.#chunks.push(new Uint32Array(bins * perChunk))
      this.#before.push(new Int32Array(bands * perChunk))
    }
    this.#chunks.at(-1)!.set(signature, offset * bins)
    const before = this.#before.at(-1)!
    for (const [band, key] of keys.entries()) {
      const table = this.#tables[band]!
      before[offset * bands + band] = table.get(key) ?? -1
      table.set(key, index)
    }
  }

  #signatureAt(index: number): Uint32Array {
    const start = (index % perChunk) * bins
    return this.#chunks[Math.floor(index / perChunk)]!.subarray(start, start + bins)
  }

  #previous(index: number, band: number): number {
    return this.#before[Math.floor(index / perChunk)]![(index % perChunk) * bands + band]!
  }
}

const empty = 0xffffffff

function signatureOf(shingles: Shingles): Uint32Array {
  const signature = new Uint32Array(bins).fill(empty)
  for (const shingle of shingles) {
    const word = mixed(shingle ^ 0x5bd1e995) >>> 0
    const bin = word % bins
    const value = Math.floor(word / bins)
    if (value < signature[bin]!) signature[bin] = value
  }
  if (shingles.size === 0) return signature
  const filled = signature.slice()
  for (let bin = 0; bin < bins; bin++) {
    for (let attempt = 1; filled[bin] === empty; attempt++)
      filled[bin] = signature[(mixed(bin * 0x9e3779b9 + attempt) >>> 0) % bins]!
  }
  return filled
}

/** A small integer, so that it costs a table nothing. */
function keyOf(signature: Uint32Array, band: number): number {
  let key = band
  for (let i = band * rowsOfBand; i < (band + 1) * rowsOfBand; i++) key = mixed(key ^ signature[i]!)
  return key >> 1
}

function agreement(one: Uint32Array, other: Uint32Array): number {
  let same = 0
  for (let bin = 0; bin < bins; bin++) if (one[bin] === other[bin]) same++
  return same / bins
}
