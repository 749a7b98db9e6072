import { proseOf } from './sections.ts'

/** Words in a row that an answer may have from its document; names, figures and set phrases are shorter. */
export const longestQuote = 14

/** The words of a text without its code and its marks; Chinese is taken by characters. */
const wordsOf = (text: string): string[] =>
  proseOf(text)
    .toLowerCase()
    .match(/\p{Script=Han}|[\p{L}\p{N}_]+/gu) ?? []

/** Places of every pair of words in a document, so that runs are found in the time of what they share. */
function placesOf(words: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (let i = 0; i + 1 < words.length; i++) {
    const key = `${words[i]} ${words[i + 1]}`
    const known = places.get(key)
    if (known) known.push(i)
    else places.set(key, [i])
  }
  return places
}

interface Quote {
  words: number
  text: string
}

/** Words that are compared before a text that repeats itself is asked for too long runs alone. */
const mostCompared = 5e6

/** A run that is too long, of two texts that repeat themselves: in time linear in both. */
function tooLong(own: readonly string[], other: readonly string[]): Quote | undefined {
  const words = longestQuote + 1
  const runs = (all: readonly string[]): string[] =>
    Array.from({ length: Math.max(0, all.length - longestQuote) }, (_, i) => all.slice(i, i + words).join(' '))
  const known = new Set(runs(other))
  const text = runs(own).find((run) => known.has(run))
  return text === undefined ? undefined : { words, text }
}

/**
 * The longest run of words that a text has from any of the documents, word by word. Code counts in neither. Of texts that repeat
 * themselves it is one that is too long, where there is one.
 */
export function quoted(text: string, documents: readonly string[]): Quote {
  const own = wordsOf(text)
  let best: Quote = { words: 0, text: '' }
  let left = mostCompared
  for (const document of documents) {
    const other = wordsOf(document)
    const places = placesOf(other)
    for (let i = 0; i + 1 < own.length; i++) {
      if (left < 0) {
        const long = tooLong(own, other)
        if (long && long.words > best.words) best = long
        break
      }
      for (const at of places.get(`${own[i]} ${own[i + 1]}`) ?? []) {
        // only where it begins: what it goes on from was counted there
        if (left-- < 0) break
        if (i > 0 && at > 0 && own[i - 1] === other[at - 1]) continue
        let length = 2
        while (i + length < own.length && at + length < other.length && own[i + length] === other[at + length]) length++
        left -= length
        if (length > best.words) best = { words: length, text: own.slice(i, i + length).join(' ') }
      }
    }
  }
  return best
}
