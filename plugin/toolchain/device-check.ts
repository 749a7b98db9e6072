import { readFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { dirname, posix } from 'node:path'
import { isInside } from '../files/index.ts'
import type { Diagnostic } from '../model/index.ts'
import { BuildError } from './build-failure.ts'
import type { Compiler } from './compiler.ts'
import { castingMacros, checkLanguage, type CompiledKernel, type Finding } from './device-language.ts'
import { declaredNames, type DeclaredNames } from './declared-names.ts'
import type { SourceTree } from './sources.ts'
import { blankOffDevice, entryFile } from './entry.ts'
import { noBrackets, noOldLineEnds, noOtherHeaders, noOtherLines } from './host-words.ts'
import { endsHeaderElsewhere, hasOldLineEnd, lineOfAnotherFile } from './line-directives.ts'
import { directive, macrosOfHeads, type HeadMacros } from './macros.ts'
import { reading } from './reading-time.ts'
import { blank, blankComments } from './text.ts'
import { wordFinder, type WordFinder } from './word-finder.ts'

/** Where g++ is told to write the inner form of a kernel, and what it has become with reports; clang puts it into the object. */
const gimpleOf = (object: string): string => `${object}.ssa`
const reportsOf = (object: string): string => `${object}.tsan`

/** What a compiler is told so that the use of the language can be checked. */
export const checkFlags = (compiler: Compiler, object: string): string[] =>
  compiler.family === 'clang'
    ? []
    : [`-fdump-tree-ssa-lineno=${gimpleOf(object)}`, `-fdump-tree-tsan0-lineno=${reportsOf(object)}`]

/**
 * What the compiler calls on its own account, and what the device's compiler has where a header of the host declares it. Not
 * what takes long for a single call: divisions of 128 bits, powers, complex and longer floating-point numbers.
 */
const ofCompiler =
  /^(?:abs|mem(?:cpy|move|set|cmp)|_GLOBAL_OFFSET_TABLE_|__tls_get_addr|__stack_chk_\w+|___?(?:add|ash|bswap|clrsb|clz|cmp|ctz|div|ext|extend|ffs|fix|fixuns|float|floatun|floatuns|lsh|mod|mul|neg|parity|popcount|sub|trunc|ucmp|udiv|udivmod|umod|uno|unord|[gln][et]|eq)(?:v?[sd]i|[hsdb]f){1,2}\d?|__gnu_[fh]2[fh]_ieee)$/

/** What g++ has written; it is read once. */
async function takeDump(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  await rm(file, { force: true })
  return text
}

function refusal(message: string, file: string, line?: number): BuildError {
  const diagnostics: Diagnostic[] = [{ severity: 'error', message, file, ...(line !== undefined && { line }) }]
  const place = line === undefined ? file : `${file}:${line}`
  return new BuildError({ stage: 'kernel', class: 'language', diagnostics, log: `${place}: ${message}\n` })
}

/** What the device's compiler reads of a text. */
const codeOf = (text: string): string => blankOffDevice(blankComments(text, true))

/** Throws `BuildError` where a kernel uses C++ that the device does not have; the warnings, as compilers write them. */
export async function checkDeviceLanguage(unit: {
  compiler: Compiler
  source: string
  object: string
  trees: readonly SourceTree[]
  /** files that the compiler has read, and the one whose text a generated source holds; absolute */
  read: ReadonlySet<string>
  /** folders of the emulator's headers */
  ours: readonly string[]
  exports: ReadonlySet<string>
  lambdasAreOfHost: boolean
}): Promise<string> {
  const { compiler, source, object, trees, read, ours, exports, lambdasAreOfHost } = unit
  const isClang = compiler.family === 'clang'
  const gimple = isClang ? null : await takeDump(gimpleOf(object))
  const reports = isClang ? null : await takeDump(reportsOf(object))
  // sources that lie in no tree are read for themselves
  const alone = trees.length === 0 ? await readFile(source, 'utf8') : undefined
  const absolute = (path: string): string => (path.startsWith('<') ? path : posix.resolve(dirname(source), path))
  const treeOf = (file: string): SourceTree | undefined => trees.find(({ mark }) => isInside(file, mark))
  const isLibrary = (path: string): boolean =>
    compiler.includeDirs.some((folder) => isInside(posix.normalize(path), folder))
  const texts =
    alone === undefined
      ? trees.flatMap(({ mark, files }) =>
          files.map(({ name, text }) => ({ file: posix.join(mark, name), text: text.toString('utf8') })),
        )
      : [{ file: source, text: alone }]
  /** split once: every function of the unit asks */
  const lines = new Map<string, readonly string[] | undefined>()
  let names: DeclaredNames | undefined
  /** What the code that is compiled declares. */
  const declared = (): DeclaredNames => {
    const used = texts.filter(({ file }) => alone !== undefined || read.has(onDisk(file)))
    return (names ??= declaredNames(used.map(({ text }) => codeOf(text))))
  }
  let words: WordFinder | undefined
  let macros: ReadonlySet<string> | undefined
  let headMacros: HeadMacros | undefined
  const onDisk = (path: string): string => {
    const file = absolute(path)
    const tree = treeOf(file)
    return tree ? file.replace(tree.mark, tree.root) : file
  }
  const compiled = await readFile(object)
  const checkTexts = (): void => {
    for (const { file, text } of texts) {
      if (!read.has(onDisk(file))) continue
      const path = onDisk(file)
      // dumps of g++ have places between brackets
      if (/[[\]]/.test(file)) throw refusal(noBrackets, path)
      if (hasOldLineEnd(text)) throw refusal(noOldLineEnds, path)
      if (endsHeaderElsewhere(text)) throw refusal(noOtherHeaders, path)
      const line = lineOfAnotherFile(text)
      if (line !== null) throw refusal(noOtherLines, path, line)
    }
  }
  reading('kernel', checkTexts)
  const kernel: CompiledKernel = {
    object: compiled,
    gimple,
    reports,
    exports,
    isOffered: (name) => exports.has(name) || ofCompiler.test(name),
    isOwn: (path) => {
      const file = absolute(path)
      if (treeOf(file) || file === source || file === entryFile) return true
      return !file.startsWith('<') && !isLibrary(file) && !ours.some((folder) => isInside(file, folder))
    },
    linesOf: (path) => {
      const file = absolute(path)
      if (!lines.has(file)) {
        const text = texts.find((each) => each.file === file)?.text
        const code = isLibrary(file)
          ? blankComments(readFileSync(file, 'utf8'), true)
          : text === undefined
            ? undefined
            : codeOf(text)
        lines.set(file, code?.replace(directive, blank).split('\n'))
      }
      return lines.get(file)
    },
    headMacros: () => (headMacros ??= macrosOfHeads(texts.map(({ text }) => text))),
    isCastingMacro: (name) => (macros ??= castingMacros(texts.map(({ text }) => text))).has(name),
    isConstant: (variable) => declared().constants.has(variable),
    isDeclaredForDevice: (name) => declared().device.has(name),
    isLibrary,
    lambdasAreOfHost,
    find: (word) => (words ??= wordFinder(texts))(word),
  }
  const { errors, warnings } = reading('kernel', () => checkLanguage(kernel))
  const place = (file: string, line: number): string => (file === '' ? '' : `${onDisk(file)}:${line}: `)
  const textOf = (severity: 'error' | 'warning', findings: readonly Finding[]): string =>
    findings.map(({ file, line, message }) => `${place(file, line)}${severity}: ${message}\n`).join('')
  const [first] = errors
  if (!first) return textOf('warning', warnings)
  const diagnostics = errors.map(({ file, line, message }): Diagnostic => {
    return { severity: 'error', message, ...(file !== '' && { file: onDisk(file), line }) }
  })
  throw new BuildError({ stage: 'kernel', class: first.class, diagnostics, log: textOf('error', errors) })
}
