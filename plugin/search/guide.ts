import { clockFactor, type KernelCase, type TilingSketch } from '../model/index.ts'
import { aimedDraws } from './aimed-draws.ts'
import { parentOf, type DrawName, type Draws } from './draws.ts'
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
/** Share of them that is made of what the others show. */
const shareAimed = 0.5
/** Variations of a case that are looked at for one that is new. */
const variations = 8
/** Variations of a case that are tried before new tilings, as long as there are any. */
const followersFirst = 2
/** Share of the time budget that asking the tiling function may take. */
const shareOfBudget = 0.15
/** Times that it is asked: about draws, then about those that are aimed. */
const surveys = 2

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
  /** place among all that were asked for */
  order: number
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
    const own = run % 6 === 5 ? this.#neighbour(followersFirst) : undefined
    return own ?? this.#newTiling() ?? this.#neighbour(Infinity)
  }

  /** Asks for the tilings of what is judged anyway, of many more draws, and of some that are made of what those show. */
  async #survey(): Promise<void> {
    const { draws, runs, besides } = this.#options
    const plain = Math.ceil(runs / 2)
    const asked = Math.min(drawsForEach * (runs - plain), mostDraws)
    const aimed = Math.floor(asked * shareAimed)
    const names = Array.from({ length: plain + asked - aimed }, (_, i) => String(i))
    const first = await this.#sketched([...besides.map((one) => ({ name: '', case: one })), ...this.#named(names)])
    if (!first) return
    const [known, drawn] = [first.slice(0, besides.length), first.slice(besides.length)]
    const like = aimedDraws(drawn.filter(isSketched), draws, aimed)
    const second = await this.#sketched(this.#named(like))
    if (!second) return
    const all = [...drawn, ...second]
    const novelty = (this.#novelty = new TilingNovelty([...known, ...all].filter(isSketched)))
    for (const each of known.filter(isSketched)) novelty.note(each)
    const tried = new Set(this.#tried)
    const plainly = new Set(names.slice(0, plain))
    const pool: Omit<Drawn, 'novelty'>[] = []
    for (const [order, each] of all.entries()) {
      const { name } = each
      if (isSketched(each)) {
        if (plainly.has(name) || tried.has(name)) novelty.note(each)
        else pool.push({ ...each, order })
      }
      // what declines a narrow device is tried on the whole one. One is enough, also where it has been tried
      else if (!plainly.has(name) && each.case.device === undefined) this.#declined ??= name
    }
    this.#pool = pool.map((each) => ({ ...each, novelty: novelty.of(each) })).sort(byNovelty)
  }

  #named(names: readonly DrawName[]): { name: DrawName; case: KernelCase }[] {
    return names.map((name) => ({ name, case: this.#caseOf(name) }))
  }

  /** What the tiling function makes of all of them, or nothing: which of them a slow machine has come to must not matter. */
  async #sketched(asked: readonly { name: DrawName; case: KernelCase }[]): Promise<MaybeSketched[] | undefined> {
    if (asked.length === 0) return []
    const { budgetMs, sketch } = this.#options
    // a function that sleeps has as many times longer
    const timeoutMs = Math.ceil((budgetMs * shareOfBudget) / surveys / clockFactor)
    const cases = asked.map((each) => each.case)
    const sketches = await sketch(cases, timeoutMs).catch(() => null)
    return sketches ? asked.map((each, i) => ({ ...each, sketch: sketches[i] ?? null })) : undefined
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
      const place = this.#pool.findIndex((other) => byNovelty(looked, other) < 0)
      if (place === 0 || this.#pool.length === 0) {
        novelty.note(looked)
        return looked.name
      }
      this.#pool.splice(place < 0 ? this.#pool.length : place, 0, looked)
    }
    return undefined
  }

  /** A case like one that was the first to reach some code: of those that have been followed least, and not as often as `most`, the last. */
  #neighbour(most: number): DrawName | undefined {
    const followers = (parent: DrawName): number => this.#tried.filter((name) => parentOf(name) === parent).length
    const parents = this.#opening.map((name) => ({ name, followers: followers(name) })).toReversed()
    for (const { name, followers } of parents.toSorted((one, other) => one.followers - other.followers)) {
      if (followers >= most) break
      const first = followers * variations + 1
      const found = Array.from({ length: variations }, (_, i) => `${name}.${first + i}`).find(
        (variation) => !this.#seen.has(contentOf(this.#caseOf(variation))),
      )
      if (found !== undefined) return found
    }
    return undefined
  }

  #caseOf(name: DrawName): KernelCase {
    return this.#options.draws.case(name)
  }
}

/** The newest one first; of those that are as new as each other the one that was asked for first. */
const byNovelty = (one: Drawn, other: Drawn): number => other.novelty - one.novelty || one.order - other.order

/** What tells cases apart, but for the values of their inputs. */
const contentOf = (kernelCase: KernelCase): string => JSON.stringify({ ...kernelCase, seed: 0 })

interface MaybeSketched {
  /** empty for a case that is judged anyway */
  name: DrawName
  case: KernelCase
  sketch: TilingSketch | null
}

const isSketched = <T extends MaybeSketched>(one: T): one is T & Sketched => one.sketch !== null
