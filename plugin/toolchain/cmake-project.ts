import { basename, dirname, join, relative, resolve } from 'node:path'
import { BuildError, simpleFailure } from './build-failure.ts'
import { commandsOf } from './cmake-settings.ts'
import { CMakeBlocks, CMakeValues, isUntold } from './cmake-values.ts'
import { CMakeError, type CMakeCommand } from './cmake.ts'
import { isOwnCommand } from './compile-options.ts'

/** Files of CMake of a project: absolute paths. */
interface Lists {
  root: string
  /** its own lists: of its top, where there is one, and of its parts */
  lists: readonly { folder: string; text: string }[]
  /** all others that have been read */
  others: { allTexts: ReadonlyMap<string, string> }
}

const listIn = (folder: string): string => join(folder, 'CMakeLists.txt')

/** The texts of all of them. */
export const textsOf = ({ lists, others }: Omit<Lists, 'root'>): Map<string, string> =>
  new Map([...others.allTexts, ...lists.map(({ folder, text }) => [listIn(folder), text] as const)])

/** Folders that CMake comes to for sure: where a project has no list of its top, it comes to its parts. */
export function addedFolders({ root, lists }: Omit<Lists, 'others'>, texts: ReadonlyMap<string, string>): Set<string> {
  const known = new Set([...texts.keys()].map((path) => dirname(path)))
  const top = lists.filter(({ folder }) => folder === root)
  const added = new Set((top.length > 0 ? top : lists).map(({ folder }) => folder))
  const leaving = leavingMacros(texts.values())
  // a set gives what is added to it on the way as well
  for (const folder of added)
    for (const each of addedBy({ folder, text: texts.get(listIn(folder)) ?? '', root, known, leaving })) added.add(each)
  return added
}

interface Adding {
  folder: string
  text: string
  root: string
  known: ReadonlySet<string>
  leaving: ReadonlySet<string>
}

function foldersAddedBy({ folder, text, root, known, leaving }: Adding): string[] {
  if (!/\badd_subdirectory\b/i.test(text)) return []
  const values = new CMakeValues({
    CMAKE_CURRENT_SOURCE_DIR: folder,
    CMAKE_CURRENT_LIST_DIR: folder,
    CMAKE_SOURCE_DIR: root,
  })
  const blocks = new CMakeBlocks({
    commands: new Set(),
    folders: known,
    leaving,
    valueOf: (name) => values.valueOf(name),
  })
  return commandsOf(text).flatMap(({ name, words: written }) => {
    const words = values.wordsOf(written)
    blocks.take(
      name,
      words,
      written.every(({ kind }) => kind === 'plain'),
    )
    if (blocks.runs === false) return []
    if (name !== 'add_subdirectory') values.take(name, words, blocks.runs)
    const [first = ''] = words
    return name === 'add_subdirectory' && blocks.runs === true && !isUntold(first) ? [resolve(folder, first)] : []
  })
}

/** None where variables have no end. */
function addedBy(list: Adding): string[] {
  try {
    return foldersAddedBy(list)
  } catch (error) {
    if (error instanceof CMakeError) return []
    throw error
  }
}

/** Macros by which a file is left that calls them: where one returns, others may call it. */
export function leavingMacros(texts: Iterable<string>): Set<string> {
  const macros = new Set<string>()
  let doReturn = false
  for (const text of texts) {
    if (!/\bmacro[ \t]*\(/i.test(text)) continue
    let isMacro = false
    for (const { name, words } of commandsOf(text)) {
      if (name === 'macro') macros.add((words[0]?.text ?? '').toLowerCase())
      if (name === 'macro' || name === 'endmacro') isMacro = name === 'macro'
      doReturn ||= isMacro && name === 'return'
    }
  }
  return doReturn ? macros : new Set()
}

/** Policies by which CMake reads conditions, references and escapes otherwise. */
const readingPolicies = new Set(['CMP0010', 'CMP0011', 'CMP0012', 'CMP0053', 'CMP0054'])

/** Those are all as they are since this version. */
function isOldVersion(version: string): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? []
  return Number(major ?? 0) < 3 || (Number(major) === 3 && Number(minor) < 1)
}

function isOldReading({ name, words: written }: CMakeCommand): boolean {
  const words = written.map(({ text }) => text)
  const [mode = '', policy = '', how = ''] = words
  if (name === 'cmake_minimum_required') return isOldVersion(policy)
  if (name === 'include') return words.includes('NO_POLICY_SCOPE')
  if (name !== 'cmake_policy' || /^(?:PUSH|POP|GET)$/.test(mode)) return false
  if (mode === 'VERSION') return isOldVersion(policy)
  return mode !== 'SET' || (how !== 'NEW' && (readingPolicies.has(policy) || isUntold(policy)))
}

/** What may come before the version that a project asks for. */
const beforeVersion = new Set(['set', 'unset', 'message', 'project', 'cmake_policy'])

/** The names of projects that a list begins for sure. */
export function projectsOf(text: string): string[] {
  const commands = commandsOf(text)
  const end = commands.findIndex(({ name }) => name !== 'cmake_minimum_required' && !beforeVersion.has(name))
  return commands
    .slice(0, end < 0 ? undefined : end)
    .flatMap(({ name, words: [first] }) => (name === 'project' && first ? [first.text] : []))
    .filter((name) => /^[\w-]+$/.test(name))
}

const hasNoVersion = (text: string): boolean =>
  commandsOf(text).find(({ name }) => !beforeVersion.has(name))?.name !== 'cmake_minimum_required'

/**
 * Throws `BuildError` where commands of CMake are other ones in a project than those that are followed here: by a definition, by
 * policies of old versions, or by what runs when a variable is used.
 */
export function requirePlainCommands({ root, lists }: Omit<Lists, 'others'>, texts: ReadonlyMap<string, string>): void {
  for (const [path, text] of texts) {
    const isList = basename(path) === 'CMakeLists.txt'
    for (const command of commandsOf(text)) {
      const { name, words, line } = command
      const place = `${relative(root, path)}:${line}`
      const first = words[0]?.text ?? ''
      if ((name === 'macro' || name === 'function') && (isUntold(first) || isOwnCommand(first.toLowerCase())))
        throw refusal(`${place}: ${first.slice(0, 200)} is a command of CMake itself: give the ${name} another name`)
      if (name === 'variable_watch') throw refusal(`${place}: ${name} is not followed here: leave it out`)
      if (isList && isOldReading(command))
        throw refusal(`${place}: ${name} may have CMake read conditions as it did once: ask for VERSION 3.16`)
    }
  }
  const top = lists.find(({ folder }) => folder === root)
  if (top && hasNoVersion(top.text))
    throw refusal(
      'CMakeLists.txt:1: without a version CMake reads it as it did once: write cmake_minimum_required first',
    )
}

const refusal = (message: string): BuildError => new BuildError(simpleFailure('kernel', message))
