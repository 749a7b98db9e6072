import type { Rejection } from '../work-folder.ts'
import { unknownNames } from './api-names.ts'
import { longestQuote, quoted } from './quotes.ts'

/** Words that speak of a text which whoever reads the row has not. */
const ofTheText =
  /\b(?:(?:the|this|above|given|provided) (?:passages?|documents?|excerpts?|sections?)|(?:this|above|provided) (?:references?|text)|(?:as|is) (?:mentioned|stated|described|shown|listed) (?:above|below|in the (?:passage|document|text|table)))\b|\bpassages? \d|文档中|上文|本文档|根据(?:文档|原文)/i

/** A text that speaks of another one, which whoever reads the row has not. */
export function saysText(text: string): Rejection | null {
  const said = ofTheText.exec(text)
  return said ? { reason: 'speaks of the document', detail: said[0] } : null
}

/** A text that is taken from passages, word by word. */
export function tooLongQuote(text: string, passages: readonly string[]): Rejection | null {
  const quote = quoted(text, passages)
  return quote.words > longestQuote
    ? { reason: 'quotes the document', detail: `${quote.words} words: ${quote.text}` }
    : null
}

/** What of a row about a document needs no compiler: null where nothing is wrong. */
export function checkAnswer(
  row: { request: string; thought: string; answer: string },
  passages: readonly string[],
): Rejection | null {
  const { request, thought, answer } = row
  for (const text of [request, thought, answer]) {
    const said = saysText(text)
    if (said) return said
  }
  for (const text of [thought, answer]) {
    const quote = tooLongQuote(text, passages)
    if (quote) return quote
  }
  const unknown = unknownNames(`${request}\n\n${thought}\n\n${answer}`, passages)
  return unknown.length > 0 ? { reason: 'unknown name', detail: unknown.join(', ') } : null
}

/** A row about an API has its name in question or answer. */
function isAboutApi(name: string, request: string, answer: string): Rejection | null {
  const last = name.split('::').at(-1)!
  const word = /^\w+$/.test(last) ? new RegExp(`\\b${last}\\b`) : undefined
  const isNamed = [request, answer].some((text) => (word ? word.test(text) : text.includes(name.split('::')[0]!)))
  return isNamed ? null : { reason: 'not about the API', detail: `it never says ${name}` }
}

/** Words that a row has from its passage at least: whoever answers several at once may mix them up. */
const leastShared = 4

const longWords = (text: string): Set<string> =>
  new Set(text.toLowerCase().match(/\p{Script=Han}{2}|[\p{L}\p{N}_]{5,}/gu))

/** A row about a passage has words of it, in question or answer. */
function isOfPassage(passage: string, request: string, answer: string): Rejection | null {
  const own = longWords(passage)
  const shared = [...longWords(`${request}\n${answer}`)].filter((word) => own.has(word))
  const wanted = Math.min(leastShared, Math.ceil(own.size / 4))
  return shared.length >= wanted
    ? null
    : { reason: 'not about the passage', detail: `it shares ${shared.length} words with it` }
}

/** What a row is about: a page of an API, or one of some passages. */
export interface Subject {
  kind: 'documentation' | 'api'
  /** of an API: its name */
  title: string
  texts: readonly string[]
}

/** Whether a row is about what it was asked for. */
export function isAbout({ kind, title, texts }: Subject, request: string, answer: string): Rejection | null {
  if (kind === 'api') return isAboutApi(title, request, answer)
  const found = texts.map((text) => isOfPassage(text, request, answer))
  return found.includes(null) ? null : (found[0] ?? { reason: 'not about the passage', detail: 'there is none' })
}
