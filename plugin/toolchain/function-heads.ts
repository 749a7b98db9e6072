import type { HeadMacros } from './macros.ts'
import { partsOfName, type NameParts } from './mangled.ts'
import { gap } from './text.ts'

/** Constructors without parameters, destructors, and copies and assignments of a class, which it has unless somebody writes them. */
const mayBeAdded = /(?:C\dEv|D\dEv|(?:C\dE|aSE)(?:RK?|O)S\w*_)$/

const token = new RegExp(
  String.raw`(?:(?!${gap})[\w$\x80-\uffff])+|<%|%>|::|\[\[|\]\]|(?!${gap})[^\s\w$\x80-\uffff]`,
  'g',
)
const isWord = (text: string): boolean => /^[\w$\x80-\uffff]/.test(text)

/** In front of a name where a function is called and not declared. */
const isCall = /^(?:return|throw|case|else|if|while|for|switch|sizeof|goto|new|delete|co_\w+|[=?.!|+/%^-])$/
const takesParentheses = /^(?:__attribute__|alignas|decltype|noexcept)$/
const ofClass = /^(?:class|struct|union)$/
const onBothSides = /^(?:constexpr|aicore|__aicore__)$/

/** More of one in another is nested by nobody, and compilers do not take it. */
const deepest = { brackets: 1000, braces: 16 }

/** What is found in a statement, and where that ends. */
interface Mark {
  index: number
  end: number
  isConstant: boolean
  /** with nothing in front of it */
  isPlain?: boolean
  isDestructor?: boolean
}

/** A name of which the next tokens say whether it is that of a function. */
interface Candidate {
  name: string
  index: number
  isCall: boolean
  isConstant: boolean
  isPlain: boolean
  isDestructor: boolean
}

/** What stands between two brackets, so far; in front of them counts as well. */
interface Frame {
  open: '' | '(' | '<' | '['
  isCall: boolean
  isPlain: boolean
  /** nothing but a name, which may be qualified */
  isName: boolean
  candidate: Candidate | undefined
}

const kinds = { head: 'head', class: 'class', ofClass: 'of class', macro: 'macro' }

/** What ends with `;` or with a brace. */
class Statement {
  readonly frames: Frame[] = [{ open: '', isCall: false, isPlain: true, isName: false, candidate: undefined }]
  readonly marks = new Map<string, { key: string; mark: Mark }>()
  parentheses = 0
  isConstant = false
  /** does it name a class as one, outside of brackets? */
  isClass = false
  hasHead = false
  /** of the members that a constructor begins with */
  isInitialising = false
  lastDefault = -1

  get top(): Frame {
    return this.frames.at(-1)!
  }

  open(mark: Frame['open']): void {
    const { isCall, isPlain } = this.top
    if (mark === '(') this.parentheses++
    this.frames.push({ open: mark, isCall, isPlain, isName: mark === '(', candidate: undefined })
  }

  /** The first of a kind says all. */
  add(kind: string, name: string, mark: Omit<Mark, 'end'>): void {
    const key = `${kind} ${name}`
    const each = `${key} ${mark.isConstant} ${mark.isPlain} ${mark.isDestructor}`
    if (!this.marks.has(each)) this.marks.set(each, { key, mark: { ...mark, end: 0 } })
  }

  /** `)`: what is open in the parentheses ends with them. */
  closeParentheses(): void {
    if (this.parentheses === 0) return
    const { open, isName, candidate } = this.top
    while (this.frames.pop()!.open !== '(');
    this.parentheses--
    // parentheses around a name
    if (open === '(' && isName && candidate) this.top.candidate = { ...candidate, isPlain: this.top.isPlain }
  }
}

/** What a file says of functions, read once: by the depth of braces in parentheses, in which statements stand one behind another. */
class Heads {
  readonly #marks: Map<string, Mark[]>[] = []
  readonly #lineStarts: number[] = []
  readonly #length: number
  readonly #macros: HeadMacros
  readonly #known = new Map<string, boolean>()

  constructor(lines: readonly string[], macros: HeadMacros) {
    this.#macros = macros
    let length = 0
    for (const line of lines) {
      this.#lineStarts.push(length)
      length += line.length + 1
    }
    this.#length = length
    this.#read(lines.join('\n'))
  }

  /** Is a function on both sides whose code begins in a line? */
  isOnBothSides(parts: NameParts, isAdded: boolean, line: number): boolean {
    const key = `${parts.kind} ${parts.name} ${isAdded} ${line}`
    let known = this.#known.get(key)
    if (known === undefined) this.#known.set(key, (known = this.#judge(parts, isAdded, line)))
    return known
  }

  #judge({ kind, name }: NameParts, isAdded: boolean, line: number): boolean {
    const start = this.#lineStarts[line - 1]
    if (start === undefined) return true
    const end = this.#lineStarts[line] ?? this.#length
    const find = (of: string, named = ''): Mark[] => this.#between(`${of} ${named}`, start, end)
    if (kind === 'constructor' && isAdded && find(kinds.ofClass, name).length > 0) return true
    const heads = find(kinds.head, kind === 'operator' ? 'operator' : name).filter(
      ({ isPlain, isDestructor }) =>
        !(kind === 'name' && isPlain === true) && !(kind === 'constructor' && isDestructor === true),
    )
    if (heads.length > 0) return heads.every(({ isConstant }) => isConstant)
    // a class on one line has its destructor and its assignments there as well
    if (isAdded && find(kinds.class).length > 0) return true
    return find(kinds.macro).some(({ isConstant }) => isConstant)
  }

  /** Marks in statements that end in a line, or behind it, and stand before its end. */
  #between(key: string, start: number, end: number): Mark[] {
    return this.#marks.flatMap((ofDepth) => {
      const marks = ofDepth.get(key) ?? []
      let [low, high] = [0, marks.length]
      while (low < high) {
        const middle = (low + high) >> 1
        if (marks[middle]!.end < start) low = middle + 1
        else high = middle
      }
      const found: Mark[] = []
      for (let at = low; at < marks.length && marks[at]!.index < end; at++) found.push(marks[at]!)
      return found
    })
  }

  #end({ marks, lastDefault }: Statement, end: number, depth: number): void {
    const ofDepth = (this.#marks[depth] ??= new Map<string, Mark[]>())
    for (const { key, mark } of marks.values()) {
      const all = ofDepth.get(key) ?? []
      ofDepth.set(key, all)
      all.push({ ...mark, end, isConstant: mark.isConstant || mark.index < lastDefault })
    }
  }

  #read(code: string): void {
    /** for each open brace, the statement that goes on behind it */
    const braces: (Statement | undefined)[] = []
    let depth = 0
    let statement = new Statement()
    let [last, beforeLast] = ['', '']
    let isBehindBrace = false
    const finish = (at: number): void => {
      this.#end(statement, at, depth)
      statement = new Statement()
    }
    for (const { 0: text, index } of code.matchAll(token)) {
      if (isBehindBrace && (isWord(text) || (text === '{' && !statement.isInitialising))) finish(index)
      isBehindBrace = false
      if (text === '{' || text === '<%') {
        const isValue = statement.parentheses > 0 || (statement.isInitialising && (isWord(last) || last === '>'))
        const goesOn = isValue && depth < deepest.braces
        braces.push(goesOn ? statement : undefined)
        if (!goesOn) finish(index)
        else {
          depth++
          statement = new Statement()
        }
      } else if (text === '}' || text === '%>') {
        finish(index)
        const outer = braces.pop()
        if (outer) {
          depth--
          statement = outer
          isBehindBrace = true
        }
      } else if (text === ';') finish(index)
      else this.#take(statement, { text, index, last, beforeLast })
      if (statement.frames.length > deepest.brackets) finish(index)
      beforeLast = last
      last = text
    }
    finish(code.length)
    for (const outer of braces.reverse())
      if (outer) {
        statement = outer
        depth--
        finish(code.length)
      }
  }

  #take(
    statement: Statement,
    { text, index, last, beforeLast }: { text: string; index: number; last: string; beforeLast: string },
  ): void {
    const frame = statement.top
    if (isWord(text)) {
      this.#takeWord(statement, { text, index, last })
      return
    }
    if (text === '(') {
      const { candidate } = frame
      if (candidate && last !== '__attribute__') {
        frame.candidate = undefined
        if (statement.parentheses === 0 && !candidate.isCall) {
          statement.hasHead = true
          statement.add(kinds.head, candidate.name, candidate)
        }
      }
      if (last !== '__attribute__') frame.isName = false
      statement.open('(')
      return
    }
    if (text === ')') {
      statement.closeParentheses()
      return
    }
    if (text === '<' || text === '[[') {
      statement.open(text === '<' ? '<' : '[')
      return
    }
    if ((text === '>' && frame.open === '<') || (text === ']]' && frame.open === '[')) {
      if (text === '>' && last === '<' && beforeLast === 'template') statement.isConstant = true
      statement.frames.pop()
      return
    }
    frame.candidate = undefined
    frame.isPlain = false
    if (text !== '::') frame.isName = false
    if (isCall.test(text)) frame.isCall = true
    if (text === ':' && statement.parentheses === 0 && statement.hasHead && !statement.isClass)
      statement.isInitialising = true
  }

  #takeWord(statement: Statement, { text, index, last }: { text: string; index: number; last: string }): void {
    const frame = statement.top
    const { isConstant } = statement
    const { isCall: isOfCall, isPlain } = frame
    if (statement.isClass) statement.add(kinds.ofClass, text, { index, isConstant: false })
    if (ofClass.test(text) && frame.open === '') {
      statement.isClass = true
      statement.add(kinds.class, '', { index, isConstant: false })
    }
    if (onBothSides.test(text) || this.#macros.constant.has(text)) statement.isConstant = true
    if (this.#macros.own.has(text))
      statement.add(kinds.macro, '', { index, isConstant: this.#macros.constant.has(text) })
    if (isCall.test(text)) frame.isCall = true
    const found: Candidate = { name: text, index, isCall: isOfCall, isConstant, isPlain, isDestructor: last === '~' }
    if (text === 'operator') {
      if (statement.parentheses === 0 && !isOfCall) {
        statement.hasHead = true
        statement.add(kinds.head, text, found)
      }
      frame.candidate = undefined
    } else if (text !== '__attribute__') frame.candidate = takesParentheses.test(text) ? undefined : found
    if (text === 'default' && last === '=') statement.lastDefault = index
    frame.isPlain = false
  }
}

/** Every function of an object asks of the same files. */
const known = new WeakMap<readonly string[], Heads>()

/**
 * Is a function on the device without `__aicore__`: constexpr, a specialisation, or one that the compiler adds to a class? `line` is
 * where compilers say that its code begins, of `lines` without comments, literals and directives. What is found in no head is not.
 */
export function isOnBothSides(mangled: string, lines: readonly string[], line: number, macros: HeadMacros): boolean {
  const parts = partsOfName(mangled)
  if (parts === null) return true
  let heads = known.get(lines)
  if (!heads) known.set(lines, (heads = new Heads(lines, macros)))
  return heads.isOnBothSides(parts, mayBeAdded.test(mangled), line)
}
