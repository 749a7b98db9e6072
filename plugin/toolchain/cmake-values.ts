import { CMakeError, type CMakeArgument, type CMakeCommand } from './cmake.ts'

/** What is known of whether something happens: yes, no, or nothing. */
export type Told = boolean | undefined

const both = (a: Told, b: Told): Told => (a === false || b === false ? false : a && b)

const not = (a: Told): Told => (a === undefined ? undefined : !a)

/** Does a text hold the value of a variable that is not known? */
export const isUntold = (text: string): boolean => /\$(?:ENV|CACHE)?\{/.test(text)

/** All that the variables of one file may come to. */
const mostCharacters = 4 << 20

/** Commands that set no variable that is named to them. */
const readers = new Set(['if', 'elseif', 'else', 'endif', 'while', 'endwhile', 'message', 'add_subdirectory'])

/** The variables of a file, as far as its own `set` and `list(APPEND)` tell them. */
export class CMakeValues {
  readonly #values = new Map<string, string>()
  /** what CMake sets itself */
  readonly #given: Readonly<Record<string, string>>
  /** what may have been set by what may have run */
  readonly #untold = new Set<string>()
  #characters = 0

  constructor(given: Readonly<Record<string, string>>) {
    this.#given = given
  }

  /** The text of an argument; references to variables that are not known stay. Throws `CMakeError` where it is endless. */
  textOf({ text, isLiteral }: CMakeArgument): string {
    if (isLiteral) return text
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
      } else if (from === undefined) add(part.startsWith('\\') ? part.slice(1) : part)
      else if (untold > from) parts.push(part)
      else {
        const name = this.#counted(parts.slice(from + 1).join(''))
        parts.length = from
        add(this.#valueOf(name) ?? `\${${name}}`)
      }
    }
    return this.#counted(parts.join(''))
  }

  /** Takes what a command does to variables. */
  take({ name, words }: CMakeCommand, runs: Told): void {
    const [first = '', ...others] = words.map((word) => this.textOf(word))
    if (name === 'include') this.#values.clear()
    else if (name === 'set' || name === 'unset') this.#set(first, others, runs)
    else if (name === 'list' && first === 'APPEND') {
      const [variable = '', ...added] = others
      this.#set(variable, [this.#valueOf(variable) ?? `\${${variable}}`, ...added], runs)
    } // any other command that is given the name of one may set it
    else if (!readers.has(name)) for (const word of [first, ...others]) this.#forget(word)
  }

  #set(variable: string, values: readonly string[], runs: Told): void {
    const kept = values.findIndex((value) => value === 'CACHE' || value === 'PARENT_SCOPE')
    if (runs !== true || kept >= 0) this.#untold.add(variable)
    this.#values.set(variable, this.#counted(values.join(';')))
  }

  #forget(variable: string): void {
    if (this.#values.delete(variable) || Object.hasOwn(this.#given, variable)) this.#untold.add(variable)
  }

  #valueOf(variable: string): string | undefined {
    if (this.#untold.has(variable)) return undefined
    return this.#values.get(variable) ?? (Object.hasOwn(this.#given, variable) ? this.#given[variable] : undefined)
  }

  #counted(text: string): string {
    this.#characters += text.length
    if (this.#characters > mostCharacters) throw new CMakeError('1: its variables have no end')
    return text
  }
}

const yes = /^(?:1|ON|YES|TRUE|Y)$/i
const no = /^(?:0|OFF|NO|FALSE|N|IGNORE|NOTFOUND|)$/i

/** What constants say of a condition. */
function holds(words: readonly string[], commands: ReadonlySet<string>): Told {
  const [first = '', second] = words
  if (words.length === 1) return yes.test(first) ? true : no.test(first) ? false : undefined
  if (first === 'COMMAND' && words.length === 2 && commands.has(second ?? '')) return true
  if (first !== 'NOT' || second === 'NOT') return undefined
  return not(holds(words.slice(1), commands))
}

const opening = new Set(['foreach', 'while', 'function', 'macro', 'block'])
const closing = new Set(['endif', 'endforeach', 'endwhile', 'endfunction', 'endmacro', 'endblock'])

/** Tells of each command of a file whether it runs. */
export class CMakeBlocks {
  readonly #known: ReadonlySet<string>
  readonly #open: { outside: Told; runs: Told; later: Told; isFunction: boolean }[] = []
  #afterReturn: Told = true

  /** `known`: commands that are there */
  constructor(known: ReadonlySet<string>) {
    this.#known = known
  }

  get runs(): Told {
    const inner = this.#open.at(-1)
    return both(inner ? inner.runs : true, this.#afterReturn)
  }

  /** Takes a command; `words`: its arguments. */
  take(name: string, words: readonly string[]): void {
    const outer = this.#open.at(-1)
    const outside = outer ? outer.runs : true
    const isFunction = outer?.isFunction === true || name === 'function'
    if (name === 'if') {
      const condition = holds(words, this.#known)
      this.#open.push({ outside, runs: both(outside, condition), later: not(condition), isFunction })
    } else if (opening.has(name)) {
      this.#open.push({ outside, runs: both(outside, undefined), later: false, isFunction })
    } else if (closing.has(name)) this.#open.pop()
    else if (outer && (name === 'elseif' || name === 'else')) {
      const condition = name === 'else' ? true : holds(words, this.#known)
      outer.runs = both(outer.outside, both(outer.later, condition))
      outer.later = both(outer.later, not(condition))
    } else if (name === 'return' && !isFunction) this.#afterReturn = both(this.#afterReturn, not(this.runs))
  }
}
