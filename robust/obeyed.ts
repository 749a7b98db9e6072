import { annotatedIn } from '../fixtures/problem-matchers.ts'

/** Characters outside of ASCII are passed over, whichever they are: some readers do so with some of them. */
const command =
  /^\s*::(?:error|warning|notice|debug|group|endgroup|add-(?:mask|matcher|path)|remove-matcher|set-(?:env|output)|save-state|echo|stop-commands)\b|##(?:\[|vso|teamcity)/i

/** What a terminal or a CI system would obey in the output of a run: lines that are commands or annotations, and control characters. */
export const obeyedIn = (text: string): string[] => [
  ...text.split(/[\n\r\u0085\u2028\u2029]/).filter((line) => command.test(line.replaceAll(/[^\0-\x7f]/g, ''))),
  ...annotatedIn(text),
  ...(text.match(/(?![\t\n])[\p{Cc}\u202e]/gu) ?? []),
]
