/** Words of a text, of whatever language: characters of Chinese count as half a word each. */
export const wordCount = (text: string): number =>
  (text.match(/[^\s\p{Script=Han}]+/gu)?.length ?? 0) + Math.ceil((text.match(/\p{Script=Han}/gu)?.length ?? 0) / 2)

/** A text of an entry, of a number of words within bounds. */
export function textIn(
  entry: Readonly<Record<string, unknown>> | undefined,
  field: string,
  [least, most]: readonly [least: number, most: number],
): { text: string } | { problem: string } {
  const value = entry?.[field]
  if (typeof value !== 'string' || value.trim() === '') return { problem: `there is no ${field}` }
  const text = value.trim()
  const words = wordCount(text)
  if (words < least || words > most)
    return { problem: `${field} has ${words} words, and should have ${least} to ${most}` }
  return { text }
}
