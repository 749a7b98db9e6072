import { devices } from '../soc/devices.ts'
import { cmakeCommands, type CMakeCommand } from './cmake.ts'

/** The commands of a text; none of one that CMake would not read. */
export function commandsOf(text: string): CMakeCommand[] {
  try {
    return cmakeCommands(text)
  } catch {
    return []
  }
}

/** What files of CMake and presets may set. */
export interface Settings {
  names: { has: (name: string) => boolean }
  /** are names of variables put together? Then they may be any */
  isAny: boolean
}

/** Variables of the vendor's toolkit, and of its library of templates: people and their environments set them, no candidate. */
const toolkitNames = new Set([
  'ASCEND_CANN_PACKAGE_PATH',
  'ASCEND_HOME_PATH',
  'ASCEND_TOOLKIT_HOME',
  'ASCEND_INSTALL_PATH',
  'CATLASS',
  'CATLASS_DIR',
])

/** Where the toolkit is installed unless somebody says otherwise. */
const installed = /^\/usr\/local\/Ascend(?:\/[\w.+-]+)*\/?$/

const toolkitReference = /^\$(ENV)?\{(\w+)\}((?:[\w./+-]|\$\{CMAKE_(?:HOST_)?SYSTEM_PROCESSOR\})*)$/

/** A folder below one that a variable names: that variable, the others, and what follows. */
export interface ToolkitFolder {
  /** of the environment, `ENV{NAME}` */
  variable: string
  isToolkit: boolean
  below: string
}

const leadsUp = (path: string): boolean => /(?:^|\/)\.\.(?:\/|$)/.test(path)

/** Settings by which a build compiles otherwise than here, and the values by which it does not. */
const limited: readonly (readonly [RegExp, (value: string) => boolean])[] = [
  // another one defines no NDEBUG
  [/^CMAKE_BUILD_TYPE$/, (value) => /^(?:Release|RelWithDebInfo|MinSizeRel)$/i.test(value)],
  [/^CMAKE_CXX_STANDARD$/, (value) => /^(?:11|14|17)$/.test(value)],
  [
    /^(?:CC|CXX|CMAKE_(?:C|CXX)_COMPILER)$/,
    (value) => /^(?:\/usr\/(?:local\/)?bin\/)?(?:[\w.]+-)*(?:cc|gcc|c\+\+|g\+\+)(?:-\d+)?$/.test(value),
  ],
  [/^CMAKE_CROSS_PLATFORM_COMPILER$/, (value) => /^(?:(?:\/[\w.+-]+)+|[\w.+-]+)$/.test(value)],
  [/^(?:CMAKE_\w+_LAUNCHER|RULE_LAUNCH_\w+)$/, (value) => /^(?:\/usr\/bin\/)?s?ccache$/.test(value)],
  // for others alone it makes no kernel for the device
  [
    /^ASCEND_COMPUTE_UNIT$/,
    (value) =>
      value.includes('$') ||
      value.split(';').some((unit) => devices().some(({ config }) => unit.toLowerCase().startsWith(config))),
  ],
  // options for all that is compiled and linked, and where headers and libraries are looked for
  [
    /^(?:C(?:XX|PP)?FLAGS|LDFLAGS|CPATH|C(?:PLUS)?_INCLUDE_PATH|LIBRARY_PATH|COMPILER_PATH|GCC_EXEC_PREFIX)$/,
    () => false,
  ],
]

/** Is a variable or a property set to what a build would compile otherwise by? */
export const changesBuild = (name: string, value: string): boolean =>
  limited.some(([pattern, isPlain]) => pattern.test(name) && !isPlain(value))

/** Takes a folder apart that begins with a variable, and goes down from there. */
export function folderByVariable(text: string): ToolkitFolder | undefined {
  const [, environment, name = '', below = ''] = toolkitReference.exec(text) ?? []
  // a variable that nobody sets would make what follows a folder where the build runs
  if (name === '' || leadsUp(below) || !/^(?:\/|$)/.test(below)) return undefined
  return { variable: environment === undefined ? name : `ENV{${name}}`, isToolkit: toolkitNames.has(name), below }
}

/** Is that a folder of the toolkit, whatever else is set? */
export const isToolkitFolder = (text: string): boolean =>
  (installed.test(text) && !leadsUp(text)) || folderByVariable(text)?.isToolkit === true

/** Commands that set no variable. */
const readers = new Set(['if', 'elseif', 'else', 'endif', 'message', 'cmake_minimum_required'])

const namesFirst = /^(?:set|unset|option|foreach|separate_arguments|site_name|get_\w+|find_(?!package)\w+|cmake_\w+)$/

/** Which argument names the variable that a command sets, by what it does: the last one of all others. */
const placeOfString = new Map([
  ...['APPEND', 'PREPEND', 'CONCAT', 'TIMESTAMP', 'UUID', 'JSON'].map((mode) => [mode, 1] as const),
  ...['CONFIGURE', 'JOIN'].map((mode) => [mode, 2] as const),
  ...['REPLACE', 'FIND', 'REGEX MATCH', 'REGEX MATCHALL'].map((mode) => [mode, 3] as const),
  ['REGEX REPLACE', 4] as const,
])
const placeOfFile = (mode: string): number => (/^(?:GLOB|GLOB_RECURSE|RELATIVE_PATH)$/.test(mode) ? 1 : 2)
const writesFile =
  /^(?:WRITE|APPEND|TOUCH\w*|GENERATE|CONFIGURE|COPY\w*|INSTALL|REMOVE\w*|RENAME|MAKE_DIRECTORY|CREATE_LINK)$/

function placeOf(name: string, words: readonly string[]): number | undefined {
  const [mode = '', kind = ''] = words
  if (namesFirst.test(name)) return 0
  if (name === 'math') return 1
  if (name === 'list') return /^(?:GET|FIND|LENGTH|JOIN|SUBLIST)$/.test(mode) ? words.length - 1 : 1
  if (name === 'file') return writesFile.test(mode) ? undefined : placeOfFile(mode)
  if (name !== 'string') return undefined
  return placeOfString.get(mode === 'REGEX' ? `REGEX ${kind}` : mode) ?? words.length - 1
}

/** May a command set a variable whose name is put together? */
function isComputed({ name, words: written }: CMakeCommand): boolean {
  const words = written.map(({ text }) => text)
  const place = placeOf(name, words)
  return words.some((word, at) => word.includes('$') && (at === place || words[at - 1]?.endsWith('_VARIABLE')))
}

/** What a text may set, each word being a name. What sets a variable to a folder of the toolkit is no setting. */
function settingsIn(text: string): { names: Set<string>; isAny: boolean } {
  const names = new Set<string>()
  let isAny = false
  for (const command of commandsOf(text)) {
    const { name, words } = command
    if (readers.has(name)) continue
    const [, value] = words
    if (name === 'set' && value !== undefined && isToolkitFolder(value.text)) continue
    isAny ||= isComputed(command)
    for (const word of words) for (const each of word.text.split(';')) names.add(each)
  }
  return { names, isAny }
}

/** For each of some files, by its path, what the others set, and presets. They are looked at once somebody asks. */
export function settingsAround(
  texts: ReadonlyMap<string, string>,
  presets: Iterable<string> = [],
): (path: string) => Settings {
  let all:
    | { each: Map<string, ReturnType<typeof settingsIn>>; files: Map<string, number>; computed: number }
    | undefined
  const read = () => {
    const each = new Map([...texts].map(([path, text]) => [path, settingsIn(text)]))
    const files = new Map([...presets].map((name) => [name, 1]))
    for (const { names } of each.values()) for (const name of names) files.set(name, (files.get(name) ?? 0) + 1)
    return { each, files, computed: [...each.values()].filter(({ isAny }) => isAny).length }
  }
  return (path) => {
    const { each, files, computed } = (all ??= read())
    const own = each.get(path)
    return {
      names: { has: (name) => (files.get(name) ?? 0) > (own?.names.has(name) === true ? 1 : 0) },
      isAny: computed > (own?.isAny === true ? 1 : 0),
    }
  }
}
