import { basename } from 'node:path'
import { isUntold } from './cmake-values.ts'

/** Commands that write files, or run programs which do, while CMake reads its own. */
const programs = new Set(['execute_process', 'exec_program', 'try_run', 'build_command'])
const writers = new Set(['configure_file', 'write_file', 'configure_package_config_file', ...programs])
const anyWriter = new RegExp(String.raw`\b(?:file|${[...writers].join('|')})[ \t]*\(`, 'i')

/** What `file` does without writing or removing any. */
const readingModes =
  /^(?:READ|STRINGS|GLOB|GLOB_RECURSE|SIZE|TIMESTAMP|READ_SYMLINK|REAL_PATH|RELATIVE_PATH|TO_CMAKE_PATH|TO_NATIVE_PATH|MAKE_DIRECTORY|LOCK|MD5|SHA\w+)$/

/** Does a text name a command that may write a file? */
export const mayWrite = (text: string): boolean => anyWriter.test(text)

/** Files of CMake that a text names, which may be all that a file writes. */
export const filesNamed = (text: string): string[] => text.split(/[^\w.+-]+/).filter((name) => name.endsWith('.cmake'))

/** Does a command write a file, or may it? */
export const isWriter = (name: string, words: readonly string[]): boolean =>
  name === 'file' ? !readingModes.test(words[0] ?? '') : writers.has(name)

/** The arguments of such a command that may be what it writes. */
export function targetsOf(name: string, [first = '', ...others]: readonly string[]): readonly string[] {
  if (name === 'configure_file') return others.slice(0, 1).filter(isOutsideOfBuild)
  if (name !== 'file') return [first, ...others]
  if (/^(?:COPY|INSTALL)$/.test(first))
    return others.slice(others.indexOf('DESTINATION') + 1).filter((word) => isUntold(word) || isOutsideOfBuild(word))
  return /^(?:COPY_FILE|RENAME|CREATE_LINK)$/.test(first) ? others.slice(1) : others
}

/** A place that is not told from the root is within the folder of the build, unless it leads out of that. */
const isOutsideOfBuild = (word: string): boolean => word.startsWith('/') || leadsUp(word)

/** Does a path lead to a folder above? */
export const leadsUp = (path: string): boolean => /(?:^|[/\\}])\.\.(?:[/\\]|$)/.test(path)

const moduleOf = (path: string): string => basename(path, '.cmake')

/** Files that commands may have made: what CMake then reads is not what lies there. */
export class FileWrites {
  readonly #modules: Set<string>
  #mayBeAny = false

  constructor(made: readonly string[] = []) {
    this.#modules = new Set(made.map(moduleOf))
  }

  get isEmpty(): boolean {
    return this.#modules.size === 0 && !this.#mayBeAny
  }

  /** Takes a command that writes; `words`: its arguments. */
  take(name: string, words: readonly string[]): void {
    for (const word of words) {
      // names within the arguments of a program, and in what a file is made to hold
      for (const [part] of word.matchAll(/[\w.+${}@-]+/g)) this.#modules.add(moduleOf(part))
      if (programs.has(name)) this.#mayBeAny = true
    }
    if (targetsOf(name, words).some((word) => isUntold(moduleOf(word)))) this.#mayBeAny = true
  }

  /** May a file, as it is named to `include`, have been made? A module of CMake itself has a plain name. */
  mayMake(word: string): boolean {
    const module = moduleOf(word)
    if (this.isEmpty) return false
    return isUntold(module) || this.#modules.has(module) || (this.#mayBeAny && word.includes('/'))
  }
}
