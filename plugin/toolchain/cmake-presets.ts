import { lstatSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { byteOrderMark, isInside, readRegular } from '../files/index.ts'
import { BuildError, simpleFailure } from './build-failure.ts'
import { changesBuild, isToolkitFolder } from './cmake-settings.ts'
import { anyIncludedVariable } from './compile-options.ts'

/** Where CMake finds what it is told once for a whole project. */
const presets = ['CMakePresets.json', 'CMakeUserPresets.json']

/** Nobody's presets are longer. */
const maxBytes = 1 << 20

/** What presets may not set at all: files that CMake then reads, policies, and what compilers and linkers are given. */
const refused =
  /^(?:toolchainFile|include|CMAKE_(?:TOOLCHAIN_FILE|MODULE_PATH|POLICY_\w+|(?=\w+$)\w*?(?:_FLAGS|_ARG1|_RULE|_INCLUDE_DIRECTORIES|STANDARD_LIBRARIES|COMPILE_O|UNITY_BUILD|CREATE_SHARED|LINKER)\w*))$/

/**
 * The variables that presets of a candidate set, those of the environment as `ENV{NAME}`. Throws `BuildError` where presets have CMake
 * read other files or give options, and where they cannot be read.
 */
export function readPresets(root: string): Set<string> {
  const names = new Set<string>()
  for (const file of presets) {
    const path = placeOf(root, file)
    if (path === undefined) continue
    for (const name of presetNames(file, readRegular(path, maxBytes).toString('utf8'))) names.add(name)
  }
  return names
}

/** The file that presets are, or that a link leads to within the candidate; undefined where there are none. */
function placeOf(root: string, file: string): string | undefined {
  const path = join(root, file)
  if (!lstatSync(path, { throwIfNoEntry: false })) return undefined
  try {
    const real = realpathSync(path)
    if (isInside(real, root) && lstatSync(real).isFile()) return real
  } catch {
    // it leads nowhere
  }
  throw refusal(`${file} is no file of the candidate: put a copy there`)
}

/** The same of one text. What is set to a folder of the vendor's toolkit is left out. */
export function presetNames(file: string, text: string): Set<string> {
  const names = new Set<string>()
  try {
    JSON.parse(text.replace(byteOrderMark, ''), (key, value: unknown) => {
      if (refused.test(key) || anyIncludedVariable.test(key) || changesBuild(key, textOf(value)))
        throw refusal(`${file}: ${key.slice(0, 200)} is not followed here: leave it out`)
      if (key === 'cacheVariables') for (const name of changedIn(value)) names.add(name)
      else if (key === 'environment') for (const name of changedIn(value)) names.add(`ENV{${name}}`)
      return value
    })
  } catch (error) {
    if (error instanceof BuildError) throw error
    throw refusal(`${file} is no JSON that CMake would read: write it anew, or leave it out`)
  }
  return names
}

/** The value of a variable, as it is or with its type; one of the environment is told by nothing. */
function textOf(given: unknown): string {
  const value: unknown = typeof given === 'object' && given !== null && 'value' in given ? given.value : given
  return typeof value === 'string' ? value : ''
}

const changedIn = (variables: unknown): string[] =>
  Object.entries(typeof variables === 'object' && variables !== null ? variables : {}).flatMap(([name, given]) => {
    return isToolkitFolder(textOf(given).replace(/^\$p?env\{/, '$ENV{')) ? [] : [name]
  })

const refusal = (message: string): BuildError => new BuildError(simpleFailure('kernel', message))
