import { LatestMap } from '../cache/latest-map.ts'
import type { SourceLocation } from './symbolize.ts'

/** Source places of offsets in a library, in their order; null where they cannot be told. */
export type AskPlaces = (library: string, offsets: readonly number[]) => Promise<SourceLocation[][] | null>

/** Libraries whose places are kept. */
const keptLibraries = 64

/** Places of one library that are kept: a kernel may be made to report from anywhere. */
const keptPlaces = 4096

/** Source places that were asked for: cases of a candidate mostly report the same lines, and asking starts a process. */
export class KnownPlaces {
  readonly #ask: AskPlaces
  /** by library, which is named by its content */
  readonly #known = new LatestMap<string, Map<number, readonly SourceLocation[]>>(keptLibraries)

  constructor(ask: AskPlaces) {
    this.#ask = ask
  }

  /** The places of at least these offsets; none of what cannot be told, which is asked for again the next time. */
  async in(library: string, offsets: readonly number[]): Promise<ReadonlyMap<number, readonly SourceLocation[]>> {
    const kept = this.#known.get(library)
    const known = kept && kept.size < keptPlaces ? kept : new Map<number, readonly SourceLocation[]>()
    const unknown = offsets.filter((offset) => !known.has(offset))
    if (unknown.length === 0) return known
    const found = await this.#ask(library, unknown)
    found?.forEach((places, index) => known.set(unknown[index] ?? 0, places))
    this.#known.set(library, known)
    return known
  }
}
