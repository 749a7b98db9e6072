/** An argument of a command as it is written, without its quotes or brackets. */
export interface CMakeArgument {
  text: string
  /** in brackets, references to variables and escapes stand for themselves; what is plain is a list */
  kind: 'plain' | 'quoted' | 'bracket'
}

/** A command of a CMake file; its name in lower case, as case does not count. */
export interface CMakeCommand {
  name: string
  line: number
  words: CMakeArgument[]
}

/** Text that CMake would not read. */
export class CMakeError extends Error {
  override readonly name = 'CMakeError'
}

/**
 * The commands of a CMake file, by the grammar of its manual: comments and strings, both with brackets as well, hold no commands.
 * Throws `CMakeError` for what is none.
 */
export function cmakeCommands(text: string): CMakeCommand[] {
  const commands: CMakeCommand[] = []
  const reader = new Reader(text)
  while (reader.skip()) commands.push(reader.command())
  return commands
}

class Reader {
  readonly #text: string
  #at = 0
  #line = 1
  #counted = 0

  constructor(text: string) {
    this.#text = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  }

  /** Goes to what is neither space nor comment; false at the end. */
  skip(): boolean {
    for (;;) {
      this.#take(/[ \t\r\n]*/y)
      if (this.#text[this.#at] !== '#') return this.#at < this.#text.length
      this.#at++
      if (this.#bracket() === undefined) this.#take(/[^\n]*/y)
    }
  }

  command(): CMakeCommand {
    const line = this.#lineHere()
    const name = this.#take(/[A-Za-z_]\w*/y)
    if (name === '') throw this.#problem('is no command')
    this.#take(/[ \t]*/y)
    if (this.#take(/\(/y) === '') throw this.#problem(`${name} has no arguments`)
    return { name: name.toLowerCase(), line, words: this.#words(name) }
  }

  #words(name: string): CMakeArgument[] {
    const words: CMakeArgument[] = []
    for (let depth = 1; ;) {
      if (!this.skip()) throw this.#problem(`the arguments of ${name} have no end`)
      const paren = this.#take(/[()]/y)
      if (paren === '(') depth++
      else if (paren === ')' && --depth === 0) return words
      // inner ones are arguments as well
      words.push(paren === '' ? this.#word() : { text: paren, kind: 'bracket' })
    }
  }

  #word(): CMakeArgument {
    const bracket = this.#bracket()
    if (bracket !== undefined) return { text: bracket, kind: 'bracket' }
    const from = this.#at
    if (this.#text[from] !== '"') return { text: this.#plain(), kind: 'plain' }
    this.#quoted()
    return { text: this.#text.slice(from + 1, this.#at - 1), kind: 'quoted' }
  }

  /** What has no quotes around it may have some inside, and references of make. */
  #plain(): string {
    const from = this.#at
    for (;;) {
      const char = this.#text[this.#at]
      if (char === undefined || /[ \t\r\n()#]/.test(char)) break
      if (char === '"') this.#quoted()
      else if (this.#take(/\$\(\w*\)/y) === '') this.#at += char === '\\' ? 2 : 1
    }
    return this.#text.slice(from, this.#at)
  }

  #quoted(): void {
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const char = this.#text[at]
      if (char === '\\') at++
      else if (char === '"') {
        this.#at = at + 1
        return
      }
    }
    throw this.#problem('a quoted argument has no end')
  }

  /** The text of brackets that begin here: `[==[...]==]`. A line end right after the first is not part of it. */
  #bracket(): string | undefined {
    const opening = this.#take(/\[=*\[/y)
    if (opening === '') return undefined
    const end = this.#text.indexOf(opening.replaceAll('[', ']'), this.#at)
    if (end < 0) throw this.#problem(`${opening} has no end`)
    const inside = this.#text.slice(this.#at, end)
    this.#at = end + opening.length
    return inside.replace(/^\n/, '')
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const taken = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += taken.length
    return taken
  }

  #lineHere(): number {
    for (; this.#counted < this.#at; this.#counted++) if (this.#text[this.#counted] === '\n') this.#line++
    return this.#line
  }

  #problem(what: string): CMakeError {
    return new CMakeError(`${this.#lineHere()}: ${what}`)
  }
}
