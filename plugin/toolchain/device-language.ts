import type { ErrorClass } from '../model/index.ts'
import { readBitcode, type Bitcode, type BitcodeCast } from './bitcode.ts'
import { readNamedTypes } from './debug-types.ts'
import { readFunctions, recursive, type CompiledFunction, type Place, type Use } from './device-functions.ts'
import { hostParts, reachedNames } from './device-object.ts'
import { attributesOfGimple, builtinsOfGimple, callingPointers, castsOfGimple, unreportedOfGimple } from './gimple.ts'
import { entryFile, hostCode } from './entry.ts'
import {
  noAddressSpaces,
  noBorrowedName,
  noCodeAttribute,
  noDefaultArguments,
  noHostInstruction,
  notOfLibrary,
  noUnknownValue,
  noUnreportedAccess,
  noVectors,
} from './host-words.ts'
import { isOnBothSides } from './function-heads.ts'
import type { HeadMacros } from './macros.ts'
import { identifierOf, isOfEmulator, partsOfName } from './mangled.ts'
import { readObjectFile, type ObjectFile, type Section } from './object-file.ts'
import { blankComments, lineJoint } from './text.ts'
import { adviceFor } from './unknown-names.ts'

/** What the compilers made of a kernel, beside what they say of it. */
export interface CompiledKernel {
  object: Buffer
  /** what g++ wrote of its inner form; null for clang, whose object holds it */
  gimple: string | null
  /** the same with what reports loads and stores */
  reports: string | null
  /** names that the runtime defines */
  exports: ReadonlySet<string>
  /** names that the runtime offers, and the compiler for itself */
  isOffered: (name: string) => boolean
  /** true for files of the candidate, as the object names them */
  isOwn: (file: string) => boolean
  /** the lines of such a file, or of one of the C++ library, with blanks for comments, literals and directives */
  linesOf: (file: string) => readonly string[] | undefined
  /** the macros that the candidate defines */
  headMacros: () => HeadMacros
  /** true where the candidate defines a macro of this name that casts ({@link castingMacros}) */
  isCastingMacro: (name: string) => boolean
  /** true where the candidate declares a variable of this name constant, or in global memory */
  isConstant: (variable: string) => boolean
  /** true where the candidate declares a function of this name with `__aicore__` */
  isDeclaredForDevice: (name: string) => boolean
  /** the compiler of CANN 8.3 takes a lambda without `__aicore__` for a function of the host; later ones do not */
  lambdasAreOfHost: boolean
  /** true for files of the C++ library */
  isLibrary: (file: string) => boolean
  /** where the candidate's text has a word as part of a name; file '' where it has not */
  find: (word: string) => Place
}

export interface Finding extends Place {
  class: ErrorClass
  message: string
}

/** What is found in no line of the candidate's. */
const nowhere: Place = { file: '', line: 0 }

const castMessages: Record<BitcodeCast['kind'], string> = {
  unsigned:
    'cast between floating and unsigned integer variable is not allowed in aicore function: convert a signed integer ' +
    '(static_cast<float>(static_cast<int32_t>(n))), or let the host compute the number for the tiling data',
  double:
    'cast to/from double precision floating variable is not allowed in aicore function: the device has no double, ' +
    'and a constant without f (0.5) makes one of a float',
  'computation in double':
    'double precision floating operation is not allowed in aicore function: the device computes with no double, and constants ' +
    'without f (0.5) make doubles of floats',
  'computation in half':
    'half precision operation is not allowed in aicore function: compute in float and cast the result ' +
    '(static_cast<half>(static_cast<float>(a) + static_cast<float>(b)))',
  'variable of double':
    'double precision floating variable is not allowed in aicore function: the device computes with no double, ' +
    'whatever union, auto or decltype makes one',
}

const nested = String.raw`<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>`

/** Begins of casts that somebody wrote, wherever they stand: each is looked at for itself. */
const casting = new RegExp(
  String.raw`(?=(\bstatic_cast ?${nested} ?\(|(?<![\w>)\]])\( ?[\w:]+ ?\)|(?:(?<![\w.>] ?)|(?<=\b(?:return|case|else) ))\b(?:float|half|double|u?int\d*_t|T) ?\())`,
  'g',
)

/** `real(n)`: whatever stands before parentheses around a value alone, that value is not an argument where it is an operand. */
const called = /(?<!\w)(\w+|>) ?\( ?(?:[\w.:[\]]|->|\(\))*$/
const closed = /^(?:[\w.:[\]]|->|\(\))+ ?\)/
const noName = /^(?:if|while|for|switch|return|sizeof|case|else|and|or|not)$/

const macro = /^[ \t]*(?:#|%:)[ \t]*define[ \t]+(\w+)((?!\w).*)$/gm
const castInMacro =
  /\bstatic_cast\b|\([^\S\n]*(?:float|half|u?int\d*_t)[^\S\n]*\)|\b(?:float|half|u?int\d*_t)[^\S\n]*\(/

/** Names of macros that cast, in texts. */
export function castingMacros(texts: readonly string[]): Set<string> {
  const found = new Set<string>()
  for (const text of texts)
    for (const [, name = '', body = ''] of blankComments(text.replace(lineJoint, ' '), true).matchAll(macro))
      if (castInMacro.test(body)) found.add(name)
  return found
}

/** What is cast, up to where clang names its place, from its end on. */
const partOfValue = /[\w.:[\]()]/

/** Of what stands before the place of a cast, blanks left out. */
const longestCast = 500

/** A cast and what it casts may stand in several lines. */
const linesOfCast = 8

/** The same from its beginning on, whose place g++ mostly names. */
const writtenFrom = /^(?:static_cast\s*<|\(\s*[\w:]+\s*\)|(?:float|half|double|u?int\d*_t|T)\s*\()/

/** Does a text end with a cast that somebody wrote, and with what is cast? */
export function endsWithCast(text: string): boolean {
  let from = text.endsWith(' ') ? text.length - 1 : text.length
  for (;;) {
    if (partOfValue.test(text[from - 1] ?? '')) from--
    else if (text.slice(from - 2, from) === '->') from -= 2
    else break
  }
  const isBefore = text[from - 1] === ' '
  for (const { 1: begin = '', index } of text.matchAll(casting)) {
    const end = index + begin.length
    if (end >= from || (isBefore && end === from - 1)) return true
  }
  return false
}

/** `x *= 2.0` computes in double, and nobody casts. */
const compound = /^\s*[-+*/]=/

/**
 * The device's compiler looks at casts that are written, and at values that become what they are stored in, passed as or
 * returned as. Operands of a sum, a product or a comparison become of one type without it: operators of the vendor divide
 * floats by unsigned numbers.
 */
function isAllowed(cast: Omit<BitcodeCast, 'name'> & Place, isClang: boolean, kernel: CompiledKernel): boolean {
  if (cast.kind === 'computation in double' || cast.kind === 'computation in half') return false
  // templates of the vendor move numbers of every type; a function that passes one has no line
  if (cast.kind === 'variable of double') return cast.line !== 0 && !cast.isOperand
  const lines = kernel.linesOf(cast.file) ?? []
  const text = lines[cast.line - 1] ?? ''
  const at = Math.max(0, cast.column - 1)
  // blanks are many at most in macros, whose place is that of their name
  const before = [...lines.slice(Math.max(0, cast.line - 1 - linesOfCast), cast.line - 1), text.slice(0, at)]
    .map((each) => each.slice(-4 * longestCast))
    .join('\n')
    .slice(-4 * longestCast)
    .replace(/\s+/g, ' ')
    .slice(-longestCast)
  const from = text.slice(at, at + longestCast)
  const [, name = ''] = isClang && closed.test(from) ? (called.exec(before) ?? []) : []
  const isWritten =
    endsWithCast(before) ||
    (name !== '' && !noName.test(name)) ||
    kernel.isCastingMacro(/^\w*/.exec(from)?.[0] ?? '') ||
    (!isClang && writtenFrom.test(from))
  return !isWritten && (cast.isOperand || compound.test(from))
}

/** The casts of device code; `device` are its functions. */
function castFindings(
  bitcode: Bitcode | null,
  kernel: CompiledKernel,
  { object, device }: { object: ObjectFile; device: ReadonlyMap<string, Place | undefined> },
): Finding[] {
  const casts = bitcode
    ? bitcode.casts.flatMap((cast) => {
        const file = device.get(cast.name)?.file
        return file === undefined ? [] : [{ ...cast, file }]
      })
    : castsOfGimple(kernel.gimple ?? '', readNamedTypes(object), (name) => device.has(name))
        .map((cast) => (cast.line === 0 ? { ...cast, file: device.get(cast.name)?.file ?? '' } : cast))
        .filter(({ file }) => kernel.isOwn(file))
  return casts
    .filter((cast) => !isAllowed(cast, bitcode !== null, kernel))
    .map(({ name, file, line, kind }): Finding => {
      return { file, line: line || (device.get(name)?.line ?? 0), class: 'data-type', message: castMessages[kind] }
    })
}

/** A head of more lines that are not blank, or more characters of one, is none that anybody wrote. */
const headLines = 12
const longestHead = 4000

/** A file, as far as heads in it are looked for. */
interface HeadFile {
  /** for each line the one before it that is not blank; -1 for none */
  before: Int32Array
  /** by line: many functions stand in one */
  heads: Map<number, string>
}

const headFiles = new WeakMap<readonly string[], HeadFile>()

function headFile(lines: readonly string[]): HeadFile {
  const known = headFiles.get(lines)
  if (known) return known
  const before = new Int32Array(lines.length)
  let last = -1
  for (const [index, line] of lines.entries()) {
    before[index] = last
    if (/\S/.test(line)) last = index
  }
  const file = { before, heads: new Map<number, string>() }
  headFiles.set(lines, file)
  return file
}

/** The text in front of the body of a function, back to the end of what stands before it; undefined where nobody has it. */
function headOf({ place }: CompiledFunction, kernel: CompiledKernel): string | undefined {
  const lines = place && kernel.linesOf(place.file)
  if (!lines) return undefined
  const file = headFile(lines)
  let head = file.heads.get(place.line)
  if (head === undefined) file.heads.set(place.line, (head = headAt(place.line - 1, lines, file)))
  return head
}

function headAt(index: number, lines: readonly string[], { before }: HeadFile): string {
  const [above, line = ''] = [[] as string[], lines[index]]
  for (let at = before[index] ?? -1; at >= 0 && above.length < headLines; at = before[at]!)
    above.unshift(lines[at]!.trimEnd().slice(-longestHead))
  // some write the body on a line of its own, and compilers say that the function is there
  const parameters = line.search(/[({]/)
  const from = Math.max(0, parameters - longestHead)
  const at = line.slice(from, Math.max(0, parameters) + longestHead)
  const all = [...above, at].join('\n')
  const end = all.length - at.length + Math.max(0, parameters - from)
  const start = Math.max(...[';', '}', '{'].map((mark) => all.lastIndexOf(mark, end - 1)))
  return all.slice(start + 1)
}

/** `…$_0clE…`, `…UlvE_clE…`, `…UlT_E_clIiE…`: the call operator of a lambda, which may be generic. */
function isLambda(name: string): boolean {
  const before = name.slice(0, Math.max(0, name.lastIndexOf('clE'), name.lastIndexOf('clI')))
  const at = before.indexOf('Ul')
  return /\$_\d/.test(before) || (at >= 0 && /E\d*_/.test(before.slice(at + 2)))
}

/** A constructor without parameters that does nothing but initialise members: operators of the vendor have such. */
const isPlainConstructor = ({ name, uses }: CompiledFunction): boolean => /C[12]Ev$/.test(name) && uses.length === 0

/** What the C++ library writes for `constexpr`, up to C++17. */
const libraryConstexpr =
  /\b_GLIBCXX(?:1[47])?_(?:USE_)?CONSTEXPR\b|\b_LIBCPP_CONSTEXPR(?:_(?:SINCE|AFTER)_CXX(?:11|14|17))?\b/

/**
 * True for functions that are on the device without being declared so: constexpr, lambdas, specialisations, those that the
 * compiler adds to classes, and what macros define, whose name does not stand where the function does.
 */
function isImplicitlyDevice(found: CompiledFunction, kernel: CompiledKernel): boolean {
  const known = implicit.get(found)
  if (known !== undefined) return known
  const isDevice = isImplicit(found, kernel)
  implicit.set(found, isDevice)
  return isDevice
}

/** Asked at each call; the functions are those of one object. What is read of their places is kept by these. */
const implicit = new WeakMap<CompiledFunction, boolean>()

function isImplicit(found: CompiledFunction, kernel: CompiledKernel): boolean {
  if (isOfEmulator(found.name) || isLambda(found.name) || isPlainConstructor(found)) return true
  const { place } = found
  const lines = place && kernel.linesOf(place.file)
  if (!place || !lines) return true
  if (!kernel.isLibrary(place.file)) return isOnBothSides(found.name, lines, place.line, kernel.headMacros())
  const [head = '', name] = [headOf(found, kernel), identifierOf(found.name)]
  if (libraryConstexpr.test(head) || /\bconstexpr\b|\btemplate\s*<\s*>|=\s*default\b/.test(head)) return true
  return name === '' || !new RegExp(`\\b${name}\\s*\\(`).test(head)
}

/** What functions come to that only a host has, each with the nearest: the allocation of memory, if that is among it. */
function hostSymbols(functions: readonly CompiledFunction[], kernel: CompiledKernel): Map<CompiledFunction, string> {
  const callers = new Map<CompiledFunction, Set<CompiledFunction>>()
  const [allocating, others] = [new Map<CompiledFunction, string>(), new Map<CompiledFunction, string>()]
  for (const each of functions)
    for (const { to } of each.uses) {
      if (to.kind === 'function') callers.set(to.called, (callers.get(to.called) ?? new Set()).add(each))
      if (to.kind !== 'elsewhere' || kernel.isOffered(to.name)) continue
      const found = allocation.test(to.name) ? allocating : others
      if (!found.has(each)) found.set(each, to.name)
    }
  for (const found of [allocating, others])
    for (const [each, symbol] of found)
      for (const caller of callers.get(each) ?? []) if (!found.has(caller)) found.set(caller, symbol)
  return new Map([...others, ...allocating])
}

const allocation = /^(?:_Zn[wa]m|_Zd[la]Pv|malloc$|calloc$|realloc$|free$)/

const noHost = 'a function of the host cannot be called on the device'

function hostCall(name: string, symbol: string): Pick<Finding, 'class' | 'message'> {
  if (allocation.test(symbol))
    return {
      class: 'language',
      message: `no memory can be allocated on the device${name === symbol ? '' : `, as ${identifierOf(name)} does`}: use arrays of constant length and buffers of TPipe`,
    }
  if (symbol.startsWith('__cxa_guard')) return { class: 'language', message: staticLocal }
  const called = identifierOf(name)
  const advice = adviceFor(called)
  return {
    class: 'language',
    message: `no matching function for call to '${called}': ${noHost}${advice === undefined ? '' : `: ${advice}`}`,
  }
}

const staticLocal =
  'a static local variable is not allowed in aicore function: make it constexpr, or a member of the kernel class'

/** Of the runtime, or for the linker to tell: what is declared for the device and defined nowhere, not every half of a kernel meets. */
const isOffered = (name: string, kernel: CompiledKernel): boolean =>
  kernel.isOffered(name) || (name.startsWith('_Z') && kernel.isDeclaredForDevice(identifierOf(name)))

const launching =
  'this launches a kernel, or is a function that does so by its text: it is code of the host, which the device does not run'

/** What `__builtin_constant_p` comes to with g++ where the value is not constant (`ascendc/host_only.h`). */
const unknownConstant = '_ZN7npu_emu15unknownConstantEv'

function useFindings(
  use: Use,
  kernel: CompiledKernel,
  symbolOf: (found: CompiledFunction) => string | undefined,
): Pick<Finding, 'class' | 'message'> | null {
  const { to } = use
  if (to.kind === 'table of virtual functions')
    return {
      class: 'language',
      message: `class ${identifierOf(to.name)} has virtual functions or bases, which the device does not support: use templates`,
    }
  if (to.kind === 'variable') {
    if (to.name.startsWith('_ZZ') || to.name.startsWith('_ZGV')) return { class: 'language', message: staticLocal }
    // a name that cannot be read is none that anybody has declared constant
    const variable = identifierOf(to.name) || to.name
    if (kernel.isConstant(variable)) return null
    return {
      class: 'language',
      message: `global variable '${variable}' is not allowed in aicore function: make it constexpr, or a member of the kernel class`,
    }
  }
  if (to.kind === 'elsewhere') {
    return isOffered(to.name, kernel) ? null : hostCall(to.name, to.name)
  }
  const { called } = to
  if (called.name.includes(hostCode)) return { class: 'language', message: launching }
  if (called.name === unknownConstant) return { class: 'language', message: noUnknownValue('__builtin_constant_p') }
  if (!called.place) return null
  if (kernel.isOwn(called.place.file)) {
    if (called.isDevice || isImplicitlyDevice(called, kernel)) return null
    return { class: 'language', message: notDeclared(called) }
  }
  if (!kernel.isLibrary(called.place.file)) return null
  const symbol = symbolOf(called)
  if (symbol !== undefined) return hostCall(called.name, symbol)
  // those of the library are declared for nothing but the host; what is constexpr is on both sides
  return called.isDevice || isImplicitlyDevice(called, kernel) ? null : hostCall(called.name, called.name)
}

/**
 * Functions of the candidate that run on the device: what is declared so, and what these come to of what need not be, be it by way
 * of templates of a library, which are given functors and operators.
 */
function deviceFunctions(functions: readonly CompiledFunction[], kernel: CompiledKernel): CompiledFunction[] {
  const isOwn = (each: CompiledFunction): boolean => each.place !== undefined && kernel.isOwn(each.place.file)
  const reached = new Set(functions.filter((each) => isOwn(each) && (each.isDevice || each.place?.file === entryFile)))
  for (const from of reached)
    for (const to of from.refersTo)
      // what a function of the candidate calls that is the host's is told in its line
      if (!isOwn(from) || !isOwn(to) || isImplicitlyDevice(to, kernel)) reached.add(to)
  return [...reached].filter(isOwn)
}

/** What a library is given that calls it on the device, and that is declared for the host alone. */
function givenFindings(device: readonly CompiledFunction[], kernel: CompiledKernel): Finding[] {
  return device.flatMap((found): Finding[] => {
    if (!found.place || found.isDevice || found.place.file === entryFile || isImplicitlyDevice(found, kernel)) return []
    return [{ ...found.place, class: 'language', message: notDeclared(found) }]
  })
}

function notDeclared({ name: mangled }: CompiledFunction): string {
  const parts = partsOfName(mangled)
  const name = parts?.kind === 'operator' ? 'operator' : (parts?.name ?? identifierOf(mangled))
  return `no matching function for call to '${name}': ${name} is not declared with __aicore__, and ${noHost}`
}

/** `Select<float, float>` and the like: the second argument is the type of the mask. */
const selectOfMask = /^_ZN7AscendC6SelectI(?:f|DF16_)([a-z])/

/** A mask of these types is documented; the vendor's library has an assertion for the others in debug builds alone. */
const maskTypes = 'ahtjm'

function warningOf({ to }: Use): string | null {
  const type = to.kind === 'function' ? selectOfMask.exec(to.called.name)?.[1] : undefined
  return type === undefined || maskTypes.includes(type)
    ? null
    : 'the mask of Select is a LocalTensor of an unsigned integer type: the bits of this one are taken as they are'
}

/** Functions of the API, but for what makes, copies and ends its objects. */
const isOfApi = (name: string): boolean => /^_ZNK?7AscendC/.test(name) && !/[CD][0-3]E/.test(name)

/** Calls of functions of the device by lambdas that are none. */
function lambdaFindings(found: CompiledFunction, kernel: CompiledKernel): Finding[] {
  if (found.isDevice || !isLambda(found.name) || /aicore/.test(headOf(found, kernel) ?? '')) return []
  return found.uses.flatMap(({ to, file, line }): Finding[] => {
    const name = to.kind === 'function' ? to.called.name : to.kind === 'elsewhere' ? to.name : ''
    const isDevice = isOfApi(name) || (to.kind === 'function' && to.called.isDevice)
    if (!isDevice || !kernel.isOwn(file)) return []
    const called = identifierOf(name)
    const message = `no matching function for call to '${called}' from a lambda: declare the lambda with __aicore__ behind its parameters, or write a function`
    return [{ file, line, class: 'language', message }]
  })
}

/** In the order of the files and lines, each once. */
function inOrder(findings: readonly Finding[]): Finding[] {
  const unique = [...new Map(findings.map((item) => [JSON.stringify(item), item])).values()]
  const files = new Map([...new Set(unique.map(({ file }) => file))].map((file, index) => [file, index]))
  const order = ({ file }: Finding): number => files.get(file) ?? 0
  return unique.sort((a, b) => order(a) - order(b) || a.line - b.line).slice(0, mostFindings)
}

/** As many as the compilers tell. */
const mostFindings = 20

const unreadable: Finding = {
  ...nowhere,
  class: 'language',
  message:
    'what the compiler has made of the kernel cannot be read: leave out attributes that name sections or symbols',
}

/** What clang has for every device: numbers, memory, and notes for its optimiser. */
const usualIntrinsic =
  /^llvm\.(?:abs|annotation|assume|bitreverse|bswap|canonicalize|ceil|convert|copysign|cos|ct(?:lz|pop|tz)|dbg|exp|exp2|exp10|expect|experimental\.noalias|fabs|floor|fma|fsh[lr]|invariant|is\.(?:constant|fpclass)|launder|lifetime|ll?r(?:int|ound)|ldexp|frexp|log|log2|log10|max(?:imum|num)|mem(?:cpy|move|set)|min(?:imum|num)|nearbyint|objectsize|pow|powi|prefetch|ptr|rint|round|roundeven|[su](?:add|sub|mul|max|min|shl|div)|sin|sqrt|stack(?:restore|save)|strip|threadlocal|trap|trunc|ubsantrap|var)\b/

/** What changes how a function is compiled. */
const codeAttribute =
  /^(?:always_inline|optimize|target|target_clones|naked|ifunc|simd|patchable_function_entry|no_sanitize\w*|no_instrument\w*)$/

/** What functions of the headers call is put into them, as somebody asks who instantiates one. */
const flattenedFinding = (kernel: CompiledKernel): Finding => {
  return { ...kernel.find('flatten'), class: 'language', message: noCodeAttribute('flatten') }
}

/** What asks for a value that only a compiler which optimises may know. */
const askingBuiltins: Readonly<Record<string, string>> = {
  'is.constant': '__builtin_constant_p',
  objectsize: '__builtin_object_size',
}

/** Builtin functions and attributes of the host, as far as clang has kept them apart. */
function bitcodeFindings(
  bitcode: Bitcode,
  kernel: CompiledKernel,
  places: ReadonlyMap<string, Place | undefined>,
): Finding[] {
  if (!bitcode.isWhole) return [unreadable]
  const found = bitcode.intrinsics
    .filter((name) => !usualIntrinsic.test(name))
    .map((name): Finding => {
      const [, word = name] = /^llvm\.(?:(?:x86|aarch64)\.)?(\w+)/.exec(name) ?? []
      return { ...kernel.find(word), class: 'language', message: noHostInstruction(`__builtin_${word}`) }
    })
  const wrong = [
    ...(bitcode.hasVectors ? [{ word: 'vector', message: noVectors }] : []),
    ...(bitcode.hasAddressSpaces ? [{ word: 'address_space', message: noAddressSpaces }] : []),
    ...(bitcode.processors.length > 0 ? [{ word: 'target', message: noCodeAttribute('target') }] : []),
    ...(bitcode.hasNaked ? [{ word: 'naked', message: noCodeAttribute('naked') }] : []),
  ]
  const ofFunctions = (names: readonly string[], message: string): Finding[] =>
    names.map((name) => ({ ...kernel.find(identifierOf(name)), class: 'language', message }))
  return [
    ...found,
    // what the library declares is compiled as the library, whoever defines it
    ...ofFunctions(bitcode.rewritten, notOfLibrary),
    ...ofFunctions(bitcode.unreported, noCodeAttribute('no_sanitize')),
    ...ofFunctions(bitcode.inlined, noCodeAttribute('always_inline')),
    ...bitcode.flattened.map(() => flattenedFinding(kernel)),
    ...bitcode.defaulted.map((name): Finding => {
      return { ...(places.get(name) ?? nowhere), class: 'language', message: noDefaultArguments }
    }),
    ...bitcode.asking.map(({ name, intrinsic, line }): Finding => {
      const place = { file: places.get(name)?.file ?? '', line }
      return { ...place, class: 'language', message: noUnknownValue(askingBuiltins[intrinsic] ?? intrinsic) }
    }),
    ...ofFunctions(bitcode.borrowed, noBorrowedName),
    ...wrong.map(({ word, message }): Finding => ({ ...kernel.find(word), class: 'language', message })),
  ]
}

/**
 * What g++ has for every device. Not among them are those of a processor, of frames, and what copies and compares memory: it is
 * written out where it is called, and reports nothing.
 */
const usualBuiltin =
  /^(?:_?alloca\w*|stack_(?:save|restore)|assume_aligned|bswap\d+|(?:clrsb|clz|ctz|ffs|parity|popcount)l{0,2}|constant_p|expect\w*|is_constant_evaluated|launder|prefetch|trap|unreachable|[su]?(?:add|sub|mul)l{0,2}_overflow\w*|l{0,2}abs|(?:ceil|copysign|cos|exp|exp2|fabs|floor|fma|fmax|fmin|frexp|ldexp|log|log2|log10|l{1,2}r(?:int|ound)|nearbyint|pow|powi|rint|round|roundeven|sin|sqrt|tan|tanh|trunc)f?|huge_valf?|inff?|nanf?|(?:is(?:finite|inf|inf_sign|nan|normal|unordered|greater|greaterequal|less|lessequal|lessgreater)|signbit|fpclassify)f?|__tsan_\w+|va_end)$/

/** The same in what g++ has written. */
function gimpleFindings(gimple: string, kernel: CompiledKernel, functions: readonly CompiledFunction[]): Finding[] {
  const places = new Map(functions.map(({ name, place }) => [name, place]))
  const isOwn = (name: string): boolean => kernel.isOwn(places.get(name)?.file ?? '')
  const all = attributesOfGimple(gimple)
  const attributes = all
    // those of our headers tell the device themselves what they load and store
    .filter(({ name, attribute }) => codeAttribute.test(attribute) && isOwn(name))
    .map(({ name, attribute }): Finding => {
      return { ...(places.get(name) ?? nowhere), class: 'language', message: noCodeAttribute(attribute) }
    })
  const isFlattened = all.some(({ name, attribute }) => attribute === 'flatten' && !isOwn(name))
  const isVector = /\bvector\(\d+\) /.test(gimple)
  const place = [...places].find(([name]) => isVector && vectorFunction(gimple, name))?.[1]
  const builtins = builtinsOfGimple(gimple)
    .filter(({ caller, name }) => !usualBuiltin.test(name) && kernel.isOwn(places.get(caller)?.file ?? ''))
    .map(({ caller, name, file, line }): Finding => {
      const place = kernel.isOwn(file) ? { file, line } : (places.get(caller) ?? nowhere)
      const isAsking = /^(?:dynamic_)?object_size$/.test(name)
      const message = isAsking ? noUnknownValue : noHostInstruction
      return { ...place, class: 'language', message: message(`__builtin_${name}`) }
    })
  const accesses = unreportedOfGimple(kernel.reports ?? '').map(({ name, file, line }): Finding => {
    const place = kernel.isOwn(file) ? { file, line } : isOwn(name) ? (places.get(name) ?? nowhere) : nowhere
    return { ...place, class: 'language', message: noUnreportedAccess }
  })
  return [
    ...attributes,
    ...accesses,
    ...(isFlattened ? [flattenedFinding(kernel)] : []),
    ...builtins,
    ...(isVector ? [{ ...(place ?? nowhere), class: 'language' as const, message: noVectors }] : []),
  ]
}

/** Whether the function of this name computes with vectors. */
function vectorFunction(gimple: string, name: string): boolean {
  const from = gimple.indexOf(`(${name}, funcdef_no=`)
  const end = gimple.indexOf(';; Function', from)
  return from >= 0 && /\bvector\(\d+\) /.test(gimple.slice(from, end < 0 ? undefined : end))
}

/** What an object has or comes to that no kernel needs, told where the function begins that has it. */
function objectFindings(
  object: ObjectFile,
  kernel: CompiledKernel,
  { functions, device }: { functions: readonly CompiledFunction[]; device: readonly CompiledFunction[] },
): Finding[] {
  const bySection = new Map(functions.map((each) => [each.section, each]))
  const ofSection = (section: Section | undefined): CompiledFunction | undefined => bySection.get(section?.index ?? -1)
  const isOwn = (section: Section | undefined): boolean => kernel.isOwn(ofSection(section)?.place?.file ?? '<none>')
  const placeOf = (section: Section | undefined, name: string): Place => {
    const place = ofSection(section)?.place
    return place && kernel.isOwn(place.file) ? place : kernel.find(name)
  }
  const parts = hostParts(object, {
    isOwn: ({ section }) => isOwn(section ?? undefined),
    isClang: kernel.gimple === null,
    exports: kernel.exports,
  })
  const found = parts.map(({ message, name, section }): Finding => {
    return { ...placeOf(section, name), class: 'language', message }
  })
  const ofDevice = new Set(device)
  const roots = object.sections.filter(({ index }) => {
    const each = bySection.get(index)
    return each !== undefined && (ofDevice.has(each) || each.isDevice || each.name.startsWith('npu_emu_'))
  })
  for (const [name, section] of reachedNames(object, roots)) {
    if (!isOffered(name, kernel)) found.push({ ...placeOf(section, identifierOf(name)), ...hostCall(name, name) })
  }
  return found
}

/** What a kernel uses of C++ that the device does not have; files as the object names them. */
export function checkLanguage(kernel: CompiledKernel): { errors: Finding[]; warnings: Finding[] } {
  const object = readObjectFile(kernel.object)
  if (!object) return { errors: [unreadable], warnings: [] }
  const functions = readFunctions(object, kernel.gimple === null)
  const device = deviceFunctions(functions, kernel)
  const places = new Map(device.map(({ name, place }) => [name, place]))
  const section = object.sections.find(({ name }) => name === '.llvmbc')
  const followsCalls = functions.some(({ isPointedTo }) => isPointedTo)
  const bitcode =
    kernel.gimple !== null
      ? null
      : readBitcode(section?.bytes ?? Buffer.alloc(0), (name) => places.has(name), followsCalls)
  if (bitcode) {
    // tuples of C++ are made of as many as they hold
    const ofLibrary = new Set(
      functions.flatMap(({ name, place }) => (place && !kernel.isOwn(place.file) ? [name] : [])),
    )
    bitcode.defaulted = bitcode.defaulted.filter((name) => !ofLibrary.has(name))
  }
  const errors: Finding[] = [
    ...givenFindings(device, kernel),
    ...castFindings(bitcode, kernel, { object, device: places }),
  ]
  const warnings: Finding[] = []
  let symbols: Map<CompiledFunction, string> | undefined
  for (const use of device.flatMap(({ uses }) => uses).filter(({ file }) => kernel.isOwn(file))) {
    const { file, line } = use
    const what = useFindings(use, kernel, (called) => (symbols ??= hostSymbols(functions, kernel)).get(called))
    if (what) errors.push({ ...what, file, line })
    const message = warningOf(use)
    if (message !== null) warnings.push({ class: 'data-type', message, file, line })
  }
  /** As arguments of one call they would be too many for the engine. */
  const add = (findings: readonly Finding[]): void => findings.forEach((each) => errors.push(each))
  if (kernel.lambdasAreOfHost) add(device.flatMap((each) => lambdaFindings(each, kernel)))
  const pointers = new Set(bitcode ? bitcode.callingPointers : callingPointers(kernel.gimple ?? ''))
  const isRecursive = new Set([
    ...recursive(functions, pointers).map(({ name }) => name),
    ...(bitcode?.recursive ?? []),
  ])
  for (const { name, place } of device.filter((each) => isRecursive.has(each.name))) {
    const message = `${identifierOf(name) || 'a lambda'} calls itself, and the device does not support recursion: use a loop`
    if (place) errors.push({ ...place, class: 'language', message })
  }
  // what has been said of a line already is not said again in other words
  if (errors.length === 0) {
    if (bitcode) add(bitcodeFindings(bitcode, kernel, places))
    if (kernel.gimple !== null) add(gimpleFindings(kernel.gimple, kernel, functions))
    add(objectFindings(object, kernel, { functions, device }))
  }
  return { errors: inOrder(errors), warnings: inOrder(warnings) }
}
