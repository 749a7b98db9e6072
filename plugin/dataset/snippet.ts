import { bareCode, itemsOf, type CppItem } from './cpp-items.ts'

/** Lines of a source that are shown alone; from 1 on, both ends included. */
export interface Snippet {
  path: string
  first: number
  last: number
}

/** Longer functions are shown in part. */
const mostLines = 36
/** Lines around a place, of what is not in a function that can be shown. */
const around = 10

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length

function functionsIn(items: readonly CppItem[]): CppItem[] {
  return items.flatMap((item) => [...(item.body ? [item] : []), ...functionsIn(item.inner)])
}

/** The function around a line, where it is short enough to be shown; else the lines around it. */
export function snippetAround(path: string, text: string, line: number): Snippet {
  const all = text.split('\n').length
  for (const { start, end } of functionsIn(itemsOf(bareCode(text)))) {
    const [first, last] = [lineOf(text, start), lineOf(text, end - 1)]
    if (line >= first && line <= last && last - first < mostLines) return { path, first, last }
  }
  return { path, first: Math.max(1, line - around), last: Math.min(all, line + around) }
}

/** The text of a snippet. */
export const snippetText = (text: string, { first, last }: Snippet): string =>
  text
    .split('\n')
    .slice(first - 1, last)
    .join('\n')

/** A source with another text in the place of a snippet. */
export function withSnippet(text: string, { first, last }: Snippet, instead: string): string {
  const lines = text.split('\n')
  return [...lines.slice(0, first - 1), instead.replace(/\n$/, ''), ...lines.slice(last)].join('\n')
}
