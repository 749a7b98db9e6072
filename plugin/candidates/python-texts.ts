import { shownName } from '../files/index.ts'

/** A pack that no operator project can be made of; the message is one line. */
export class PackError extends Error {
  override name = 'PackError'
}

/** The languages that a block may be of, in the order in which the harness of MultiKernelBench takes them away. */
const languages = ['python', 'cpp', 'json']

const keywords = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

/** Names in other letters are refused: Python takes `ｋernel_src` for `kernel_src`. */
const identifier = /[A-Za-z_]\w*/y
const emptyLine = /[ \t\f]*(?:#[^\n]*)?(?:\n|$)/y
const lineEnd = /(?:#[^\n]*)?(?:\n|$)/y
/** What may lie between the parts of a statement; in brackets lines and comments as well. */
const gap = /[ \t\f]+|\\\n(?=[^])/y
const gapInBrackets = /[ \t\f\n]+|\\\n|#[^\n]*/y
const encodingLine = /[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)/y
const opening = /([A-Za-z]*)('{3}|"{3}|['"])/y
const stripping = /\.(l|r|)strip\(\)/y
/** `str` is the only annotation that has a value in each Python. */
const annotation = /:[ \t]*str\b/y
const dotted = String.raw`(?!__)[A-Za-z]\w*(?:\.[A-Za-z]\w*)*`
const renamed = String.raw`(?:[ \t]+as[ \t]+[A-Za-z]\w*)?`
const importedList = String.raw`(${dotted}${renamed}(?:[ \t]*,[ \t]*${dotted}${renamed})*)(?=[ \t]*(?:[;#\n]|$))`
const imports = new RegExp(String.raw`(?:from[ \t]+${dotted}[ \t]+)?import[ \t]+${importedList}`, 'y')

const shown = String.raw`[ \t]*(?:"[^"\\\n]*"|'[^'\\\n]*'|repr\([A-Za-z]\w*\)|[A-Za-z]\w*)[ \t]*`
/** Answers show what they have written: of names, that changes nothing. */
const prints = new RegExp(String.raw`print\((${shown}(?:,${shown})*)\)(?=[ \t]*(?:[;#\n]|$))`, 'y')

/** Ends of literals, by the quotes that open them. What is behind a backslash ends none, not even a raw one. */
const closings: Record<string, RegExp> = {
  "'": /\\[^]|'|\n/g,
  '"': /\\[^]|"|\n/g,
  "'''": /\\[^]|'''/g,
  '"""': /\\[^]|"""/g,
}

const escapes: Record<string, string> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** What is space for Python: what is for JavaScript, but for the byte order mark, and five control characters. */
const isSpace = (character: string): boolean =>
  (character !== '\uFEFF' && character.trim() === '') || '\x1C\x1D\x1E\x1F\x85'.includes(character)

/** `str.strip` and its like, which take other characters for space than JavaScript does. */
function stripped(text: string, side = ''): string {
  let [start, end] = [0, text.length]
  if (side !== 'r') while (start < end && isSpace(text[start]!)) start++
  if (side !== 'l') while (end > start && isSpace(text[end - 1]!)) end--
  return text.slice(start, end)
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length

/**
 * The module in a text, and the number of its first line: what the first two fences have between them, as the harness of
 * MultiKernelBench takes it, else the whole text. A single fence, of an answer that was cut off, belongs to none.
 */
function moduleIn(text: string): { source: string; firstLine: number } {
  const block = /```([^]*?)```/.exec(text)
  if (block === null) {
    const source = text.replace(/^\s*```\w*[ \t]*(?=\n)/, (fence) => fence.replaceAll(/[^\n]/g, ''))
    return { source: source.replace(/(?<=^|\n)```\s*$/, ''), firstLine: 1 }
  }
  let source = stripped(block[1] ?? '')
  for (const language of languages) if (source.startsWith(language)) source = stripped(source.slice(language.length))
  return { source, firstLine: lineOf(text, text.indexOf(source, block.index)) }
}

/**
 * The texts that a Python module gives to names. It is read as data, and exactly as Python would: the module may consist of comments,
 * imports and assignments of string literals to names, one behind the other. Anything else could change what Python has in the end,
 * so that it is refused wherever it stands.
 */
export function readTexts(text: string): Map<string, string> {
  // what Python leaves out as well: a byte order mark, and how other systems end lines
  const { source, firstLine } = moduleIn(text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n'))
  return new Module(source, firstLine).read()
}

class Module {
  readonly #text: string
  readonly #firstLine: number
  readonly #found = new Map<string, string>()
  readonly #bound = new Set<string>()
  #at = 0
  #brackets = 0

  constructor(text: string, firstLine: number) {
    this.#text = text
    this.#firstLine = firstLine
  }

  read(): Map<string, string> {
    this.#checkCharacters()
    while (this.#at < this.#text.length) if (this.#take(emptyLine) === null) this.#line()
    return this.#found
  }

  #checkCharacters(): void {
    this.#at = this.#text.indexOf('\0')
    if (this.#at >= 0) this.#refuse('there is a NUL, which ends Python: leave it out')
    this.#at = 0
    // whoever runs the pack as a file would have Python read it in the encoding that one of its first two lines says
    for (let line = 0; line < 2; line++) {
      const encoding = this.#take(encodingLine)?.[1]
      if (encoding !== undefined && !/^utf-?8$/i.test(encoding))
        this.#refuse(`the encoding ${shownName(encoding.slice(0, 20))} is not read: write UTF-8`)
      this.#take(/[^\n]*\n/y)
    }
    this.#at = 0
  }

  /** Statements up to the end of a line, which semicolons part. */
  #line(): void {
    do {
      this.#statement()
      this.#skipGap()
    } while (this.#skips(';') && !this.#atLineEnd())
    if (this.#take(lineEnd) === null) this.#refuseRest()
  }

  #atLineEnd(): boolean {
    this.#skipGap()
    return /[\n#]/.test(this.#text[this.#at] ?? '\n')
  }

  #statement(): void {
    const imported = this.#take(imports)?.[1]
    if (imported !== undefined) return this.#bind(imported)
    const start = this.#at
    const printed = this.#take(prints)?.[1]
    if (printed !== undefined) {
      if (this.#prints(printed)) return
      this.#at = start
      this.#refuseRest()
    }
    if (this.#take(opening) !== null) {
      // a text that no name has: the description of the module
      this.#at = start
      this.#literals()
      return
    }
    const name = this.#take(identifier)?.[0] ?? ''
    this.#skipGap()
    const isAnnotated = this.#take(annotation) !== null
    this.#skipGap()
    const before = !isAnnotated && this.#take(/\+(?==)/y) !== null ? this.#found.get(name) : ''
    // dunder names are those of Python itself, such as __builtins__
    const isName = name !== '' && !name.startsWith('__') && !keywords.has(name)
    if (!isName || before === undefined || this.#take(/=(?!=)/y) === null) {
      this.#at = start
      this.#refuseRest()
    }
    this.#bound.add(name)
    this.#found.set(name, before + this.#sum())
  }

  /** A name that an import gives to a module has no text any more. */
  #bind(imported: string): void {
    for (const one of imported.split(',')) {
      const [module = '', , alias] = one.trim().split(/[ \t]+/)
      const name = alias ?? module.replace(/\..*/, '')
      this.#bound.add(name)
      this.#found.delete(name)
    }
  }

  /** Whether all names that are printed have a text, and what prints them is still that of Python. */
  #prints(printed: string): boolean {
    const names = printed.replaceAll(/"[^"]*"|'[^']*'/g, '').matchAll(/repr\((\w+)\)|(\w+)/g)
    const areKnown = [...names].every(([, inRepr, alone]) => this.#found.has(inRepr ?? alone ?? ''))
    return areKnown && !['print', 'repr'].some((name) => this.#bound.has(name))
  }

  #sum(): string {
    const texts = [this.#term()]
    while (this.#skips('+')) texts.push(this.#term())
    return texts.join('')
  }

  #term(): string {
    let text = this.#skips('(') ? this.#inBrackets() : this.#literals()
    for (;;) {
      const side = this.#take(stripping)?.[1]
      if (side === undefined) return text
      text = stripped(text, side)
    }
  }

  #inBrackets(): string {
    if (++this.#brackets > 20) this.#refuse('brackets are nested more than 20 deep: leave them out')
    const text = this.#sum()
    if (!this.#skips(')')) this.#refuseRest()
    this.#brackets--
    return text
  }

  /** Literals behind each other are one text. */
  #literals(): string {
    const literals: string[] = []
    for (;;) {
      this.#skipGap()
      const literal = this.#literal()
      if (literal !== undefined) literals.push(literal)
      else if (literals.length === 0) this.#refuseRest()
      else return literals.join('')
    }
  }

  /** What is opened here; undefined where no literal begins. */
  #literal(): string | undefined {
    const opened = this.#at
    const [, prefix = '', quotes = ''] = this.#take(opening) ?? []
    const closing = closings[quotes]
    if (closing === undefined) return undefined
    if (!/^[ru]?$/i.test(prefix)) {
      this.#at = opened
      this.#refuse(
        `a text with the prefix \`${prefix.slice(0, 8)}\` is not read: write it out as ${quotes}...${quotes}`,
      )
    }
    const start = this.#at
    closing.lastIndex = start
    let found = closing.exec(this.#text)
    while (found?.[0].startsWith('\\')) found = closing.exec(this.#text)
    this.#at = opened
    if (found === null || found[0] === '\n')
      return this.#refuse(`there is a text that does not end: close it with ${quotes}`)
    const body = this.#text.slice(start, found.index)
    const text = /^r$/i.test(prefix) ? body : this.#unescaped(body)
    this.#at = found.index + quotes.length
    return text
  }

  /** The value of a literal; unknown escapes stay what they are, as in Python. */
  #unescaped(body: string): string {
    return body.replace(
      /\\(?:([0-7]{1,3})|x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U(00(?:0[\dA-Fa-f]|10)[\dA-Fa-f]{4})|([^]))/g,
      (whole, octal?: string, byte?: string, short?: string, long?: string, other = '') => {
        if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8))
        const digits = byte ?? short ?? long
        const code = digits === undefined ? undefined : parseInt(digits, 16)
        // Python has half a character there, which it can write to no file
        const isHalf = code !== undefined && code >= 0xd800 && code <= 0xdfff
        // by the names of characters none writes kernels; the others end Python
        if (isHalf || (code === undefined && 'xuUN'.includes(other)))
          return this.#refuse(
            `the text that begins here has an escape ${whole} that cannot be read: write the character`,
          )
        return code === undefined ? (escapes[other] ?? whole) : String.fromCodePoint(code)
      },
    )
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match !== null) this.#at = pattern.lastIndex
    return match
  }

  #skipGap(): void {
    while (this.#take(this.#brackets > 0 ? gapInBrackets : gap) !== null);
  }

  #skips(token: string): boolean {
    this.#skipGap()
    const isNext = this.#text[this.#at] === token
    if (isNext) this.#at++
    return isNext
  }

  #refuseRest(): never {
    const rest = /[^\n]*/.exec(this.#text.slice(this.#at, this.#at + 60))?.[0].trim() ?? ''
    const shown = rest === '' ? 'the end of the line' : `\`${shownName(rest)}\``
    this.#refuse(`${shown} is not read: a pack has only comments, imports and lines such as kernel_src = '''...'''`)
  }

  #refuse(reason: string): never {
    throw new PackError(`line ${this.#firstLine - 1 + lineOf(this.#text, this.#at)}: ${reason}`)
  }
}
