/**
 * Replaces comments (and, on demand, string literals) by spaces, so that positions and line numbers stay what they were.
 */
export function blankComments(source: string, literals = false): string {
  return replaceTokens(source, (found) => (found.startsWith('/') || literals ? blank(found) : found))
}

/** As many spaces; line feeds stay. */
export const blank = (text: string): string => text.replace(/[^\n]+/g, (run) => ' '.repeat(run.length))

/** The same with one space for a comment, as the preprocessor sees it; a form feed for each of its line feeds. */
export const withoutComments = (source: string): string =>
  replaceTokens(source, (found) =>
    found.startsWith('/') ? ` ${found.replace(/[^\n]/g, '').replaceAll('\n', '\f')}` : found,
  )

/** Replaces comments and literals, in time linear in the source: candidates write them as they like. */
function replaceTokens(source: string, replacement: (token: string) => string): string {
  const parts: string[] = []
  let done = 0
  /** up to where no literal with that mark is closed */
  const open = { '"': 0, "'": 0 }
  // numbers, for the marks between their digits
  const start = /\/\/|\/\*|(?<!\w)(?:u8|[uUL])?R"[^\s"()\\]{0,16}\(|["']|(?<!\w)\d(?:'?\w)*/g
  for (let found = start.exec(source); found; found = start.exec(source)) {
    const [mark] = found
    if (/^\d/.test(mark)) continue
    const end =
      mark === '"' || mark === "'"
        ? endOfLiteral(source, found.index, mark, open)
        : mark.endsWith('(')
          ? endBehind(source, `)${mark.slice(mark.indexOf('"') + 1, -1)}"`, start.lastIndex)
          : endBehind(source, mark === '//' ? '\n' : '*/', found.index + 2)
    if (end === undefined) continue
    const last = mark === '//' && end > 0 && source[end - 1] === '\n' ? end - 1 : end
    parts.push(source.slice(done, found.index), replacement(source.slice(found.index, last)))
    done = last
    start.lastIndex = last
  }
  return parts.join('') + source.slice(done)
}

function endOfLiteral(
  source: string,
  at: number,
  mark: '"' | "'",
  open: Record<'"' | "'", number>,
): number | undefined {
  // the mark of a literal that is not closed is escaped, or the one that begins it: what follows is not closed either
  if (at < open[mark]) return undefined
  for (let i = at + 1; i < source.length && source[i] !== '\n'; i++) {
    if (source[i] === mark) return i + 1
    if (source[i] === '\\' && source[i + 1] !== '\n') i++
  }
  open[mark] = endBehind(source, '\n', at)
  return undefined
}

function endBehind(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from)
  return at < 0 ? source.length : at + mark.length
}

/** A path or name as the inside of a C string literal. */
export const cString = (text: string): string => `"${text.replace(/["\\]/g, String.raw`\$&`)}"`

const identifier = /^[A-Za-z_]\w*$/

export const isIdentifier = (text: string): boolean => identifier.test(text)
