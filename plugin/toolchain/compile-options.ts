import { basename, dirname, join, resolve } from 'node:path'
import { onAtlasA2 } from './ascendc-names.ts'
import { BuildError, simpleFailure } from './build-failure.ts'
import { CMakeBlocks, CMakeValues, isUntold, listElements, type Told } from './cmake-values.ts'
import { commandsOf, type Settings } from './cmake-settings.ts'
import { cmakeCommands, CMakeError, type CMakeCommand } from './cmake.ts'
import { filesNamed, FileWrites, isWriter, leadsUp, mayWrite, targetsOf } from './cmake-writes.ts'
import { compilerOptions, OptionError, type CompilerOption } from './option-words.ts'

export interface CompileOptions {
  /** `-DNAME=value`, as written */
  defines: string[]
  /** absolute include folders */
  includes: string[]
  /** whether the compiler inserts synchronisation inside a core; the vendor's default is on */
  autoSync: boolean
}

/** What one command says: for one operator or all, for which processors, and which options. */
interface Options {
  isForAll: boolean
  /** for processors that it names, or for any */
  isForUnit: boolean
  /** does the command run? If that is not known, all its options are without influence */
  isGiven: boolean
  /** as many as a project has files */
  folder: string
  place: string
  options: CompilerOption[]
}

/** The arguments of one command. */
interface Arguments {
  name: string
  computeUnits: string[]
  options: string[]
  /** projects that name the operator so have scripts that know series by their names */
  namesSeries: boolean
}

/** The series of the device, and its processors, as the vendor's scripts know them. */
const ownSeries = 'ascend910b'
const ownUnits = new Set(['b1', 'b2', 'b2c', 'b3', 'b4', 'b4-1'].map((end) => `ascend910${end}`))

/** Processors of other series; the scripts end at what they do not know. */
const otherUnit =
  /^(?:ascend910(?:a|pro[ab]|premiuma)|ascend910_93(?:[789]1|72|[689]2)|ascend310p(?:[1357]|3vir0[1248])|ascend310b1|bs9sx1aa|ascend610lite|ascend950(?:(?:pr|dt)_9\w{3})?|ascend350_35\w\w)$/

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
  return {
    name: operator,
    computeUnits: taken.COMPUTE_UNIT ?? [],
    options: taken.OPTIONS ?? [],
    namesSeries: words !== all,
  }
}

const shown = (word: string): string => word.slice(0, 200)

const optionCommands = new Set(['add_ops_compile_options', 'npu_op_kernel_options'])
const anyOptionCommand = new RegExp([...optionCommands].join('|'), 'i')

/** The files in which the vendor's build keeps options until it compiles. */
const anyOptionFile = /custom_(?:compile|opc)_options/i
const anyOptionFolder = /auto_?gen_path/i

/** Commands that run any other one. */
const anyHidingCommand = /cmake_language/i

/** Files by their paths, and by what modules of that name are called. */
export class OtherFiles {
  readonly paths: ReadonlySet<string>
  readonly modules: ReadonlySet<string>
  /** of those that are short enough */
  readonly texts: ReadonlyMap<string, string>
  /** all files of CMake, also those that give no options */
  readonly known: ReadonlySet<string>
  /** what those that give none may write */
  readonly made: readonly string[]
  /** one that defines a command which gives options, or begins anew what that writes */
  readonly definer: string | undefined
  /** texts of all of them, but for long ones */
  readonly allTexts: ReadonlyMap<string, string>
  /** names of files that nobody has read */
  readonly unread: ReadonlySet<string>
  /** names of links: a path through one leads to another folder */
  readonly links: ReadonlySet<string>

  constructor(
    paths: readonly string[],
    texts: ReadonlyMap<string, string> = new Map(),
    {
      known = [],
      made = [],
      definer,
      allTexts = new Map(),
      unread = [],
      links = [],
    }: {
      known?: readonly string[]
      made?: readonly string[]
      definer?: string | undefined
      allTexts?: ReadonlyMap<string, string>
      unread?: Iterable<string>
      links?: Iterable<string>
    } = {},
  ) {
    this.paths = new Set(paths)
    this.modules = new Set(paths.map(moduleOf))
    this.texts = texts
    this.known = new Set([...paths, ...known])
    this.made = made
    this.definer = definer
    this.allTexts = allTexts
    this.unread = new Set(unread)
    this.links = new Set(links)
  }
}

/** What is known of all files of CMake that a candidate has besides its lists; those without a text are too long to be read. */
export function otherFilesOf(
  files: ReadonlyMap<string, string | undefined>,
  lists: readonly string[] = [],
  {
    unread = [],
    links = [],
    isReached = () => true,
  }: { unread?: readonly string[]; links?: readonly string[]; isReached?: (path: string) => boolean } = {},
): OtherFiles {
  const notRead = new Set(unread)
  const givers = new Map(
    [...files].filter(
      ([path, text]) => text === undefined || givesOptions(text) || (isReached(path) && includesUnread(text, notRead)),
    ),
  )
  const parsed = [...withText(files)]
  const readers = new Map(
    givers.size === 0 ? [] : parsed.map(([path, text]) => [path, { text, commands: commandsOf(text) }]),
  )
  // what reads a file that gives options gives them as well
  for (let turn = 0, before = 0; before < givers.size; turn++) {
    before = givers.size
    const others = new OtherFiles([...givers.keys()], undefined, { unread, links })
    for (const [path, { text, commands }] of readers)
      if (!givers.has(path) && (turn > mostTurns || readsOptions(commands, { folder: dirname(path), text, others })))
        givers.set(path, text)
  }
  const rest = [...files].filter(([path]) => !givers.has(path)).map(([, text = '']) => text)
  const definer = [...files].find(([, text]) => text !== undefined && definesOptionCommand(text))?.[0]
  return new OtherFiles([...givers.keys()], withText(givers), {
    known: [...lists, ...files.keys()],
    made: rest.filter(mayWrite).flatMap(filesNamed),
    definer,
    allTexts: withText(files),
    unread,
    links,
  })
}

/** May a file have CMake read one of those that give options? */
const readsOptions = (commands: readonly CMakeCommand[], list: List): boolean =>
  commands.some((command) => {
    const words = command.words.map((word) => word.text)
    return setsIncluded(command.name, words) || mayReadOthers(command, words, list)
  })

const withText = (all: ReadonlyMap<string, string | undefined>): Map<string, string> =>
  new Map([...all].flatMap(([path, text]): [string, string][] => (text === undefined ? [] : [[path, text]])))

/** Nobody's files of CMake read each other in a longer row. */
const mostTurns = 20

const isDefinition = (name: string): boolean => name === 'function' || name === 'macro'

/** In projects that the vendor's tool has made: files of options that the build before may have left are begun anew. */
export const beginsOptions = (name: string, words: readonly string[]): boolean =>
  name === 'execute_process' &&
  /^(?:COMMAND (?:rm -rf|touch) \$\{ASCEND_AUTOGEN_PATH\}\/\$\{CUSTOM_(?:COMPILE|OPC)_OPTIONS\} ?)+$/.test(
    words.join(' '),
  )

/** Does a file define a command that gives options, or lose those that were given before? */
const definesOptionCommand = (text: string): boolean =>
  (anyOptionCommand.test(text) || anyOptionFile.test(text)) &&
  commandsOf(text).some(({ name, words }) => {
    const texts = words.map((word) => word.text)
    return (isDefinition(name) && anyOptionCommand.test(texts[0] ?? '')) || beginsOptions(name, texts)
  })

const moduleOf = (path: string): string => basename(path, '.cmake')

/** A file of CMake. */
interface List {
  folder: string
  text: string
  /** the folder of the whole project */
  top?: string
  /** names of projects that its list begins, where it has one */
  projects?: readonly string[]
  /** what other files set */
  elsewhere?: () => Settings
  /** macros of other files by which one may be left that calls them */
  leaving?: ReadonlySet<string>
  /** does the list of the top not add it, or not for sure? */
  isUnadded?: boolean
  /** other files in it that give options where CMake is told to read them */
  others?: OtherFiles
  /** once somebody has asked */
  namesOptions?: boolean
  /** as well */
  functions?: ReadonlySet<string>
  /** the line of the first command behind which a project may read files that nothing names */
  latestProject?: number
}

/** Whether a file names a command that gives options: it may hold very many commands that ask. */
function namesOptions(list: List): boolean {
  list.namesOptions ??= anyOptionCommand.test(list.text)
  return list.namesOptions
}

/** The options of a file for an operator, in the order of its commands. Throws `BuildError` where they cannot be told. */
function optionsIn(operator: string, list: List, writes: FileWrites): Options[] {
  const others = list.others?.paths.size ?? 0
  const isPlain =
    !mayGiveOptions(list.text) && !mayHideFiles(list.text) && !includesUnread(list.text, list.others?.unread)
  if (isPlain && others === 0 && writes.isEmpty) return []
  try {
    return readOptions(operator, list, writes)
  } catch (error) {
    if (error instanceof CMakeError) throw new BuildError(simpleFailure('kernel', `CMakeLists.txt:${error.message}`))
    throw error
  }
}

const mayGiveOptions = (text: string): boolean =>
  anyOptionCommand.test(text) || anyHidingCommand.test(text) || anyOptionFile.test(text)

/** Files that a command makes, that are named by variables, or that are read along with a project. */
const mayHideFiles = (text: string): boolean =>
  mayWrite(text) || /\binclude[ \t]*\(\s*(?:(?!\binclude[ \t]*\()[^\s)$])*\$|CMAKE_PROJECT_|CMAKE_USER_/i.test(text)

/**
 * Are there commands in a text that give options, or could? The vendor's projects have files that define them: a definition is none
 * by itself.
 */
export function givesOptions(text: string): boolean {
  if (!mayGiveOptions(text) && !anyOptionFolder.test(text)) return false
  let isBody = false
  return commandsOf(text).some(({ name, words }) => {
    if (isDefinition(name)) isBody = anyOptionCommand.test(words[0]?.text ?? '')
    else if (name === 'endfunction' || name === 'endmacro') isBody = false
    if (optionCommands.has(name) || anyHidingCommand.test(name)) return true
    const texts = words.map((word) => word.text)
    return (
      !isBody &&
      isWriter(name, texts) &&
      !beginsOptions(name, texts) &&
      texts.some((word) => anyOptionFile.test(word) || anyOptionFolder.test(word))
    )
  })
}

/** What CMake itself says of the folders of a file. */
const foldersOf = ({ folder, top = folder, projects }: List): Record<string, string> => ({
  CMAKE_CURRENT_SOURCE_DIR: folder,
  CMAKE_CURRENT_LIST_DIR: folder,
  CMAKE_SOURCE_DIR: top,
  CMAKE_HOME_DIRECTORY: top,
  ...(projects?.length !== 0 && { PROJECT_SOURCE_DIR: top }),
  ...Object.fromEntries((projects ?? []).map((name) => [`${name}_SOURCE_DIR`, top])),
})

/** Nobody includes more files, one in another or each by itself; and all that they may hold. */
const mostIncluded = 100
const mostCharacters = 4 << 20

interface Reading {
  values: CMakeValues
  /** how many files have been included, and how long they are */
  included: number
  characters: number
  /** the file that is read */
  file: string
  writes: FileWrites
}

const readOptions = (operator: string, list: List, writes: FileWrites): Options[] =>
  optionsOfText(operator, list, {
    values: new CMakeValues(foldersOf(list), list.elsewhere),
    included: 0,
    characters: 0,
    file: 'CMakeLists.txt',
    writes,
  })

function optionsOfText(operator: string, list: List, reading: Reading): Options[] {
  const found: Options[] = []
  const { values } = reading
  const blocks = new CMakeBlocks({
    commands: optionCommands,
    leaving: list.leaving ?? new Set(),
    valueOf: (name) => values.valueOf(name),
  })
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
      const place = `${reading.file}:${command.line}`
      if (options) found.push({ ...options, folder: list.folder, place })
      continue
    }
    requireNoFiles(command, words, list, reading.writes)
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
const isFollowed = (text: string): boolean => !/\b(?:return|include_guard|function|macro)[ \t]*\(/i.test(text)

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
  const { values, file } = reading
  const leave = values.enter(dirname(path))
  reading.file = basename(path)
  try {
    return optionsOfText(operator, list, reading)
  } catch (error) {
    if (!(error instanceof CMakeError)) throw error
    throw new CMakeError(
      `${/^\d+/.exec(error.message)?.[0] ?? 1}: in ${basename(path)}${error.message.replace(/^\d+/, '')}`,
    )
  } finally {
    reading.file = file
    leave()
  }
}

/** The options of one command, or null when it names another operator or device. */
function optionsOf(
  operator: string,
  command: CMakeCommand,
  words: readonly string[],
  { values, runs }: { values: CMakeValues; runs: Told },
): Omit<Options, 'folder' | 'place'> | null {
  const [first = ''] = words
  if (words.length === 1 && isUntold(first))
    throw new CMakeError(
      `${command.line}: ${shown(first)} of ${command.name} may hold options: write the operator and OPTIONS before them`,
    )
  const own = command.name === 'npu_op_kernel_options' ? words.slice(1) : words
  if (own[0]?.includes(';') === true)
    throw new CMakeError(
      `${command.line}: ${shown(own[0])} of ${command.name} cannot be told: write the operator itself`,
    )
  // what is handed on is a list: a quoted argument may be several options
  const { name, computeUnits, options, namesSeries } = argumentsOf(command, listElements(own.join(';')))
  // the vendor's script knows `all` in any case, and compares names of operators as they are
  const isForAll = name.toUpperCase() === 'ALL'
  if (!isUntold(name) && !isForAll && name !== operator) return null
  const units = computeUnits.map((unit) => isOwnUnit(unit, { command, namesSeries, values }))
  if (units.length > 0 && units.every((unit) => unit === false)) return null
  const isGiven = runs === true && !isUntold(name) && (units.length === 0 || units.includes(true))
  return {
    isForAll,
    isForUnit: units.length > 0,
    isGiven,
    options: toldOptions(command, options, { values, isGiven, isSeries: computeUnits.some(isSeriesName) }),
  }
}

/** The variable holds the series that a project is built for. */
const isSeriesName = (unit: string): boolean => unit.toLowerCase() === ownSeries || unit === '${ASCEND_COMPUTE_UNIT}'

/**
 * Is a processor one of the device's series? The vendor's script knows the name of the series as that of an older processor, scripts of
 * repositories know it as what it is.
 */
function isOwnUnit(
  unit: string,
  { command, namesSeries, values }: { command: CMakeCommand; namesSeries: boolean; values: CMakeValues },
): Told {
  if (isSeriesName(unit))
    return namesSeries && (!isUntold(unit) || values.isUnset('ASCEND_COMPUTE_UNIT')) ? true : undefined
  if (isUntold(unit)) return undefined
  const name = unit.toLowerCase()
  if (ownUnits.has(name)) return true
  if (namesSeries || otherUnit.test(name)) return false
  throw new CMakeError(
    `${command.line}: COMPUTE_UNIT ${shown(unit)} of ${command.name} is none to the vendor's build: write Ascend910B1 and the like`,
  )
}

/** Commands that only CMake itself may define, for what they do to be known. */
const ownCommands = new Set([...optionCommands, 'set', 'unset', 'list', 'message', 'return', 'cmake_minimum_required'])

/** Commands that set no variable. */
const conditions = new Set(['if', 'elseif', 'else', 'endif', 'while', 'endwhile', 'message'])

/** Commands that read other files of CMake, by their arguments. */
const adders = new Set(['add_subdirectory', 'subdirs', 'include', 'find_package', 'project', 'enable_language'])

/** Commands of CMake and of the vendor's build that read no file of CMake. */
const harmless = new Set(
  `if elseif else endif foreach endforeach while endwhile break continue function endfunction macro endmacro block endblock return
  set unset list string math option message separate_arguments mark_as_advanced cmake_minimum_required cmake_policy
  cmake_parse_arguments include_guard get_filename_component get_property set_property get_target_property set_target_properties
  get_source_file_property set_source_files_properties get_directory_property set_directory_properties define_property
  get_cmake_property find_program find_path find_file find_library file configure_file execute_process
  add_library add_executable add_dependencies add_custom_target add_custom_command aux_source_directory source_group
  target_sources target_compile_definitions target_compile_options target_compile_features target_include_directories
  target_link_libraries target_link_directories target_link_options target_precompile_headers
  include_directories link_directories link_libraries add_definitions remove_definitions add_compile_definitions
  add_compile_options add_link_options enable_testing add_test set_tests_properties install export site_name
  cmake_host_system_information externalproject_add externalproject_get_property gtest_discover_tests
  add_ops_compile_options npu_op_kernel_options npu_op_kernel_sources npu_op_kernel_library npu_op_code_gen npu_op_library
  npu_op_device_tiling_library npu_op_package npu_op_package_add opbuild add_kernels_compile add_kernels_install
  add_cross_compile_target add_ops_info_target add_npu_support_target ascendc_library ascendc_include_directories
  ascendc_compile_definitions ascendc_compile_options ascendc_fatbin_library`.split(/\s+/),
)

/** Does a command read no file of CMake, and set no variable but those that it names? */
export const isHarmlessCommand = (name: string): boolean => harmless.has(name)

/** Commands that others define: the vendor's build, and modules that come with CMake. */
const definedByOthers = /^(?:add_ops|add_kernels|add_cross|add_npu|npu_|opbuild$|ascendc_|externalproject_|gtest_)/

/** Is that a command that the vendor's build, or a module of CMake, defines? */
export const isOfVendor = (name: string): boolean => definedByOthers.test(name)

/** Is that a command of CMake itself whose meaning is followed here? */
export const isOwnCommand = (name: string): boolean =>
  (harmless.has(name) || adders.has(name)) && !definedByOthers.test(name)

/** Languages that a build has unasked. */
const usualLanguages = ['C', 'CXX']

/** What `find_package` takes besides versions and the names of components: it looks in no other place for these. */
const plainPackageWord = /^(?:\d[\d.<]*|EXACT|QUIET|REQUIRED|MODULE|COMPONENTS|OPTIONAL_COMPONENTS)$/

/** Variables by which CMake reads files that no command names. */
const anySearchVariable = /^CMAKE_(?:MODULE_PATH|TOOLCHAIN_FILE)$/

/**
 * May a command have CMake read a file of the candidate that gives options? Where there is one, only commands that are known to read
 * none may run.
 */
function mayReadOthers(
  { name, line }: Pick<CMakeCommand, 'name' | 'line'>,
  words: readonly string[],
  list: List,
): boolean {
  if (!list.others?.paths.size) return false
  if (adders.has(name)) return addsOptions(name, words, list) || (anyProject.has(name) && isLateProject(line, list))
  if (name === 'set' || name === 'list' || name === 'get_filename_component' || name === 'option') {
    const variable = words[name === 'list' ? 1 : 0] ?? ''
    if (isUntold(variable) || (anySearchVariable.test(variable) && name !== 'option')) return true
  }
  return !harmless.has(name) && !definedIn(list).has(name)
}

const anyProject = new Set(['project', 'enable_language'])

/** Commands before the one that begins a project: none of them sets a variable whose name it puts together. */
const beforeProject = new Set([
  ...conditions,
  'cmake_minimum_required',
  'cmake_policy',
  'set',
  'list',
  'option',
  ...adders,
])

/** May variables have been set by then that have CMake read files along with the project? */
function isLateProject(line: number, list: List): boolean {
  const { folder, top = folder, text } = list
  list.latestProject ??= commandsOf(text).find(({ name }) => !beforeProject.has(name))?.line ?? Infinity
  return folder !== top || line > list.latestProject
}

/** Functions that a file has itself: their commands are in sight. */
function definedIn(list: List): ReadonlySet<string> {
  list.functions ??= new Set(
    commandsOf(list.text)
      .filter(({ name }) => isDefinition(name))
      .map(({ words: [first] }) => (first?.text ?? '').toLowerCase()),
  )
  return list.functions
}

/** Commands by which another one could be run, or replaced, out of sight. */
function requirePlain({ name, line }: CMakeCommand, words: readonly string[], list: List): void {
  const [first = ''] = words
  const hides =
    (name === 'cmake_language' && (namesOptions(list) || words.some(mayHide))) ||
    (name === 'variable_watch' && namesOptions(list)) ||
    (isDefinition(name) && (ownCommands.has(first.toLowerCase()) || isUntold(first))) ||
    mayReadOthers({ name, line }, words, list)
  if (hides) throw hiding({ name, line })
}

const hiding = ({ name, line }: Pick<CMakeCommand, 'name' | 'line'>): CMakeError =>
  new CMakeError(`${line}: ${name} hides compile options: give them by ${[...optionCommands].join(' or ')}`)

/** Commands that make files which CMake, or the vendor's build, would take options or sources from. */
function requireNoFiles(command: CMakeCommand, words: readonly string[], list: List, writes: FileWrites): void {
  const { name } = command
  const makes = isWriter(name, words)
  const moves = makes || /^(?:un)?set(?:_property)?$/.test(name)
  if (
    words.some((word) => anyOptionFile.test(word) || (moves && anyOptionFolder.test(word) && !isReference(name, word)))
  )
    throw hiding(command)
  if (makes) {
    writes.take(name, words)
    const made = targetsOf(name, words).find((word) => isOwnSource(word, list))
    if (made !== undefined)
      throw new CMakeError(
        `${command.line}: ${name} may write ${shown(made)}, which belongs to the candidate: leave it out`,
      )
  }
  const added = addedFiles(name, words)
  const hides =
    added.some((word) => writes.mayMake(word) && !isKnownFile(word, list)) ||
    (name === 'include' && words.slice(0, 1).some((word) => isUnread(word, list.others?.unread))) ||
    setsIncluded(name, words)
  if (hides) throw hiding(command)
}

/** Files that CMake reads along with a project, by variables. */
export const anyIncludedVariable = /^CMAKE_(?:PROJECT_.*INCLUDE|USER_MAKE_RULES_OVERRIDE)/

const setsIncluded = (name: string, words: readonly string[]): boolean =>
  !conditions.has(name) && words.some((word) => anyIncludedVariable.test(word))

/** The files that a command has CMake read, as far as their names follow from it. */
function addedFiles(name: string, words: readonly string[]): string[] {
  const [first = ''] = words
  if (name === 'include') return [first]
  if (name === 'find_package') return packageModules(first)
  return name === 'subdirs' || name === 'add_subdirectory'
    ? words.slice(0, name === 'subdirs' ? undefined : 1).map((word) => join(word, 'CMakeLists.txt'))
    : []
}

/** The modules that a package may be found by, and what these are read after. */
export const packageModules = (name: string): string[] => [
  `Find${name}`,
  `${name}Config`,
  `${name}ConfigVersion`,
  `${name.toLowerCase()}-config`,
  `${name.toLowerCase()}-config-version`,
]

/** The modules that are read where one is included: those of CMake for tests look for settings of a project. */
export const includedModules = (word: string): string[] =>
  /^(?:CTest|Dart)$/.test(word) ? [word, 'CTestConfig', 'DartConfig'] : [moduleOf(word)]

/** Only files that are called as CMake's, or are named as they are, have been read: others are told by no text. */
const isUnread = (word: string, unread?: ReadonlySet<string>): boolean =>
  unread !== undefined && !word.endsWith('.cmake') && (!/^[\w.+-]*$/.test(basename(word)) || unread.has(basename(word)))

/** May a file have CMake read one that nobody has read? */
const includesUnread = (text: string, unread?: ReadonlySet<string>): boolean =>
  /\binclude[ \t]*\(/i.test(text) &&
  commandsOf(text).some(({ name, words: [first] }) => name === 'include' && isUnread(first?.text ?? '', unread))

/** A variable may take the name of the folder for its own value. */
const isReference = (name: string, word: string): boolean => name === 'set' && word.startsWith('$')

/** Is that a file which a kernel is built from, or which CMake reads? */
function isOwnSource(word: string, { folder, top = folder }: List): boolean {
  const isSource = /^[^\n]*\.(?:h|hpp|hh|inc|c|cc|cpp|cxx|cmake|ini|txt)$/.test(word)
  // above a folder that is not told, such as that of the build, may be those of the candidate
  if (isUntold(word)) return leadsUp(word) && (isSource || isFolder(word))
  const path = `${resolve(folder, word)}/`
  return (isSource || ((word.startsWith('/') || leadsUp(word)) && isFolder(word))) && path.startsWith(`${top}/`)
}

/** May what is written to it be a file in it? */
const isFolder = (word: string): boolean => !/\.[^./]*$/.test(word)

/** A file of the candidate that has been looked at. */
const isKnownFile = (word: string, { folder, others }: List): boolean =>
  !isUntold(word) && others?.known.has(resolve(folder, word)) === true

const mayHide = (word: string): boolean => word === 'EVAL' || isUntold(word) || anyOptionCommand.test(word)

/** Does what a command adds give options of its own? */
function addsOptions(name: string, words: readonly string[], { folder, others }: List): boolean {
  if (!others?.paths.size) return false
  const { paths, modules } = others
  const [first = '', ...more] = words
  if (name === 'find_package')
    return (
      [first, ...more].some(isUntold) ||
      packageModules(first).some((module) => modules.has(module)) ||
      more.some((word) => !plainPackageWord.test(word) && (/^[A-Z_]+$/.test(word) || /[./]/.test(word)))
    )
  if (name === 'project' || name === 'enable_language') return words.some(isUntold) || readsForLanguages(words, modules)
  if (name === 'include')
    return (
      isUntold(moduleOf(first)) ||
      isUnread(first, others.unread) ||
      includedModules(first).some((each) => modules.has(each))
    )
  const list = 'CMakeLists.txt'
  return words.some((word) =>
    isUntold(word) || isLinked(word, others.links) ? modules.has(list) : paths.has(resolve(folder, word, list)),
  )
}

/** Does a path lead through a link? */
export const isLinked = (path: string, links: ReadonlySet<string>): boolean =>
  links.size > 0 && path.split('/').some((part) => links.has(part))

/** Modules by which CMake gets to know a language. */
const readsForLanguages = (words: readonly string[], modules: ReadonlySet<string>): boolean =>
  [...usualLanguages, ...words].some((language) =>
    [`CMakeDetermine${language}Compiler`, `CMake${language}Information`, `CMakeTest${language}Compiler`].some((each) =>
      modules.has(each),
    ),
  )

/** The options of a command that runs, or may run: then they have to be without influence. */
function toldOptions(
  command: CMakeCommand,
  words: readonly string[],
  { values, isGiven, isSeries }: { values: CMakeValues; isGiven: boolean; isSeries: boolean },
): CompilerOption[] {
  const { name, line } = command
  const options = understoodOptions(command, words, values)
  const lost = isGiven ? undefined : options.find(isMeant)
  if (lost === undefined) return options
  const fix = isSeries
    ? 'COMPUTE_UNIT as the name of a processor, Ascend910B1'
    : `${name} outside of if, foreach, functions and the like`
  throw new CMakeError(`${line}: whether ${shown(lost.words.join(' '))} is given cannot be told: write ${fix}`)
}

function understoodOptions(
  { name, line }: CMakeCommand,
  words: readonly string[],
  values: CMakeValues,
): CompilerOption[] {
  try {
    return compilerOptions(words, { isUntold, isToolkit: (text) => values.isToolkit(text) })
  } catch (error) {
    if (!(error instanceof OptionError)) throw error
    throw new CMakeError(`${line}: ${error.option} of ${name} ${error.problem}`)
  }
}

const refusal = (message: string): BuildError => new BuildError(simpleFailure('kernel', message))

/** Does anything follow from an option? In folders that are none of the candidate's lies what comes with a toolkit. */
const isMeant = ({ kind, value }: CompilerOption): boolean =>
  kind !== 'plain' && !(kind === 'folder' && isUntold(value))

const wordsOf = ({ options }: Options): string => options.map(({ words }) => words.join(' ')).join(' ')

/** Of commands for the same operators and processors, the last one counts: the vendor's build keeps no other. */
function lastOfEach(files: readonly (readonly Options[])[]): Map<string, Options> {
  const last = new Map<string, { given: Options; file: number }>()
  for (const [file, commands] of files.entries())
    for (const each of commands) {
      const key = `${each.isForAll} ${each.isForUnit}`
      const before = last.get(key)
      const isChange = before !== undefined && wordsOf(before.given) !== wordsOf(each)
      const matters = before !== undefined && [...before.given.options, ...each.options].some(isMeant)
      if (isChange && matters && !each.isGiven)
        throw refusal(
          `${each.place}: whether it takes the place of ${before.given.place} cannot be told: write it first`,
        )
      // which of two files CMake comes to first is not followed
      if (isChange && matters && before.file !== file)
        throw refusal(
          `${each.place}: whether it takes the place of options in another file cannot be told: write all in one`,
        )
      if (each.isGiven) last.set(key, { given: each, file })
    }
  return new Map([...last].map(([key, { given }]) => [key, given]))
}

/** Why a list of a folder may not be read, and what to do about it. */
export const notAdded = (folder: string): string =>
  `write add_subdirectory(${basename(folder)}) in the CMakeLists.txt above, outside of if and functions`

/** The options that the vendor's build gives, in its order: those for all operators before those for one, those of processors first. */
function allOptions(operator: string, files: readonly List[]): Options[] {
  const writes = new FileWrites(files.flatMap(({ others }) => others?.made ?? []))
  const read = () => files.toReversed().map((list) => optionsIn(operator, list, writes))
  let found = read()
  // a file may be made in one list and read by another that has been read before
  if (!writes.isEmpty) found = read()
  for (const [index, { folder, isUnadded }] of files.toReversed().entries()) {
    const given = isUnadded ? found[index]?.find(({ options }) => options.some(isMeant)) : undefined
    const option = given?.options.find(isMeant)?.words.join(' ') ?? ''
    if (given) throw refusal(`${given.place}: whether ${shown(option)} is given cannot be told: ${notAdded(folder)}`)
  }
  const last = lastOfEach(found)
  const definer = files.find(({ others }) => others?.definer !== undefined)?.others?.definer
  const lost = definer === undefined ? undefined : [...last.values()].find(({ options }) => options.some(isMeant))
  if (definer !== undefined && lost !== undefined)
    throw refusal(
      `${lost.place}: what its options come to cannot be told, as ${basename(definer)} defines the command, or begins anew what it writes: leave that to the vendor's build`,
    )
  return ['true true', 'true false', 'false true', 'false false'].flatMap((key) => last.get(key) ?? [])
}

/**
 * Reads `add_ops_compile_options` and `npu_op_kernel_options` of CMakeLists.txt texts, nearest file first: macros, include folders and
 * auto-sync, as the vendor's build gives them to the compiler. Later options win, as on a command line. Other options are without
 * influence, or throw a `BuildError`, as does what cannot be told.
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

function handedOn({ kind, value, words }: CompilerOption): string[] {
  if (kind === 'folder') return []
  const [flag = ''] = words
  const plain =
    kind === 'plain' && flag !== '-mllvm' ? undefined : plainValue.get(flag.slice(0, flag === '-mllvm' ? 7 : 2))
  if (!plain) return words.length === 1 && plainOption.test(flag) ? words : []
  if (!plain.test(value))
    throw refusal(
      `CMakeLists.txt: ${shown(words.join(' '))} cannot be handed on to the vendor's build: write it in the kernel`,
    )
  return flag === '-mllvm' ? [flag, value] : [`${flag.slice(0, 2)}${value}`]
}

const macroName = (define: string): string => /^-D(\w+)/.exec(define)?.[1] ?? ''

function applyOptions(all: CompileOptions, { options, folder, place }: Options): void {
  for (const { kind, value } of options) {
    if (kind === 'sync') all.autoSync = value === 'on'
    else if (kind === 'folder' && !isUntold(value)) all.includes.push(resolve(folder, value))
    else if (kind === 'macro') all.defines.push(ownMacro(`-D${value}`, place))
    else if (kind === 'undefine') undefine(all, value, place)
  }
}

/** An option holds for the headers of the library as well, which here are others. */
function ownMacro(define: string, place: string): string {
  if (onAtlasA2.has(macroName(define)))
    throw refusal(
      `${place}: ${shown(define)} is a name of Ascend C, which its headers have as well: give the macro another one`,
    )
  return define
}

/** Takes back what options have defined: macros of the build itself are what tasks, types and the device follow from. */
function undefine(all: CompileOptions, name: string, place: string): void {
  const kept = all.defines.filter((define) => macroName(define) !== name)
  if (kept.length === all.defines.length)
    throw refusal(`${place}: -U${shown(name)} takes back what no option has defined: leave it out`)
  all.defines = kept
}
