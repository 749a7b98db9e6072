import type { Rejection } from '../work-folder.ts'
import { unknownNames } from './api-names.ts'
import { longestQuote, quoted } from './quotes.ts'

/** Words that speak of a text which whoever reads the row has not. */
const ofTheText =
  /\b(?:(?:the|this|above|given|provided) (?:passages?|documents?|excerpts?|sections?|references?|text)|(?:as|is) (?:mentioned|stated|described|shown|listed) (?:above|below|in the (?:passage|document|text|table)))\b|文档中|上文|本文档|根据(?:文档|原文)/i

/** What of a row about a document needs no compiler: null where nothing is wrong. */
export function checkAnswer(row: { request: string; thought: string; answer: string }, passages: readonly string[]): Rejection | null {
  const { request, thought, answer } = row
  for (const text of [request, thought, answer]) {
    const said = ofTheText.exec(text)
    if (said) return { reason: 'speaks of the document', detail: said[0] }
  }
  for (const text of [thought, answer]) {
    const quote = quoted(text, passages)
    if (quote.words > longestQuote) return { reason: 'quotes the document', detail: `${quote.words} words: ${quote.text}` }
  }
  const unknown = unknownNames(`${request}\n\n${thought}\n\n${answer}`, passages)
  return unknown.length > 0 ? { reason: 'unknown name', detail: unknown.join(', ') } : null
}
