import { folderByVariable, isToolkitFolder, type Settings } from './cmake-settings.ts'
import { CMakeError, type CMakeArgument } from './cmake.ts'

/** What is known of whether something happens: yes, no, or nothing. */
export type Told = boolean | undefined

const both = (a: Told, b: Told): Told => (a === false || b === false ? false : a && b)

const not = (a: Told): Told => (a === undefined ? undefined : !a)

/** Does a text hold the value of a variable that is not known? Old policies read `@NAME@` as one. */
export const isUntold = (text: string): boolean => /\$(?:ENV|CACHE)?\{|@[\w./+-]+@/.test(text)

/** All that the variables of one file may come to. */
const mostCharacters = 4 << 20

const escapes: Partial<Record<string, string>> = { '\\n': '\n', '\\t': '\t', '\\r': '\r', '\\;': '\\;', '\\\n': '' }

/** The elements of a list: `;` between square brackets, or after a backslash, ends none, and empty ones are none. */
export function listElements(text: string): string[] {
  const elements: string[] = []
  let element: string[] = []
  let depth = 0
  for (const [part] of text.matchAll(/\\;|[;[\]]|[^\\;[\]]+|\\/g)) {
    if (part === '[') depth++
    else if (part === ']') depth--
    if (part === ';' && depth === 0) {
      elements.push(element.join(''))
      element = []
    } else element.push(part === '\\;' ? ';' : part)
  }
  return [...elements, element.join('')].filter((each) => each !== '')
}

/** Commands that set no variable, or none but their own. */
const readers = new Set(['if', 'elseif', 'else', 'endif', 'message', 'cmake_minimum_required'])

/** Variables that commands set to which nothing names them. */
const isSetUnasked = (variable: string): boolean => /^(?:CMAKE_|PROJECT_|ARG[CNV])/.test(variable)

const nowhere = (): Settings => ({ names: new Set(), isAny: false })

/** A variable of the environment, or of the cache, is another one than that of its name. */
const isElsewhere = (variable: string): boolean => /^(?:ENV|CACHE)\{/.test(variable)

/** The variables of a file, as far as its own `set` and `list(APPEND)` tell them. */
export class CMakeValues {
  readonly #values = new Map<string, string>()
  /** what CMake sets itself */
  readonly #given: Map<string, string>
  /** what may have been set by what may have run */
  readonly #untold = new Set<string>()
  /** what the file itself may have given any value */
  readonly #own = new Set<string>()
  /** what it sets to folders of the toolkit alone */
  readonly #toolkit = new Set<string>()
  #isAnyOwn = false
  #characters = 0
  /** what other files set */
  readonly #elsewhere: () => Settings

  constructor(given: Readonly<Record<string, string>>, elsewhere: () => Settings = nowhere) {
    this.#given = new Map(Object.entries(given))
    this.#elsewhere = elsewhere
  }

  /** Goes into a file of a folder that is included; the function leaves it. */
  enter(folder: string): () => void {
    const before = this.#given.get('CMAKE_CURRENT_LIST_DIR') ?? folder
    this.#given.set('CMAKE_CURRENT_LIST_DIR', folder)
    return () => void this.#given.set('CMAKE_CURRENT_LIST_DIR', before)
  }

  /** The arguments of a command: what is written plainly is a list. Throws `CMakeError` where they are endless. */
  wordsOf(words: readonly CMakeArgument[]): string[] {
    return words.flatMap((word) => (word.kind === 'plain' ? listElements(this.textOf(word)) : [this.textOf(word)]))
  }

  /** The text of an argument; references to variables that are not known stay. Throws `CMakeError` where it is endless. */
  textOf({ text, kind }: CMakeArgument): string {
    if (kind === 'bracket') return text
    const parts: string[] = []
    const open: number[] = []
    // a name that holds something untold is not looked up: its parts stay as they are, not to be joined once for each brace
    let untold = -1
    const add = (part: string): void => {
      if (isUntold(part)) untold = parts.length
      parts.push(part)
    }
    for (const [part] of text.matchAll(/\$\{|\}|\\[\s\S]|[^$}\\]+|[\s\S]/g)) {
      const from = part === '}' ? open.pop() : undefined
      if (part === '${') {
        open.push(parts.length)
        parts.push(part)
      } else if (from === undefined) add(part.startsWith('\\') ? (escapes[part] ?? part.slice(1)) : part)
      else if (untold > from) parts.push(part)
      else {
        const name = this.#counted(parts.slice(from + 1).join(''))
        parts.length = from
        add(this.valueOf(name) ?? `\${${name}}`)
      }
    }
    return this.#counted(parts.join(''))
  }

  /** Takes what a command does to variables; `words`: its arguments. */
  take(name: string, words: readonly string[], runs: Told): void {
    const [first = '', ...others] = words
    if (name === 'set') this.#set(first, others, runs)
    else if (name === 'unset') this.#forget(first)
    else if (name === 'list' && first === 'APPEND') {
      const [variable = '', ...added] = others
      const before = this.valueOf(variable) ?? `\${${variable}}`
      this.#set(variable, added, runs, before)
    } else if (!readers.has(name)) this.#lose(name, words, runs)
  }

  /** The value of a variable, where it is known. */
  valueOf(variable: string): string | undefined {
    if (this.#untold.has(variable)) return undefined
    const own = this.#values.get(variable)
    if (own !== undefined || !this.#given.has(variable)) return own
    return this.#elsewhere().names.has(variable) ? undefined : this.#given.get(variable)
  }

  /** Does nothing that is in sight set a variable? */
  isUnset(variable: string): boolean {
    if (this.#isAnyOwn || this.#own.has(variable)) return false
    const { names, isAny } = this.#elsewhere()
    return !isAny && !names.has(variable)
  }

  /** The same of all variables that a text still names, but for names that other files put together. */
  isOutside(text: string): boolean {
    const { names } = this.#elsewhere()
    return this.#isOutsideOfFile(text) && this.#namesNone(text, (name) => names.has(name))
  }

  /** Is that a folder of the vendor's toolkit, by a variable that nothing in sight sets to anything else? */
  isToolkit(text: string): boolean {
    const { variable = '', isToolkit, below = '' } = folderByVariable(text) ?? {}
    if (variable === '' || !this.isUnset(variable)) return false
    // without a value the option would take the next word for its folder
    return this.#toolkit.has(variable) || (isToolkit === true && below !== '')
  }

  /** Sets it to so many elements behind those that were there, which have been counted before. */
  #set(variable: string, values: readonly string[], runs: Told, before = ''): void {
    if (isUntold(variable)) {
      this.#loseAll()
      this.#isAnyOwn = true
      return
    }
    if (isElsewhere(variable)) {
      this.#own.add(variable)
      this.#own.add(variable.slice(variable.indexOf('{') + 1, -1))
      return
    }
    const kept = values.findIndex((value) => value === 'CACHE' || value === 'PARENT_SCOPE')
    if (runs !== true || kept >= 0 || isSetUnasked(variable)) this.#untold.add(variable)
    const value = this.#counted(values.join(';'))
    // what is kept for later builds is there only where nothing else has set it
    const isForced = values.includes('FORCE') || values.includes('INTERNAL')
    const folder = kept < 0 ? value : kept < 2 ? (values[0] ?? '') : ''
    if (isForced || before !== '' || !isToolkitFolder(folder)) this.#own.add(variable)
    else if (folder.includes('/')) this.#toolkit.add(variable)
    // not joined from parts, which copies all that was there for each element
    this.#values.set(variable, before === '' || value === '' ? before + value : `${before};${value}`)
  }

  /** Any other command may set what it is told the name of, and more than that. */
  #lose(name: string, words: readonly string[], runs: Told): void {
    this.#loseAll()
    if (name === 'project') {
      const folder = this.#given.get('CMAKE_CURRENT_SOURCE_DIR')
      for (const each of ['PROJECT', words[0] ?? '']) {
        if (folder !== undefined) this.#given.set(`${each}_SOURCE_DIR`, folder)
        if (runs !== true) this.#untold.add(`${each}_SOURCE_DIR`)
      }
    }
    if (name === 'cmake_parse_arguments') this.#isAnyOwn = true
    for (const word of words) {
      this.#forget(word)
      if (isUntold(word) && !this.#isOutsideOfFile(word)) this.#isAnyOwn = true
      this.#own.add(word)
    }
  }

  /** Are all variables that a text still names none that the file has set? */
  #isOutsideOfFile(text: string): boolean {
    return !this.#isAnyOwn && this.#namesNone(text, (name) => this.#own.has(name))
  }

  #namesNone(text: string, isSet: (name: string) => boolean): boolean {
    let all = true
    const rest = text.replace(/\$(ENV|CACHE)?\{([^${}]*)\}/g, (_, kind: string | undefined, name: string) => {
      all &&= !isSet(kind === 'ENV' ? `ENV{${name}}` : name)
      return ''
    })
    return all && !isUntold(rest)
  }

  #loseAll(): void {
    this.#values.clear()
  }

  #forget(variable: string): void {
    this.#values.delete(variable)
    if (this.#given.has(variable)) this.#untold.add(variable)
  }

  #counted(text: string): string {
    this.#characters += text.length
    if (this.#characters > mostCharacters) throw new CMakeError('1: its variables have no end')
    return text
  }
}

const yes = /^(?:1|ON|YES|TRUE|Y)$/i
const no = /^(?:0|OFF|NO|FALSE|N|IGNORE|)$/i
const notFound = /(?:^|-)NOTFOUND$/
const wholeNumber = /^-?\d+$/

/** What is a number in some notation, or differs by case alone from a constant: versions of CMake do not agree on all of these. */
const mayBeConstant = /^\s*[+-]?(?:\d|\.|inf|nan)|notfound$/i

/** What conditions may ask for. */
export interface CMakeFacts {
  /** commands that are there */
  commands: ReadonlySet<string>
  /** folders that are there */
  folders?: ReadonlySet<string>
  /** macros of other files by which this one may be left */
  leaving?: ReadonlySet<string>
  /** the value of a variable, where it is known */
  valueOf: (variable: string) => string | undefined
}

const nothing = (): undefined => undefined

/** What is known of one word as a condition: a constant, or the variable of that name. */
function isTrue(word: string, valueOf: CMakeFacts['valueOf']): Told {
  if (yes.test(word)) return true
  if (no.test(word) || notFound.test(word)) return false
  if (wholeNumber.test(word)) return /[1-9]/.test(word)
  const value = mayBeConstant.test(word) || word === 'NOT' ? undefined : valueOf(word)
  return value === undefined || isUntold(value) ? undefined : !(no.test(value) || notFound.test(value))
}

/** What is known of a condition. */
function holds(words: readonly string[], facts: CMakeFacts): Told {
  const [first = '', second] = words
  if (words.length === 1) return isTrue(first, facts.valueOf)
  if (first === 'COMMAND' && words.length === 2 && facts.commands.has(second ?? '')) return true
  if (first === 'EXISTS' && words.length === 2 && facts.folders?.has(second ?? '')) return true
  if (first !== 'NOT' || second === 'NOT') return undefined
  return not(holds(words.slice(1), facts))
}

const opening = new Set(['foreach', 'while', 'function', 'macro', 'block'])
const closing = new Set(['endif', 'endforeach', 'endwhile', 'endfunction', 'endmacro', 'endblock'])

/** Tells of each command of a file whether it runs. */
export class CMakeBlocks {
  readonly #facts: CMakeFacts
  /** `body`: what a `return` in it leaves */
  readonly #open: { outside: Told; runs: Told; later: Told; body: string | undefined }[] = []
  readonly #macros = new Set<string>()
  /** may a macro leave what calls it? */
  #macrosReturn = false
  #afterReturn: Told = true

  constructor(facts: CMakeFacts) {
    this.#facts = facts
  }

  get runs(): Told {
    const inner = this.#open.at(-1)
    return both(inner ? inner.runs : true, this.#afterReturn)
  }

  /** Takes a command; `words`: its arguments, `isPlain`: without quotes, in which a word is no name of a variable. */
  take(name: string, words: readonly string[], isPlain: boolean): void {
    const outer = this.#open.at(-1)
    const outside = outer ? outer.runs : true
    const body = name === 'function' || name === 'macro' ? name : outer?.body
    if (name === 'macro') this.#macros.add((words[0] ?? '').toLowerCase())
    const facts = isPlain ? this.#facts : { ...this.#facts, valueOf: nothing }
    if (name === 'if') {
      const condition = holds(words, facts)
      this.#open.push({ outside, runs: both(outside, condition), later: not(condition), body })
    } else if (opening.has(name)) {
      this.#open.push({ outside, runs: both(outside, undefined), later: false, body })
    } else if (closing.has(name)) this.#open.pop()
    else if (outer && (name === 'elseif' || name === 'else')) {
      const condition = name === 'else' ? true : holds(words, facts)
      outer.runs = both(outer.outside, both(outer.later, condition))
      outer.later = both(outer.later, not(condition))
    } else if (name === 'return') this.#return(body)
    else if (name === 'include_guard' && body === undefined) this.#afterReturn = both(this.#afterReturn, undefined)
    else if (body === undefined && this.#mayLeave(name) && this.runs !== false)
      this.#afterReturn = both(this.#afterReturn, undefined)
  }

  #mayLeave(name: string): boolean {
    return (this.#macrosReturn && this.#macros.has(name)) || this.#facts.leaving?.has(name) === true
  }

  #return(body: string | undefined): void {
    if (body === 'macro') this.#macrosReturn = true
    else if (body === undefined) this.#afterReturn = both(this.#afterReturn, not(this.runs))
  }
}
