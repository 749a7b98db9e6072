import { NearDuplicates } from '../hygiene/near-duplicates.ts'
import { rankOf } from '../hygiene/ratios.ts'
import { shinglesOf, tokensOf, type Shingles } from '../hygiene/shingles.ts'
import type { Judged } from './judged.ts'
import { refusalOf, strategies, type Pair, type PairOptions, type Strategy } from './pairs.ts'
import { differenceOf } from './token-distance.ts'

export interface SelectOptions extends PairOptions {
  /** in the order of preference: a pair that several make is of the first */
  strategies: readonly Strategy[]
  /** pairs of one task */
  cap: number
  /** the share of shingles from which on two pairs are the same */
  threshold: number
  seed: number
}

/** What became of the pairs that could be made. */
export interface Selected {
  pairs: Pair[]
  /** of all strategies, each pair once */
  made: number
  duplicates: number
  beyondCap: number
  /** strategies that could not be used, a line each */
  refused: string[]
}

/** Candidates once each: what was written twice is of the first. */
function byTask(judged: readonly Judged[]): Map<string, Judged[]> {
  const groups = new Map<string, Map<string, Judged>>()
  for (const each of judged) {
    const key = `${each.suite}/${each.task}`
    const group = groups.get(key) ?? new Map<string, Judged>()
    if (!group.has(each.sources)) group.set(each.sources, each)
    groups.set(key, group)
  }
  return new Map(
    [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, group]) => [key, [...group.values()]]),
  )
}

/**
 * Pairs of the candidates of each task: as many of each strategy as of the others where there are as many, candidates used evenly, none that
 * is nearly another one, and no more than `cap` of a task. They follow from the candidates and the seed.
 */
export function selectPairs(judged: readonly Judged[], options: SelectOptions): Selected {
  const result: Selected = { pairs: [], made: 0, duplicates: 0, beyondCap: 0, refused: [] }
  const usable = options.strategies.filter((strategy) => {
    const reason = refusalOf(strategy, judged)
    if (reason !== undefined) result.refused.push(reason)
    return reason === undefined
  })
  const known = new KnownPairs(options.threshold)
  for (const group of byTask(judged).values()) {
    const seen = new Set<string>()
    const queues = usable.map((strategy) =>
      strategies[strategy](group, options)
        .filter((pair) => {
          const key = keyOf(pair)
          return !seen.has(key) && seen.add(key)
        })
        .toSorted((one, other) => rankOf(keyOf(one), options.seed) - rankOf(keyOf(other), options.seed)),
    )
    result.made += seen.size
    const uses = new Map<Judged, number>()
    let taken = 0
    for (let turn = 0; queues.some((queue) => queue.length > 0); turn++) {
      if (taken === options.cap) {
        result.beyondCap += queues.reduce((sum, { length }) => sum + length, 0)
        break
      }
      const pair = leastUsed(queues[turn % queues.length]!, uses)
      if (!pair) continue
      if (known.hasOrAdds(pair)) {
        result.duplicates++
        continue
      }
      for (const side of [pair.chosen, pair.rejected]) uses.set(side, (uses.get(side) ?? 0) + 1)
      result.pairs.push(pair)
      taken++
    }
  }
  return result
}

const keyOf = ({ chosen, rejected }: Pair): string => `${chosen.sources}>${rejected.sources}`

/** Takes the pair out of the list whose candidates were used least, the first of several. */
function leastUsed(queue: Pair[], uses: ReadonlyMap<Judged, number>): Pair | undefined {
  const count = ({ chosen, rejected }: Pair): number => (uses.get(chosen) ?? 0) + (uses.get(rejected) ?? 0)
  let best = 0
  for (const [index, pair] of queue.entries()) if (count(pair) < count(queue[best]!)) best = index
  return queue.splice(best, 1)[0]
}

/** Tokens beside an edit that belong to it. */
const context = 12

/** Finds pairs that teach what another one does. A minimal edit teaches its edit, whatever operator it is in; others all that they hold. */
class KnownPairs {
  readonly #edits: NearDuplicates
  readonly #wholes: NearDuplicates
  readonly #shingles: { edit: Shingles[]; whole: Shingles[] } = { edit: [], whole: [] }

  constructor(threshold: number) {
    this.#edits = new NearDuplicates(threshold)
    this.#wholes = new NearDuplicates(threshold)
  }

  hasOrAdds(pair: Pair): boolean {
    const isEdit = pair.strategy === 'minimal-edit'
    const shingles = isEdit ? shinglesOfEdit(pair) : shinglesOfPair(pair)
    const [index, kept] = isEdit ? [this.#edits, this.#shingles.edit] : [this.#wholes, this.#shingles.whole]
    const found = index.findOrAdd(shingles, (each) => kept[each]!)
    if (!found) kept.push(shingles)
    return found !== undefined
  }
}

const runLength = 5

const sideOf = ({ files }: Judged, side: string): string[] =>
  files.flatMap(({ content }) => tokensOf(content)).map((token) => `${side}${token}`)

/** Of both sides, told apart: the same two the other way round are another pair. */
function shinglesOfPair({ chosen, rejected }: Pair): Shingles {
  return new Set([...shinglesOf(sideOf(chosen, '+'), runLength), ...shinglesOf(sideOf(rejected, '-'), runLength)])
}

/** Of the places where both sides differ, with what stands beside them. */
function shinglesOfEdit({ chosen, rejected }: Pair): Shingles {
  const parts = chosen.files.flatMap(({ path, content }) => {
    const other = rejected.files.find((file) => file.path === path)?.content ?? ''
    if (content === other) return []
    const [one, two] = [tokensOf(content), tokensOf(other)]
    const { start, endOfOne, endOfOther } = differenceOf(one, two)
    const from = Math.max(0, start - context)
    return [...one.slice(from, endOfOne + context), '>', ...two.slice(from, endOfOther + context)]
  })
  return shinglesOf(parts, runLength)
}
