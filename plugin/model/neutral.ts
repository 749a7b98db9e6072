/**
 * What a terminal obeys, what other programs take for the end of a line, and what makes text look as it is not: control
 * characters but for tab and line feed, line and paragraph separators, marks and overrides of writing direction.
 */
const obeyed = /\r(?!\n)|(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** Characters that no command has: what compares texts by the rules of a language passes over some of them, and which ones is its own affair. */
const foreign = String.raw`[\x80-\u2027\u202a-\u{10ffff}]`
const commands =
  'error|warning|notice|debug|group|endgroup|add-mask|add-matcher|remove-matcher|add-path|set-env|set-output|save-state|echo|stop-commands|(?:internal-)?set-repo-path'
/** Commands that CI systems take from the output of a run: GitHub and its like at the start of a line … */
const atStart = new RegExp(
  String.raw`^((?:[\t\v\f ]|${foreign})*):(?=${foreign}*:${foreign}*(?:${commands})(?![\w-]))`,
  'gimu',
)
/** … its older form, Azure and TeamCity anywhere, and sections of GitLab. */
const anywhere = /#(?=#(?:\[|vso\[|teamcity\[))|s(?=ection_(?:start|end):\d)/gi

const number = String.raw`\p{Nd}+`
const severity = '(?:error|warning|info)'
const eslint = String.raw`line\s${number},\scol\s${number},\s${severity}\s-\s`
const typescript = String.raw`${severity}\s+[\p{L}\p{M}\p{N}_]{1,2}${number}\s*:`
/** A text that begins as such a line ends: what is printed before it may have a place at its end, and a colon. */
const atBegin = (rest: string): string => String.raw`(?=${rest})(?<=(?:^|\n)[^\S\n]*)[a-z]`
/**
 * What makes a location of a line: GitHub annotates files by patterns that actions register, those of TypeScript and ESLint
 * wherever Node.js is set up. Compilers of kernels write `file:line:column:`, which none of these is.
 */
const locating = new RegExp(
  [
    // a.ts(1,2): error TS1: text
    String.raw`\((?=${number}(?:,${number}){0,3}\)\s*:\s+${typescript})`,
    atBegin(typescript),
    // a.js: line 1, col 2, Error - text (rule)
    String.raw`:(?=\s${eslint})`,
    atBegin(eslint),
    // below the name of a file: 1:2  error  text  rule
    String.raw`(?<=\p{Nd}):(?=${number}\s+${severity}\s)`,
  ].join('|'),
  'giu',
)

const escaped = (character: string): string => {
  const code = character.charCodeAt(0).toString(16)
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`
}

const longestLine = 4000
/** a little more, so that what was cut is not cut again */
const cutFrom = longestLine + 100

const cutLine = (line: string): string =>
  line.length < cutFrom ? line : `${line.slice(0, longestLine)}… and ${line.length - longestLine} more characters`

/**
 * Cuts lines that nobody reads to their end: what looks for patterns in them may take time by the square of their length. No pattern
 * finds them: a line of some million characters is more than the engine has a stack for.
 */
export const withoutLongLines = (text: string): string =>
  text.length < cutFrom ? text : text.split('\n').map(cutLine).join('\n')

/**
 * Text of a candidate as it may be printed: what would be obeyed is shown as an escape, and lines have an end. All other
 * text, and so every honest one, stays as it is.
 */
export const neutralText = (text: string): string =>
  withoutLongLines(text)
    .replace(obeyed, escaped)
    .replace(anywhere, escaped)
    .replace(locating, escaped)
    // what follows a word may have become an escape
    .replace(atStart, (_, blanks: string) => `${blanks}${escaped(':')}`)

/** A character as strings of JSON spell any of them. */
const spelled = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A value as JSON that may be printed: what would be obeyed is spelled otherwise, and whoever reads it gets the same value. */
export const neutralJson = (value: unknown): string =>
  JSON.stringify(value, undefined, 2).replace(obeyed, spelled).replace(anywhere, spelled).replace(locating, spelled)

/** {@link neutralText} of a value that is made of lists and plain objects, names of fields included. */
export function neutralValue<T>(value: T): T
export function neutralValue(value: unknown): unknown {
  if (typeof value === 'string') return neutralText(value)
  if (Array.isArray(value)) return value.map((item: unknown) => neutralValue(item))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [neutralText(name), neutralValue(member)]))
}
