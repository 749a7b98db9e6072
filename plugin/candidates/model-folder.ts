import { basename, dirname, join } from 'node:path'
import { filesOf, FolderError, foldersOf } from './folder.ts'
import { allows, isFixedCase, isGroup, shapesOf, type CandidateSuite } from './layout.ts'
import { isProgram } from './program.ts'
import { isProject, isShared } from './project.ts'

/** What folders can be named after. */
export interface Names {
  readonly suites: readonly CandidateSuite[]
  /** tasks of these suites */
  readonly tasks?: readonly string[] | undefined
}

const isTask = (name: string, { tasks = [] }: Names): boolean => tasks.includes(name)

const isSuite = (name: string, { suites }: Names): boolean => suites.some((suite) => suite.name === name)

/** Is this a folder that a layout begins with, that of a checkout included? */
const beginsLayout = (name: string, { suites }: Names): boolean =>
  suites.some(
    (suite) =>
      suite.checkout === name ||
      shapesOf(suite).some(({ above: [first] }) => first !== undefined && allows(first, name, suite)),
  )

const taskOrSuite = (name: string, names: Names): string | undefined => {
  if (isTask(name, names)) return 'the folder of a task'
  return isSuite(name, names) ? 'the folder of a suite' : undefined
}

/** What a folder of this name is, so that no model can be called so; undefined: it can. */
export const takenBy = (name: string, names: Names): string | undefined =>
  taskOrSuite(name, names) ?? (beginsLayout(name, names) ? 'a folder in the layout of a suite' : undefined)

/** Why a folder that holds one of this name is read as that of a model. */
export const takenBelow = (name: string, names: Names): string | undefined =>
  taskOrSuite(name, names) ?? (names.suites.some((suite) => isGroup(suite, name)) ? 'the folder of a group' : undefined)

/** Does this folder hold the folder of a task, of a suite or of one of its groups, and is none of these itself? */
const holdsTasks = (path: string, names: Names): boolean =>
  takenBy(basename(path), names) === undefined &&
  !isProject(path) &&
  !isShared(path) &&
  foldersOf(path).some((name) => takenBelow(name, names) !== undefined)

/** Is this the folder of a model? It is one that holds tasks, and no folder of another model. */
export const isModelFolder = (path: string, names: Names): boolean =>
  holdsTasks(path, names) && !foldersOf(path).some((name) => holdsTasks(join(path, name), names))

/** A project of npm is no folder of models, whatever else it holds. */
const ofNpm = /^(?:package\.json|vite(?:st)?\.config\.\w+)$/

/** Does this folder hold models, tasks, and nothing else? */
function holdsModels(path: string, names: Names): boolean {
  try {
    return (
      !filesOf(path).some((file) => ofNpm.test(file)) &&
      foldersOf(path).every(
        (name) => isTask(name, names) || isShared(join(path, name)) || isModelFolder(join(path, name), names),
      )
    )
  } catch (error) {
    if (error instanceof FolderError) return false
    throw error
  }
}

/**
 * The folder that candidates are named from where somebody points at a part of it: at one model, one task, or one sample.
 * It is what was pointed at where nothing above it tells.
 */
export function topOf(root: string, names: Names): string {
  try {
    const place = holderOf(root, names)
    const holder = isSuite(basename(place), names) ? dirname(place) : place
    return isModelFolder(holder, names) && holdsModels(dirname(holder), names) ? dirname(holder) : holder
  } catch (error) {
    if (error instanceof FolderError) return root
    throw error
  }
}

/** The folder that holds the folder of a task. */
function holderOf(root: string, names: Names): string {
  const parent = dirname(root)
  const above = isFixedCase(basename(parent)) ? dirname(parent) : parent
  if (isProject(root) && isTask(basename(above), names)) return dirname(above)
  if (isProgram(root) && isTask(basename(parent), names)) return dirname(parent)
  return isTask(basename(root), names) ? parent : root
}
