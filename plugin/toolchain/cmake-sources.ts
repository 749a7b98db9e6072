import { basename, dirname, join, relative, resolve } from 'node:path'
import { isInside } from '../files/index.ts'
import { BuildError, simpleFailure } from './build-failure.ts'
import { addedFolders, leavingMacros, textsOf } from './cmake-project.ts'
import { changesBuild, commandsOf, settingsAround, type Settings } from './cmake-settings.ts'
import { CMakeBlocks, CMakeValues, isUntold, type Told } from './cmake-values.ts'
import { cmakeCommands, CMakeError, type CMakeCommand } from './cmake.ts'
import {
  beginsOptions,
  includedModules,
  isHarmlessCommand,
  isOfVendor,
  notAdded,
  packageModules,
  type OtherFiles,
} from './compile-options.ts'
import { isWriter } from './cmake-writes.ts'
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
  others: Pick<OtherFiles, 'allTexts' | 'links'>
  /** what its presets set */
  presets?: Iterable<string>
  /** all sources in it */
  files: ReadonlySet<string>
  /** other files in it */
  beside?: readonly string[]
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
  /** is a source made by the vendor's build? */
  isGenerated: (word: string) => boolean
}

/** What the reading of one list needs. */
interface Reading {
  project: Project
  folder: string
  values: CMakeValues
  found: Found
  isGenerated: Naming['isGenerated']
}

interface Found {
  tiling: Set<string> | undefined
  definitions: Set<string> | undefined
  kernels: Set<string>
  base: string | undefined
  /** how often files have been listed */
  listings: number
}

const nothingFound = (): Found => ({
  tiling: undefined,
  definitions: undefined,
  kernels: new Set(),
  base: undefined,
  listings: 0,
})

/** Reads which sources the files of CMake of a project name. Throws `BuildError` where that cannot be told. */
export function readNamedSources(project: Project): NamedSources {
  const found = nothingFound()
  const naming = [...project.lists, ...listsBelow(project)].filter(({ text }) => namesSources(text))
  const texts = naming.length === 0 ? new Map<string, string>() : textsOf(project)
  const added = addedFolders(project, texts)
  const [leaving, around] = [leavingMacros(texts.values()), settingsAround(texts, project.presets)]
  const isLeft =
    ![...(project.presets ?? [])].includes('ASCEND_AUTOGEN_PATH') &&
    [...texts.values()].every((text) => commandsOf(text).every(leavesGenerated))
  const isGenerated = (word: string): boolean => isLeft && isFallback(word)
  for (const { folder, text } of naming) {
    const isAdded = added.has(folder)
    try {
      const elsewhere = () => around(join(folder, 'CMakeLists.txt'))
      const own = isAdded ? found : nothingFound()
      readList(project, { folder, text, elsewhere, leaving, isGenerated }, own)
      if (!isAdded && (own.tiling ?? own.definitions ?? own.base ?? [...own.kernels][0]) !== undefined)
        throw refusal(
          `${relative(project.root, folder)}/CMakeLists.txt: whether it names sources cannot be told: ${notAdded(folder)}`,
        )
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
export function reachedBy({ lists, others }: Pick<Project, 'lists' | 'others'>): Reached {
  const reached: Reached = { modules: new Set(), folders: new Set() }
  const add = (kind: keyof Reached, name: string): void => {
    if (isUntold(name) || others.links.has(name)) reached[kind] = undefined
    else reached[kind]?.add(name)
  }
  const take = (text: string): void => {
    for (const { name, words } of commandsOf(text)) {
      const [first = ''] = words.map((word) => word.text)
      if (name === 'include') for (const module of includedModules(first)) add('modules', module)
      else if (name === 'find_package') for (const module of packageModules(first)) add('modules', module)
      else if (name === 'add_subdirectory') add('folders', basename(first))
      else if (name === 'subdirs') for (const word of words) add('folders', basename(word.text))
    }
  }
  const left = new Map(others.allTexts)
  let texts = lists.map(({ text }) => text)
  for (let turn = 0; texts.length > 0; turn++) {
    if (turn > mostTurns) return { modules: undefined, folders: undefined }
    for (const text of texts) take(text)
    const more = [...left].filter(([path]) => isReached(reached, path))
    for (const [path] of more) left.delete(path)
    texts = more.map(([, text]) => text)
  }
  return reached
}

/** Nobody's files of CMake read each other in a longer row. */
const mostTurns = 20

export function isReached({ modules, folders }: Reached, path: string): boolean {
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

/** What the vendor's build makes of definitions, for the library of the host part: no tiling function follows from it. */
const isFallback = (word: string): boolean =>
  /^\$\{(?:ASCEND_AUTOGEN_PATH\}|CMAKE_BINARY_DIR\}\/\w+)\/fallback_[\w*]*\.cpp$/.test(word)

/** Does a command leave the folder of what the vendor's build makes where it is, and what lies there as it is? */
function leavesGenerated({ name, words: written }: CMakeCommand): boolean {
  const words = written.map(({ text }) => text)
  if (isWriter(name, words) && !beginsOptions(name, words))
    return !words.some((word) => /auto_?gen|fallback/i.test(word))
  if (words.includes('CMAKE_BINARY_DIR')) return false
  if (!words.includes('ASCEND_AUTOGEN_PATH')) return true
  return name === 'set' && /^\$\{CMAKE_BINARY_DIR\}\/\w+$/.test(words[1] ?? '')
}

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
  let body = ''
  return commandsOf(text).some(({ name, words: [target, ...others] }) => {
    const first = target?.text ?? ''
    if (/^(?:end)?(?:function|macro)$/.test(name)) body = name.startsWith('end') ? '' : first.toLowerCase()
    return (
      (name === 'npu_op_library' && others[0]?.text.toUpperCase() === 'TILING') ||
      ((name === 'add_library' || name === 'target_sources') &&
        (tilingLibrary.test(first) || (isUntold(first) && !isOfVendor(body))) &&
        others.some(({ text: word }) => !isKeyword(word))) ||
      /^(?:npu_op_code_gen|opbuild|npu_op_kernel_sources|npu_op_kernel_library)$/.test(name)
    )
  })
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

function readList(project: Project, { folder, text, elsewhere, leaving, isGenerated }: Naming, found: Found): void {
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
    const reading = { project, folder, values, found, isGenerated }
    take(reading, command, words, runs)
    takeVariables(reading, name, words, runs)
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
  } else if (name === 'add_library' || name === 'target_sources') {
    const sources = words.slice(1).filter((word) => !isKeyword(word))
    if (isUntold(target) && sources.length > 0) throw untold(command, target)
    if (!tilingLibrary.test(target) || (name === 'add_library' && sources.length === 0)) return
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
  { project, folder, isGenerated }: Reading,
  command: CMakeCommand,
  runs: Told,
  all: readonly string[],
  before: ReadonlySet<string> = new Set(),
): Set<string> {
  const words = all.filter((word) => !isGenerated(word))
  const paths = words.map((word) => resolve(folder, word))
  if (runs === undefined && !paths.every((path) => before.has(path))) throw untold(command, 'whether it runs')
  const lost = words.find((word) => isUntold(word) || word.startsWith('$<'))
  if (lost !== undefined) throw untold(command, lost)
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

/** Commands that define macros for all that a folder, a target or a source is compiled with, or give options for it or for its linker. */
const definers = new Set([
  'add_definitions',
  'add_compile_definitions',
  'add_compile_options',
  'add_link_options',
  'link_libraries',
  'target_compile_definitions',
  'target_compile_options',
  'target_link_options',
  'target_link_libraries',
])
const propertySetters = /^set(?:_source_files_properties|_target_properties|_directory_properties|_property)$/

/** Properties that give definitions and options, each of which may be plain. */
const anyOptionProperty = /(?:^|_)(?:COMPILE_(?:DEFINITIONS|OPTIONS|FLAGS)|LINK_(?:OPTIONS|FLAGS))/

/** Properties by which other sources are compiled, or all of them otherwise. */
const anyRefusedProperty =
  /^(?:(?:INTERFACE_)?(?:SOURCES|PRECOMPILE_HEADERS)|(?:INTERFACE_)?LINK_LIBRARIES\w*|HEADER_FILE_ONLY|EXTERNAL_OBJECT|DEFINE_SYMBOL|UNITY_BUILD|(?:LINK|COMPILE)_INTERFACE_LIBRARIES)$/

/** Variables by which CMake compiles and links. */
const anyFlags =
  /^CMAKE_(?!CXX_COMPILER(?:_LAUNCHER)?$|CXX_STANDARD$)(?!\w*_(?:PREFIX|SUFFIX)$)\w*(?:CXX|LINKER_FLAGS|SHARED_LIBRARY|UNITY)\w*$/
const plainSetting = /^(?:ON|OFF|TRUE|FALSE|YES|NO|\d+|hidden|default)$/

/** Macros that the vendor's own templates give to host parts. */
const ownMacro =
  /^(?:-D)?(?:OP_(?:TILING|PROTO)_LIB|LOG_CPP|google=ascend_private|_FORTIFY_SOURCE=2|_GLIBCXX_USE_CXX11_ABI=0)$/

/** What a host part does not compute with: how it is compiled for a library, and warnings. */
const plainOfHost =
  /^(?:-f(?:PIC|pic|visibility(?:-inlines-hidden)?(?:=\w+)?|stack-protector(?:-\w+)?|stack-check|trapv|no-common|data-sections|function-sections)|-pthread|-W(?![alp],)[\w=+-]+|-O[0-3s])$/

/** What a linker finds, and how it lays that out: no function takes the place of another one by it. */
const plainOfLinker =
  /^(?:-s|-pie|-shared|-static-lib(?:stdc\+\+|gcc)|-rdynamic|-z|relro|now|noexecstack|defs|-l[\w.+-]+|-Wl,(?:-z,?(?:relro|now|noexecstack|defs)?|-s|--(?:no-)?whole-archive|--(?:no-)?as-needed|--no-undefined|--gc-sections|--(?:start|end)-group|--build-id(?:=\w+)?|--exclude-libs[,=][\w.+]+|--disable-new-dtags|--enable-new-dtags|-rpath(?:-link)?[,=].*|--rpath=.*))$/

const flagsReference = /^\$\{CMAKE_(?:CXX_FLAGS|\w+_LINKER_FLAGS)\w*\}$/

/** A file of CMake that a host part is built by. */
interface HostFile {
  name: string
  /** in which it is read */
  folder: string
  /** in which it lies */
  own: string
  text: string
  /** of a folder that makes no library of the host part: what it says of all in it is not for that */
  isApart: boolean
  /** that of kernels: nothing in it is for the host part but what names its library */
  isOfKernels: boolean
}

/**
 * Throws `BuildError` where files of CMake define macros for the host part, or give it options by which it would compute something else:
 * neither is given to it here. The same holds for what changes of which sources, libraries and headers it is made.
 */
export function requirePlainHost(project: Project): void {
  const files = hostFiles(project)
  const texts = textsOf(project)
  const [leaving, around] = [leavingMacros(texts.values()), settingsAround(texts, project.presets)]
  const folders = headerFolders(project)
  const links = new Links()
  for (const file of files) {
    const { name: path, folder, own, text } = file
    const elsewhere = () => around(join(own, path))
    const values = valuesOf(project.root, folder, elsewhere)
    values.enter(own)
    const blocks = new CMakeBlocks({ commands: new Set(), leaving, valueOf: (name) => values.valueOf(name) })
    try {
      for (const { name, words: written, line } of commandsOf(text)) {
        const words = values.wordsOf(written)
        blocks.take(
          name,
          words,
          written.every(({ kind }) => kind === 'plain'),
        )
        if (blocks.runs === false) continue
        const given = { name, words, values, text, elsewhere }
        const problem = isElsewhere(file, given)
          ? undefined
          : (problemOf(given) ?? unsearched({ project, folder, folders }, given))
        if (problem !== undefined) throw refusal(`${path}:${line}: ${problem}`)
        links.take(given)
        if (setters.has(name) || !isHarmlessCommand(name)) values.take(name, words, blocks.runs)
        // what such a command names it may set
        else for (const word of words) if (/^\w+$/.test(word)) values.take('set', [word, word], undefined)
      }
    } catch (error) {
      if (error instanceof CMakeError) throw refusal(`${path}:${error.message}`)
      throw error
    }
  }
  const own = links.ownLibrary()
  if (own !== undefined)
    throw refusal(
      `CMakeLists.txt: the library ${own.slice(0, 200)} is not linked to the host part here: name its sources for the library of the host part`,
    )
}

/** Commands that say something of a whole folder. */
const ofFolders = new Set([
  'add_definitions',
  'add_compile_definitions',
  'add_compile_options',
  'add_link_options',
  'link_libraries',
  'include_directories',
  'set',
  'string',
  'list',
  'set_directory_properties',
])

/** Does a command say nothing of the host part, by where it stands? */
function isElsewhere({ isApart, isOfKernels }: HostFile, { name, words }: Given): boolean {
  if (isOfKernels && !words.some((word) => tilingLibrary.test(word))) return true
  if (!isApart) return false
  if (name === 'target_include_directories') return !isOfHostPart(words)
  return ofFolders.has(name) && !words.some((word) => word === 'PARENT_SCOPE' || word === 'CACHE')
}

/** The files of CMake that a host part is built by, as far as they are read. */
function hostFiles(project: Project): HostFile[] {
  const isOfKernels = (folder: string): boolean => isInside(folder, project.kernelDir)
  const reached = reachedBy({ ...project, lists: project.lists.filter(({ folder }) => !isOfKernels(folder)) })
  const others = [...project.others.allTexts].filter(([path]) => isReached(reached, path))
  const lists = [...project.lists.map(({ folder }) => folder), ...others.flatMap(([path]) => listFolder(path))]
  // an included file is read in the folder of the list that includes it
  const including = lists.filter((folder) => !isOfKernels(folder))
  if (including.length > mostLists) throw refusal(`more than ${mostLists} CMakeLists.txt are read: leave some out`)
  return [
    ...project.lists.map(({ folder, text }) => ({
      name: 'CMakeLists.txt',
      folder,
      own: folder,
      text,
      isApart: isOfKernels(folder),
      isOfKernels: isOfKernels(folder),
    })),
    ...others.flatMap(([path, text]) => {
      const [name, own] = [basename(path), dirname(path)]
      if (name === 'CMakeLists.txt')
        return [{ name, folder: own, own, text, isApart: !namesSources(text), isOfKernels: isOfKernels(own) }]
      const places = /SOURCE_DIR|INCLUDE_DIRECTORIES/i.test(text) ? including : including.slice(0, 1)
      return places.map((folder) => ({ name, folder, own, text, isApart: false, isOfKernels: false }))
    }),
  ]
}

/** Nobody's host part is built by more. */
const mostLists = 100

const listFolder = (path: string): string[] => (basename(path) === 'CMakeLists.txt' ? [dirname(path)] : [])

/** Commands and properties by which a host part finds headers. */
const anyFolders = /(?:^|_)include_directories$/i

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

/** A command as it runs: its arguments, as far as they are known. */
interface Given {
  name: string
  words: readonly string[]
  values: CMakeValues
  /** of the whole file */
  text: string
  /** what other files set */
  elsewhere: () => Settings
}

/** Headers of C, C++ and POSIX: a folder that a build searches first takes their place, for the library as well. */
const ofSystem =
  /^(?:(?:assert|complex|ctype|errno|fenv|float|inttypes|iso646|limits|locale|math|setjmp|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|string|strings|tgmath|threads|time|uchar|wchar|wctype|dlfcn|endian|fcntl|features|malloc|pthread|sched|semaphore|unistd)\.h|(?:sys|bits|asm|linux|gnu|ext)\/.*|(?:algorithm|any|array|atomic|bitset|c(?:assert|complex|ctype|errno|fenv|float|inttypes|limits|locale|math|setjmp|signal|stdarg|stddef|stdint|stdio|stdlib|string|time|uchar|wchar|wctype)|charconv|chrono|codecvt|complex|condition_variable|deque|exception|execution|filesystem|forward_list|fstream|functional|future|initializer_list|iomanip|ios|iosfwd|iostream|istream|iterator|limits|list|locale|map|memory|memory_resource|mutex|new|numeric|optional|ostream|queue|random|ratio|regex|scoped_allocator|set|shared_mutex|sstream|stack|stdexcept|streambuf|string|string_view|system_error|thread|tuple|type_traits|typeindex|typeinfo|unordered_map|unordered_set|utility|valarray|variant|vector))$/

/** What is wrong with the folders that a command has headers of the candidate looked for in. */
function unsearched(
  { project, folder, folders }: { project: Project; folder: string; folders: ReadonlySet<string> },
  { name, words, values }: Given,
): string | undefined {
  const { root, hostDir, kernelDir, files, beside = [] } = project
  const isSearch =
    anyFolders.test(name) ||
    (name === 'set' && anyFolders.test(words[0] ?? '')) ||
    (propertySetters.test(name) && words.some((word) => anyFolders.test(word)))
  for (const word of isSearch ? words : []) {
    const path = resolve(folder, word)
    const isOwn = path === hostDir || path === kernelDir
    const lost = isUntold(word)
      ? !values.isOutside(word) || /_(?:SOURCE|BINARY)_DIR\}/.test(word)
      : word.includes('$<')
        ? word.includes(root)
        : !isOwn && folders.has(path)
    if (lost)
      return `headers in ${relative(root, path).slice(0, 200)} are not looked for here: include them by their path from the source`
    const taken = isOwn ? [...files, ...beside].find((file) => ofSystem.test(relative(path, file))) : undefined
    if (taken !== undefined)
      return `${relative(root, taken).slice(0, 200)} takes the place of a header of the system: give it another name`
  }
  return undefined
}

/** What a command says that is not followed here. */
function problemOf(given: Given): string | undefined {
  const { name, words } = given
  if (name === 'cmake_language' || (name === 'target_precompile_headers' && isOfHostPart(words)))
    return `${name} is not followed here: leave it out`
  const changed = settingsOf(given).find(([setting, value]) => isChange(setting, value, given))
  if (changed !== undefined) return `${changed[0].slice(0, 200)} is not followed here: leave it out`
  const separate = words.flatMap((word) => (isForOthers(word) ? [] : wordsIn(word)))
  const ofProperties = settingsOf(given)
    .filter(([setting]) => name !== 'set' && anyOptionProperty.test(setting))
    .flatMap(([, value]) => value.split(';').flatMap((word) => (isForOthers(word) ? [] : wordsIn(word))))
  const lost = [...givenTo(name, separate), ...ofProperties].find((word) => word !== '' && !isPlainForHost(word))
  return lost === undefined
    ? undefined
    : `${lost.slice(0, 200)} is not given to the host part here: write it in the source`
}

/** Variables and properties that a command sets, and their values. */
function settingsOf({ name, words }: Given): [string, string][] {
  const [first = '', ...values] = words
  if (name === 'set') {
    const variable = first.replace(/^(?:ENV|CACHE)\{(\w+)\}$/, '$1')
    return variable !== first || /^(?:CMAKE|ASCEND)_/.test(first) ? [[variable, valueIn(values)]] : []
  }
  if (name === 'target_compile_features' && isOfHostPart(words))
    return values.flatMap((word) => (word.startsWith('cxx_std_') ? [['CMAKE_CXX_STANDARD', word.slice(8)]] : []))
  if (!propertySetters.test(name)) return []
  const at = words.findIndex((word) => word === 'PROPERTY' || word === 'PROPERTIES')
  const [property = '', ...rest] = words.slice(at + 1)
  if (words[at] === 'PROPERTY') return [[property, rest.join(';')]]
  return words.slice(at + 1).flatMap((word, index, all) => (index % 2 === 0 ? [[word, all[index + 1] ?? '']] : []))
}

/** The value that `set` is given, without what says where it is kept. */
function valueIn(words: readonly string[]): string {
  const end = words.findIndex((word) => word === 'CACHE' || word === 'PARENT_SCOPE')
  return words.slice(0, end < 0 ? undefined : end).join(';')
}

function isChange(setting: string, value: string, { name, values, text, elsewhere }: Given): boolean {
  if (name !== 'set' && (anyRefusedProperty.test(setting) || isUntold(setting))) return true
  if (setting === 'LANGUAGE') return !/^(?:CXX|ASC)$/.test(value)
  if (setting === 'CXX_STANDARD') return changesBuild('CMAKE_CXX_STANDARD', value)
  if (!changesBuild(setting, value)) return false
  // what nobody in sight sets is up to those who build
  if (!isUntold(value)) return true
  const [, variable = ''] = /^\$\{(\w+)\}$/.exec(value) ?? []
  if (variable === 'CMAKE_CROSS_PLATFORM_COMPILER' || values.isOutside(value)) return false
  return elsewhere().names.has(variable) || !isCompilerCache(variable, text)
}

/** Is that a variable which a text sets to the program `ccache`, and to nothing else? */
function isCompilerCache(variable: string, text: string): boolean {
  const setting = commandsOf(text).filter(
    ({ name, words }) => !/^(?:if|elseif|message)$/.test(name) && words.some((word) => word.text === variable),
  )
  return (
    setting.length > 0 &&
    setting.every(
      ({ name, words }) =>
        name === 'find_program' && words.slice(1).every((word) => /^(?:s?ccache|NAMES|REQUIRED)$/.test(word.text)),
    )
  )
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
    const given = (isTarget ? words.slice(1) : words).filter(
      (word) => !/^(?:PRIVATE|PUBLIC|INTERFACE|BEFORE|AFTER)$/.test(word),
    )
    // what is linked is told from what says how
    return name.endsWith('link_libraries') ? given.filter((word) => word.startsWith('-')) : given
  }
  if (name === 'npu_op_code_gen') return argumentsAfter(words, 'COMPILE_OPTIONS')
  if (name === 'set' && (anyFlags.test(first) || isUntold(first))) {
    const given = words.slice(1).filter((word) => !/^(?:CACHE|STRING|BOOL|FORCE|PARENT_SCOPE)$/.test(word))
    return isUntold(first)
      ? given.filter((word) => /^-\w/.test(word))
      : given.filter((word) => !plainSetting.test(word))
  }
  if ((name === 'string' || name === 'list') && words.some((word) => anyFlags.test(word)))
    return words.slice(1).filter((word) => !/^[A-Z]\w*$/.test(word))
  return []
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
  /^(?:CONFIG|Release|Debug|COMPILE_LANGUAGE|C|CXX|AND|OR|NOT|IF|BOOL|VERSION_(?:GREATER|LESS)(?:_EQUAL)?|STREQUAL|TARGET_PROPERTY|TYPE|EXECUTABLE|TARGET_EXISTS|BUILD_INTERFACE|\d[\d.]*|\$\{CMAKE_\w+\})$/

const isPlainForHost = (word: string): boolean =>
  ownMacro.test(word) ||
  plainOfHost.test(word) ||
  plainOfLinker.test(word) ||
  flagsReference.test(word) ||
  (isWithoutInfluence(word) && !/^-{1,2}std=(?!\w+\+\+(?:0x|1[14z7y]$))/.test(word))

/** Options for other languages. */
const isForOthers = (word: string): boolean => /^\$<\$<COMPILE_LANGUAGE:(?!CXX|C>)\w+>:[^<>]*>?$/.test(word)

/** What is linked with all targets, and a library that is not told: no target has such a name. */
const [ofAll, any] = ['', '*']

/** Which targets a project links with which, and which of them have sources. */
class Links {
  readonly #linked = new Map<string, string[]>()
  readonly #own = new Set<string>()
  readonly #programs = new Set<string>()

  take({ name, words, values }: Given): void {
    const [target = '', ...others] = words
    const isAny = (word: string): boolean => isUntold(word) && !values.isOutside(word)
    if (name === 'add_executable') this.#programs.add(target)
    else if (name === 'add_library' && others[0] === 'ALIAS') this.#link(target, others.slice(1))
    else if (name === 'add_library' || name === 'target_sources') {
      if (!tilingLibrary.test(target) && others.some((word) => !isKeyword(word))) this.#own.add(target)
    } else if (name === 'target_link_libraries')
      this.#link(isUntold(target) ? ofAll : target, others.some(isAny) ? [...others, any] : others)
    else if (name === 'link_libraries') this.#link(ofAll, words.some(isAny) ? [...words, any] : words)
  }

  /** A library with sources that the host part is linked with, or may be. */
  ownLibrary(): string | undefined {
    const ofHost = [...this.#linked.keys()].filter((name) => tilingLibrary.test(name) && !this.#programs.has(name))
    const reached = new Set([ofAll, ...ofHost])
    // a set gives what is added to it on the way as well
    for (const each of reached) for (const word of this.#linked.get(each) ?? []) reached.add(word)
    return [...this.#own].find((name) => reached.has(name) || reached.has(any))
  }

  #link(target: string, words: readonly string[]): void {
    this.#linked.set(target, [...(this.#linked.get(target) ?? []), ...words.flatMap(wordsIn)])
  }
}
