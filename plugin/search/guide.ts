import { clockFactor, type KernelCase, type TilingSketch } from '../model/index.ts'
import type { DrawName, Draws } from './draws.ts'
import { TilingNovelty, type Sketched } from './tiling-novelty.ts'

/** Decides which draw a search tries next. */
export interface Choice {
  next(): Promise<DrawName>
  /** Tells which blocks the draw that was chosen last has reached (`CompletedLaunch.reached`). */
  note(reached: string | undefined): void
}

/** What a search has tried, as far as later choices follow from it. */
export interface Course {
  draws: DrawName[]
  /** those of them that were the first to reach some code */
  opening: DrawName[]
  /** all blocks that they have reached, and no other cases */
  reached: string
}

/** Draws that are looked at for each that is launched for what its tiling shows. */
const drawsForEach = 40
/** Draws that are looked at in all. */
const mostDraws = 400
/** Variations of a case that are looked at for one that is new. */
const variations = 8
/** Share of the time budget that asking the tiling function may take. */
const shareOfBudget = 0.15

export interface GuideOptions {
  draws: Draws
  /** cases of the whole search */
  runs: number
  /** what an earlier search under the same seed has tried */
  earlier?: Course | undefined
  /** cases that are judged besides */
  besides: readonly KernelCase[]
  /** wall-clock milliseconds of the whole search */
  budgetMs: number
  /** What the tiling function makes of cases (`Target.sketch`). Rejects where it cannot be asked. */
  sketch: (cases: readonly KernelCase[], timeoutMs: number) => Promise<(TilingSketch | null)[] | null>
}

interface Drawn extends Sketched {
  name: DrawName
  novelty: number
}

/**
 * Every second case is a draw like any other: what a candidate says must not keep hard cases from it. The others go where no case has
 * been: by turns those of many draws whose tiling shows most that is new, and neighbours of cases that have reached new code.
 */
export class Guide implements Choice {
  readonly #options: GuideOptions
  readonly #tried: DrawName[] = []
  readonly #opening: DrawName[]
  readonly #seen = new Set<string>()
  #reached: Buffer
  #novelty: TilingNovelty | undefined
  /** draws by how new their tilings are, as far as is known */
  #pool: Drawn[] = []
  /** the first draw that the tiling function declines */
  #declined: DrawName | undefined
  #isSurveyed = false

  constructor(options: GuideOptions) {
    this.#options = options
    const { draws, opening, reached } = options.earlier ?? { draws: [], opening: [], reached: '' }
    this.#tried.push(...draws)
    this.#opening = [...opening]
    this.#reached = Buffer.from(reached, 'base64')
  }

  /** What has been tried, for a later search. */
  get course(): Course {
    return { draws: [...this.#tried], opening: [...this.#opening], reached: this.#reached.toString('base64') }
  }

  async next(): Promise<DrawName> {
    if (!this.#isSurveyed) {
      this.#isSurveyed = true
      for (const name of this.#tried) this.#seen.add(contentOf(this.#caseOf(name)))
      await this.#survey()
    }
    const name = this.#guided() ?? this.#plain()
    this.#tried.push(name)
    this.#seen.add(contentOf(this.#caseOf(name)))
    return name
  }

  note(reached = ''): void {
    const told = Buffer.from(reached, 'base64')
    const name = this.#tried.at(-1)
    // the first reaches what all do
    if (name !== undefined && this.#tried.length > 1 && told.some((byte, i) => (byte & ~(this.#reached[i] ?? 0)) !== 0))
      this.#opening.push(name)
    const longest = Math.max(told.length, this.#reached.length)
    this.#reached = Buffer.from(Array.from({ length: longest }, (_, i) => (told[i] ?? 0) | (this.#reached[i] ?? 0)))
  }

  /** The first that has not been tried. */
  #plain(): DrawName {
    const tried = new Set(this.#tried)
    let number = 0
    while (tried.has(String(number))) number++
    return String(number)
  }

  #guided(): DrawName | undefined {
    const run = this.#tried.length
    if (run % 2 === 0) return undefined
    return run % 4 === 1 ? (this.#newTiling() ?? this.#neighbour()) : (this.#neighbour() ?? this.#newTiling())
  }

  /** Asks for the tilings of what is judged anyway, and of many more draws. */
  async #survey(): Promise<void> {
    const { runs, besides, budgetMs, sketch } = this.#options
    const plain = Math.ceil(runs / 2)
    const names = Array.from({ length: plain + Math.min(drawsForEach * (runs - plain), mostDraws) }, (_, i) =>
      String(i),
    )
    const cases = [...besides, ...names.map((name) => this.#caseOf(name))]
    // all or nothing: which draws a slow machine has come to must not matter. A function that sleeps has as many times longer
    const sketches = await sketch(cases, Math.ceil((budgetMs * shareOfBudget) / clockFactor)).catch(() => null)
    if (!sketches) return
    const sketched = cases.map((kernelCase, i) => ({ case: kernelCase, sketch: sketches[i] ?? null }))
    const novelty = (this.#novelty = new TilingNovelty(sketched.filter(isSketched)))
    const tried = new Set(this.#tried)
    for (const [i, each] of sketched.entries()) {
      const number = i - besides.length
      const name = names[number] ?? ''
      if (isSketched(each)) {
        if (number < plain || tried.has(name)) novelty.note(each)
        else this.#pool.push({ ...each, name, novelty: Infinity })
      }
      // what declines a narrow device is tried on the whole one. One is enough, also where it has been tried
      else if (number >= plain && each.case.device === undefined) this.#declined ??= name
    }
  }

  /** The draw whose tiling shows most that is new. What others have shown since makes it less: the best known is looked at anew. */
  #newTiling(): DrawName | undefined {
    const novelty = this.#novelty
    if (!novelty) return undefined
    const declined = this.#declined
    this.#declined = undefined
    if (declined !== undefined && !this.#tried.includes(declined)) return declined
    for (let best = this.#pool.shift(); best; best = this.#pool.shift()) {
      const looked = { ...best, novelty: this.#tried.includes(best.name) ? 0 : novelty.of(best) }
      if (looked.novelty === 0) continue
      const place = this.#pool.findIndex((other) => precedes(looked, other))
      if (place === 0 || this.#pool.length === 0) {
        novelty.note(looked)
        return looked.name
      }
      this.#pool.splice(place < 0 ? this.#pool.length : place, 0, looked)
    }
    return undefined
  }

  /** A case like one that was the first to reach some code: of those that have been followed least the last. */
  #neighbour(): DrawName | undefined {
    const followers = (parent: DrawName): number => this.#tried.filter((name) => parentOf(name) === parent).length
    const parents = this.#opening.map((name) => ({ name, followers: followers(name) })).toReversed()
    for (const { name, followers } of parents.toSorted((one, other) => one.followers - other.followers)) {
      const first = followers * variations + 1
      const found = Array.from({ length: variations }, (_, i) => `${name}.${first + i}`).find(
        (variation) => !this.#seen.has(contentOf(this.#caseOf(variation))),
      )
      if (found !== undefined) return found
    }
    return undefined
  }

  #caseOf(name: DrawName): KernelCase {
    return this.#options.draws.value(name).value
  }
}

/** Of draws that are as new as each other the one with the lower number. */
const precedes = (one: Drawn, other: Drawn): boolean =>
  one.novelty > other.novelty || (one.novelty === other.novelty && Number(one.name) < Number(other.name))

const parentOf = (name: DrawName): DrawName => name.slice(0, Math.max(name.lastIndexOf('.'), 0))

/** What tells cases apart, but for the values of their inputs. */
const contentOf = (kernelCase: KernelCase): string => JSON.stringify({ ...kernelCase, seed: 0 })

const isSketched = (one: { case: KernelCase; sketch: TilingSketch | null }): one is Sketched => one.sketch !== null
