import { franc } from 'franc-min'
import { partedText } from './texts.ts'

/** Characters of prose that a guess is made of; of fewer it would be one. */
const least = 80
const most = 2000

/**
 * The language of the prose of a text by ISO 639-3, e.g. `eng`, `cmn`; undefined where there is too little of it to tell. Code, names and
 * links are no prose.
 */
export function languageOf(text: string): string | undefined {
  const prose = partedText(text)
    .prose.replaceAll(/`[^`\n]*`|https?:\/\/\S+|\$[^$\n]+\$|\b[A-Za-z]*[\d_<>:(){}]\w*\b|\b[a-z]+[A-Z]\w*\b/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (/\p{Script=Han}/u.test(prose) && share(prose, /\p{Script=Han}/gu) > 0.2) return 'cmn'
  if (prose.length < least) return undefined
  const guess = franc(prose.slice(0, most))
  return guess === 'und' ? undefined : guess
}

const share = (text: string, letters: RegExp): number =>
  (text.match(letters)?.length ?? 0) / Math.max(1, text.match(/\p{L}/gu)?.length ?? 0)
