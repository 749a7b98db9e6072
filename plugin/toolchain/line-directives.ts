import { escapeRegExp } from '../files/index.ts'
import { closing, gap, lineJoint, withClosings, withoutComments } from './text.ts'

/** What begins a directive, in the forms of C++ and of preprocessors, behind blanks and comments. */
const head = String.raw`(?:^|[\n\r])(?:${gap}|${closing})*(?:#|%:|\?\?=)(?:${gap}|${closing})*`

const lineDirective = new RegExp(String.raw`${head}(?:line\b|\d)`)

/** Does a text define a macro of this name? */
export function definesMacro(text: string, name: string): boolean {
  const plain = withoutComments(text).replace(lineJoint, '')
  return new RegExp(String.raw`${head}define(?:${gap})+${escapeRegExp(name)}(?!\w)`).test(plain)
}

/** A line that ends as on the first Macs ends for some compilers only. */
export const hasOldLineEnd = (text: string): boolean => /\r(?=[^\r\n])/.test(text)

const hashes = /#|%:|\?\?=/
const takenAsItIs = /\b(?:warning|error|mark)\b/

/** Does a comment or a raw literal that begins in a line go on behind it? */
function goesOn(line: string): boolean {
  const last = line.lastIndexOf('/*')
  return (last >= 0 && !line.includes('*/', last + 2)) || line.includes('R"')
}

/**
 * Does one begin in a line that some compilers take as it is, as text for people? What follows would be read in two ways.
 */
export const beginsInRawLine = (text: string): boolean =>
  text
    .replace(lineJoint, '')
    .split('\n')
    .some((line) => hashes.test(line) && takenAsItIs.test(line) && goesOn(line))

/** May texts that are compiled together ask by `#pragma GCC dependency` when files were changed? The word may stand in a macro. */
export function asksForTimes(texts: readonly string[]): boolean {
  const plain = texts.map((text) => withoutComments(text).replace(lineJoint, ''))
  return (
    plain.some((text) => /\bdependency\b/.test(text)) &&
    plain.some((text) => /\b(?:_Pragma|__pragma|pragma)\b/.test(text) && /\b(?:GCC|clang)\b/.test(text))
  )
}

/** Where a text gives itself out for another file; null where it does not. */
export function lineOfAnotherFile(text: string): number | null {
  const plain = withoutComments(text).replace(lineJoint, '')
  const found = lineDirective.exec(plain)
  return found && plain.slice(0, found.index + 1).split(/[\n\f]/).length
}

const include = new RegExp(String.raw`${head}(?:include(?:_next)?|import)\b[^<\n\r]*<[^>\n\r${closing}]*${closing}`)
const condition = new RegExp(String.raw`${head}(?:el)?if\b([^\n\r]*)`, 'g')
const asked = new RegExp(String.raw`\((?:${gap}|${closing})*<[^>${closing}]*(${closing}?)`, 'g')
const anything = new RegExp(String.raw`<[^>${closing}]*(${closing}?)`, 'g')

/**
 * Does a header have a name, in angle brackets, that goes on into what reads like a comment or a literal? Where the preprocessor
 * looks for no header, under a condition that does not hold, it is one: what follows would be read in two ways.
 */
export function endsHeaderElsewhere(text: string): boolean {
  if (!text.includes('<')) return false
  const plain = withClosings(text)
  if (!plain.includes(closing)) return false
  if (include.test(plain)) return true
  for (const [, rest = ''] of plain.matchAll(condition))
    for (const [, end] of rest.matchAll(rest.includes('__has_') ? anything : asked)) if (end === closing) return true
  return false
}

const joint = String.raw`(?:\\[ \t\v\f]*\r?\n)*`
const hash = new RegExp(String.raw`(?:^|\n|\*${joint}\/)${gap}*(?:#|%${joint}:|\?${joint}\?${joint}=)`, 'g')
const blanks = new RegExp(String.raw`(?:${gap}|\\[ \t\v\f]*\r?\n)*`, 'y')
const lineWord = new RegExp(String.raw`${'line'.split('').join(joint)}${joint}(?!\w)|\d`, 'y')
const commentStart = new RegExp(String.raw`\/${joint}\*`, 'y')
const commentEnd = new RegExp(String.raw`\*${joint}\/`, 'g')

/** The place behind what an expression matches from a place on; undefined where it does not. */
function behind(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** Tells of places of a text whether a directive of this kind goes on there, behind blanks and comments. */
function lineFinder(text: string): (at: number) => boolean {
  const known = new Map<number, boolean>()
  /** the last end of a comment that was looked for: from where, and where it stands */
  let last = { from: 0, start: -1, end: 0 }
  const endOf = (from: number): number => {
    if (from < last.from || from > last.start) {
      commentEnd.lastIndex = from
      const found = commentEnd.exec(text)
      last = { from, start: found?.index ?? Infinity, end: found ? commentEnd.lastIndex : Infinity }
    }
    return last.end
  }
  return (from) => {
    const places: number[] = []
    let found = false
    for (let at = from; at < text.length;) {
      const same = known.get(at)
      if (same !== undefined) {
        found = same
        break
      }
      places.push(at)
      const next = behind(blanks, text, at) ?? at
      const inside = behind(commentStart, text, next)
      if (inside === undefined) {
        found = behind(lineWord, text, next) !== undefined
        break
      }
      at = endOf(inside)
    }
    for (const place of places) known.set(place, found)
    return found
  }
}

/** Words of an error that the preprocessor tells. */
export const lineMark = 'npu_emu_other_line'

/**
 * A text with an error in the place of all that may be a directive of this kind, in whatever comment or literal it seems to stand:
 * the compiler says whether one of them is. The same text where nothing is like one.
 */
export function withLinesMarked(text: string): string {
  const isLine = lineFinder(text)
  return text.replace(hash, (found, at: number) => (isLine(at + found.length) ? `${found}error ${lineMark} ` : found))
}

/** May one of the directives of a text be of this kind? */
export const mayNameLines = (text: string): boolean => withLinesMarked(text) !== text
