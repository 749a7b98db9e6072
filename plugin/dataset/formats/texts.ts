import type { Row } from '../row.ts'

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant'
  content: string
}

/** Reasoning inside of `<think>`, as reasoning models write it, before the answer. */
export const answerText = ({ thought, answer }: { thought?: string; answer: string }): string =>
  thought === undefined || thought === '' ? answer : `<think>\n${thought}\n</think>\n\n${answer}`

/** What stands before an answer. */
export const promptOf = ({ system, request }: Row): ChatMessage[] => [
  ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
  { role: 'user', content: request },
]

export const assistant = (content: string): ChatMessage => ({ role: 'assistant', content })

/** What tells where a record is from, in every format that takes columns of its own. */
export const originOf = ({ id, provenance }: Row): { id: string; provenance: string } => ({
  id,
  provenance: JSON.stringify(provenance),
})

export const origin = { id: 'string', provenance: 'string' } as const

export const messages = { list: { struct: { role: 'string', content: 'string' } } } as const

/** An answer that is called good or bad. */
export interface Labelled {
  text: string
  good: boolean
}

/** Both answers of a pair. */
export const labelledOf = (row: Row): Labelled[] =>
  row.rejected === undefined
    ? []
    : [
        { text: answerText(row), good: true },
        { text: answerText(row.rejected), good: false },
      ]

/** A record of a row to imitate; a pair is none. */
export const imitated = <T>(row: Row, make: (text: string) => T): T[] =>
  row.rejected === undefined ? [make(answerText(row))] : []

/** A record of a pair. */
export const paired = <T>(row: Row, make: (chosen: string, rejected: string) => T): T[] =>
  row.rejected === undefined ? [] : [make(answerText(row), answerText(row.rejected))]
