import { plainTokensOf, shinglesOf, wordsOf } from './shingles.ts'

/** What training must not see: a task of a benchmark, in words and in code. */
export interface ProtectedTask {
  suite: string
  task: string
  /** what a prompt says of it */
  words: readonly string[]
  /** its golden, its baseline */
  code: readonly string[]
}

/** Names a task, e.g. `npukernelbench/RmsNorm`. */
export const taskName = ({ suite, task }: Pick<ProtectedTask, 'suite' | 'task'>): string => `${suite}/${task}`

/** What of a row is compared. */
export interface Examined {
  words: string
  code: string
  /** the task that its proof names */
  task?: string | undefined
}

/** Why a row is contaminated. */
export interface Contamination {
  task: string
  by: 'name' | 'words' | 'code'
  /** shingles in common; 0 where the name tells */
  shared: number
  /** of those of the row, and of those of the task */
  ofRow: number
  ofTask: number
}

/** How texts are compared: runs of so many parts, and how much in common is too much. */
interface Measure {
  length: number
  /** shingles in common below which nothing is said */
  least: number
  /** the share of the row's or of the task's shingles */
  share: number
  parts: (text: string) => string[]
}

const measures = {
  // thirteen words in a row are no accident; a prompt of a task has some hundred
  words: { length: 13, least: 4, share: 0.2, parts: wordsOf },
  // about three lines of code, whatever its variables are called
  code: { length: 24, least: 16, share: 0.2, parts: plainTokensOf },
} satisfies Record<string, Measure>

/** Of a short program there are not many shingles: a few do where they are nearly all. */
const few = 4
const nearlyAll = 0.8

type Kind = keyof typeof measures
const kinds = ['words', 'code'] as const

/**
 * What more tasks than this have in common is how such texts are written, and tells none of them. Families of tasks, whose solutions differ in
 * one call, are smaller.
 */
const mostTasks = 30

/** Rows that hold a task of a benchmark or its solution: by name, by runs of words, by runs of code tokens. */
export class Decontamination {
  readonly #tasks: readonly string[]
  readonly #names: ReadonlySet<string>
  readonly #indexes: Record<Kind, Index>

  constructor(tasks: readonly ProtectedTask[]) {
    this.#tasks = tasks.map(taskName)
    this.#names = new Set(this.#tasks)
    this.#indexes = {
      words: new Index(
        tasks.map(({ words }) => words),
        measures.words,
      ),
      code: new Index(
        tasks.map(({ code }) => code),
        measures.code,
      ),
    }
  }

  get tasks(): number {
    return this.#tasks.length
  }

  /** The worst that a row has in common with a task; undefined: nothing that tells. */
  find({ words, code, task }: Examined): Contamination | undefined {
    if (task !== undefined && this.#names.has(task)) return { task, by: 'name', shared: 0, ofRow: 0, ofTask: 0 }
    const texts = { words, code }
    const found = kinds.flatMap((by) => {
      const worst = this.#indexes[by].worst(texts[by])
      return worst ? [{ ...worst, task: this.#tasks[worst.index]!, by }] : []
    })
    const [first] = found.toSorted(
      (one, other) => Math.max(other.ofRow, other.ofTask) - Math.max(one.ofRow, one.ofTask),
    )
    if (!first) return undefined
    const { index: _, ...contamination } = first
    return contamination
  }
}

/** Which tasks have a shingle. */
class Index {
  readonly #measure: Measure
  /** of one task its number, of several a list; of too many an empty one */
  readonly #tasks = new Map<number, number | readonly number[]>()
  /** shingles of each task that tell it */
  readonly #sizes: number[]

  constructor(tasks: readonly (readonly string[])[], measure: Measure) {
    this.#measure = measure
    for (const [index, texts] of tasks.entries())
      for (const shingle of new Set(texts.flatMap((text) => [...this.#shingles(text)]))) this.#note(shingle, index)
    this.#sizes = tasks.map(() => 0)
    for (const owners of this.#tasks.values())
      for (const owner of typeof owners === 'number' ? [owners] : owners) this.#sizes[owner]!++
  }

  #shingles(text: string): Set<number> {
    const { parts, length } = this.#measure
    const all = parts(text)
    // a text shorter than a run is nothing that could be told
    return all.length < length ? new Set() : shinglesOf(all, length)
  }

  #note(shingle: number, task: number): void {
    const known = this.#tasks.get(shingle)
    if (known === undefined) this.#tasks.set(shingle, task)
    else if (typeof known === 'number') this.#tasks.set(shingle, [known, task])
    else if (known.length > 0) this.#tasks.set(shingle, known.length < mostTasks ? [...known, task] : [])
  }

  worst(text: string): { index: number; shared: number; ofRow: number; ofTask: number } | undefined {
    const shingles = this.#shingles(text)
    const counts = new Map<number, number>()
    for (const shingle of shingles) {
      const owners = this.#tasks.get(shingle)
      for (const owner of typeof owners === 'number' ? [owners] : (owners ?? []))
        counts.set(owner, (counts.get(owner) ?? 0) + 1)
    }
    const { least, share } = this.#measure
    const [worst] = [...counts]
      .map(([index, shared]) => ({
        index,
        shared,
        ofRow: shared / shingles.size,
        ofTask: shared / this.#sizes[index]!,
      }))
      .filter(({ shared, ofRow, ofTask }) => {
        const most = Math.max(ofRow, ofTask)
        return (shared >= least && most >= share) || (shared >= few && most >= nearlyAll)
      })
      .toSorted((one, other) => other.shared - one.shared)
    return worst
  }
}
