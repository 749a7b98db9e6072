import type { Row } from '../row.ts'
import type { Rejection } from '../work-folder.ts'
import { taskName, type Decontamination } from './decontamination.ts'
import { languageOf } from './language.ts'
import { partedText } from './texts.ts'

/** Bounds of what a row may be; what is left out has none. */
export interface Filters {
  /** tokens of prompt and answer together; of a pair, of the longer answer */
  minTokens?: number | undefined
  maxTokens?: number | undefined
  /** languages of prose by ISO 639-3; rows without enough prose pass */
  languages?: readonly string[] | undefined
  /** perplexity of the answer at most; what rows are measured by tells it */
  maxPerplexity?: number | undefined
}

/** What filters ask. */
export interface Measures {
  tokens: (text: string) => number
  /** of an answer behind its prompt; undefined: nobody was asked to tell */
  perplexity?: ((prompt: string, answer: string) => Promise<number>) | undefined
  /** undefined: nothing is protected */
  decontamination: Decontamination | undefined
}

/** Answers of a row, the better one first. */
export const answersOf = ({ thought, answer, rejected }: Row): string[] =>
  [{ thought, answer }, ...(rejected ? [rejected] : [])].map((each) =>
    each.thought === undefined ? each.answer : `${each.thought}\n\n${each.answer}`,
  )

/** All that a row says, as one text. */
export const textOf = (row: Row): string => [row.request, ...answersOf(row)].join('\n\n')

/** The task that the proof of a row names. */
const taskOf = (row: Row): string | undefined =>
  row.kind === 'project' || row.kind === 'error' || row.kind === 'preference' ? taskName(row.proof) : undefined

/** A filter: why a row is not taken; undefined: it is. */
type Filter = (row: Row, filters: Filters, measures: Measures) => Promise<Rejection | undefined> | Rejection | undefined

const length: Filter = (row, { minTokens = 0, maxTokens = Infinity }, { tokens }) => {
  if (minTokens <= 0 && maxTokens === Infinity) return undefined
  const asked = tokens(`${row.system ?? ''}\n${row.request}`)
  const count = asked + Math.max(...answersOf(row).map(tokens))
  if (count < minTokens) return { reason: 'too short', detail: `${count} tokens` }
  return count > maxTokens ? { reason: 'too long', detail: `${count} tokens` } : undefined
}

const language: Filter = (row, { languages }) => {
  if (!languages) return undefined
  const found = languageOf(textOf(row))
  return found === undefined || languages.includes(found) ? undefined : { reason: 'language', detail: found }
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`

/** Why a row must not be in a set that a model is trained on which is measured by these tasks. */
export function contaminationOf(row: Row, decontamination: Decontamination): Rejection | undefined {
  const { prose, code } = partedText(textOf(row))
  // of code that stands outside of fences as well
  const found = decontamination.find({ words: prose, code: `${code}\n${looksLikeCode(prose)}`, task: taskOf(row) })
  if (!found) return undefined
  const { task, by, shared, ofRow, ofTask } = found
  const how =
    by === 'name'
      ? 'is about it'
      : `${shared} runs of ${by}: ${percent(ofRow)} of the row, ${percent(ofTask)} of the task`
  return { reason: 'benchmark task', detail: `${task}: ${how}` }
}

const contamination: Filter = (row, _, { decontamination }) => decontamination && contaminationOf(row, decontamination)

/** Lines that end or begin as those of C++ do. */
const looksLikeCode = (prose: string): string =>
  prose
    .split('\n')
    .filter((line) => /[;{}]\s*(?:\/\/[^\n]*)?$|^\s*#include\b/.test(line))
    .join('\n')

const perplexity: Filter = async (row, { maxPerplexity }, measures) => {
  if (maxPerplexity === undefined || !measures.perplexity) return undefined
  const found = await measures.perplexity(row.request, answersOf(row)[0]!)
  return found > maxPerplexity ? { reason: 'perplexity', detail: found.toFixed(1) } : undefined
}

/** What costs least first. */
const all: readonly Filter[] = [length, language, contamination, perplexity]

/** Why a row is not taken, before it is compared with others. */
export async function refusalOf(row: Row, filters: Filters, measures: Measures): Promise<Rejection | undefined> {
  for (const filter of all) {
    const refusal = await filter(row, filters, measures)
    if (refusal) return refusal
  }
  return undefined
}
