const command = /^\s*::(?:error|warning|notice|debug|group|add-mask|set-output|stop-commands)\b|##(?:\[|vso|teamcity)/i

/** What a terminal or a CI system would obey in the output of a run: lines that are commands, and control characters. */
export const obeyedIn = (text: string): string[] => [
  ...text.split(/[\n\r\u0085\u2028\u2029]/).filter((line) => command.test(line)),
  ...(text.match(/(?![\t\n])[\p{Cc}\u202e]/gu) ?? []),
]
