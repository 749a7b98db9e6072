import { isUtf8 } from 'node:buffer'
/**
 * Replaces comments (and, on demand, string literals) by spaces, so that positions and line numbers stay what they were; and so do
 * backslashes that join lines, of which a directive may be made.
 */
export function blankComments(source: string, literals = false): string {
  return replaceTokens(source, (found) => (found.startsWith('/') || literals ? blankJoined(found) : found))
}

/** Does a text hold, outside of comments, what was no UTF-8? It is not what its file says. */
export const isGarbled = (bytes: Uint8Array): boolean =>
  !isUtf8(bytes) && blankComments(Buffer.from(bytes).toString('utf8')).includes('\uFFFD')

/** Joins two lines to one before anything else is read; compilers look over blanks in it. */
export const lineJoint = /\\[ \t\v\f]*\r?\n/g

/** What compilers take for a blank within a line; clang has those of Unicode and NUL, too. */
export const gap = String.raw`[\t\v\f \0\x85\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000]`

const blankJoined = (text: string): string =>
  text.replace(/\\[ \t\v\f]*\r?\n|[^\n\\]+|\\/g, (part) => (part.endsWith('\n') ? part : ' '.repeat(part.length)))

/** As many spaces; line feeds stay. */
export const blank = (text: string): string => text.replace(/[^\n]+/g, (run) => ' '.repeat(run.length))

/** The same with one space for a comment, as the preprocessor sees it; a form feed for each of its line feeds. */
export const withoutComments = (source: string): string =>
  replaceTokens(source, (found) =>
    found.startsWith('/') ? ` ${found.replace(/[^\n]/g, '').replaceAll('\n', '\f')}` : found,
  )

/** Stands for a comment or a literal in the first line of which is a `>`. */
export const closing = '\u0001'

/** A text whose lines are joined, with a blank for a comment or a literal, or {@link closing}. */
export const withClosings = (source: string): string =>
  replaceTokens(source, (found) =>
    /^[^\n]*>/.test(found.replace(lineJoint, '')) ? closing : found.startsWith('/') ? ' ' : '""',
  ).replace(lineJoint, '')

/** A text whose lines are joined, and what its places are in the text itself. */
interface JoinedLines {
  text: string
  /** where a character of the joined text stands */
  placeOf: (at: number) => number
  /** what a place outside of the joints is in the joined text */
  joinedAt: (place: number) => number
}

function joinedLines(source: string): JoinedLines {
  const joints = [...source.matchAll(lineJoint)]
  if (joints.length === 0) return { text: source, placeOf: (at) => at, joinedAt: (place) => place }
  let length = 0
  /** behind each of the joints: its place in both texts */
  const places = joints.map(({ 0: joint, index }) => {
    length += joint.length
    return { joined: index + joint.length - length, at: index + joint.length }
  })
  /** The last joint that stands before what is asked for. */
  const before = (isBefore: (place: { joined: number; at: number }) => boolean): { joined: number; at: number } => {
    let [low, high] = [0, places.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isBefore(places[middle]!)) low = middle + 1
      else high = middle
    }
    return places[low - 1] ?? { joined: 0, at: 0 }
  }
  return {
    text: source.replace(lineJoint, ''),
    placeOf(at) {
      const joint = before(({ joined }) => joined <= at)
      return joint.at + at - joint.joined
    },
    joinedAt(place) {
      const joint = before(({ at }) => at <= place)
      return joint.joined + place - joint.at
    },
  }
}

/** What goes on from here is no part of a name. */
const apart = String.raw`(?<!(?!${gap})[\w$\x80-\uffff])`

/** What a comment or a literal begins with; numbers, for the marks between their digits. */
const tokenStart = new RegExp(
  String.raw`\/\/|\/\*|${apart}(?:u8|[uUL])?R"[^\s"()\\]{0,16}\(|["']|${apart}\d(?:[eEpP][-+]|'?[\w\x80-\uffff]|\.)*`,
  'g',
)

/** Replaces comments and literals, in time linear in the source: candidates write them as they like. */
function replaceTokens(source: string, replacement: (token: string) => string): string {
  const { text, placeOf, joinedAt } = joinedLines(source)
  const parts: string[] = []
  let done = 0
  const start = new RegExp(tokenStart)
  for (let found = start.exec(text); found; found = start.exec(text)) {
    const [mark] = found
    if (/^\d/.test(mark)) continue
    const end =
      mark === '"' || mark === "'"
        ? endOfLiteral(text, found.index, mark)
        : mark.endsWith('(')
          ? // lines of raw literals are not joined
            joinedAt(endBehind(source, `)${mark.slice(mark.indexOf('"') + 1, -1)}"`, placeOf(start.lastIndex - 1) + 1))
          : endBehind(text, mark === '//' ? '\n' : '*/', found.index + 2)
    if (end === undefined) {
      // the mark takes the rest of its line, whatever stands there
      start.lastIndex = endBehind(text, '\n', found.index)
      continue
    }
    const last = mark === '//' && end > 0 && text[end - 1] === '\n' ? end - 1 : end
    const [from, to] = [placeOf(found.index), placeOf(last - 1) + 1]
    parts.push(source.slice(done, from), replacement(source.slice(from, to)))
    done = to
    start.lastIndex = last
  }
  return parts.join('') + source.slice(done)
}

/** The place behind a literal that begins at one; undefined where it is not closed in its line. */
function endOfLiteral(source: string, at: number, mark: '"' | "'"): number | undefined {
  for (let i = at + 1; i < source.length && source[i] !== '\n'; i++) {
    if (source[i] === mark) return i + 1
    if (source[i] === '\\' && source[i + 1] !== '\n') i++
  }
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
