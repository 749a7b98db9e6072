import type { KernelCase } from '../model/index.ts'
import type { DrawName, Draws } from './draws.ts'
import { keyOf, limits, varyingPlaces, wordsOf, type Sketched } from './tiling-novelty.ts'

/** Times a word that another is brought to, at most. */
const mostMultiple = 3
/** A word of few values that are no mere counts is a size that the device decides, such as that of a tile: loops hang on its multiples. */
const size = { mostValues: 16, least: 16 }
/** How far beside an aim its draws go, one draw for each: one more is an exact share and a rest, one less a share that is all but whole. */
const beside = [1, 0, -1, 1]

/** A word of the tiling data that is to be a multiple of another, or past a limit. */
interface Aim {
  /** cases of the survey that meet it */
  met: number
  ways: Way[]
  /** what the word is to be a multiple of */
  units: Set<number>
}

/** A draw with one extent replaced. */
interface Way {
  of: DrawName
  place: number
  extent: number
  /** how far it is from what it is made of, and from the aim after rounding */
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
  const aims = aimsOf(surveyed, draws).toSorted((one, other) => one.met - other.met)
  const names = [aims.filter(isOfSize), aims.filter((aim) => !isOfSize(aim))].flatMap((some) =>
    beside.flatMap((by, number) =>
      some.flatMap(({ ways }) => {
        const way = ways[number]
        return way ? [`${way.of}@${way.place}=${Math.max(way.extent + by, 0)}`] : []
      }),
    ),
  )
  return [...new Set(names)].slice(0, count)
}

function aimsOf(surveyed: readonly (Sketched & { name: DrawName })[], draws: Draws): Aim[] {
  const aims = new Map<string, Aim>()
  const places = varyingPlaces(surveyed)
  for (const { name, case: kernelCase, sketch } of surveyed) {
    const key = keyOf(kernelCase, sketch)
    const words = wordsOf(sketch)
    const longest = longestExtent(kernelCase, draws.extents(name))
    if (!longest) continue
    // one core alone has no share and no rest
    const cores = sketch.blockDim === 1 ? 'one' : 'several'
    const note = (what: string, unit: number, isMet: boolean, factor: number): void => {
      const id = `${key}/${cores}/${what}`
      const aim = aims.get(id) ?? { met: 0, ways: [], units: new Set() }
      aims.set(id, aim)
      aim.units.add(unit)
      if (isMet) aim.met++
      else aim.ways.push(wayOf(name, longest, factor))
    }
    const varying = places.get(key) ?? []
    for (const at of varying) {
      const word = words[at] ?? 0
      if (word < 1) continue
      for (const limit of limits) note(`${at}>${limit}`, limit, word >= limit, limit / word)
      for (const other of varying) {
        const unit = words[other] ?? 0
        if (at === other || unit < 2) continue
        const multiple = Math.min(Math.max(Math.round(word / unit), 1), mostMultiple)
        note(`${at}/${other}`, unit, word % unit === 0, (multiple * unit) / word)
      }
    }
  }
  for (const { ways } of aims.values()) ways.sort((one, other) => one.distance - other.distance)
  return [...aims.values()]
}

const isOfSize = ({ units }: Aim): boolean => units.size <= size.mostValues && Math.min(...units) >= size.least

/** The draw with an extent as many times as long, rounded upwards: what is beyond an aim meets it where a rest is left. */
function wayOf(of: DrawName, { place, extent }: LongestExtent, factor: number): Way {
  const exact = extent * factor
  const rounded = Math.ceil(exact)
  return { of, place, extent: rounded, distance: Math.abs(Math.log(factor)) + (rounded - exact) / exact }
}

interface LongestExtent {
  place: number
  extent: number
}

/** The longest extent of a case that was drawn as such, and its place among those drawn. */
function longestExtent({ inputs }: KernelCase, extents: readonly number[]): LongestExtent | undefined {
  const drawn = new Set(extents)
  const own = Object.values(inputs)
    .flat()
    .flatMap((tensor) => tensor?.shape ?? [])
    .filter((each) => drawn.has(each))
  const extent = Math.max(...own)
  return extent < 1 ? undefined : { extent, place: extents.indexOf(extent) }
}
