import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isInside } from '../files/index.ts'
import { groupedBy } from '../model/index.ts'
import type { Compiler } from './compiler.ts'
import { isPasting, namesEmulator, pastedBeginning, pastesEmulator } from './emulator-names.ts'
import type { HeaderKind } from './flags.ts'
import { noAssembly, noBorrowedName, noEmulatorNames, noHostInstruction, noOtherHeaders } from './host-words.ts'
import { asksForTimes, beginsInRawLine, endsHeaderElsewhere } from './line-directives.ts'
import { reading } from './reading-time.ts'
import { blankComments, gap, lineJoint } from './text.ts'
import {
  asksCompiler,
  isDefinedAlike,
  isDefinedThere,
  isGuardOfVendor,
  isOfBothCompilers,
  isReserved,
} from './vendor-macros.ts'

/** A text of the candidate, by its absolute path; that of compile options has none. */
export interface AskingText {
  path?: string
  text: string
}

/** What texts may ask a build for. */
export interface AskedBuild {
  kind: HeaderKind
  compiler: Pick<Compiler, 'family' | 'includeDirs'>
  /** macros that are there before a text is read, but for those of the emulator's headers */
  predefined: ReadonlySet<string>
  /** names that texts around the candidate define */
  defined: ReadonlySet<string>
  /** names that the vendor's build gives another meaning: those of the kernel */
  renamed: readonly string[]
  /** folders of the candidate */
  roots: readonly string[]
  /** folders of compile options */
  includes: readonly string[]
  /** other folders in which a header may be found here */
  searched: readonly string[]
  /** is a header one of the vendor's library, by the name that it is included by? */
  isOfLibrary: (name: string) => boolean
  /** is it one that the emulator has for itself? */
  isOfEmulator: (name: string) => boolean
}

/** What a text asks for that a build of the vendor's answers in another way, or may. */
export interface AskingProblem {
  message: string
  path?: string
  line?: number
}

const stageOf = ({ kind }: AskedBuild): 'host' | 'kernel' => (kind === 'host' ? 'host' : 'kernel')

/** Stands for a line feed that joins two lines, also within a word. */
const joint = '\f'
const word = /[A-Za-z_$\x80-\uffff][\w$\f\x80-\uffff]*|\d[\w$\f]*/g
/** A gap may be a joint. */
const directive = new RegExp(String.raw`^${gap}*(?:#|%:)${gap}*([a-z\f]+)(.*)$`, 's')

interface Place {
  path?: string | undefined
  line: number
}

interface Word extends Place {
  name: string
}

interface Definition extends Word {
  body: string[]
  pastes: boolean
}

/** What a text says, by its words. */
class Read {
  readonly words = new Map<string, Place>()
  readonly conditions: Word[] = []
  /** of conditions, words that are asked for nothing but whether they are defined */
  readonly definedOnly: Word[] = []
  readonly definitions: Definition[] = []
  /** macros that are taken back */
  readonly undefined: Word[] = []

  add(path: string | undefined, code: string): void {
    let line = 1
    for (const logical of code.split('\n')) {
      this.#addLine(logical, path, line)
      line += logical.split(joint).length
    }
  }

  #addLine(logical: string, path: string | undefined, line: number): void {
    const [, said = '', rest = ''] = directive.exec(logical) ?? []
    const name = said.replaceAll(joint, '')
    const isCondition = /^(?:el)?if(?:n?def)?$/.test(name)
    const found = [...(said === '' ? logical : rest).matchAll(word)].map((match): Word & { before: string } => ({
      name: match[0].replaceAll(joint, ''),
      path,
      line,
      before: (said === '' ? logical : rest).slice(Math.max(0, match.index - 80), match.index),
    }))
    if (name === 'define') {
      const [head, ...body] = found
      if (head) this.definitions.push({ ...head, body: body.map((each) => each.name), pastes: isPasting(rest) })
      for (const each of body) if (!this.words.has(each.name)) this.words.set(each.name, each)
      return
    }
    if (name === 'undef') for (const each of found) this.undefined.push(each)
    for (const each of found) {
      const isAsked = isCondition && (name.endsWith('def') || /\bdefined[\s\f(]*$/.test(each.before))
      if (isAsked) this.definedOnly.push(each)
      else if (isCondition) this.conditions.push(each)
      if (!isAsked && !this.words.has(each.name)) this.words.set(each.name, each)
    }
  }

  /** All that conditions ask for, also by macros of the candidate. */
  asked(): Word[] {
    const byName = groupedBy(this.definitions, ({ name }) => name)
    const known = new Set<string>()
    const asked = [...this.conditions, ...this.definedOnly]
    for (const { name, path, line } of asked) {
      if (known.has(name)) continue
      known.add(name)
      for (const { body } of byName.get(name) ?? [])
        for (const each of body) if (!known.has(each)) asked.push({ name: each, path, line })
    }
    return asked
  }
}

const untold = (name: string): string =>
  `${name} tells how a build compiles, and the vendor's compiles otherwise: leave it out`

const elsewhere = (name: string): string =>
  `${name} is a name of the vendor's build, which has it defined where it is not defined here: leave out the condition, or take another name`

const pasted = 'a condition on a name that is pasted cannot be told: write the name'

const notPasted = (name: string): string => `words that may be pasted to ${name} are not allowed: give them other names`

/** What names of the host's processor and of what compilers add begin with. */
const beginningsOfHost = [
  ...['ia32', 'arm', 'aarch64', 'neon', 'sve', 'sme'].map((machine) => `__builtin_${machine}_`),
  ...['asan', 'tsan', 'msan', 'hwasan', 'ubsan', 'sanitizer'].map((tool) => `__${tool}_`),
]

/** Why a kernel cannot have a word; undefined where it can. The label of a name, `__asm`, may be that of any function. */
function whyNotOnDevice(name: string): string | undefined {
  if (name === '__asm') return noAssembly
  if (!beginningsOfHost.some((beginning) => name.startsWith(beginning))) return undefined
  return name.startsWith('__builtin_') ? noHostInstruction(name) : noBorrowedName
}

/** Names of the compiler that it would not know as its own again. */
const ofCompiler = /^__builtin_/

const notRedefined = (name: string): string => `${name} is a name of the compiler: no macro can have it`

/** Words of the host's in a kernel. */
function hostProblem(read: Read, texts: readonly AskingText[]): AskingProblem | undefined {
  for (const each of [...read.words].map(([name, place]) => ({ ...place, name }))) {
    const message = whyNotOnDevice(each.name)
    if (message !== undefined) return { message, ...placed(each) }
  }
  const defined = [...read.definitions, ...read.undefined].find(({ name }) => ofCompiler.test(name))
  if (defined) return { message: notRedefined(defined.name), ...placed(defined) }
  const beginning = pastedBeginning(
    texts.map(({ text }) => text),
    beginningsOfHost,
  )
  const place = read.definitions.find(({ pastes }) => pastes)
  return beginning === undefined ? undefined : { message: notPasted(`${beginning}…`), ...(place && placed(place)) }
}

/** Texts that a compiler makes, which are others in the vendor's build. */
const madeTexts = ['__FILE__', '__PRETTY_FUNCTION__', '__func__', '__FUNCTION__']

const onlyPrinted = (name: string): string =>
  `${name} is another text in the vendor's build: give it to what prints, such as printf, and to nothing else`

/** Functions and macros of the library, and of C, that print what they are given. */
const printing =
  /^(?:f?printf|PRINTF|assert|ASSERT(?:_MSG)?|ascendc_assert|ASCENDC_(?:DEBUG_)?ASSERT|KERNEL_LOG|OPS?_(?:LOG|CHECK|EVENT|REPORT)\w*|GE_?LOG\w*|GELOG\w*|D?log\w*|Dlog\w*|REPORT_\w+|\w+_INNER_ERR_REPORT\w*|OpLogSub)$/

const wordBefore = (code: string, at: number): string =>
  code
    .slice(Math.max(0, at - 200), at)
    .trimEnd()
    .split(/[^\w$]/)
    .at(-1) ?? ''

/** The name of the call in whose arguments a place stands; that of the statement where it is printed by `<<`. */
function printerAt(code: string, at: number): string {
  let open = 0
  for (let i = at - 1; i >= 0 && i > at - 4000; i--) {
    const char = code[i]!
    if (char === ')') open++
    else if (char === '(' && open > 0) open--
    else if (char === '(') return wordBefore(code, i)
    else if (char === ';' || char === '{' || char === '}') break
  }
  const statement =
    code
      .slice(Math.max(0, at - 1000), at)
      .split(/[;{}]/)
      .at(-1) ?? ''
  return /\b(?:cout|cerr|clog)\b[^=?]*<<\s*$/.test(statement) ? 'printf' : ''
}

/** The first text that a compiler makes which is not just printed. */
function misusedText(
  code: string,
  kind: HeaderKind,
  own: ReadonlySet<string>,
): { name: string; at: number } | undefined {
  const names = kind === 'host' ? madeTexts.slice(0, 2) : madeTexts
  for (const { 0: name, index } of code.matchAll(
    new RegExp(`(?<![\\w$])(?:${names.join('|')}|__COUNTER__)(?![\\w$])`, 'g'),
  )) {
    const isArgument = /[(,]\s*$|<<\s*$/.test(code.slice(Math.max(0, index - 200), index))
    const isWhole = /^\s*(?:[,)]|<<)/.test(code.slice(index + name.length, index + name.length + 200))
    if (name === '__COUNTER__' ? isArgument && isWhole : isArgument && isWhole && isPrinted(code, index, own)) continue
    return { name, at: index }
  }
  return undefined
}

function isPrinted(code: string, at: number, own: ReadonlySet<string>): boolean {
  const printer = printerAt(code, at)
  return printing.test(printer) && !own.has(printer)
}

/** Can a name be put together of words? Numbers may come of the compiler's own. */
function isMadeOf(name: string, words: ReadonlySet<string>): boolean {
  const reached = [true]
  for (let end = 1; end <= name.length; end++)
    reached[end] = reached.some((is, from) => {
      if (!is || from >= end || (from === 0 && end === name.length)) return false
      const piece = name.slice(from, end)
      return words.has(piece) || (from > 0 && /^\d+$/.test(piece))
    })
  return reached[name.length] ?? false
}

/** Names by which a text asks the compiler, for words that are pasted. */
const asking =
  '__has_feature __has_extension __has_builtin __has_attribute __has_cpp_attribute __has_include __is_identifier __INCLUDE_LEVEL__ __OPTIMIZE__ __NO_INLINE__ __builtin_FILE __builtin_FUNCTION __clang__ _FORTIFY_SOURCE DETERMINISTIC_MODE __asm'
    .split(' ')
    .concat(madeTexts)

/** Headers of C++17 and C that every compiler brings. */
const standardHeaders = new Set(
  `algorithm any array atomic bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits clocale cmath complex
  condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime deque exception execution filesystem
  forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator limits list locale map
  memory memory_resource mutex new numeric optional ostream queue random ratio regex set shared_mutex sstream stack stdexcept
  streambuf string string_view system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility
  valarray variant vector assert.h ctype.h errno.h fenv.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h
  stdarg.h stddef.h stdint.h stdio.h stdlib.h string.h time.h`.split(/\s+/),
)

/** Headers of later standards, which some compilers bring. */
const laterHeaders = new Set(
  `barrier bit compare concepts coroutine debugging expected flat_map flat_set format generator inplace_vector latch linalg mdspan
  numbers print ranges rcu semaphore simd source_location span spanstream stacktrace stdfloat stop_token syncstream text_encoding
  version`.split(/\s+/),
)

/** What headers of the vendor's are called, of which not all are here. */
const likeVendor =
  /^experimental\/|^bits\/|^sys\/|asc|acl|kernel|tiling|graph|register|regist|platform|version|hccl|tensor|matmul|simt|^ge[_/]|^lib\/|^impl\/|^op/i

const otherHeader = (name: string): string =>
  `__has_include(${name}) is answered otherwise by the vendor's build: ask for a file beside this one, or include it`

const exists = async (path: string): Promise<boolean> =>
  await stat(path).then(
    () => true,
    () => false,
  )

/** Does the vendor's build find a header where one does here, or neither? */
async function isFoundAlike(name: string, isQuoted: boolean, path: string, build: AskedBuild): Promise<boolean> {
  const own = [...(isQuoted ? [dirname(path)] : []), ...build.includes].map((folder) => join(folder, name))
  for (const each of own) if (build.roots.some((root) => isInside(each, root)) && (await exists(each))) return true
  if (standardHeaders.has(name) || build.isOfLibrary(name)) return true
  const folders = [dirname(path), ...build.searched, ...build.compiler.includeDirs]
  for (const folder of folders) if (await exists(join(folder, name))) return false
  return !likeVendor.test(name) && !laterHeaders.has(name)
}

/** Each costs some looks at the disk, and nobody asks for so many. */
const mostHeaders = 200

/** A header that a text asks for, or why it cannot be told. */
type AskedHeader = { line: () => number } & ({ problem: string } | { name: string; isQuoted: boolean; shown: string })

/** The headers that a text asks for, each once, up to one that is too many or cannot be told. */
function askedHeaders(text: string): AskedHeader[] {
  if (!text.replace(lineJoint, '').includes('__has_include')) return []
  const plain = blankComments(text).replace(lineJoint, joint)
  const found: AskedHeader[] = []
  const known = new Set<string>()
  for (const { index } of plain.matchAll(/__has_include(?![\w$])/g)) {
    const before = plain.slice(Math.max(0, index - 80), index)
    if (/\b(?:defined[\s(]*|ifn?def\s+)$/.test(before)) continue
    const rest = plain.slice(index, index + 4000).replaceAll(joint, '')
    const [, quoted, angled] = /^__has_include\s*\(\s*(?:"([^"\n]*)"|<([^>\n]*)>)\s*\)/.exec(rest) ?? []
    const name = quoted ?? angled
    const line = (): number => plain.slice(0, index).split(/[\n\f]/).length
    if (name === undefined)
      return [...found, { problem: 'the header of __has_include cannot be told: write its name', line }]
    const shown = quoted === undefined ? `<${name}>` : `"${name}"`
    if (known.has(shown)) continue
    known.add(shown)
    if (known.size > mostHeaders)
      return [
        ...found,
        { problem: `__has_include asks for more than ${mostHeaders} headers: include those that are needed`, line },
      ]
    found.push({ name, isQuoted: quoted !== undefined, shown, line })
  }
  return found
}

/** The first header that is asked for otherwise. */
async function askedHeader(path: string, text: string, build: AskedBuild): Promise<AskingProblem | undefined> {
  for (const each of reading(stageOf(build), () => askedHeaders(text))) {
    if ('problem' in each) return { message: each.problem, path, line: each.line() }
    const { name, isQuoted, shown, line } = each
    if (!(await isFoundAlike(name, isQuoted, path, build)))
      return { message: otherHeader(shown.slice(0, 200)), path, line: line() }
  }
  return undefined
}

/** Names of headers in directives: those that are included, also by macros. */
const namedHeader = /^[ \t]*(?:#|%:)[ \t]*(?:include\w*|import|define)\b[^\n"<]{0,999}["<]([^"<>\n]{1,200})[">]/gm

/** Headers of the vendor's toolkit that declare nothing of a kernel's. */
const ofEveryProgram = new Set(['math.h', 'securec.h'])

/** May a text include a header of the device's library? One that is named by a macro may be any. */
export function mayIncludeLibrary(text: string, isOfLibrary: (name: string) => boolean): boolean {
  const plain = blankComments(text).replace(lineJoint, '')
  if (/^[ \t]*(?:#|%:)[ \t]*include\w*[ \t]*[A-Za-z_]/m.test(plain)) return true
  return [...plain.matchAll(namedHeader)].some(([, name = '']) => isOfLibrary(name) && !ofEveryProgram.has(name))
}

/** The first header of the emulator's own that a text includes, and the candidate does not have. */
async function emulatorHeader(path: string, text: string, build: AskedBuild): Promise<AskingProblem | undefined> {
  const included = reading(stageOf(build), () => {
    const plain = blankComments(text)
    const found = new Map<string, () => number>()
    for (const { 1: name = '', index } of plain.matchAll(namedHeader))
      if (!found.has(name) && build.isOfEmulator(name)) found.set(name, () => plain.slice(0, index).split('\n').length)
    return found
  })
  for (const [name, line] of included) {
    const own = [dirname(path), ...build.roots, ...build.includes].map((folder) => join(folder, name))
    const inRoots = own.filter((each) => build.roots.some((root) => isInside(each, root)))
    if ((await Promise.all(inRoots.map(exists))).includes(true)) continue
    const message = `${name} is a header of the emulator, which no toolkit of the vendor's has: include what the manual names`
    return { message, path, line: line() }
  }
  return undefined
}

const inRawLine =
  'a comment or a raw literal that begins behind #pragma mark, #warning or #error is none to some compilers: begin it in another line'

const askedTimes = '#pragma GCC dependency asks when files were changed, which is no part of them: leave it out'

function readingProblem(texts: readonly AskingText[]): AskingProblem | undefined {
  const raw = texts.find(({ text }) => beginsInRawLine(text))
  if (raw) return { message: inRawLine, ...placed({ path: raw.path, line: 0 }) }
  if (!asksForTimes(texts.map(({ text }) => text))) return undefined
  const asking = texts.find(({ text }) => text.includes('dependency'))
  return { message: askedTimes, ...placed({ path: asking?.path, line: 0 }) }
}

function namingProblem(texts: readonly AskingText[]): AskingProblem | undefined {
  for (const { path, text } of texts) {
    const found = namesEmulator(text)
    if (found !== null) return { message: noEmulatorNames, ...placed({ path, line: found }) }
  }
  if (!pastesEmulator(texts.map(({ text }) => text))) return undefined
  const pasting = texts.find(({ text }) => isPasting(text.replace(lineJoint, '')))
  return { message: noEmulatorNames, ...placed({ path: pasting?.path, line: 0 }) }
}

const placed = ({ path, line }: Place): { path?: string; line?: number } => ({
  ...(path !== undefined && { path }),
  ...(path !== undefined && line > 0 && { line }),
})

/** What a condition may not ask for; what is wrong with it. */
function wrongCondition(
  name: string,
  build: AskedBuild,
  own: ReadonlySet<string>,
  byOption: ReadonlySet<string>,
): string | undefined {
  const { kind, compiler, renamed, defined } = build
  if (renamed.includes(name) || (isDefinedThere(name, kind) && !byOption.has(name))) return elsewhere(name)
  if (name === '__COUNTER__' || asksCompiler.test(name)) return untold(name)
  if (!isReserved(name) || own.has(name) || defined.has(name)) return undefined
  return isDefinedAlike(name, kind, compiler.family) ? undefined : untold(name)
}

/**
 * What texts of a candidate ask a build for that the vendor's answers otherwise: macros that are not defined alike, headers that only
 * one of them finds, texts that compilers make, and names of the emulator. A name that nobody reserves and no one defines is undefined in
 * both.
 */
export async function askingProblem(
  texts: readonly AskingText[],
  build: AskedBuild,
): Promise<AskingProblem | undefined> {
  const problem = reading(stageOf(build), () => problemOfWords(texts, build))
  if (problem) return problem
  for (const { path, text } of texts) {
    const problem = path === undefined ? undefined : await emulatorHeader(path, text, build)
    if (problem) return problem
  }
  for (const { path, text } of texts) {
    const problem = path === undefined ? undefined : await askedHeader(path, text, build)
    if (problem) return problem
  }
  return undefined
}

/** What texts ask for by words of their own: all but headers, which are looked for on the disk. */
function problemOfWords(texts: readonly AskingText[], build: AskedBuild): AskingProblem | undefined {
  const { kind, compiler, predefined } = build
  const early = namingProblem(texts) ?? readingProblem(texts)
  if (early) return early
  const isTold = (name: string): boolean =>
    isReserved(name) && predefined.has(name) && !isDefinedAlike(name, kind, compiler.family)
  const read = new Read()
  const codes = texts.map(({ path, text }) => {
    const code = path === undefined ? text : blankComments(text, true)
    return { path, text, code: code.replace(lineJoint, joint) }
  })
  for (const { path, code } of codes) read.add(path, code)
  const own = new Set(read.definitions.map(({ name }) => name))
  const byOption = new Set(read.definitions.flatMap(({ name, path }) => (path === undefined ? [name] : [])))

  // what goes on in a name of a header would not be seen
  const unseen = texts.find(({ path, text }) => path !== undefined && text.includes('__') && endsHeaderElsewhere(text))
  if (unseen) return { message: noOtherHeaders, ...placed({ path: unseen.path, line: 0 }) }
  const asked = read.asked()
  for (const { name, path, line } of asked) {
    const isOfBoth = isOfBothCompilers(name, kind) && !read.words.has(name)
    const message = isOfBoth ? undefined : wrongCondition(name, build, own, byOption)
    if (message !== undefined) return { message, ...placed({ path, line }) }
  }
  const pasting = new Set(read.definitions.flatMap(({ name, pastes }) => (pastes ? [name] : [])))
  const definedOnly = new Set(read.definedOnly.map(({ name }) => name))
  const askedPasted = asked.find(({ name }) => pasting.has(name) && !definedOnly.has(name))
  if (askedPasted) return { message: pasted, ...placed(askedPasted) }
  const ofHost = kind === 'host' ? undefined : hostProblem(read, texts)
  if (ofHost) return ofHost
  for (const [name, place] of read.words) {
    if (asksCompiler.test(name) || isTold(name)) return { message: untold(name), ...placed(place) }
    if (isReserved(name) && isDefinedThere(name, kind)) return { message: elsewhere(name), ...placed(place) }
  }
  for (const each of read.definitions) {
    const isTaken = isGuardOfVendor(each.name) || (isReserved(each.name) && isDefinedThere(each.name, kind))
    if (kind !== 'host' && isTaken) return { message: elsewhere(each.name), ...placed(each) }
    if (asksCompiler.test(each.name) || isTold(each.name)) return { message: untold(each.name), ...placed(each) }
  }
  for (const { path, code } of codes) {
    const misused = misusedText(code, kind, own)
    if (misused === undefined) continue
    const line = code.slice(0, misused.at).split(/[\n\f]/).length
    const message = misused.name === '__COUNTER__' ? untold(misused.name) : onlyPrinted(misused.name)
    return { message, ...placed({ path, line }) }
  }
  if (pasting.size > 0) {
    const words = new Set([...read.words.keys(), ...own, ...codes.flatMap(({ code }) => code.match(/\d[\w$]*/g) ?? [])])
    const targets = [...asking, ...[...predefined].filter(isTold)]
    const target = targets.find((name) => isMadeOf(name, words))
    const place = read.definitions.find(({ pastes }) => pastes)
    if (target !== undefined && place) return { message: notPasted(target), ...placed(place) }
  }
  return undefined
}
