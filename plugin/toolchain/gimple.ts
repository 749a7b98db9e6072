import type { Place } from './device-functions.ts'

/** A number of another type that g++ computes from a variable, or a variable of a type that the device does not have. */
export interface GimpleCast extends Place {
  /** mangled name of the function */
  name: string
  kind: 'unsigned' | 'double' | 'variable of double'
  column: number
  /** what uses the number is a sum, a product or a comparison */
  isOperand: boolean
}

const floating = /^(?:float|(?:long )?double|half|_Float16|__bf16)$/
const longFloating = /^(?:(?:long )?double|_Float(?:32x|64x?|128)|__float(?:80|128))$/
const unsigned = /^(?:u?int\d+_t|size_t|(?:(?:short|long|long long) )?unsigned(?: (?:int|char))?)$/

const isUnsigned = (type: string): boolean => unsigned.test(type) && !type.startsWith('int')

const functionName = /\((\w+), funcdef_no=/
const declaration = /^ {2}(?:const |volatile )*([\w ]+?) ([\w.]+);$/
const parameterList = /^\S[^(]*\((.*)\)$/
const parameter = /(?:^|, )(?:const |volatile )*([\w ]+?) (\w+)(?=,|$)/g
const cast = /^ *\[([^[\]]+):(\d+):(\d+)\] (?:\[[^\]]*\] )?(\S+) = \(([\w ]+)\) ([\w.]+?)(?:\(D\))?;$/

/** Values on either side of an operator. */
const operands = /(?<![\w.])[\w.]+(?= (?:[-+*/<>]|[<>=!]=) )|(?<= (?:[-+*/<>]|[<>=!]=) )[\w.]+/g

/** Where a statement stands, and what it does; places of its parts are left out of that. */
const statement = /^(?:\[([^[\]]+):(\d+):(\d+)\] )?(.*)$/
const placeWithin = /\[[^[\]]+:\d+:\d+\] /g
/** A value of a variable that somebody has named, as it is used; a choice between two numbers has no name. */
const namedValue = /\b(?!iftmp\.)([A-Za-z]\w*)_\d+\b/g
const loaded = /^(?:\*|MEM|.*->|[A-Za-z_][\w.]*(?:\(D\))?(?:\.[A-Za-z_]|\[))/
const functionOfDouble = /^(?:long )?double \S+ \(|[(, ](?:long )?double \w+[,)]/

/** What a statement of a function loads a number of a longer type into; undefined where it does not. */
function longFloatingLoaded(text: string, typeOf: (name: string) => string): string | undefined {
  const [, result = '', read = text] = /^(\S+) = (.*)$/.exec(text) ?? []
  return longFloating.test(typeOf(result)) && loaded.test(read) ? result : undefined
}

/** Whether a statement computes with, or compares, a variable of a longer type. */
function usesLongFloating(text: string, typeOf: (name: string) => string): boolean {
  return [...text.matchAll(operands)].some(([operand]) =>
    [...operand.matchAll(namedValue)].some(([, name = '']) => longFloating.test(typeOf(name))),
  )
}

/** The kind of a cast between two types; null for one that the device has. */
function kindOf(from: string, to: string): GimpleCast['kind'] | null {
  if (longFloating.test(from) !== longFloating.test(to)) return 'double'
  return (floating.test(from) && isUnsigned(to)) || (isUnsigned(from) && floating.test(to)) ? 'unsigned' : null
}

/**
 * The casts of variables between floating-point and unsigned numbers, and those from and to double, in what g++ writes for
 * `-fdump-tree-ssa-lineno`. Constants are folded there.
 */
export function castsOfGimple(text: string): GimpleCast[] {
  const found: GimpleCast[] = []
  let name = ''
  let types = new Map<string, string>()
  let waiting = new Map<string, GimpleCast>()
  /** most functions have no such number */
  let hasLongFloating = false
  /** Variables of one name in several scopes are not told apart: where their types differ, nothing is said of them. */
  const declare = (name: string, type: string): void => {
    hasLongFloating ||= longFloating.test(type)
    types.set(name, types.has(name) && types.get(name) !== type ? '' : type)
  }
  /** `n_5` is a value of the variable `n` */
  const typeOf = (name: string): string => types.get(name) ?? types.get(name.replace(/_\d+$/, '')) ?? ''
  for (const line of text.split('\n')) {
    if (line.startsWith(';; Function')) {
      name = functionName.exec(line)?.[1] ?? ''
      types = new Map()
      waiting = new Map()
      hasLongFloating = false
    }
    if (line.startsWith('  [')) {
      const [, file = '', row, column, whole = ''] = hasLongFloating ? (statement.exec(line.trimStart()) ?? []) : []
      const text = whole.replaceAll(placeWithin, '')
      const result = longFloatingLoaded(text, typeOf)
      const isOperand = usesLongFloating(text, typeOf)
      if (result !== undefined || isOperand) {
        const place = { file, line: Number(row), column: Number(column) }
        const made: GimpleCast = { name, ...place, kind: 'variable of double', isOperand }
        if (result !== undefined) waiting.set(result, made)
        found.push(made)
      }
    } else if (line.startsWith('  ') && !line.startsWith('   ')) {
      const [, type, name] = declaration.exec(line) ?? []
      if (type !== undefined && name !== undefined) declare(name, type)
    } else if (line !== '' && !line.startsWith(' ')) {
      const list = parameterList.exec(line)?.[1] ?? ''
      for (const [, type = '', name = ''] of list.matchAll(parameter)) declare(name, type)
      if (functionOfDouble.test(line))
        found.push({ name, file: '', line: 0, column: 0, kind: 'variable of double', isOperand: false })
    }
    for (const [value] of line.matchAll(operands)) {
      const used = waiting.get(value)
      if (used) used.isOperand = true
    }
    if (!line.includes(' = (')) continue
    const [, file, row, column, result = '', to = '', operand = ''] = cast.exec(line) ?? []
    const kind = file === undefined ? null : kindOf(typeOf(operand), to)
    if (kind === null || file === undefined) continue
    const made = { name, file, line: Number(row), column: Number(column), kind, isOperand: false }
    // a named variable is what the number was made for
    if (result.startsWith('_')) waiting.set(result, made)
    found.push(made)
  }
  return found
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

const calledValue = /^ {2}(?:\[[^[\]]+:\d+:\d+\] )?(?:\S+ = )?([\w.]*_\d+)(?:\(D\))? \(.*\);(?: \[\w+ \w+ \w+\])?$/

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
