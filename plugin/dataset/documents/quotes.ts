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

/** The longest run of words that a text has from any of the documents, word by word. Code counts in neither. */
export function quoted(text: string, documents: readonly string[]): { words: number; text: string } {
  const own = wordsOf(text)
  let best = { words: 0, text: '' }
  for (const document of documents) {
    const other = wordsOf(document)
    const places = placesOf(other)
    for (let i = 0; i + 1 < own.length; i++) {
      for (const at of places.get(`${own[i]} ${own[i + 1]}`) ?? []) {
        // only where it begins: what it goes on from was counted there
        if (i > 0 && at > 0 && own[i - 1] === other[at - 1]) continue
        let length = 2
        while (i + length < own.length && at + length < other.length && own[i + length] === other[at + length]) length++
        if (length > best.words) best = { words: length, text: own.slice(i, i + length).join(' ') }
      }
    }
  }
  return best
}
