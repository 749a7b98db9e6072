import { shinglesOf, similarityOf, wordsOf, type Shingles } from '../hygiene/shingles.ts'

/** The share of their words that two questions have in common, from which on they ask the same. */
const alike = 0.8

/** What two questions that are worded alike differ by: names of code, figures, dtypes. */
const specificIn = (question: string): string =>
  [...(question.match(/`[^`]+`/g) ?? []), ...wordsOf(question).filter((word) => /[\d_]/.test(word))].sort().join(' ')

/** Questions, each with what it is about, by which one that asks the same again is found. */
export class KnownQuestions<T> {
  readonly #known = new Map<string, { words: Shingles; about: T }[]>()

  /** What the first question of a document is about that asks nearly this; else this is known from now on. */
  findOrAdd(document: string, question: string, about: T): T | undefined {
    const key = `${document}\n${specificIn(question)}`
    const known = this.#known.get(key) ?? []
    // in whatever order they stand
    const words = shinglesOf(wordsOf(question), 1)
    const found = known.find((each) => similarityOf(words, each.words) >= alike)
    if (found) return found.about
    this.#known.set(key, [...known, { words, about }])
    return undefined
  }
}
