import { resolve } from 'node:path'
import { indexDocuments } from '../../generation/documents.ts'
import type { Passage } from '../../generation/types.ts'
import { isOf, type DocumentItem } from './find.ts'

/** Passages that one question is answered from. */
const mostPassages = 3

/** Finds the passages that fit a question, best first. */
export type Retrieve = (question: string) => readonly Passage[]

/** Retrieves from the Markdown of a folder, documents that are skipped left out. */
export function retrieveIn(folder: string, skip: readonly string[]): Retrieve {
  const { find } = indexDocuments(resolve(folder))
  const isWanted = (place: string): boolean => !skip.some((document) => isOf(place, document))
  return (question) => find(question, isWanted).slice(0, mostPassages)
}

const lineOf = (place: string): number => Number(/:(\d+)$/.exec(place)?.[1])
const linesIn = (text: string): number => text.split('\n').length

/** Whether a passage is of the section: both are cut in other places, so that lines decide. */
export function isOfSection({ place, text }: Passage, section: DocumentItem): boolean {
  if (!isOf(place, section.document)) return false
  const [first, start] = [lineOf(place), lineOf(section.source)]
  // a heading and an empty line stand before the text of a section
  const end = start + linesIn(section.text) + 1
  return first <= end && start < first + linesIn(text)
}
