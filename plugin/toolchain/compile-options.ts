import { resolve } from 'node:path'

export interface CompileOptions {
  /** `-DNAME=value`, as written */
  defines: string[]
  /** absolute include folders */
  includes: string[]
  /** whether the compiler inserts synchronisation inside a core; the vendor's default is on */
  autoSync: boolean
}

const command = /\badd_ops_compile_options\s*\(([^()]*)\)/gi

/** Arguments of a CMake command, quotes and comments removed. */
function wordsOf(text: string): string[] {
  const words = text.replace(/#[^\n]*/g, '').match(/"[^"]*"|[^\s;"]+/g) ?? []
  return words.map((word) => word.replace(/^"|"$/g, ''))
}

/** A name as operators and their folders have it in common: `LayerNormV4`, `layer_norm_v4`. */
const plainName = (name: string): string => name.replaceAll('_', '').toLowerCase()

/** The options of one command, or null when it names another operator. Both spellings of the vendor's projects are read. */
function optionsFor(operator: string, words: readonly string[]): string[] | null {
  const keyword = words.indexOf('OP_NAME')
  const name = keyword >= 0 ? words[keyword + 1] : words[0]
  if (name !== undefined && name !== 'ALL' && plainName(name) !== plainName(operator)) return null
  const from = words.indexOf('OPTIONS')
  return from < 0 ? words.filter((word) => word.startsWith('-')) : words.slice(from + 1)
}

/** A condition in the vendor's files looks like `--cce-auto-sync=off` alone or after `-mllvm`-like switches. */
const autoSyncOption = /^--?cce-auto-sync(?:=(\w+))?$/

/**
 * Reads `add_ops_compile_options` of CMakeLists.txt texts, nearest file first. Only what changes the meaning of a kernel is
 * taken: macros, include folders, auto-sync. Later options win, as on a command line; the nearest file comes last.
 */
export function readCompileOptions(
  operator: string,
  files: readonly { folder: string; text: string }[],
): CompileOptions {
  const options: CompileOptions = { defines: [], includes: [], autoSync: true }
  for (const { folder, text } of files.toReversed()) {
    for (const [, body] of text.replace(/#[^\n]*/g, '').matchAll(command)) {
      applyOptions(options, optionsFor(operator, wordsOf(body ?? '')) ?? [], folder)
    }
  }
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
 * The options that `add_ops_compile_options` of CMakeLists.txt texts gives an operator, in the order of a command line: for the
 * vendor's compiler, which knows what they mean. `-I` is left to `readCompileOptions`, as are options with values of their own.
 */
export function compileOptionWords(operator: string, files: readonly { text: string }[]): string[] {
  return files
    .toReversed()
    .flatMap(({ text }) =>
      [...text.replace(/#[^\n]*/g, '').matchAll(command)]
        .flatMap(([, body]) => optionsFor(operator, wordsOf(body ?? '')) ?? [])
        .filter((word) => plainOption.test(word)),
    )
}

function applyOptions(options: CompileOptions, words: readonly string[], folder: string): void {
  const expanded = words.map((word) => word.replaceAll(/\$\{CMAKE_(?:CURRENT_)?(?:SOURCE|LIST)_DIR\}/g, folder))
  for (let index = 0; index < expanded.length; index++) {
    const word = expanded[index] ?? ''
    const sync = autoSyncOption.exec(word)
    if (sync) options.autoSync = sync[1] !== 'off' && sync[1] !== 'false'
    const flag = word.slice(0, 2)
    if (flag !== '-D' && flag !== '-I') continue
    const value = word.length > 2 ? word.slice(2) : expanded[++index]
    if (value === undefined || value.includes('${')) continue
    if (flag === '-I') options.includes.push(resolve(folder, value))
    else if (/^\w+(?:=|$)/.test(value)) options.defines.push(`-D${value}`)
  }
}
