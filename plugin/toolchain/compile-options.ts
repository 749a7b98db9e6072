import { resolve } from 'node:path'
import { BuildError, simpleFailure } from './build-failure.ts'
import { CMakeBlocks, CMakeValues, isUntold } from './cmake-values.ts'
import { cmakeCommands, CMakeError, type CMakeCommand } from './cmake.ts'

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

const isOption = (word: string): boolean => word.startsWith('-') || isUntold(word)

/** What one command says: for one operator or all, and which options. */
interface Options {
  isForAll: boolean
  /** is the name of the operator known? */
  isTold: boolean
  folder: string
  words: string[]
}

/** The options of one command, or null when it names another operator. Both spellings of the vendor's projects are read. */
function optionsFor(operator: string, words: readonly string[]): Omit<Options, 'folder'> | null {
  const keyword = words.indexOf('OP_NAME')
  const name = keyword >= 0 ? words[keyword + 1] : words[0]
  const isTold = name === undefined || !isUntold(name)
  if (isTold && name !== undefined && name !== 'ALL' && plainName(name) !== plainName(operator)) return null
  const from = words.indexOf('OPTIONS')
  return { isForAll: name === 'ALL', isTold, words: from < 0 ? words.filter(isOption) : words.slice(from + 1) }
}

/** A condition in the vendor's files looks like `--cce-auto-sync=off` alone or after `-mllvm`-like switches. */
const autoSyncOption = /^--?cce-auto-sync(?:=(\w+))?$/

const optionCommands = new Set(['add_ops_compile_options', 'npu_op_kernel_options'])
const anyOptionCommand = new RegExp([...optionCommands].join('|'), 'i')

/** A file of CMake. */
interface List {
  folder: string
  text: string
}

/** The options of a file for an operator, in the order of its commands. Throws `BuildError` where they cannot be told. */
function optionsIn(operator: string, list: List): Options[] {
  if (!anyOptionCommand.test(list.text)) return []
  try {
    return readOptions(operator, list)
  } catch (error) {
    if (error instanceof CMakeError) throw new BuildError(simpleFailure('kernel', `CMakeLists.txt:${error.message}`))
    throw error
  }
}

function readOptions(operator: string, { folder, text }: List): Options[] {
  const found: Options[] = []
  const folders = ['CURRENT_SOURCE', 'CURRENT_LIST', 'SOURCE', 'LIST'].map((kind) => [`CMAKE_${kind}_DIR`, folder])
  const values = new CMakeValues(Object.fromEntries(folders))
  const blocks = new CMakeBlocks(optionCommands)
  for (const command of cmakeCommands(text)) {
    const words = command.words.map((word) => values.textOf(word))
    blocks.take(command.name, words)
    const { runs } = blocks
    if (runs === false) continue
    if (!optionCommands.has(command.name)) {
      requirePlain(command, words)
      values.take(command, runs)
      continue
    }
    // what is handed on is a list: a quoted argument may be several options
    const all = (command.name === 'npu_op_kernel_options' ? words.slice(1) : words).flatMap((word) => word.split(';'))
    const options = optionsFor(operator, all)
    if (!options) continue
    found.push({ ...options, folder, words: toldWords(command, options.words, runs === true && options.isTold) })
  }
  return found
}

/** Commands by which another one could be run, or replaced, out of sight. */
function requirePlain({ name, line }: CMakeCommand, words: readonly string[]): void {
  const hides =
    (name === 'cmake_language' && words.some((word) => anyOptionCommand.test(word))) ||
    ((name === 'function' || name === 'macro') && optionCommands.has((words[0] ?? '').toLowerCase()))
  if (hides)
    throw new CMakeError(`${line}: ${name} hides compile options: give them by ${[...optionCommands].join(' or ')}`)
}

/** Options that change what a kernel means have to be known; of others those are left out that may not be given. */
function toldWords({ name, line }: CMakeCommand, words: readonly string[], isGiven: boolean): string[] {
  const isFolder = (word: string, index: number): boolean => word.startsWith('-I') || words[index - 1] === '-I'
  for (const [index, word] of words.entries()) {
    if (isFolder(word, index)) continue
    const isSync = word.includes('cce-auto-sync')
    if (isUntold(word) || (isSync && !autoSyncOption.test(word)))
      throw new CMakeError(`${line}: ${word.slice(0, 200)} of ${name} cannot be told: write the option itself`)
    if (!isGiven && (isSync || word.startsWith('-D')))
      throw new CMakeError(
        `${line}: whether ${word.slice(0, 200)} is given cannot be told: write ${name} outside of if, foreach, functions and the like`,
      )
  }
  return isGiven ? [...words] : words.filter(isFolder)
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
  for (const { words, folder } of allOptions(operator, files)) applyOptions(options, words, folder)
  return options
}

/**
 * Options that are handed on: macros, how much is optimised, the standard, warnings, switches of code generation and those of the
 * vendor's compiler for devices. None of them has a value that names a program, a plugin or a file, to be read or to be written, and
 * none is anything else to the tools that pass it on.
 */
const plainOption =
  /^(?:-D\w+(?:=[\w+=./:,-]*)?|-O[0-3sz]?|-g|-{1,2}std=[\w+]+|-W[\w+=-]+|-[fm][\w-]+|-mllvm|-{1,2}cce-[\w=-]+)$/

/**
 * The same options in the order of a command line: for the vendor's compiler, which knows what they mean. `-I` is left to
 * `readCompileOptions`, as are options with values of their own.
 */
export const compileOptionWords = (operator: string, files: readonly List[]): string[] =>
  allOptions(operator, files).flatMap(({ words }) => words.filter((word) => plainOption.test(word)))

function applyOptions(options: CompileOptions, words: readonly string[], folder: string): void {
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ''
    const sync = autoSyncOption.exec(word)
    if (sync) options.autoSync = sync[1] !== 'off' && sync[1] !== 'false'
    const flag = word.slice(0, 2)
    if (flag !== '-D' && flag !== '-I') continue
    const value = word.length > 2 ? word.slice(2) : words[++index]
    if (value === undefined || isUntold(value)) continue
    if (flag === '-I') options.includes.push(resolve(folder, value))
    else if (/^\w+(?:=|$)/.test(value)) options.defines.push(`-D${value}`)
  }
}
