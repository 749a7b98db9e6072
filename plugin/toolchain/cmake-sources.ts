import { basename, dirname, join, relative, resolve } from 'node:path'
import { isInside } from '../files/index.ts'
import { BuildError, simpleFailure } from './build-failure.ts'
import { addedFolders, leavingMacros, textsOf } from './cmake-project.ts'
import { commandsOf, settingsAround, type Settings } from './cmake-settings.ts'
import { CMakeBlocks, CMakeValues, isUntold, type Told } from './cmake-values.ts'
import { cmakeCommands, CMakeError, type CMakeCommand } from './cmake.ts'
import { isHarmlessCommand, notAdded, packageModules, type OtherFiles } from './compile-options.ts'
import { isWithoutInfluence } from './option-words.ts'

/** A project whose files of CMake say what it is built from: real, absolute paths. */
export interface Project {
  operator: string
  root: string
  hostDir: string
  kernelDir: string
  /** its files of CMake */
  lists: readonly { folder: string; text: string }[]
  /** those that they may include */
  others: Pick<OtherFiles, 'allTexts'>
  /** what its presets set */
  presets?: Iterable<string>
  /** all sources in it */
  files: ReadonlySet<string>
}

/** What files of CMake name as the sources of a project; undefined: nothing is named, and the usual ones are taken. */
export interface NamedSources {
  /** the file that defines the kernel */
  kernel?: string
  /** those of the host part: of its library, and of the one that its definitions are read from alone */
  host?: { tiling: string[]; definitions: string[] }
}

/** A list that names sources. */
interface Naming {
  folder: string
  text: string
  /** what other files set */
  elsewhere: () => Settings
  /** macros by which it may be left */
  leaving: ReadonlySet<string>
}

/** What the reading of one list needs. */
interface Reading {
  project: Project
  folder: string
  values: CMakeValues
  found: Found
}

interface Found {
  tiling: Set<string> | undefined
  definitions: Set<string> | undefined
  kernels: Set<string>
  base: string | undefined
  /** how often files have been listed */
  listings: number
}

/** Reads which sources the files of CMake of a project name. Throws `BuildError` where that cannot be told. */
export function readNamedSources(project: Project): NamedSources {
  const found: Found = { tiling: undefined, definitions: undefined, kernels: new Set(), base: undefined, listings: 0 }
  const naming = [...project.lists, ...listsBelow(project)].filter(({ text }) => namesSources(text))
  const texts = naming.length === 0 ? new Map<string, string>() : textsOf(project)
  const added = addedFolders(project, texts)
  const [leaving, around] = [leavingMacros(texts.values()), settingsAround(texts, project.presets)]
  for (const { folder, text } of naming) {
    if (!added.has(folder))
      throw refusal(
        `${relative(project.root, folder)}/CMakeLists.txt: whether it names sources cannot be told: ${notAdded(folder)}`,
      )
    try {
      const elsewhere = () => around(join(folder, 'CMakeLists.txt'))
      readList(project, { folder, text, elsewhere, leaving }, found)
    } catch (error) {
      if (error instanceof CMakeError) throw refusal(`CMakeLists.txt:${error.message}`)
      throw error
    }
  }
  const kernel = kernelOf(project, found)
  const tiling = found.tiling ?? found.definitions
  return {
    ...(kernel !== undefined && { kernel }),
    ...(tiling && {
      host: {
        tiling: [...tiling],
        definitions: [...(found.definitions ?? [])].filter((path) => !tiling.has(path)),
      },
    }),
  }
}

/** The files that CMake is told to read: names of modules and of folders; undefined: names that are put together may be any. */
interface Reached {
  modules: Set<string> | undefined
  folders: Set<string> | undefined
}

/** Which of the other files the lists may have CMake read, one by another as well. */
function reachedBy({ lists, others }: Pick<Project, 'lists' | 'others'>): Reached {
  const reached: Reached = { modules: new Set(), folders: new Set() }
  const add = (kind: keyof Reached, name: string): void => {
    if (isUntold(name)) reached[kind] = undefined
    else reached[kind]?.add(name)
  }
  for (const text of [...lists.map((list) => list.text), ...others.allTexts.values()])
    for (const { name, words } of commandsOf(text)) {
      const [first = ''] = words.map((word) => word.text)
      if (name === 'include') add('modules', basename(first, '.cmake'))
      else if (name === 'find_package') for (const module of packageModules(first)) add('modules', module)
      else if (name === 'add_subdirectory') add('folders', basename(first))
      else if (name === 'subdirs') for (const word of words) add('folders', basename(word.text))
    }
  return reached
}

function isReached({ modules, folders }: Reached, path: string): boolean {
  if (basename(path) === 'CMakeLists.txt') return folders?.has(basename(dirname(path))) ?? true
  return modules?.has(basename(path, '.cmake')) ?? true
}

/** Lists of folders below that name sources. Throws `BuildError` where files that are included do. */
function listsBelow(project: Project): Project['lists'] {
  const naming = [...project.others.allTexts].filter(([, text]) => namesSources(text))
  if (naming.length === 0) return []
  const reached = reachedBy(project)
  return naming.flatMap(([path, text]) => {
    if (!isReached(reached, path)) return []
    if (basename(path) === 'CMakeLists.txt') return [{ folder: dirname(path), text }]
    throw refusal(`${basename(path)} names sources, which is not followed here: name them in a CMakeLists.txt`)
  })
}

const refusal = (message: string): BuildError => new BuildError(simpleFailure('host', message))

function kernelOf({ operator, kernelDir, root }: Project, { kernels, base = kernelDir }: Found): string | undefined {
  const [named, ...more] = kernels
  if (more.length > 0) throw refusal(`CMakeLists.txt names several KERNEL_FILE for ${operator}: name one`)
  const path = named === undefined ? undefined : resolve(base, named)
  if (path === undefined ? base === kernelDir : isInside(path, kernelDir)) return path
  throw refusal(
    `CMakeLists.txt takes kernels from ${relative(root, path ?? base)}, which is not op_kernel: move them there`,
  )
}

/** Commands that name sources, or where they are looked for. */
const anyNaming =
  /\b(?:npu_op_(?:library|code_gen|kernel_sources|kernel_library)|opbuild|add_library|target_sources)\b/i

/** `SHARED`, `INTERFACE`, `PRIVATE`: no file. */
const isKeyword = (word: string): boolean => /^[A-Z_]+$/.test(word)

/** Does a text name sources of the host part or of kernels? Definitions of such commands are none. */
export function namesSources(text: string): boolean {
  if (!anyNaming.test(text)) return false
  return commandsOf(text).some(
    ({ name, words: [target, ...others] }) =>
      (name === 'npu_op_library' && others[0]?.text.toUpperCase() === 'TILING') ||
      ((name === 'add_library' || name === 'target_sources') &&
        tilingLibrary.test(target?.text ?? '') &&
        others.some(({ text: word }) => !isKeyword(word))) ||
      /^(?:npu_op_code_gen|opbuild|npu_op_kernel_sources|npu_op_kernel_library)$/.test(name),
  )
}

const valuesOf = (root: string, folder: string, elsewhere: () => Settings): CMakeValues =>
  new CMakeValues(
    {
      CMAKE_CURRENT_SOURCE_DIR: folder,
      CMAKE_CURRENT_LIST_DIR: folder,
      CMAKE_SOURCE_DIR: root,
      CMAKE_HOME_DIRECTORY: root,
      PROJECT_SOURCE_DIR: root,
    },
    elsewhere,
  )

function readList(project: Project, { folder, text, elsewhere, leaving }: Naming, found: Found): void {
  const values = valuesOf(project.root, folder, elsewhere)
  const blocks = new CMakeBlocks({
    commands: new Set(),
    leaving,
    valueOf: (name) => values.valueOf(name),
  })
  for (const command of cmakeCommands(text)) {
    const words = values.wordsOf(command.words)
    const { name } = command
    blocks.take(
      name,
      words,
      command.words.every(({ kind }) => kind === 'plain'),
    )
    const { runs } = blocks
    if (runs === false) continue
    take({ project, folder, values, found }, command, words, runs)
    takeVariables({ project, folder, values, found }, name, words, runs)
  }
}

/** Commands that change no variable but those that they name. */
const setters = new Set(['set', 'unset', 'list', 'if', 'elseif', 'else', 'endif'])

function takeVariables(reading: Reading, name: string, words: readonly string[], runs: Told): void {
  const { values, found } = reading
  const [mode = '', variable = ''] = words
  const lists = name === 'aux_source_directory' || (name === 'file' && /^GLOB(?:_RECURSE)?$/.test(mode))
  if (lists && ++found.listings > mostListings)
    throw new CMakeError(`1: files are listed more than ${mostListings} times`)
  // what was there before stays
  if (name === 'aux_source_directory')
    values.take('set', [variable, ...[values.valueOf(variable) ?? []].flat(), ...sourcesIn(reading, mode)], runs)
  else if (lists) values.take('set', [variable, ...globbed(reading, words.slice(2), mode === 'GLOB_RECURSE')], runs)
  else if (setters.has(name) || !isHarmlessCommand(name)) values.take(name, words, runs)
  else for (const word of words) if (/^\w+$/.test(word)) values.take('unset', [word], runs)
}

/** What is listed by a folder: a build knows more kinds of sources than are compiled here. */
const anySource = /\.(?:c|C|c\+\+|cc|cpp|cxx|cu|m|M|mm|mpp|ixx|cppm|asc)$/
const compiled = /\.(?:cpp|cc|cxx)$/

/** Is a file, by its name, a source to a build that is none here? */
export const isOtherSource = (name: string): boolean => anySource.test(name) && !compiled.test(name)

const sourcesIn = ({ project, folder }: Reading, named: string): string[] =>
  [...project.files].filter((path) => dirname(path) === resolve(folder, named) && anySource.test(path)).sort()

/** Does a part of a path match a pattern of `file(GLOB)`? In a time that grows with both alone. */
function matchesPart(part: string, pattern: string): boolean {
  let [at, of, star, from] = [0, 0, -1, 0]
  while (at < part.length) {
    if (pattern[of] === '*') [star, from] = [of++, at]
    else if (pattern[of] === '?' || (of < pattern.length && pattern[of] === part[at])) [at, of] = [at + 1, of + 1]
    else if (star < 0) return false
    else [at, of] = [++from, star + 1]
  }
  return /^\**$/.test(pattern.slice(of))
}

/** None of its signs stands for a separator of folders. */
function matches(path: string, pattern: string): boolean {
  const [parts, patterns] = [path.split('/'), pattern.split('/')]
  return parts.length === patterns.length && parts.every((part, index) => matchesPart(part, patterns[index] ?? ''))
}

/** Nobody lists files more often. */
const mostListings = 1000

function globbed({ project, folder }: Reading, words: readonly string[], isDeep: boolean): string[] {
  const patterns = words.filter((word, index) => {
    const before = words[index - 1] ?? ''
    return (
      !/^(?:CONFIGURE_DEPENDS|LIST_DIRECTORIES|RELATIVE)$/.test(word) && !/^(?:LIST_DIRECTORIES|RELATIVE)$/.test(before)
    )
  })
  return patterns.flatMap((pattern) => {
    // what a build makes is no source of the candidate
    if (isUntold(pattern)) return [pattern]
    const whole = resolve(folder, pattern)
    return [...project.files]
      .filter((path) =>
        isDeep ? isInside(path, dirname(whole)) && matches(basename(path), basename(whole)) : matches(path, whole),
      )
      .sort()
  })
}

/** The library that tiling functions are called from, as the vendor's templates call it. */
const tilingLibrary = /op_?tiling|opmaster|intf_pub/i

function take(reading: Reading, command: CMakeCommand, words: readonly string[], runs: Told): void {
  const { name } = command
  const { found, project } = reading
  const [target = '', kind = ''] = words
  if (name === 'npu_op_library' && kind.toUpperCase() === 'TILING') {
    const end = words.indexOf('CONFIG')
    found.tiling = hostSources(reading, command, runs, words.slice(2, end < 0 ? undefined : end), found.tiling)
  } else if ((name === 'add_library' || name === 'target_sources') && tilingLibrary.test(target)) {
    const sources = words.slice(1).filter((word) => !isKeyword(word))
    found.tiling = hostSources(reading, command, runs, sources, found.tiling)
  } else if (name === 'npu_op_code_gen' || name === 'opbuild') {
    const sources = argumentsAfter(words, name === 'opbuild' ? 'OPS_SRC' : 'SRC')
    found.definitions = hostSources(reading, command, runs, sources, found.definitions)
  } else if (name === 'npu_op_kernel_sources') takeKernel(reading, command, words, runs)
  else if (name === 'npu_op_kernel_library') {
    const [base = ''] = argumentsAfter(words, 'SRC_BASE')
    if (runs === undefined || isUntold(base)) throw untold(command, `SRC_BASE ${base}`)
    found.base = resolve(project.kernelDir, base)
  }
}

const untold = ({ line, name }: CMakeCommand, what: string): CMakeError =>
  new CMakeError(
    `${line}: ${what.slice(0, 200)} of ${name} cannot be told: name the files, or give them by set, file(GLOB) or aux_source_directory in the same file`,
  )

/** The words behind a keyword, up to the next one. */
function argumentsAfter(words: readonly string[], keyword: string): string[] {
  const at = words.indexOf(keyword)
  if (at < 0) return []
  const rest = words.slice(at + 1)
  const end = rest.findIndex((word) => /^[A-Z][A-Z_]+$/.test(word))
  return end < 0 ? rest : rest.slice(0, end)
}

function hostSources(
  { project, folder }: Reading,
  command: CMakeCommand,
  runs: Told,
  words: readonly string[],
  before: ReadonlySet<string> = new Set(),
): Set<string> {
  if (runs === undefined) throw untold(command, 'whether it runs')
  const lost = words.find((word) => isUntold(word) || word.startsWith('$<'))
  if (lost !== undefined) throw untold(command, lost)
  const paths = words.map((word) => resolve(folder, word))
  const { line, name } = command
  for (const path of paths) {
    const shown = relative(project.root, path)
    if (!project.files.has(path)) throw new CMakeError(`${line}: ${shown} of ${name} is not there`)
    if (!compiled.test(path)) throw new CMakeError(`${line}: ${shown} of ${name} is not compiled here: call it .cpp`)
  }
  return new Set([...before, ...paths])
}

function wordAfter(words: readonly string[], keyword: string): string {
  const at = words.indexOf(keyword)
  return at < 0 ? '' : (words[at + 1] ?? '')
}

function takeKernel({ project, found }: Reading, command: CMakeCommand, words: readonly string[], runs: Told): void {
  const [type, file, folder] = [
    wordAfter(words, 'OP_TYPE'),
    wordAfter(words, 'KERNEL_FILE'),
    wordAfter(words, 'KERNEL_DIR'),
  ]
  const units = argumentsAfter(words, 'COMPUTE_UNIT')
  if (!isUntold(type) && type !== project.operator) return
  if (units.length > 0 && units.every((unit) => !isUntold(unit) && !/910b/i.test(unit))) return
  const lost = [type, file, folder, ...units].find(isUntold)
  if (runs === undefined || lost !== undefined) throw untold(command, lost ?? 'whether it runs')
  found.kernels.add(join(folder, file))
}

/** Commands that define macros for all that a folder, a target or a source is compiled with, or give options. */
const definers = new Set([
  'add_definitions',
  'add_compile_definitions',
  'add_compile_options',
  'target_compile_definitions',
  'target_compile_options',
])
const propertySetters = /^set(?:_source_files_properties|_target_properties|_directory_properties|_property)$/
const anyCompileProperty = /^COMPILE_(?:DEFINITIONS|OPTIONS|FLAGS)/
const anyFlags = /^CMAKE_CXX_FLAGS/

/** Macros that the vendor's own templates give to host parts. */
const ownMacro =
  /^(?:-D)?(?:OP_(?:TILING|PROTO)_LIB|LOG_CPP|google=ascend_private|_FORTIFY_SOURCE=2|_GLIBCXX_USE_CXX11_ABI=0)$/

/** What a host part does not compute with: how it is compiled for a library, and warnings. */
const plainOfHost =
  /^(?:-f(?:PIC|pic|visibility(?:-inlines-hidden)?(?:=\w+)?|stack-protector(?:-\w+)?|stack-check|trapv|no-common|data-sections|function-sections)|-pthread|-s|-W[\w,=+-]+|-O[0-3s])$/

const flagsReference = /^\$\{CMAKE_CXX_FLAGS\w*\}$/

/**
 * Throws `BuildError` where files of CMake define macros for the host part, or give it options by which it would compute something else:
 * neither is given to it here.
 */
export function requirePlainHost(project: Project): void {
  const reach = project.lists.filter(({ folder }) => !isInside(folder, project.kernelDir))
  const searching = [...reach, ...listsBelow(project)]
  for (const { text } of searching) requirePlainText('CMakeLists.txt', text)
  requireAllSearched(
    project,
    searching.filter(({ text }) => anyFolders.test(text)),
  )
  const reached = reachedBy({ ...project, lists: reach })
  for (const [path, text] of project.others.allTexts)
    if (basename(path) !== 'CMakeLists.txt' && isReached(reached, path)) requirePlainText(basename(path), text)
}

/** Commands and properties by which a host part finds headers. */
const anyFolders = /\b(?:target_)?include_directories\b/i

/** All folders with headers below them. */
function headerFolders({ files, root }: Project): Set<string> {
  const folders = new Set<string>()
  for (const path of files) {
    if (anySource.test(path) || /(?:CMakeLists\.txt|\.cmake)$/.test(path)) continue
    for (let folder = dirname(path); isInside(folder, root) && !folders.has(folder); folder = dirname(folder))
      folders.add(folder)
  }
  return folders
}

function requireAllSearched(project: Project, lists: Project['lists']): void {
  if (lists.length === 0) return
  const texts = textsOf(project)
  const [leaving, around] = [leavingMacros(texts.values()), settingsAround(texts, project.presets)]
  const folders = headerFolders(project)
  try {
    for (const { folder, text } of lists) {
      const elsewhere = () => around(join(folder, 'CMakeLists.txt'))
      requireSearched(project, { folder, text, elsewhere, leaving }, folders)
    }
  } catch (error) {
    if (error instanceof CMakeError) throw refusal(`CMakeLists.txt:${error.message}`)
    throw error
  }
}

/** Throws `BuildError` where a list has headers of the candidate looked for in a folder that is not searched here. */
function requireSearched(project: Project, { folder, text, elsewhere, leaving }: Naming, folders: Set<string>): void {
  const { root, hostDir, kernelDir } = project
  const values = valuesOf(root, folder, elsewhere)
  const blocks = new CMakeBlocks({ commands: new Set(), leaving, valueOf: (name) => values.valueOf(name) })
  for (const { name, words: written, line } of commandsOf(text)) {
    const words = values.wordsOf(written)
    blocks.take(
      name,
      words,
      written.every(({ kind }) => kind === 'plain'),
    )
    if (blocks.runs === false) continue
    const isSearch =
      anyFolders.test(name) || (propertySetters.test(name) && words.some((word) => anyFolders.test(word)))
    const lost = (isSearch ? words : []).find((word) => {
      const path = resolve(folder, word)
      if (isUntold(word)) return !values.isOutside(word) || /_(?:SOURCE|BINARY)_DIR\}/.test(word)
      if (word.includes('$<')) return word.includes(root)
      return path !== hostDir && path !== kernelDir && folders.has(path)
    })
    if (lost !== undefined)
      throw refusal(
        `CMakeLists.txt:${line}: headers in ${relative(root, resolve(folder, lost)).slice(0, 200)} are not looked for here: include them by their path from the source`,
      )
    if (setters.has(name) || !isHarmlessCommand(name)) values.take(name, words, blocks.runs)
    // what such a command names it may set
    else for (const word of words) if (/^\w+$/.test(word)) values.take('set', [word, word], undefined)
  }
}

function requirePlainText(file: string, text: string): void {
  for (const { name, words, line } of commandsOf(text)) {
    const separate = words.flatMap((word) => (isForOthers(word.text) ? [] : wordsIn(word.text)))
    const given = givenTo(name, separate).find((word) => word !== '' && !isPlainForHost(word))
    if (given !== undefined)
      throw refusal(
        `${file}:${line}: ${given.slice(0, 200)} is not given to the host part here: write it in the source`,
      )
  }
}

/** Targets that the host part is, or that are linked with it: these have an interface. */
const isOfHostPart = ([target = '', ...words]: readonly string[]): boolean =>
  tilingLibrary.test(target) || isUntold(target) || words.includes('INTERFACE') || words.includes('PUBLIC')

/** The definitions and options that a command gives. */
function givenTo(name: string, words: readonly string[]): readonly string[] {
  const [first = ''] = words
  if (definers.has(name)) {
    const isTarget = name.startsWith('target_')
    if (isTarget && !isOfHostPart(words)) return []
    return (isTarget ? words.slice(1) : words).filter((word) => !/^(?:PRIVATE|PUBLIC|INTERFACE|BEFORE)$/.test(word))
  }
  if (name === 'npu_op_code_gen') return argumentsAfter(words, 'COMPILE_OPTIONS')
  if (name === 'set' && anyFlags.test(first))
    return words.slice(1).filter((word) => !/^(?:CACHE|STRING|FORCE|PARENT_SCOPE)$/.test(word))
  if ((name === 'string' || name === 'list') && words.some((word) => anyFlags.test(word)))
    return words.slice(1).filter((word) => !/^[A-Z]\w*$/.test(word))
  const at = propertySetters.test(name) ? words.findIndex((word) => anyCompileProperty.test(word)) : -1
  return at < 0 ? [] : words.slice(at + 1)
}

/** The words of an argument; of an expression that is worked out while a build is made, those that it may come to. */
const wordsIn = (text: string): string[] =>
  text
    .split(/[;\s]+/)
    .flatMap((word) =>
      word.includes('$<') || word.endsWith('>')
        ? word.split(/\$<|[<>,:]/).filter((part) => !ofExpressions.test(part))
        : [word],
    )

/** What asks for a configuration, a language or a version in such expressions. */
const ofExpressions =
  /^(?:CONFIG|Release|Debug|COMPILE_LANGUAGE|C|CXX|AND|OR|NOT|IF|BOOL|VERSION_(?:GREATER|LESS)(?:_EQUAL)?|TARGET_EXISTS|BUILD_INTERFACE|\d[\d.]*|\$\{CMAKE_\w+\})$/

const isPlainForHost = (word: string): boolean =>
  ownMacro.test(word) || plainOfHost.test(word) || flagsReference.test(word) || isWithoutInfluence(word)

/** Options for other languages. */
const isForOthers = (word: string): boolean => /^\$<\$<COMPILE_LANGUAGE:(?!CXX|C>)\w+>:[^<>]*>?$/.test(word)
