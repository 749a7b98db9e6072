import { blankComments } from '../../toolchain/text.ts'

/** One declaration of a file, or a group of lines that the preprocessor decides on. */
export interface Piece {
  kind: 'declaration' | 'conditional' | 'macro'
  /** with the comments before it */
  text: string
  /** the namespaces around it, outermost first; `''` has no name */
  namespaces: readonly string[]
  /** what it declares */
  names: readonly string[]
  /** every name in its code */
  words: ReadonlySet<string>
}

/** The code of a text: comments and literals are blanks, positions stay. */
export const codeOf = (text: string): string => blankComments(text, true)

const wordsOf = (code: string): Set<string> => new Set(code.match(/\b[A-Za-z_]\w*/g))

const directive = /[ \t]*#[ \t]*(\w+)\b(?:[^\n\\]|\\[^])*(?:\n|$)/y

/** Where a bracket that opens at `from` is closed again; the end of the code where it is not. */
function closing(code: string, from: number): number {
  let depth = 0
  for (let i = from; i < code.length; i++) {
    if ('({['.includes(code[i]!)) depth++
    else if (')}]'.includes(code[i]!) && --depth === 0) return i
  }
  return code.length
}

/** The declarations of a file of C++, in their order. Includes and `#pragma once` are none. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  read({ text, code: codeOf(text), pieces }, 0, text.length, [])
  return pieces
}

interface Reading {
  text: string
  code: string
  pieces: Piece[]
}

/** Nobody nests namespaces deeper; what stands in more is one declaration. */
const deepest = 100

function read(reading: Reading, from: number, to: number, namespaces: readonly string[]): void {
  const { text, code, pieces } = reading
  const add = (kind: Piece['kind'], start: number, end: number): void => {
    const body = code.slice(start, end)
    pieces.push({
      kind,
      text: text.slice(start, end).trim(),
      namespaces,
      names: namesIn(kind, body),
      words: wordsOf(body),
    })
  }
  let start = from
  let i = from
  while (i < to) {
    const found = directiveAt(code, i)
    if (found) {
      const end = found.word.startsWith('if') ? endOfConditional(code, i) : found.end
      if (found.word.startsWith('if')) add('conditional', start, end)
      else if (found.word === 'define') add('macro', start, end)
      start = i = end
      continue
    }
    const scope = /^\s*(?:inline\s+)?namespace(?:\s+([\w:]+))?\s*\{/.exec(code.slice(i, Math.min(i + 400, to)))
    if (scope && namespaces.length < deepest && code.slice(start, i).trim() === '') {
      const open = i + scope[0].length - 1
      const close = closing(code, open)
      read(reading, open + 1, close, [...namespaces, scope[1] ?? ''])
      start = i = close + 1
      continue
    }
    const behind = endOfMacroUse(code, i, to) ?? endOfDeclaration(code, i, to)
    if (behind === null) break
    const end = behindRemark(text, code, behind, to)
    add('declaration', start, end)
    start = i = end
  }
}

/** A directive at the beginning of a line, with blanks before it. */
function directiveAt(code: string, at: number): { word: string; end: number } | null {
  const line = /\s*/y
  line.lastIndex = at
  const blanks = line.exec(code)?.[0].length ?? 0
  if (code[at + blanks] !== '#') return null
  directive.lastIndex = at + blanks
  const found = directive.exec(code)
  return found ? { word: found[1]!, end: directive.lastIndex } : null
}

function endOfConditional(code: string, at: number): number {
  let depth = 0
  const each = /^[ \t]*#[ \t]*(if\w*|endif)\b[^\n]*(?:\n|$)/gm
  each.lastIndex = at
  for (let found = each.exec(code); found; found = each.exec(code)) {
    depth += found[1] === 'endif' ? -1 : 1
    if (depth === 0) return each.lastIndex
  }
  return code.length
}

/** Types and values go on behind their block, up to a `;`; functions end with it. */
const goesOn = (head: string): boolean =>
  /^\s*(?:template\s*<[^]{0,2000}?>\s*)?(?:typedef\s+)?(?:class|struct|union|enum)\b/.test(head) ||
  /[^=!<>]=\s*$/.test(head.slice(-100))

/** `ROWS_BINARY(Add)` on a line of its own, which may declare what it names. */
function endOfMacroUse(code: string, from: number, to: number): number | null {
  const found = /^\s*[A-Z_][A-Z0-9_]*\s*\([^()]*\)[ \t]*(?=\n)(?!\s*\{)/.exec(
    code.slice(from, Math.min(from + 1000, to)),
  )
  return found ? from + found[0].length : null
}

function endOfDeclaration(code: string, from: number, to: number): number | null {
  for (let i = from; i < to; i++) {
    const char = code[i]!
    if (char === ';') return i + 1
    if (char === '(' || char === '[') i = closing(code, i)
    else if (char === '{') {
      const head = code.slice(from, i)
      i = closing(code, i)
      const next = /^\s*[;,=]/.exec(code.slice(i + 1, to))
      // a value: `Config config_{1, 2};`
      if (!goesOn(head) && !next) return i + 1
    }
  }
  return code.slice(from, to).trim() === '' ? null : to
}

/** A remark behind a declaration, on its line, belongs to it. */
function behindRemark(text: string, code: string, from: number, to: number): number {
  const blanks = /[^\S\n]*(?=\n|$)/y
  blanks.lastIndex = from
  return blanks.test(code) ? Math.min(blanks.lastIndex, to) : from
}

const plain = (code: string): string => {
  let text = code.trim()
  for (;;) {
    const word =
      /^(?:inline|static|constexpr|const|extern\s+\w*|\[\[[^\]]*\]\]|__aicore__|__global__|__inline__)\s+/.exec(text)
    if (word) text = text.slice(word[0].length)
    else if (/^template\s*</.test(text)) text = text.slice(behindAngles(text)).trim()
    else return text
  }
}

function behindAngles(text: string): number {
  let depth = 0
  for (let i = text.indexOf('<'); i < text.length; i++) {
    if (text[i] === '<') depth++
    else if (text[i] === '>' && --depth === 0) return i + 1
  }
  return text.length
}

/** What a piece declares. A conditional declares all that it may. */
function namesIn(kind: Piece['kind'], code: string): string[] {
  if (kind === 'macro') return [...code.matchAll(/#[ \t]*define[ \t]+(\w+)/g)].map(([, name]) => name!)
  if (kind === 'conditional') {
    const macros = [...code.matchAll(/#[ \t]*define[ \t]+(\w+)/g)].map(([, name]) => name!)
    const inside = code.replace(/^[ \t]*#[^\n]*$/gm, '')
    return [...macros, ...piecesOf(inside).flatMap(({ names }) => names)]
  }
  const text = plain(code)
  const type = /^(?:typedef\s+)?(class|struct|union|enum)(?:\s+(?:class|struct))?\s+(\w+)/.exec(text)
  if (type) {
    const [, word, name] = type
    const members = word === 'enum' ? [...wordsOf(text.slice(text.indexOf('{')))] : []
    return [name!, ...members]
  }
  if (/^enum\b/.test(text)) return [...wordsOf(text.slice(text.indexOf('{')))]
  const alias = /^using\s+(?!namespace\b)(?:[\w:]+::)?(\w+)/.exec(text)
  if (alias) return [alias[1]!]
  if (/^using\b/.test(text)) return []
  const typedef = /^typedef\b[^]*\b(\w+)\s*;$/.exec(text)
  if (typedef) return [typedef[1]!]
  const head = text.slice(0, /[={;]/.exec(text)?.index ?? text.length)
  const called = /(?<![\w:~])([\w:~]+)\s*\(/.exec(head)
  if (called?.index === 0) return [...wordsOf(head)].filter((word) => word !== called[1])
  if (called) return called[1]!.split('::').filter((each) => each !== '')
  return valuesIn(text)
}

/** The names of `Type a, b_[4] = {1, 2}, c{3};` */
function valuesIn(text: string): string[] {
  let bare = text
  // inner brackets first; nobody nests them deeper
  for (let depth = 0, before = ''; before !== bare && depth < 64; depth++) {
    before = bare
    bare = bare.replace(/<[^<>;]*>|\([^()]*\)|\{[^{}]*\}|\[[^[\]]*\]/g, ' ')
  }
  return bare.split(',').flatMap((each) => /(?<!\w)\w+$/.exec(each.split(/[=;]/, 1)[0]!.trimEnd())?.[0] ?? [])
}

/** A class taken apart. */
export interface ClassParts {
  name: string
  /** up to its brace: with comments, template parameters and bases */
  head: string
  members: readonly Piece[]
}

const accessLabel = /\b(?:public|private|protected)\s*:(?!:)/g

/** The members of a class; null where a piece is no class with a body. */
export function classPartsOf(piece: Piece): ClassParts | null {
  const code = codeOf(piece.text)
  const name = /^\s*(?:template\s*<[^]*?>\s*)?(?:class|struct)\s+(\w+)(?:\s+final)?\s*(?::[^{;]*)?\{/.exec(code)?.[1]
  if (piece.kind !== 'declaration' || name === undefined) return null
  const open = code.indexOf('{')
  const close = closing(code, open)
  const body = piece.text.slice(open + 1, close)
  const labels = [...code.slice(open + 1, close).matchAll(accessLabel)]
  const parts: string[] = []
  let done = 0
  for (const { 0: label, index } of labels) {
    parts.push(body.slice(done, index), ' '.repeat(label.length))
    done = index + label.length
  }
  const bare = parts.join('') + body.slice(done)
  return { name, head: piece.text.slice(0, open).trimEnd(), members: piecesOf(bare) }
}

const isLine = ({ text }: Piece): boolean => !text.includes('\n')

/** Whether an empty line stands before a declaration: not among those that are a line each. */
export const isApart = (before: Piece | undefined, piece: Piece): boolean =>
  before !== undefined && !(isLine(before) && isLine(piece))

/** A class of some of its members, all of them open to everybody. */
export function classOf({ head }: ClassParts, members: readonly Piece[]): string {
  const isStruct = /\bstruct\s+\w/.test(codeOf(head))
  const body = members.map((member, i) => `${isApart(members[i - 1], member) ? '\n' : ''}  ${member.text}`).join('\n')
  return `${head} {\n${isStruct ? '' : ' public:\n'}${body}\n};`
}

/** A piece with another text. */
export function rewritten(piece: Piece, text: string): Piece {
  return { ...piece, text, words: wordsOf(codeOf(text)) }
}
