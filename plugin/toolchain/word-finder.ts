import type { Place } from './device-functions.ts'
import { blankComments } from './text.ts'

/** Tells where texts have a word, be it as a part of a name; file '' where they have not. */
export type WordFinder = (word: string) => Place

/** More than is ever shown: who has made up so many names is told of the others without a place. */
const mostWords = 40

/**
 * The place of a text in another, in time linear in both: candidates choose them, and what engines have takes the product of
 * their lengths for some.
 */
export function placeOf(word: string, text: string): number {
  if (word.length < 8) return text.indexOf(word)
  /** of each beginning of the word, how much of its end it begins with itself */
  const borders = new Uint32Array(word.length)
  const longer = (matched: number, letter: number): number => {
    while (matched > 0 && word.charCodeAt(matched) !== letter) matched = borders[matched - 1]!
    return word.charCodeAt(matched) === letter ? matched + 1 : 0
  }
  for (let at = 1, matched = 0; at < word.length; at++) borders[at] = matched = longer(matched, word.charCodeAt(at))
  for (let at = 0, matched = 0; at < text.length; at++) {
    matched = longer(matched, text.charCodeAt(at))
    if (matched === word.length) return at + 1 - matched
  }
  return -1
}

/** A finder of words in texts, outside of comments. */
export function wordFinder(texts: readonly { file: string; text: string }[]): WordFinder {
  const known = new Map<string, Place>()
  let codes: { file: string; code: string }[] | undefined
  const find = (word: string): Place => {
    codes ??= texts.map(({ file, text }) => ({ file, code: blankComments(text) }))
    for (const { file, code } of codes) {
      const at = placeOf(word, code)
      if (at < 0) continue
      let line = 1
      for (let end = code.indexOf('\n'); end >= 0 && end < at; end = code.indexOf('\n', end + 1)) line++
      return { file, line }
    }
    return { file: '', line: 0 }
  }
  return (word) => {
    const place = known.get(word) ?? (known.size < mostWords ? find(word) : { file: '', line: 0 })
    known.set(word, place)
    return place
  }
}
