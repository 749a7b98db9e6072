import type { Diagnostic } from '../model/index.ts'
import { emulatorHeaders, splitList } from './declarations.ts'
import { messageLines } from './diagnostics.ts'
import { assertedTypes, documentedTypes, typeListsOf, type TypeLists } from './element-types.ts'

/** A parameter as a person reads it: `LocalTensor<T>` and `dst`. */
interface Parameter {
  type: string
  name: string
  /** has a default */
  optional: boolean
}

/** Why the compiler did not take an overload. */
type Reason =
  | { kind: 'conflict'; parameter: string; types: readonly [string, string] }
  | { kind: 'conversion'; from: string; to: string; nth: number }
  | { kind: 'inference'; parameter: string }
  | { kind: 'mismatch'; wanted?: string; found: string }
  | { kind: 'count'; given: number }
  | { kind: 'other' }

interface Overload {
  parameters: readonly Parameter[]
  reason: Reason
}

/** A call that no overload takes. */
interface Call {
  name: string
  /** what stands between the brackets, where the call is one line */
  written?: string | undefined
  /** types of the arguments; g++ alone tells them */
  types?: readonly string[] | undefined
  overloads: readonly Overload[]
}

const located = /^(?:[^\s:][^:]*):\d+:(?:\d+:)? (?<severity>fatal error|error|warning|note): (?<message>.*)$/

const noMatch = /^no matching (?:member )?function for call to ['‘](?<call>.*)['’]$/

/** `const AscendC::LocalTensor<half>&` is a `LocalTensor<half>`. */
const plainType = (type: string): string =>
  type
    .replace(/(?<!\s)\s*\(aka .*\)$/, '')
    .replace(/\bAscendC::/g, '')
    .replace('<brace-enclosed initializer list>', 'a list in braces')
    .replace(/^(?:const|struct|class) /, '')
    .replace(/ ?(?:const)?(?<!&)&+$/, '')
    .trim()

function parameterOf(text: string): Parameter {
  const plain = text
    .replace(/=[^=].*/s, '')
    .trimEnd()
    .replace(/\b__\w+__\b/g, '')
  const {
    type = plain,
    name = '',
    array = '',
  } = /^(?<type>.*[\s&*>])(?<name>\w+)(?<array>\[\])?$/.exec(plain.trim())?.groups ?? {}
  return { type: plainType(type.trim()) + array, name, optional: plain !== text.trim() && text.includes('=') }
}

/** Element types by the names that Ascend C has for them. */
const elementTypes: Record<string, string> = {
  int: 'int32_t',
  'unsigned int': 'uint32_t',
  short: 'int16_t',
  'short int': 'int16_t',
  'unsigned short': 'uint16_t',
  'short unsigned int': 'uint16_t',
  'signed char': 'int8_t',
  'unsigned char': 'uint8_t',
  long: 'int64_t',
  'long int': 'int64_t',
  'unsigned long': 'uint64_t',
  'long unsigned int': 'uint64_t',
}

/** `LocalTensor<int>` as it is written: `LocalTensor<int32_t>`. */
const asWritten = (text: string): string =>
  text.replace(/Tensor<([^<>]*)>/g, (_, element: string) => `Tensor<${elementTypes[element] ?? element}>`)

const quoted = `['‘]([^'‘’]+)['’]`
const reasons: readonly (readonly [RegExp, (found: readonly string[]) => Reason])[] = [
  [
    new RegExp(
      `deduced conflicting types for parameter ['‘](?:const )?(\\w+)['’] \\(${quoted}(?: \\(aka [^)]*\\))? (?:vs\\.|and) ${quoted}(?: \\(aka|\\))`,
    ),
    ([parameter = '', one = '', other = '']) => ({
      kind: 'conflict',
      parameter,
      types: [plainType(one), plainType(other)],
    }),
  ],
  [
    new RegExp(
      `no known conversion from ${quoted}(?: \\(aka .*?\\))? to ${quoted}(?: \\(aka .*?\\))? for (\\d+)\\w\\w argument`,
    ),
    ([from = '', to = '', nth = '0']) => ({
      kind: 'conversion',
      from: plainType(from),
      to: plainType(to),
      nth: Number(nth),
    }),
  ],
  [
    new RegExp(`no known conversion for argument (\\d+) from ${quoted} to ${quoted}`),
    ([nth = '0', from = '', to = '']) => ({
      kind: 'conversion',
      from: plainType(from),
      to: plainType(to),
      nth: Number(nth),
    }),
  ],
  [
    new RegExp(`cannot convert initializer list argument to ${quoted}`),
    ([to = '']) => ({ kind: 'conversion', from: 'a list in braces', to: plainType(to), nth: 0 }),
  ],
  [
    new RegExp(`couldn(?:'|’)t (?:infer template argument|deduce template parameter) ${quoted}`),
    ([parameter = '']) => ({ kind: 'inference', parameter }),
  ],
  [
    new RegExp(`could not match ${quoted} against ${quoted}`),
    ([wanted = '', found = '']) => ({ kind: 'mismatch', wanted: plainType(wanted), found: plainType(found) }),
  ],
  [
    new RegExp(`mismatched types ${quoted} and ${quoted}`),
    ([wanted = '', found = '']) => ({ kind: 'mismatch', wanted: plainType(wanted), found: plainType(found) }),
  ],
  [
    new RegExp(`${quoted} is not derived from ${quoted}`),
    ([found = '', wanted = '']) => ({ kind: 'mismatch', wanted: plainType(wanted), found: plainType(found) }),
  ],
  [
    new RegExp(`cannot convert .*\\(type ${quoted}\\) to type ${quoted}`),
    ([found = '', wanted = '']) => ({ kind: 'mismatch', wanted: plainType(wanted), found: plainType(found) }),
  ],
  [/requires .*, but no arguments were provided/, () => ({ kind: 'count', given: 0 })],
  [
    /requires .*, but (\d+) (?:was|were) provided|candidate expects .*, (\d+) provided/,
    ([clang, gnu]) => ({ kind: 'count', given: Number(clang ?? gnu) }),
  ],
]

function reasonOf(message: string): Reason | undefined {
  for (const [pattern, read] of reasons) {
    const found = pattern.exec(message)
    if (found) return read(found.slice(1))
  }
  return undefined
}

const functionsNamed = (name: string) =>
  emulatorHeaders()
    .flatMap(({ declarations }) => declarations)
    .filter((declaration) => declaration.kind === 'function' && declaration.name === name)

const same = (one: string, other: string): boolean => one.replace(/\s+/g, '') === other.replace(/\s+/g, '')

/** The parameters of what a code line begins to declare; where it breaks off, the headers know the rest. */
function parametersIn(codeLine: string | undefined, name: string): readonly Parameter[] | undefined {
  const code = codeLine?.replace(/^\s*\d+ \| /, '')
  const open = code?.indexOf(`${name}(`) ?? -1
  if (code === undefined || open < 0) return undefined
  const text = code.slice(open + name.length + 1)
  const end = /\)(?: const)?(?: \{|;| *=)/.exec(text)
  const isWhole = end !== null
  const begun = splitList(isWhole ? text.slice(0, end.index) : text)
  const declared = isWhole
    ? undefined
    : functionsNamed(name).find(({ parameters }) => begun.every((each, i) => same(each, parameters[i] ?? '')))
  if (!isWhole && !declared) return undefined
  return (declared?.parameters ?? begun).map(parameterOf)
}

/** The calls of a compiler's output that no overload takes, by the message of their error. */
function rejectedCalls(text: string): Map<string, Call> {
  const lines = messageLines(text)
  const calls = new Map<string, Call & { overloads: Overload[] }>()
  let call: (Call & { overloads: Overload[] }) | undefined
  for (const [i, line] of lines.entries()) {
    const { severity, message = '' } = located.exec(line)?.groups ?? {}
    if (severity === undefined) continue
    if (severity !== 'note') {
      const called = noMatch.exec(message)?.groups?.['call']
      call = called === undefined ? undefined : callOf(called, lines[i + 1])
      if (call) calls.set(line, call)
      continue
    }
    if (!call) continue
    // g++ tells the reason in a note of its own
    if (message.startsWith('candidate'))
      call.overloads.push({ parameters: parametersIn(lines[i + 1], call.name) ?? [], reason: { kind: 'other' } })
    const reason = reasonOf(message)
    const overload = call.overloads.at(-1)
    if (reason && overload?.reason.kind === 'other') call.overloads.splice(-1, 1, { ...overload, reason })
  }
  return calls
}

function callOf(called: string, codeLine: string | undefined): Call & { overloads: Overload[] } {
  const open = called.endsWith(')') ? called.indexOf('(') : -1
  const path = open < 0 ? called : called.slice(0, open)
  const name = /\b(\w+)(?:<.*>)?$/.exec(path.replace(/^.*>::/, ''))?.[1] ?? path
  const written = new RegExp(`\\b${name}\\(([\\w:]*)\\)`).exec(codeLine ?? '')?.[1]
  const types = open < 0 ? undefined : splitList(called.slice(open + 1, -1)).map(plainType)
  return { name, written, types, overloads: [] }
}

let lists: TypeLists | undefined

/** The types that the overloads of an API have in common; undefined where no list says. */
function typesOf(name: string): string | undefined {
  lists ??= typeListsOf(emulatorHeaders())
  for (const header of emulatorHeaders())
    for (const api of header.apis) {
      if (!api.declarations.some((declaration) => declaration.kind === 'function' && declaration.name === name))
        continue
      const types = api.types === 'isa' ? assertedTypes(header, api, lists) : documentedTypes(api.types)
      if (types && [...types].every((type) => !type.includes('->'))) return [...types].sort().join(', ')
    }
  return undefined
}

const mentions = ({ type }: Parameter, word: string): boolean => new RegExp(`\\b${word}\\b`).test(type)

const given = (parameters: readonly Parameter[], types: readonly string[] | undefined, word: string): string[] =>
  parameters.flatMap((parameter, i) => {
    const type = types?.[i]
    return type !== undefined && mentions(parameter, word) ? [`${parameter.name} is ${type}`] : []
  })

function conflict(
  { name, types }: Call,
  { parameters }: Overload,
  { parameter, types: [one, other] }: Reason & { kind: 'conflict' },
): string {
  const sharing = parameters.filter((each) => mentions(each, parameter))
  const [first, ...others] = sharing
  if (!first) return `${name} takes one type ${parameter}, and is given ${one} and ${other}`
  const as = ({ type }: Parameter, word: string): string => type.replace(new RegExp(`\\b${parameter}\\b`, 'g'), word)
  // a tensor stands where a number is wanted, not in a tensor
  const possible = others.filter(({ type }) => !other.includes('<') || type === parameter)
  const told = types
    ? given(parameters, types, parameter)
    : [
        `${first.name} is ${as(first, one)}`,
        possible.map((each) => `${each.name} is ${as(each, other)}`).join(' or ') || `another is ${other}`,
      ]
  const legal = typesOf(name)
  const names = sharing.map((each) => each.name).join(', ')
  return `${told.join(', ')}; ${name} takes one type for ${names}${legal === undefined ? '' : `: ${legal}`}`
}

const signature = (name: string, { parameters }: Overload): string =>
  `${name}(${parameters.map((each) => `${each.type} ${each.name}`.trim()).join(', ')})`

const shownSignatures = 4

/** Those first whose length is a number of elements: they are meant more often than those with masks and strides. */
function signatures(name: string, overloads: readonly Overload[]): string {
  const counted = ({ parameters }: Overload): boolean => /count/i.test(parameters.at(-1)?.name ?? '')
  const ranked = [...overloads.filter(counted), ...overloads.filter((each) => !counted(each))]
  const all = [...new Set(ranked.map((each) => signature(name, each)))]
  const rest = all.length > shownSignatures ? ` and ${all.length - shownSignatures} more` : ''
  return `${all.slice(0, shownSignatures).join(', ')}${rest}`
}

function describeCount({ name, written, overloads }: Call, number: number): string {
  const lengths = new Map(overloads.map(({ parameters }) => [parameters.length, parameters]))
  if (lengths.size === 1 && lengths.has(0))
    return `${name} takes no arguments, and is given ${number}${written ? `: write ${name}<${written}>()` : ''}`
  const takes = [...lengths]
    .sort(([a], [b]) => a - b)
    .map(([length, parameters], i) => {
      const names = parameters.map((each) => each.name || each.type).join(', ')
      return `${length}${i === 0 ? (length === 1 ? ' argument' : ' arguments') : ''}${names ? ` (${names})` : ''}`
    })
  return `${name} takes ${takes.join(' or ')}, and is given ${number}`
}

const fits = ({ parameters }: Overload, count: number): boolean =>
  count <= parameters.length && count >= parameters.filter((each) => !each.optional).length

function describeMismatch({ name, types, overloads }: Call, mismatched: readonly Overload[]): string {
  const [first] = mismatched
  const { wanted = '', found = '' } = first?.reason.kind === 'mismatch' ? first.reason : {}
  const called = types
    ? `${name} is called with (${types.join(', ')})`
    : mismatched.length === 1
      ? `an argument is ${found} where ${wanted} is wanted`
      : `no ${name} takes these kinds of arguments`
  const near = signatures(name, mismatched)
  const others = overloads.filter((each) => each.parameters.length > 0 && !mismatched.includes(each))
  const all = mismatched.length < shownSignatures ? signatures(name, [...mismatched, ...others]) : near
  return `${called}; there is ${all}`
}

function describeConversion(
  { name, overloads }: Call,
  overload: Overload,
  reason: Reason & { kind: 'conversion' },
): string {
  const { parameters } = overload
  const parameter = reason.nth > 0 ? parameters[reason.nth - 1] : parameters.find(({ type }) => type === reason.to)
  const place = parameter?.name || (reason.nth > 0 ? `argument ${reason.nth}` : 'an argument')
  const alike = overloads.filter((each) => each.parameters.length === parameters.length)
  return `${place} is ${reason.from}, and ${name} takes ${reason.to} there: ${signatures(name, alike)}`
}

/** What is wrong with a call, in one line; undefined where the compiler says too little. */
function explainCall(call: Call): string | undefined {
  const { name, types } = call
  // g++ complains of types also where the number of arguments is another one
  const overloads = call.overloads.filter((each) => !types || fits(each, types.length))
  for (const overload of overloads)
    if (overload.reason.kind === 'conflict') return conflict(call, overload, overload.reason)
  const inferred = call.overloads.find(({ reason }) => reason.kind === 'inference')
  if (inferred?.reason.kind === 'inference') {
    const { parameter } = inferred.reason
    const isType = /^[A-Z]\w?$/.test(parameter)
    return `${name} needs its template argument ${parameter}: write ${name}<${isType ? 'float' : parameter}>(…)${isType ? ', or the type that is meant' : ''}`
  }
  const mismatched = overloads.filter(({ parameters, reason }) => parameters.length > 0 && reason.kind === 'mismatch')
  const conversions = overloads.flatMap((overload) =>
    overload.reason.kind === 'conversion' ? [{ overload, reason: overload.reason }] : [],
  )
  const [best] = [...conversions].sort((a, b) => Number(a.reason.to.endsWith('*')) - Number(b.reason.to.endsWith('*')))
  if (best) return describeConversion(call, best.overload, best.reason)
  if (mismatched.length > 0) return describeMismatch(call, mismatched)
  const counted = call.overloads.find(({ reason }) => reason.kind === 'count')?.reason
  if (counted?.kind === 'count' && overloads.length === 0) return describeCount(call, counted.given)
  if (counted?.kind === 'count' && !types) return describeCount(call, counted.given)
  if (types && call.overloads.length > 0 && overloads.length === 0) return describeCount(call, types.length)
  return types && overloads.length > 0 ? describeMismatch(call, overloads) : undefined
}

/** Errors about calls that no overload takes say what was given, and what may be. */
export function withRejectedCalls(diagnostics: readonly Diagnostic[], text: string): Diagnostic[] {
  const calls = rejectedCalls(text)
  if (calls.size === 0) return [...diagnostics]
  return diagnostics.map((item) => {
    if (item.severity !== 'error' || !noMatch.test(item.message)) return item
    const place = [item.file, item.line, item.column].filter((part) => part !== undefined).join(':')
    const call = calls.get(`${place}: error: ${item.message}`)
    const explanation = call && explainCall(call)
    return explanation === undefined
      ? item
      : { ...item, message: `${asWritten(explanation)} (no matching function for call to '${call?.name}')` }
  })
}
