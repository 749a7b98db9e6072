import { basename, dirname, resolve } from 'node:path'
import { BuildError, simpleFailure } from './build-failure.ts'
import { CMakeBlocks, CMakeValues, isUntold, listElements, type Told } from './cmake-values.ts'
import { cmakeCommands, CMakeError, type CMakeCommand } from './cmake.ts'
import { compilerOptions, type CompilerOption } from './option-words.ts'

export interface CompileOptions {
  /** `-DNAME=value`, as written */
  defines: string[]
  /** absolute include folders */
  includes: string[]
  /** whether the compiler inserts synchronisation inside a core; the vendor's default is on */
  autoSync: boolean
}

/** A name as operators and their folders have it in common: `LayerNormV4`, `layer_norm_v4`. */
const plainName = (name: string): string => name.replaceAll('_', '').toLowerCase()

/** What one command says: for one operator or all, and which options. */
interface Options {
  isForAll: boolean
  folder: string
  options: CompilerOption[]
}

/** The arguments of one command. */
interface Arguments {
  name: string
  computeUnits: string[]
  options: string[]
}

/** Series of processors as the vendor's projects name them, of which the device is one. */
const ownUnit = /^ascend910b/i

/** Both spellings of the vendor's projects are read. */
function argumentsOf({ name, line }: CMakeCommand, all: readonly string[]): Arguments {
  const words = all[0] === 'OP_NAME' ? all.slice(1) : all
  const [operator = '', ...others] = words
  const taken: Record<string, string[]> = { '': [], COMPUTE_UNIT: [], OPTIONS: [] }
  let keyword = ''
  for (const word of others) {
    if (word === 'OP_NAME' || word === 'OP_TYPE')
      throw new CMakeError(`${line}: ${word} of ${name} cannot be told: write the operator first`)
    if (word === 'COMPUTE_UNIT' || word === 'OPTIONS') keyword = word
    else taken[keyword]?.push(word)
  }
  const lost = [operator, ...taken['']!].find((word) => word.startsWith('-')) ?? taken['']?.find(isUntold)
  if (lost !== undefined)
    throw new CMakeError(`${line}: ${shown(lost)} of ${name} cannot be told: write OPTIONS before it`)
  return { name: operator, computeUnits: taken.COMPUTE_UNIT ?? [], options: taken.OPTIONS ?? [] }
}

const shown = (word: string): string => word.slice(0, 200)

/** A condition in the vendor's files looks like `--cce-auto-sync=off` alone or after `-mllvm`-like switches. */
const autoSyncOption = /^--?cce-auto-sync(?:=(\w+))?$/

/** What an option says of auto-sync: the option itself, or what it hands to the code generator. */
const autoSyncOf = ({ flag, value }: CompilerOption): RegExpExecArray | null =>
  autoSyncOption.exec(flag === '-mllvm' ? (value ?? '') : flag)

const optionCommands = new Set(['add_ops_compile_options', 'npu_op_kernel_options'])
const anyOptionCommand = new RegExp([...optionCommands].join('|'), 'i')

/** Commands that run any other one. */
const anyHidingCommand = /cmake_language/i

/** Files by their paths, and by what modules of that name are called. */
export class OtherFiles {
  readonly paths: ReadonlySet<string>
  readonly modules: ReadonlySet<string>
  /** of those that are short enough */
  readonly texts: ReadonlyMap<string, string>

  constructor(paths: readonly string[], texts: ReadonlyMap<string, string> = new Map()) {
    this.paths = new Set(paths)
    this.modules = new Set(paths.map(moduleOf))
    this.texts = texts
  }
}

const moduleOf = (path: string): string => basename(path, '.cmake')

/** A file of CMake. */
interface List {
  folder: string
  text: string
  /** the folder of the whole project */
  top?: string
  /** other files in it that give options where CMake is told to read them */
  others?: OtherFiles
  /** once somebody has asked */
  namesOptions?: boolean
}

/** Whether a file names a command that gives options: it may hold very many commands that ask. */
function namesOptions(list: List): boolean {
  list.namesOptions ??= anyOptionCommand.test(list.text)
  return list.namesOptions
}

/** The options of a file for an operator, in the order of its commands. Throws `BuildError` where they cannot be told. */
function optionsIn(operator: string, list: List): Options[] {
  if (!mayGiveOptions(list.text) && !list.others?.paths.size) return []
  try {
    return readOptions(operator, list)
  } catch (error) {
    if (error instanceof CMakeError) throw new BuildError(simpleFailure('kernel', `CMakeLists.txt:${error.message}`))
    throw error
  }
}

const mayGiveOptions = (text: string): boolean => anyOptionCommand.test(text) || anyHidingCommand.test(text)

/** Are there commands in a text that give options, or could? The vendor's projects have files that define them. */
export function givesOptions(text: string): boolean {
  if (!mayGiveOptions(text)) return false
  try {
    return cmakeCommands(text).some(({ name }) => optionCommands.has(name) || anyHidingCommand.test(name))
  } catch {
    return false
  }
}

/** What CMake itself says of the folders of a file. */
const foldersOf = ({ folder, top = folder }: List): Record<string, string> => ({
  CMAKE_CURRENT_SOURCE_DIR: folder,
  CMAKE_CURRENT_LIST_DIR: folder,
  CMAKE_SOURCE_DIR: top,
  PROJECT_SOURCE_DIR: top,
})

/** Nobody includes more files, one in another or each by itself; and all that they may hold. */
const mostIncluded = 100
const mostCharacters = 4 << 20

interface Reading {
  values: CMakeValues
  /** how many files have been included, and how long they are */
  included: number
  characters: number
}

const readOptions = (operator: string, list: List): Options[] =>
  optionsOfText(operator, list, { values: new CMakeValues(foldersOf(list)), included: 0, characters: 0 })

function optionsOfText(operator: string, list: List, reading: Reading): Options[] {
  const found: Options[] = []
  const { values } = reading
  const blocks = new CMakeBlocks({ commands: optionCommands, valueOf: (name) => values.valueOf(name) })
  for (const command of cmakeCommands(list.text)) {
    const words = values.wordsOf(command.words)
    blocks.take(
      command.name,
      words,
      command.words.every(({ kind }) => kind === 'plain'),
    )
    const { runs } = blocks
    if (runs === false) continue
    if (optionCommands.has(command.name)) {
      const options = optionsOf(operator, command, words, { values, runs })
      if (options) found.push({ ...options, folder: list.folder })
      continue
    }
    const included = command.name === 'include' && runs === true ? includedFile(words, list) : undefined
    if (included) found.push(...optionsOfIncluded(operator, { ...list, text: included.text }, included.path, reading))
    else {
      requirePlain(command, words, list)
      values.take(command.name, words, runs)
    }
  }
  return found
}

/** Its commands run where it is included; those that leave it, or may run elsewhere, are not followed. */
const isFollowed = (text: string): boolean => !/\b(?:return|function|macro)[ \t]*\(/i.test(text)

/** The file that a command includes, where that gives options and is told. */
function includedFile(words: readonly string[], { folder, others }: List): { path: string; text: string } | undefined {
  const [word = '', ...options] = words
  if (isUntold(word) || options.some((option) => option !== 'OPTIONAL' && option !== 'NO_POLICY_SCOPE'))
    return undefined
  const path = resolve(folder, word)
  const text = others?.texts.get(path)
  return text !== undefined && isFollowed(text) ? { path, text } : undefined
}

function optionsOfIncluded(operator: string, list: List, path: string, reading: Reading): Options[] {
  reading.characters += list.text.length
  if (++reading.included > mostIncluded || reading.characters > mostCharacters)
    throw new CMakeError(`1: more than ${mostIncluded} files are included, or very long ones`)
  const { values } = reading
  const leave = values.enter(dirname(path))
  try {
    return optionsOfText(operator, list, reading)
  } catch (error) {
    if (!(error instanceof CMakeError)) throw error
    throw new CMakeError(
      `${/^\d+/.exec(error.message)?.[0] ?? 1}: in ${basename(path)}${error.message.replace(/^\d+/, '')}`,
    )
  } finally {
    leave()
  }
}

/** The options of one command, or null when it names another operator or device. */
function optionsOf(
  operator: string,
  command: CMakeCommand,
  words: readonly string[],
  { values, runs }: { values: CMakeValues; runs: Told },
): Omit<Options, 'folder'> | null {
  const own = command.name === 'npu_op_kernel_options' ? words.slice(1) : words
  if (own[0]?.includes(';') === true)
    throw new CMakeError(
      `${command.line}: ${shown(own[0])} of ${command.name} cannot be told: write the operator itself`,
    )
  // what is handed on is a list: a quoted argument may be several options
  const { name, computeUnits, options } = argumentsOf(command, listElements(own.join(';')))
  if (!isUntold(name) && name !== 'ALL' && plainName(name) !== plainName(operator)) return null
  const units = computeUnits.map((unit) => isOwnUnit(unit, values))
  if (units.length > 0 && units.every((unit) => unit === false)) return null
  const isGiven = runs === true && !isUntold(name) && (units.length === 0 || units.includes(true))
  return { isForAll: name === 'ALL', options: toldOptions(command, compilerOptions(options), { values, isGiven }) }
}

/** The variable holds what a project is built for. */
function isOwnUnit(unit: string, values: CMakeValues): Told {
  if (unit === '${ASCEND_COMPUTE_UNIT}' && values.isForeign(unit)) return true
  return isUntold(unit) ? undefined : ownUnit.test(unit)
}

/** Commands that only CMake itself may define, for what they do to be known. */
const ownCommands = new Set([...optionCommands, 'set', 'unset', 'list', 'message', 'return', 'cmake_minimum_required'])

/** Commands that read other files of CMake. */
const adders = new Set(['add_subdirectory', 'subdirs', 'include'])

/** Commands by which another one could be run, or replaced, out of sight. */
function requirePlain({ name, line }: CMakeCommand, words: readonly string[], list: List): void {
  const [first = ''] = words
  const isDefinition = name === 'function' || name === 'macro'
  const hides =
    (name === 'cmake_language' && (namesOptions(list) || words.some(mayHide))) ||
    (name === 'variable_watch' && namesOptions(list)) ||
    (isDefinition && (ownCommands.has(first.toLowerCase()) || isUntold(first))) ||
    (adders.has(name) && addsOptions(name, words, list))
  if (hides)
    throw new CMakeError(`${line}: ${name} hides compile options: give them by ${[...optionCommands].join(' or ')}`)
}

const mayHide = (word: string): boolean => word === 'EVAL' || isUntold(word) || anyOptionCommand.test(word)

/** Does what a command adds give options of its own? */
function addsOptions(name: string, words: readonly string[], { folder, others }: List): boolean {
  if (!others?.paths.size) return false
  const { paths, modules } = others
  if (name === 'include')
    return words.slice(0, 1).some((word) => isUntold(moduleOf(word)) || modules.has(moduleOf(word)))
  const list = 'CMakeLists.txt'
  return words.some((word) => (isUntold(word) ? modules.has(list) : paths.has(resolve(folder, word, list))))
}

/** Options that change what a kernel means have to be known; of others those are left out that may not be given. */
function toldOptions(
  { name, line }: CMakeCommand,
  options: readonly CompilerOption[],
  { values, isGiven }: { values: CMakeValues; isGiven: boolean },
): CompilerOption[] {
  for (const [index, option] of options.entries()) {
    const before = options[index - 1]
    const text = shown(option.words.join(' '))
    const isSync = autoSyncOf(option) !== null
    const means = isSync || /^-[DU]$/.test(option.flag)
    if (!isToldOption(option, values, isSync))
      throw new CMakeError(`${line}: ${text} of ${name} cannot be told: write the option itself`)
    // a value that is empty makes the next word one
    const isEmptied = isSync && before?.words.length === 2 && isUntold(before.value ?? '')
    if ((means || option.flag === '-I') && (before?.isOpen === true || isEmptied))
      throw new CMakeError(
        `${line}: whether ${text} is a value of ${shown(before.flag)} cannot be told: write it first`,
      )
    if (!isGiven && means)
      throw new CMakeError(
        `${line}: whether ${text} is given cannot be told: write ${name} outside of if, foreach, functions and the like`,
      )
  }
  return isGiven ? [...options] : options.filter(({ flag }) => flag === '-I')
}

const macro = /^[A-Za-z_]\w*(?:\([^()]*\))?(?:=|$)/

function isToldOption({ flag, value = '', words }: CompilerOption, values: CMakeValues, isSync: boolean): boolean {
  if (flag === '-I' && isUntold(value)) return values.isForeign(value)
  if (words.some((word) => isUntold(word) || word.includes(';'))) return false
  if (flag === '-D') return macro.test(value) && !value.includes('cce-auto-sync')
  if (flag === '-U') return /^\w+$/.test(value)
  return isSync || !/cce-auto-sync|^--?(?:un)?define-macro|^-$/.test(words.join(' '))
}

/** The options of all files, the nearest file first: as the vendor's build gives them, those for all operators before those for one. */
function allOptions(operator: string, files: readonly List[]): Options[] {
  const options = files.toReversed().flatMap((list) => optionsIn(operator, list))
  return [true, false].flatMap((forAll) => options.filter(({ isForAll }) => isForAll === forAll))
}

/**
 * Reads `add_ops_compile_options` and `npu_op_kernel_options` of CMakeLists.txt texts, nearest file first. Only what changes the
 * meaning of a kernel is taken: macros, include folders, auto-sync. Later options win, as on a command line; the nearest file comes
 * last. Throws `BuildError` where it cannot be told which of them a build would give.
 */
export function readCompileOptions(operator: string, files: readonly List[]): CompileOptions {
  const options: CompileOptions = { defines: [], includes: [], autoSync: true }
  for (const each of allOptions(operator, files)) applyOptions(options, each)
  return options
}

/**
 * Options that are handed on: how much is optimised, the standard, warnings, switches of code generation and those of the vendor's
 * compiler for devices. None of them has a value that names a program, a plugin or a file, to be read or to be written, and none is
 * anything else to the tools that pass it on.
 */
const plainOption = /^(?:-O[0-3sz]?|-g|-{1,2}std=[\w+]+|-W[\w+=-]+|-[fm][\w-]+|-{1,2}cce-[\w=-]+)$/

/** Macros, and switches of the code generator with numbers and the like: as plain as these. */
const plainValue = new Map([
  ['-D', /^\w+(?:=[\w+=./:,-]*)?$/],
  ['-U', /^\w+$/],
  ['-mllvm', /^-{1,2}(?:cce-[\w=-]+|[\w-]+(?:=(?:\d+|0x[\da-f]+|true|false|on|off))?)$/i],
])

/**
 * The same options in the order of a command line: for the vendor's compiler, which knows what they mean. `-I` is left to
 * `readCompileOptions`, as are options with values that name files. Throws `BuildError` for a macro or a switch of the code
 * generator that the vendor's tools could take apart.
 */
export const compileOptionWords = (operator: string, files: readonly List[]): string[] =>
  allOptions(operator, files).flatMap(({ options }) => options.flatMap(handedOn))

function handedOn({ flag, value, words }: CompilerOption): string[] {
  const plain = plainValue.get(flag)
  if (!plain) return words.length === 1 && flag !== '-I' && plainOption.test(flag) ? words : []
  if (value === undefined || !plain.test(value))
    throw new BuildError(
      simpleFailure(
        'kernel',
        `CMakeLists.txt: ${shown(words.join(' '))} cannot be handed on to the vendor's build: write it in the kernel`,
      ),
    )
  return flag === '-mllvm' ? [flag, value] : [`${flag}${value}`]
}

const macroName = (define: string): string => /^-D(\w+)/.exec(define)?.[1] ?? ''

function applyOptions(all: CompileOptions, { options, folder }: Options): void {
  for (const option of options) {
    const { flag, value } = option
    const sync = autoSyncOf(option)
    if (sync) all.autoSync = sync[1] !== 'off' && sync[1] !== 'false'
    if (value === undefined) continue
    if (flag === '-I' && !isUntold(value)) all.includes.push(resolve(folder, value))
    if (flag === '-D') all.defines.push(`-D${value}`)
    if (flag === '-U') all.defines = all.defines.filter((define) => macroName(define) !== value)
  }
}
