import type { KernelCase } from '../model/index.ts'
import type { DrawName, Draws } from './draws.ts'
import { keyOf, limits, varyingPlaces, wordsOf, type Sketched } from './tiling-novelty.ts'

/** Times a word that another is brought to, at most. */
const mostMultiple = 3
/** Ways to one aim that are taken, the nearest. */
const waysToAim = 4

interface Way {
  name: DrawName
  /** how far the draw is from what it is made of, and from the aim after rounding */
  distance: number
}

/**
 * Draws like those of a survey but for one extent, chosen so that a word of the tiling data, which mostly grows with the extent, comes to
 * a multiple of another word: the share of a core to two whole tiles, for instance, which random extents hardly ever meet. Those that
 * the fewest of the survey show come first.
 */
export function aimedDraws(
  surveyed: readonly (Sketched & { name: DrawName })[],
  draws: Draws,
  count: number,
): DrawName[] {
  const aims = new Map<string, { met: number; ways: Way[] }>()
  const places = varyingPlaces(surveyed)
  for (const { name, case: kernelCase, sketch } of surveyed) {
    const key = keyOf(kernelCase, sketch)
    const words = wordsOf(sketch)
    const longest = longestExtent(kernelCase, draws.extents(name))
    if (!longest) continue
    const note = (id: string, isMet: boolean, factor: number): void => {
      const aim = aims.get(id) ?? { met: 0, ways: [] }
      aims.set(id, aim)
      if (isMet) aim.met++
      else aim.ways.push(wayOf(name, longest, factor))
    }
    const varying = places.get(key) ?? []
    for (const at of varying) {
      const word = words[at] ?? 0
      if (word < 1) continue
      for (const limit of limits) note(`${key}/${at}>${limit}`, word >= limit, limit / word)
      for (const other of varying) {
        const unit = words[other] ?? 0
        if (at === other || unit < 2) continue
        const multiple = Math.min(Math.max(Math.round(word / unit), 1), mostMultiple)
        note(`${key}/${at}/${other}`, word % unit === 0, (multiple * unit) / word)
      }
    }
  }
  for (const { ways } of aims.values()) ways.sort((one, other) => one.distance - other.distance)
  const rarest = [...aims.values()].toSorted((one, two) => one.met - two.met)
  const found = new Set<DrawName>()
  for (let way = 0; way < waysToAim; way++)
    for (const { ways } of rarest) {
      const chosen = ways[way]
      if (chosen && found.size < count) found.add(chosen.name)
    }
  return [...found]
}

/** The draw with an extent as many times as long, rounded upwards: what is beyond an aim meets it where a rest is left. */
function wayOf(name: DrawName, { place, extent }: LongestExtent, factor: number): Way {
  const exact = extent * factor
  const rounded = Math.ceil(exact)
  return { name: `${name}@${place}=${rounded}`, distance: Math.abs(Math.log(factor)) + (rounded - exact) / exact }
}

interface LongestExtent {
  place: number
  extent: number
}

/** The longest extent of a case that was drawn as such, and its place among those drawn. */
function longestExtent({ inputs }: KernelCase, extents: readonly number[]): LongestExtent | undefined {
  const own = Object.values(inputs)
    .flat()
    .flatMap((tensor) => tensor?.shape ?? [])
  const drawn = new Set(extents)
  const extent = own.filter((each) => drawn.has(each)).reduce((longest, each) => Math.max(longest, each), 0)
  return extent < 1 ? undefined : { extent, place: extents.indexOf(extent) }
}
