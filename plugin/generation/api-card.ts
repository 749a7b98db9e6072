import { emulatorHeaders, splitList, type ApiLine, type Declaration, type Header } from '../toolchain/declarations.ts'
import { assertedTypes, documentedTypes, typeListsOf, type TypeLists } from '../toolchain/element-types.ts'
import { families, hostFamilies, hostSurroundings, surroundings, type ApiCall } from './api-calls.ts'
import type { PromptOptions } from './types.ts'

type Family = keyof typeof families

/** What nearly every kernel is made of: before what its category is about, among that, and behind it. */
const everywhere = { first: ['queue', 'copy'], among: ['memory', 'sync'], last: ['system'] } as const

/**
 * Families by the category of a task. They follow from what operators of a category are in general, and from nothing that
 * any operator of ours does: the baseline of a task is not looked at, so that a card never tells how it was written.
 */
const byCategory: Readonly<Record<string, readonly Family[]>> = {
  Math: ['arithmetic', 'scalar', 'unary', 'cast', 'math', 'compare', 'reduce', 'gather', 'logic'],
  Comparison: ['compare', 'cast', 'scalar', 'arithmetic', 'logic'],
  Condition: ['compare', 'cast', 'scalar', 'logic', 'reduce', 'list'],
  Index: ['gather', 'scalar', 'fill', 'list', 'cast'],
  TensorCreation: ['fill', 'scalar', 'arithmetic', 'cast'],
  Activation: ['scalar', 'unary', 'arithmetic', 'cast', 'activation', 'softmax', 'reduce', 'compare'],
  Foreach: ['list', 'scalar', 'arithmetic', 'unary', 'cast', 'math', 'compare', 'reduce'],
  Linalg: ['arithmetic', 'scalar', 'cast', 'gather', 'transpose'],
  Loss: ['reduce', 'unary', 'scalar', 'arithmetic', 'cast', 'softmax', 'gather', 'broadcast'],
  Mask: ['fill', 'compare', 'scalar', 'gather', 'cast', 'logic'],
  Norm: ['reduce', 'scalar', 'arithmetic', 'unary', 'cast', 'broadcast', 'norm', 'gather'],
  Optim: ['arithmetic', 'scalar', 'unary', 'cast', 'compare'],
  Reduce: ['reduce', 'scalar', 'arithmetic', 'unary', 'cast', 'compare', 'broadcast'],
  TensorMove: ['gather', 'scalar', 'transpose', 'broadcast', 'fill', 'cast'],
  GMM: ['matmul', 'cube', 'cast', 'scalar', 'arithmetic', 'reduce', 'softmax', 'unary'],
  Sort: ['sort', 'gather', 'fill', 'transpose', 'compare', 'cast'],
}

const general: readonly Family[] = ['arithmetic', 'scalar', 'unary', 'cast', 'compare', 'reduce', 'math']

/** Everything that a card may hold: calls of kernels, and those of host parts. */
export const allCalls = (): { call: ApiCall; isHost: boolean }[] => [
  ...Object.values(families).flatMap((calls) => calls.map((call) => ({ call, isHost: false }))),
  ...Object.values(hostFamilies).flatMap((calls) => calls.map((call) => ({ call, isHost: true }))),
]

const of = (wanted: readonly Family[]): ApiCall[] => wanted.flatMap((family): ApiCall[] => families[family])

/** The calls for tasks of a category, those that matter most first. */
export function callsFor(category: string, mode: PromptOptions['mode']): ApiCall[] {
  const own = byCategory[category] ?? general
  const isProduct = own.includes('matmul')
  const { first, among, last } = everywhere
  return [
    ...of([...first, ...own.slice(0, 3)]),
    ...(mode === 'full' && isProduct ? hostFamilies.hostMatmul : []),
    ...of([...among, ...own.slice(3), ...last]),
    ...(mode === 'full' ? hostFamilies.host : []),
  ]
}

interface Found {
  header: Header
  api: ApiLine
  declarations: readonly Declaration[]
}

const lineNames = ({ names }: ApiLine): string[] => names.map((name) => name.replace(/ \(.*\)$/, ''))

let types: TypeLists | undefined
const typeLists = (): TypeLists => (types ??= typeListsOf(emulatorHeaders()))

let index: Map<string, Found[]> | undefined

/** What the headers of the emulator declare, by name: functions of the namespace AscendC and of host parts. */
function declared(): Map<string, Found[]> {
  if (index) return index
  index = new Map()
  for (const header of emulatorHeaders())
    for (const api of header.apis) {
      for (const name of new Set([...api.declarations.map((each) => each.name), ...lineNames(api)])) {
        const declarations = api.declarations.filter((each) => each.name === name)
        index.set(name, [...(index.get(name) ?? []), { header, api, declarations }])
      }
    }
  return index
}

/** Arguments of the last call of a name; null where the text does not call it as a function. */
function argumentsIn(text: string, name: string): string[] | null {
  const at = [...text.matchAll(new RegExp(`(?<![\\w.])(?:AscendC::)?${name}(?:<[^;()]{0,1000}?>)?\\(`, 'g'))].at(-1)
  if (!at) return null
  const start = at.index + at[0].length
  let depth = 1
  let end = start
  for (; end < text.length && depth > 0; end++) {
    if ('({['.includes(text[end]!)) depth++
    if (')}]'.includes(text[end]!)) depth--
  }
  return splitList(text.slice(start, end - 1))
}

const takes = ({ parameters }: Declaration, count: number): boolean => {
  const needed = parameters.filter((parameter) => !/=/.test(parameter)).length
  return count >= needed && count <= parameters.length
}

const isMaskArray = ({ parameters }: Declaration): boolean => parameters.some((each) => /mask\[/.test(each))

/** Whether what a call gives can be meant for a parameter, as far as names tell: those of `surroundings`, and of structs. */
function fits(argument: string, parameter: string): boolean {
  const struct = /^(?:AscendC::)?(\w+)(?:<\w+>)?\{/.exec(argument)?.[1]
  if (struct !== undefined) return new RegExp(`\\b${struct}\\b`).test(parameter)
  const isBytes = /\bLocalTensor<uint8_t>/.test(parameter)
  if (/^(?:x|y|z|work)$/.test(argument)) return /\bLocalTensor<\w+>/.test(parameter) && !isBytes
  if (/^(?:mask|tmp)$/.test(argument)) return isBytes || /\bLocalTensor<[TU]>/.test(parameter)
  if (/^(?:index|offset)$/.test(argument)) return /\bLocalTensor</.test(parameter)
  if (/^(?:xGm|yGm)$/.test(argument)) return /\bGlobalTensor</.test(parameter)
  if (/^(?:scalar|count|bytes|\(|\d)/.test(argument)) return !/Tensor<|Params|\[\]/.test(parameter)
  return true
}

const accepts = ({ parameters }: Declaration, given: readonly string[]): boolean =>
  given.every((argument, i) => fits(argument, parameters[i]!))

/** The overloads that a call means. */
function overloadsOf({ name, call }: ApiCall): Found[] {
  const given = argumentsIn(call, name)
  return (declared().get(name) ?? []).flatMap(({ header, api, declarations }) => {
    const fitting = declarations.filter(
      (each) =>
        each.kind === 'function' &&
        given !== null &&
        takes(each, given.length) &&
        accepts(each, given) &&
        !isMaskArray(each),
    )
    return fitting.length === 0 ? [] : [{ header, api, declarations: fitting }]
  })
}

/** `half`, or `half->float` where source and destination differ; null where the call depends on no element type. */
export function typesOf(call: ApiCall): readonly string[] | null {
  if (call.types !== undefined) return call.types
  for (const { header, api } of overloadsOf(call)) {
    const types = assertedTypes(header, api, typeLists()) ?? documentedTypes(api.types)
    if (types) return [...types]
  }
  return null
}

/** `const T&` is read like a `T`: what is written to stays a reference. */
const parameterOf = (text: string): string => text.replace(/\bconst (.+?)&(?= |$)/g, '$1').replace(/^const /, '')

const signatureOf = ({ name, parameters }: Declaration): string => `${name}(${parameters.map(parameterOf).join(', ')})`

const signaturesShown = 2

const signaturesOf = (call: ApiCall): string[] =>
  [...new Set(overloadsOf(call).flatMap(({ declarations }) => declarations.map(signatureOf)))].slice(0, signaturesShown)

/** What the compiler needs to be content, and nobody else. */
const shown = (call: string): string => call.replace(/ ?\(void\)\w+;/g, '').replaceAll('AscendC::', '')

/** One entry of a card. */
export function entryOf(call: ApiCall): string {
  const types = typesOf(call)
  return [
    `**${call.name}**: ${call.meaning}`,
    ...signaturesOf(call).map((signature) => `  \`${signature}\``),
    ...(types
      ? [`  ${types.some((each) => each.includes('->')) ? 'source->destination' : 'T'}: ${types.join(', ')}`]
      : []),
    ...(call.tries ? ['  T: any'] : []),
    ...(call.note === undefined ? [] : [`  ${call.note}`]),
    `  \`${shown(call.call)}\``,
  ].join('\n')
}

const overloadsShown = 4

/** An entry for a name that the card has no call for, of what the headers say; undefined: they do not have it. */
function declaredEntry(name: string): string | undefined {
  const found = (declared().get(name) ?? []).filter(({ declarations }) => declarations.length > 0)
  if (found.length === 0) return undefined
  const overloads = found.flatMap(({ declarations }) => declarations.filter((each) => !isMaskArray(each)))
  const lines = overloads.map((each) =>
    each.kind === 'function'
      ? signatureOf(each)
      : `${each.kind} ${each.name}${each.methods.length > 0 ? `: ${each.methods.join(', ')}` : ''}`,
  )
  const types = found.map(({ api }) => api.types).find((each) => documentedTypes(each) !== null)
  return [
    `**${name}**`,
    ...[...new Set(lines)].slice(0, overloadsShown).map((line) => `  \`${line}\``),
    ...(types === undefined ? [] : [`  T: ${types}`]),
  ].join('\n')
}

const lastPart = (name: string): string => name.split('::').at(-1)!

/** Words that headers declare and complaints are full of. */
const tooGeneral = new Set([
  'half',
  'float',
  'bfloat16_t',
  'int4b_t',
  'T',
  'U',
  'Shape',
  'x',
  'y',
  'min',
  'max',
  'count',
  'Tensor',
  'Format',
  'shape',
  'abs',
  'sqrt',
  'PIPE_V',
])

/** Entries for the names that a text mentions, in its order: the calls of the card, else what the headers declare. */
export function entriesNamedIn(text: string): string[] {
  const words = [...new Set(text.slice(0, 1 << 16).match(/\b[A-Za-z_]\w+\b/g) ?? [])].filter(
    (word) => !tooGeneral.has(word),
  )
  const calls = allCalls().map(({ call }) => call)
  return words.flatMap((word) => {
    const known = calls.filter(({ name }) => lastPart(name) === word)
    if (known.length > 0) return known.map(entryOf)
    return declaredEntry(word) ?? []
  })
}

/** Characters of one kind in a row, which a tokenizer joins pair by pair, in time by the square of their number. */
const longRun = /[\p{L}\p{M}]{256}|[^\s\p{L}\p{N}]{256}|\s{256}/gu

/** A text in parts, none of which has a longer run. */
function* withoutLongRuns(text: string): Generator<string> {
  let start = 0
  for (const { 0: run, index } of text.matchAll(longRun)) {
    yield text.slice(start, index + run.length)
    start = index + run.length
  }
  yield text.slice(start)
}

/**
 * Counts tokens; the tables of the tokenizer are loaded when they are first needed. Each 256 characters of a run that no language has may
 * count for one more.
 */
export async function tokenCounter(): Promise<(text: string) => number> {
  const { countTokens } = await import('gpt-tokenizer')
  // a text may spell what a model would take for a control token
  const count = (part: string): number => countTokens(part, { allowedSpecial: 'all' })
  return (text) => [...withoutLongRuns(text)].reduce((sum, part) => sum + count(part), 0)
}

/** As many entries as fit, in their order and each once, behind what their calls are made of; empty where none fits. */
export async function cardOf(entries: readonly string[], tokens: number, mode: PromptOptions['mode']): Promise<string> {
  if (tokens <= 0 || entries.length === 0) return ''
  const count = await tokenCounter()
  const parts = [surroundings.text, ...(mode === 'full' ? [hostSurroundings.text] : [])]
  let left = tokens - parts.reduce((sum, part) => sum + count(part) + 2, 0)
  const kept: string[] = []
  for (const entry of new Set(entries)) {
    const size = count(entry) + 2
    if (size > left) continue
    left -= size
    kept.push(entry)
  }
  return kept.length === 0 ? '' : [...parts, ...kept].join('\n\n')
}
