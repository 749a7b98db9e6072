import type { NamedTypes, NumberKind } from './debug-types.ts'
import type { Place } from './device-functions.ts'

/** A number of another type that g++ computes from a variable, or a variable of a type that the device does not have. */
export interface GimpleCast extends Place {
  /** mangled name of the function */
  name: string
  kind: 'unsigned' | 'double' | 'variable of double' | 'computation in half'
  column: number
  /** what uses the number is a sum, a product or a comparison */
  isOperand: boolean
}

/** Types by the names that the language has for them; all others are names of the source, whatever they sound like. */
const ownKinds: readonly (readonly [RegExp, NumberKind])[] = [
  [/^(?:_Float16|__bf16)$/, 'half'],
  [/^(?:float|_Float32)$/, 'float'],
  [/^(?:complex )?(?:(?:long )?double|_Float(?:32x|64x?|128x?)|__float(?:80|128))$/, 'double'],
  [/^(?:sizetype|bitsizetype|char(?:8|16|32)_t|(?:\w+ )*unsigned(?: \w+)*)$/, 'unsigned'],
  [
    /^(?:void|bool|char|wchar_t|ssizetype|sbitsizetype|__int128|(?:(?:long|short|signed) )*(?:int|char)|complex float)$/,
    'other',
  ],
  [/^<unnamed-unsigned:\d+>$/, 'unsigned'],
  // structs, references, pointers, arrays and vectors are no numbers; of enumerations without a name nobody makes some
  [/^(?:(?:struct|union|class) .*|[^&*[(<]*[&*[(<].*|\._anon_\d+)$/, 'other'],
]

/** Names of the C library, where the object says nothing of them. */
const usualKinds: readonly (readonly [RegExp, NumberKind])[] = [
  [/^(?:half|float16_t|bfloat16_t)$/, 'half'],
  [/^float32_t$/, 'float'],
  [/^(?:__)?(?:uint(?:_fast|_least)?\d+_t|uintptr_t|uintmax_t|size_t)$/, 'unsigned'],
  [/^(?:__)?(?:int(?:_fast|_least)?\d+_t|intptr_t|intmax_t|s?size_t|ptrdiff_t)$/, 'other'],
]

const kindIn = (list: readonly (readonly [RegExp, NumberKind])[], type: string): NumberKind | undefined =>
  list.find(([pattern]) => pattern.test(type))?.[1]

/** What a number may be: one kind, unless a name stands for several types. None: nothing is known of it. */
type Kinds = ReadonlySet<NumberKind>

const noKinds: Kinds = new Set()
const single: Readonly<Record<NumberKind, Kinds>> = {
  half: new Set<NumberKind>(['half']),
  float: new Set<NumberKind>(['float']),
  double: new Set<NumberKind>(['double']),
  unsigned: new Set<NumberKind>(['unsigned']),
  other: new Set<NumberKind>(['other']),
}

// names of variables and functions have letters of all languages, and dollars
const functionName = /\(([^\s()]+), funcdef_no=/
const declaration = /^ {2}(?:static )?([^=]*?[^\s=]) ?(?<=[\s*&])([^\s;*&()[\]]+)(?: \[value-expr: .*\])?;$/
const qualifier = /\b(?:const|volatile|register|static) /g
const cast = /^ *\[([^[\]]+):(\d+):(\d+)\] (?:\[[^\]]*\] )?(\S+) = \(([^()]+)\) ([^\s()]+)(?:\(D\))?;$/

/** Values on either side of an operator. */
const operands =
  /(?<![^\s()[\]])[^\s()[\]]+(?=(?:\(D\))? (?:[-+*/<>]|[<>=!]=) )|(?<= (?:[-+*/<>]|[<>=!]=) )[^\s()[\];]+/g

/** A value that is made of others without computing with them, and these. */
const renamed = /^ {2}(?:# )?([^\s()[\]*]+_\d+) = (PHI <.*>|ABS_EXPR <\S+>;|-?[^\s()[\]*&]+;|\S+ \? \S+ : \S+;)/

/** Where a statement stands, and what it does; places of its parts are left out of that. */
const statement = /^(?:\[([^[\]]+):(\d+):(\d+)\] )?(.*)$/
const placeWithin = /\[[^[\]]+:\d+:\d+\] /g
/** A value of a variable that somebody has named, as it is used; a choice between two numbers has no name. */
const namedValue = /^[^\s.]+_\d+$/
const unnamedValue = /^_\d+$/
const loaded = /^(?:\*|MEM|.*->|[^\s()[\]<>*&-]+(?:\(D\))?(?:\.[^\s\d]|\[))/

/** One function of a dump. */
interface GimpleFunction {
  /** mangled */
  name: string
  /** what it returns and is given, as one line says it */
  head: { result: string; parameters: { type: string; name: string }[] }
  /** the lines of its body */
  lines: string[]
}

/** Splits at commas that stand in no parentheses; names of operators have angles for themselves, and no type has commas in them. */
function splitList(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < text.length; at++) {
    const each = text[at] ?? ''
    if ('([{'.includes(each)) depth++
    else if (')]}'.includes(each)) depth--
    else if (each === ',' && depth === 0) {
      parts.push(text.slice(from, at).trim())
      from = at + 1
    }
  }
  const last = text.slice(from).trim()
  return last === '' ? parts : [...parts, last]
}

/** `Wide pass (Wide z)`, of which `pass` is known. */
function readHead(line: string, name: string): GimpleFunction['head'] | undefined {
  const at = line.indexOf(`${name} (`)
  if (at < 0 || !line.endsWith(')')) return undefined
  const parameters = splitList(line.slice(at + name.length + 2, -1)).map((each) => {
    const end = each.lastIndexOf(' ')
    return { type: each.slice(0, Math.max(0, end)), name: each.slice(end + 1) }
  })
  return { result: line.slice(0, at), parameters }
}

/** Where no language is set, values and casts are written in ASCII, and declarations are not. */
const otherLetter = /\\U([0-9a-f]{8})/g
const withLetters = (text: string): string =>
  text.replaceAll(otherLetter, (all, digits: string) => {
    const letter = Number.parseInt(digits, 16)
    return letter > 0x7f && letter <= 0x10ffff ? String.fromCodePoint(letter) : all
  })

function* functionsOf(text: string): Generator<GimpleFunction> {
  let made: GimpleFunction | undefined
  let plain = ''
  for (const written of text.split('\n')) {
    const line = written.includes('\\U') ? withLetters(written) : written
    if (line.startsWith(';; Function ')) {
      if (made) yield made
      made = { name: functionName.exec(line)?.[1] ?? '', head: { result: '', parameters: [] }, lines: [] }
      plain = line.slice(';; Function '.length).split(` (${made.name}, funcdef_no=`, 1)[0] ?? ''
    } else if (made && line !== '' && !line.startsWith(' ')) made.head = readHead(line, plain) ?? made.head
    made?.lines.push(line)
  }
  if (made) yield made
}

/** The types of the variables and values of a function. */
class Values {
  readonly #ofFunction: ReadonlyMap<string, Kinds> | undefined
  readonly #all: ReadonlyMap<string, Kinds>
  readonly #declared = new Map<string, Kinds>()
  /** of values of variables that are several of one name, which of them it is */
  readonly #found = new Map<string, Kinds>()
  /** most functions have no such numbers */
  hasDouble = false
  hasHalf = false
  #isAmbiguous = false

  constructor({ name, head, lines }: GimpleFunction, { ofFunctions, all }: NamedTypes) {
    this.#ofFunction = ofFunctions.get(name)
    this.#all = all
    for (const each of head.parameters) this.#declare(each.name, each.type)
    for (const line of lines) {
      if (!line.startsWith('  ') || line.startsWith('   ') || line.startsWith('  [')) continue
      const [, type, variable] = declaration.exec(line) ?? []
      if (type !== undefined && variable !== undefined) this.#declare(variable, type)
    }
    if (this.#isAmbiguous) this.#tellApart(lines)
  }

  #declare(name: string, type: string): void {
    const kinds = this.kindsOf(type)
    const known = this.#declared.get(name)
    this.hasDouble ||= kinds.has('double')
    this.hasHalf ||= kinds.has('half')
    const both = known ? new Set([...known, ...kinds]) : kinds
    this.#isAmbiguous ||= both.size > 1
    this.#declared.set(name, both)
  }

  /** What a type is that the dump has this text for. */
  kindsOf(text: string): Kinds {
    const type = text.replace(qualifier, '').trim()
    const own = kindIn(ownKinds, type)
    if (own !== undefined) return single[own]
    const named = this.#ofFunction?.get(type) ?? this.#all.get(type)
    if (named) return named
    const usual = kindIn(usualKinds, type)
    return usual === undefined ? noKinds : single[usual]
  }

  /** `n_5` is a value of the variable `n`. */
  of(name: string): Kinds {
    return this.#found.get(name) ?? this.#declared.get(name) ?? this.#declared.get(name.replace(/_\d+$/, '')) ?? noKinds
  }

  has(name: string, kind: NumberKind): boolean {
    return this.of(name).has(kind)
  }

  /** Values that are copied, added or compared are of one type, and what is cast is of the type that it is cast to. */
  #tellApart(lines: readonly string[]): void {
    const parents = new Map<string, string>()
    const find = (name: string): string => {
      let root = name
      for (let next = parents.get(root); next !== undefined; next = parents.get(root)) {
        const further = parents.get(next)
        if (further !== undefined) parents.set(root, further)
        root = next
      }
      return root
    }
    const join = (names: readonly string[]): void => {
      const [to = '', ...others] = names.map(find)
      for (const other of others) if (find(other) !== find(to)) parents.set(find(other), find(to))
    }
    const cast = new Map<string, Kinds>()
    const values = new Set<string>()
    const valuesIn = (text: string): string[] => {
      const found = text.split(/\(D\)|[\s()[\],;<>{}&*]/).filter((name) => /_\d+$/.test(name))
      for (const name of found) values.add(name)
      return found
    }
    for (const line of lines) {
      const text = line.trim().replaceAll(placeWithin, '')
      const [, result = '', read = text] = /^(?:# )?(\S*_\d+) = (.*)$/.exec(text) ?? []
      const to = /^\(([^()]+)\) [^\s()]+(?:\(D\))?;$/.exec(read)?.[1]
      const isCompared = /^[^\s()]+(?:\(D\))? (?:[<>=!]=|<|>) \S/.test(read) || text.startsWith('if (')
      if (to !== undefined) {
        valuesIn(result)
        cast.set(result, this.kindsOf(to))
      } else if (isCompared) join(valuesIn(read))
      else if (result !== '' && /^(?:PHI <|[^\s();]+(?:\(D\))?(?: [-+*/] [^\s();]+(?:\(D\))?)?;)/.test(read))
        join(valuesIn(`${result} ${read}`))
    }
    const kinds = new Map<string, Kinds>()
    for (const name of values) {
      const known = cast.get(name) ?? this.of(name)
      const root = find(name)
      const before = kinds.get(root)
      const both = before && known.size > 0 ? new Set([...before].filter((kind) => known.has(kind))) : known
      kinds.set(root, before && both.size === 0 ? before : both)
    }
    for (const name of values) {
      const narrowed = kinds.get(find(name))
      if (narrowed && narrowed.size > 0) this.#found.set(name, narrowed)
    }
  }
}

/** What a statement of a function loads a number of a longer type into; undefined where it does not. */
function doubleLoaded(text: string, values: Values): string | undefined {
  const [, result = '', read = text] = /^(\S+) = (?:\{v\} )?(.*)$/.exec(text) ?? []
  return values.has(result, 'double') && loaded.test(read) ? result : undefined
}

const computed = /^\S+ = (\S+?)(?:\(D\))? [-+*/] (\S+?)(?:\(D\))?;$/

/** Whether a statement computes in half precision: its operands are of one type. */
function computesInHalf(text: string, values: Values): boolean {
  const [, ...numbers] = computed.exec(text) ?? []
  return numbers.some((number) => values.of(number).size === 1 && values.has(number, 'half'))
}

/** Whether a statement computes with, or compares, a variable of a longer type. */
function usesDouble(text: string, values: Values): boolean {
  return [...text.matchAll(operands)].some(
    ([operand]) => namedValue.test(operand) && !unnamedValue.test(operand) && values.has(operand, 'double'),
  )
}

const isFloating = (kinds: Kinds): boolean => kinds.has('float') || kinds.has('half')

/** The kind of a cast between two types; null for one that the device has. */
function kindOf(from: Kinds, to: Kinds): GimpleCast['kind'] | null {
  const isDouble = (kinds: Kinds, others: Kinds): boolean =>
    kinds.has('double') && (others.size > 1 || !others.has('double'))
  // nobody knows of what is neither a type of the language nor of the source that it is no double
  const isUnknown = (kinds: Kinds, others: Kinds): boolean => kinds.size === 0 && isFloating(others)
  if (isDouble(from, to) || isDouble(to, from) || isUnknown(from, to) || isUnknown(to, from)) return 'double'
  if (from.size !== 1 || to.size !== 1) return null
  return (isFloating(from) && to.has('unsigned')) || (from.has('unsigned') && isFloating(to)) ? 'unsigned' : null
}

/**
 * The casts of variables between floating-point and unsigned numbers, and those from and to double, in what g++ writes for
 * `-fdump-tree-ssa-lineno`, of the functions that are wanted. Constants are folded there. `types` are what its names of types stand for.
 */
export function castsOfGimple(text: string, types: NamedTypes, isWanted: (name: string) => boolean): GimpleCast[] {
  const found: GimpleCast[] = []
  for (const made of functionsOf(text)) if (isWanted(made.name)) castsOfFunction(made, new Values(made, types), found)
  return found
}

function castsOfFunction({ name, head, lines }: GimpleFunction, values: Values, found: GimpleCast[]): void {
  const waiting = new Map<string, GimpleCast>()
  if ([head.result, ...head.parameters.map(({ type }) => type)].some((type) => values.kindsOf(type).has('double')))
    found.push({ name, file: '', line: 0, column: 0, kind: 'variable of double', isOperand: false })
  for (const line of lines) {
    if ((values.hasDouble || values.hasHalf) && line.startsWith('  [')) {
      const [, file = '', row, column, whole = ''] = statement.exec(line.trimStart()) ?? []
      const text = whole.replaceAll(placeWithin, '')
      const place = { file, line: Number(row), column: Number(column) }
      if (computesInHalf(text, values)) found.push({ name, ...place, kind: 'computation in half', isOperand: false })
      const result = doubleLoaded(text, values)
      const isOperand = usesDouble(text, values)
      if (result !== undefined || isOperand) {
        const made: GimpleCast = { name, ...place, kind: 'variable of double', isOperand }
        if (result !== undefined) waiting.set(result, made)
        found.push(made)
      }
    }
    for (const [value] of line.matchAll(operands)) {
      const used = waiting.get(value)
      if (used) used.isOperand = true
    }
    // the same number under another name: its sign changed, or chosen between others
    const [, other = '', same = ''] = waiting.size > 0 ? (renamed.exec(line.replaceAll(placeWithin, '')) ?? []) : []
    const source = same.match(/[^\s(),;<>-]+/g)?.flatMap((value) => waiting.get(value) ?? [])[0]
    if (source) waiting.set(other, source)
    if (!line.includes(' = (')) continue
    const [, file, row, column, result = '', to = '', operand = ''] = cast.exec(line) ?? []
    const kind = file === undefined ? null : kindOf(values.of(operand), values.kindsOf(to))
    if (kind === null || file === undefined) continue
    const made = { name, file, line: Number(row), column: Number(column), kind, isOperand: false }
    // a named variable is what the number was made for
    if (result.startsWith('_')) waiting.set(result, made)
    found.push(made)
  }
}

/** A builtin function that a function of the dump calls by its own name. */
export interface GimpleBuiltin extends Place {
  /** mangled name of the caller */
  caller: string
  /** without `__builtin_` */
  name: string
}

const builtinCall = /^(?:\[([^[\]]+):(\d+):\d+\] )?(?:.* = )?__builtin_(\w+) \(/

/** The builtin functions that are called, but for those that g++ has computed. */
export function builtinsOfGimple(text: string): GimpleBuiltin[] {
  const found: GimpleBuiltin[] = []
  let caller = ''
  for (const line of text.split('\n')) {
    if (line.startsWith(';; Function')) caller = functionName.exec(line)?.[1] ?? ''
    if (!line.includes('__builtin_')) continue
    const [, file = '', row, name] = builtinCall.exec(line.trimStart()) ?? []
    if (name !== undefined) found.push({ caller, name, file, line: Number(row ?? 0) })
  }
  return found
}

const calledValue = /^ {2}(?:\[[^[\]]+:\d+:\d+\] )?(?:\S+ = )?([^\s:<>()]*_\d+)(?:\(D\))? \(.*\);(?: \[\w+ \w+ \w+\])?$/

/** The name of a function that is defined, without what it is within: `f` of `;; Function A::f (…`. */
function ownName(line: string): string | undefined {
  if (!line.startsWith(';; Function ')) return undefined
  const [name = ''] = line.slice(';; Function '.length).split(' (', 1)
  return name.slice(name.lastIndexOf(':') + 1)
}

/** Functions of the dump that call what a pointer points to, by their mangled names. */
export function callingPointers(text: string): string[] {
  const names = new Set(text.split('\n').flatMap((line) => ownName(line) ?? []))
  const found = new Set<string>()
  let caller = ''
  for (const line of text.split('\n')) {
    if (line.startsWith(';; Function')) caller = functionName.exec(line)?.[1] ?? ''
    const called = line.includes('_') ? calledValue.exec(line)?.[1] : undefined
    if (called !== undefined && !names.has(called)) found.add(caller)
  }
  return [...found]
}

/** An attribute that a function of the dump has been given. */
export interface GimpleAttribute {
  /** mangled name of the function */
  name: string
  attribute: string
}

const attributeNames = /(?:\(\(|, )(\w+)/g

/** The attributes of all functions; g++ notes pragmas about functions as attributes as well. */
export function attributesOfGimple(text: string): GimpleAttribute[] {
  const found: GimpleAttribute[] = []
  let name = ''
  for (const line of text.split('\n')) {
    if (line.startsWith(';; Function')) name = functionName.exec(line)?.[1] ?? ''
    else if (line.startsWith('__attribute__(('))
      for (const [, attribute = ''] of line.matchAll(attributeNames)) found.push({ name, attribute })
  }
  return found
}

/** What a statement does with memory that is no variable of the function, unless it is told of. */
export interface GimpleAccess extends Place {
  /** mangled name of the function */
  name: string
}

const textLiteral = /"(?:[^"\\]|\\.)*"/g
/** What is reached by a pointer; a part of a variable is none, whatever it is taken for. */
const reached = /(?:^|[<(])\*|->|\bMEM(?: <[^[]*>)? ?\[(?!\([^()]*(?:\([^()]*\)[^()]*)*\)&)/
/** A single value that lies in memory; operands of sums and the like are in none. */
const inMemory =
  /^(?:\*|MEM\b|\(\*|(?:REALPART_EXPR|IMAGPART_EXPR|BIT_FIELD_REF) <|VIEW_CONVERT_EXPR<|[^\s()]+(?:\(D\))?(?:->|\.|\[))/
/** A member that a constructor has a call make, and what is returned where the caller says. */
const ofObject = /^(?:\(?\*)?(?:this_\d+|<retval>_\d+|_\d+(?=\(D\)))(?:\(D\))?\)?(?:$|->|\.|\[)/
/** The pointer by which a value is reached. */
const pointerOf = /^(?:\(?\*|MEM\[\([^()]*\))?([^\s()[\]*.]+?)(?:\(D\))?(?:$|\)|\]|->|\.|\[)/
/** A pointer to a variable, or so many bytes past one: elements of an array are made one after the other. */
const addressOfVariable = /^(\S+) = &[^\s*(>]+$/
const furtherPointer = /^(\S+) = (\S+)(?: \+ \d+)?$/
const told = /^__builtin___tsan_(?:(?:unaligned_)?(read|write)|vptr_update)/

const isReached = (value: string): boolean => !value.startsWith('&') && reached.test(value)

/** The parts of a call: what takes its result, and what it is given. Undefined for other statements. */
function readCall(text: string): { result: string; given: string[] } | undefined {
  if (!text.endsWith(')')) return undefined
  let depth = 0
  let at = text.length - 1
  for (; at >= 0; at--) {
    if (text[at] === ')') depth++
    else if (text[at] === '(' && --depth === 0) break
  }
  if (at < 2 || text[at - 1] !== ' ') return undefined
  const before = text.slice(0, at - 1)
  const equals = before.indexOf(' = ')
  const called = equals < 0 ? before : before.slice(equals + 3)
  // `if (…)` and the like are no calls
  if (called === '' || /^(?:if|switch|return|goto)$/.test(called)) return undefined
  return { result: equals < 0 ? '' : before.slice(0, equals), given: splitList(text.slice(at + 1, -1)) }
}

/**
 * Loads and stores by pointers that g++ reports to nobody, in what it writes for `-fdump-tree-tsan0-lineno`: arguments that a call
 * copies out of memory, results that it leaves there, and members that have no address. Functions that report nothing are left out.
 */
export function unreportedOfGimple(text: string): GimpleAccess[] {
  const silent = new Set(
    attributesOfGimple(text).flatMap(({ name, attribute }) => (attribute === 'no_sanitize' ? [name] : [])),
  )
  const found: GimpleAccess[] = []
  for (const { name, lines } of functionsOf(text)) {
    if (silent.has(name)) continue
    let loads = 0
    let stores = 0
    const toVariables = new Set<string>()
    const isElsewhere = (result: string): boolean =>
      isReached(result) && !ofObject.test(result) && !toVariables.has(pointerOf.exec(result)?.[1] ?? '')
    for (const line of lines) {
      if (!line.startsWith('  ')) continue
      const [, file = '', row, , whole = ''] = statement.exec(line.trim().replaceAll(textLiteral, '""')) ?? []
      const made = whole
        .replaceAll(placeWithin, '')
        .replace(/;(?: \[[\w ]+\])*$/, '')
        .replaceAll('={v} ', '= ')
      const report = told.exec(made)
      if (report) {
        if (report[1] === 'read') loads++
        else stores++
        continue
      }
      const call = readCall(made)
      const equals = call ? -1 : made.indexOf(' = ')
      const [to, from] = equals < 0 ? ['', ''] : [made.slice(0, equals), made.slice(equals + 3)]
      const isWrong = call
        ? call.given.some(isReached) || isElsewhere(call.result)
        : (isReached(from) && inMemory.test(from) && loads === 0) ||
          (isReached(to) && !from.startsWith('{CLOBBER') && stores === 0)
      if (isWrong) found.push({ name, file, line: Number(row ?? 0) })
      const [, pointer = '', other = ''] = addressOfVariable.exec(made) ?? furtherPointer.exec(made) ?? []
      if (pointer !== '' && (other === '' || toVariables.has(other))) toVariables.add(pointer)
      // what is computed between a report and what it tells of is an address
      const isAddress = !isReached(from) && !isReached(to) && /^(?:&|\(|.* [-+*/&|^] )/.test(from)
      if (isAddress) continue
      loads = 0
      stores = 0
    }
  }
  return found
}
