import { blankComments, gap, lineJoint } from './text.ts'

/** A directive with all the lines that it goes on in. */
export const directive = new RegExp(String.raw`^${gap}*(?:#|%:)(?:[^\\\n]|\\[ \t\v\f]*\r?\n|\\)*`, 'gm')

/** What macros of a candidate stand for, as far as readers of its text have to know. */
export interface Macros {
  /** heads of kernels: `__global__` is a part of what they stand for */
  kernels: ReadonlySet<string>
  /** code of the device */
  device: ReadonlySet<string>
  /** those that take no argument for code: a text is made of it, or nothing */
  quoting: ReadonlySet<string>
  /** those that launch kernels */
  launching: ReadonlySet<string>
  /** those that open or close a brace alone */
  braces: ReadonlySet<string>
}

interface Definition {
  name: string
  parameters: string[]
  body: string
  /** of the body, each once */
  words: readonly string[]
}

const definition = new RegExp(String.raw`^${gap}*(?:#|%:)${gap}*define${gap}+(\w+)(?:\(([^()]{0,999})\))?`)

function definitionsIn(source: string): Definition[] {
  return [...blankComments(source, true).matchAll(directive)].flatMap(([lines]) => {
    const text = lines.replace(lineJoint, '')
    const [head, name = '', list = ''] = definition.exec(text) ?? []
    if (head === undefined) return []
    const parameters = list.split(',').flatMap((each) => {
      const parameter = each.trim()
      return parameter === '' ? [] : [parameter === '...' ? '__VA_ARGS__' : parameter.replace('...', '').trimEnd()]
    })
    const body = text.slice(head.length)
    return [{ name, parameters, body, words: wordsOf(body) }]
  })
}

/** Nobody hides one macro in more others. */
const deepest = 5

const wordsOf = (text: string): string[] => [...new Set(text.match(/\w+/g))]

/** Those of which something holds, by themselves or by each other. */
function standingFor(definitions: readonly Definition[], holds: (body: string) => boolean): Set<string> {
  const found = new Set(definitions.flatMap(({ name, body }) => (holds(body) ? [name] : [])))
  for (let [turn, known] = [0, 0]; turn < deepest && found.size > known; turn++) {
    known = found.size
    for (const { name, words } of definitions) if (words.some((word) => found.has(word))) found.add(name)
  }
  return found
}

const quote = /(?:(?<!#)#(?!#)|(?<!%:)%:(?!%:))\s{0,99}\w+/g

function quotingOf(definitions: readonly Definition[]): Set<string> {
  const found = new Set<string>()
  for (let turn = 0; turn < deepest; turn++) {
    const others = new Set<string>()
    const quoting = new Set<string>()
    for (const { name, parameters, body, words } of definitions) {
      // most have no parameter, and most take theirs for code
      const asks = parameters.length > 0 && (/[#%]/.test(body) || words.some((word) => found.has(word)))
      const left = asks ? wordsOf(withoutQuoted(body.replace(quote, ''), found)) : words
      const isQuoting = parameters.length > 0 && !parameters.some((parameter) => left.includes(parameter))
      ;(isQuoting ? quoting : others).add(name)
    }
    // one of several definitions may be another
    const known = found.size
    for (const name of quoting) if (!others.has(name)) found.add(name)
    if (found.size === known) break
  }
  return found
}

/** A text without the arguments of which macros make another text. */
export function withoutQuoted(code: string, quoting: ReadonlySet<string>): string {
  const parts: string[] = []
  let done = 0
  for (const [start, end] of quotedPlaces(code, quoting)) {
    parts.push(code.slice(done, start), ' ')
    done = end
  }
  return parts.join('') + code.slice(done)
}

/** Where the arguments of macros stand that take none of them for code; a text without comments and literals. */
export function quotedPlaces(code: string, quoting: ReadonlySet<string>): [start: number, end: number][] {
  const places: [number, number][] = []
  if (quoting.size === 0) return places
  let open = 0
  /** how many parentheses are open around the one that is looked at; where it begins */
  let quoted: { open: number; start: number } | undefined
  let before = { name: '', end: 0 }
  for (const { 0: token, index } of code.matchAll(/(?<!\w)[A-Za-z_]\w*|[()]/g)) {
    if (token === '(') {
      const isCall = quoting.has(before.name) && code.slice(before.end, index).trim() === ''
      if (!quoted && isCall) quoted = { open, start: index }
      open++
    } else if (token === ')') {
      open = Math.max(0, open - 1)
      if (quoted && open <= quoted.open) {
        places.push([quoted.start, index + 1])
        quoted = undefined
      }
    }
    before = { name: token, end: index + token.length }
  }
  return places
}

/** What macros of a candidate stand for, as far as the heads of its functions are made by them. */
export interface HeadMacros {
  /** names of all of them */
  own: ReadonlySet<string>
  /** those that stand for `constexpr`, or make device code */
  constant: ReadonlySet<string>
}

/** The macros that sources define, for the heads of functions. */
export function macrosOfHeads(sources: readonly string[]): HeadMacros {
  const definitions = sources.filter((source) => source.includes('define')).flatMap(definitionsIn)
  return {
    own: new Set(definitions.map(({ name }) => name)),
    constant: standingFor(definitions, (body) => /\b(?:constexpr|__aicore__|aicore)\b/.test(body)),
  }
}

/** Names of macros that hold the head of an explicit specialisation. */
export const specialisingMacros = (sources: readonly string[]): ReadonlySet<string> =>
  standingFor(sources.filter((source) => source.includes('define')).flatMap(definitionsIn), (body) =>
    /\btemplate\s*<\s*>/.test(body),
  )

const launch = /<<<(?:(?!<<<)[^;{}]){0,999}?>>>/

function opensOrCloses(body: string): boolean {
  let open = 0
  for (const [brace] of body.matchAll(/[{}]|<%|%>/g)) {
    open += brace === '{' || brace === '<%' ? 1 : -1
    if (open < 0) return true
  }
  return open !== 0
}

/** The macros that sources define. */
export function macrosOf(sources: readonly string[]): Macros {
  const definitions = sources.filter((source) => /define|\\\s/.test(source)).flatMap(definitionsIn)
  const quoting = quotingOf(definitions)
  const unquoted = definitions.map((each) => ({ ...each, body: withoutQuoted(each.body, quoting) }))
  return {
    kernels: standingFor(definitions, (body) => /\b__global__\b/.test(body)),
    device: standingFor(definitions, (body) => /\b(?:__aicore__|__global__|aicore)\b/.test(body)),
    quoting,
    launching: standingFor(unquoted, (body) => launch.test(body)),
    braces: standingFor(definitions, opensOrCloses),
  }
}
