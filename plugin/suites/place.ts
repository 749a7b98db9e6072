import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownSuite, type TaskPlace } from '../model/index.ts'
import { mhc } from './mhc.ts'
import { multiKernelBench } from './multikernelbench.ts'
import { npuKernelBench } from './npukernelbench.ts'
import { ownSpecs } from './own.ts'
import { suite, type ResolvedSuite, type Suite } from './suite.ts'

/** The specs that this package brings along. */
export const packagedTasks = fileURLToPath(new URL('../../tasks', import.meta.url))

/** Absolute folder of the specs: the one that is named, else `tasks` of the project, else the tasks of this package. */
export function tasksFolder(named: string | undefined, root: string): string {
  if (named !== undefined) return resolve(root, named)
  const own = resolve(root, 'tasks')
  return existsSync(own) ? own : packagedTasks
}

/** Options that say where the suites of a run lie. */
export interface SuiteOptions {
  /** folder of the specs of the suites that name none */
  tasks?: string | undefined
  /** folder of the operators that speedup is measured against, for all suites */
  baseline?: string | undefined
  /** suites beside the one of this package */
  suites?: readonly Suite[]
}

/**
 * The suites of a run in the order of the closing table: those of the package, those that are given, the own specs. A project with
 * specs of its own in place of the packaged ones has the first of the package alone.
 */
export function suitesOf({ tasks, baseline, suites = [] }: SuiteOptions, root: string): ResolvedSuite[] {
  const standard = tasksFolder(tasks, root)
  const packaged = standard === packagedTasks ? [npuKernelBench, multiKernelBench, mhc] : [npuKernelBench]
  return [...packaged, ...suites, ownSpecs].map((given) => {
    const { folder, baseline: its, ...rest } = suite.parse(given)
    const operators = baseline ?? its
    return {
      ...rest,
      folder: folder === undefined ? standard : resolve(root, folder),
      baseline: operators === undefined ? null : resolve(root, operators),
    }
  })
}

/** The folders whose specs are of a suite: one for each group, the whole folder where there are none. */
export const specFolders = ({ folder, groups }: Pick<ResolvedSuite, 'folder' | 'groups'>): SpecFolder[] =>
  groups.length === 0 ? [{ group: null, path: folder }] : groups.map((group) => ({ group, path: join(folder, group) }))

export interface SpecFolder {
  group: string | null
  path: string
}

/** Where the tasks of a spec belong, by the folder that the spec lies in. */
export function placeOf(file: string, suites: readonly ResolvedSuite[]): TaskPlace {
  const folders = suites.flatMap((each) => specFolders(each).map((folder) => ({ suite: each.name, ...folder })))
  const [nearest] = folders
    .filter(({ path }) => file.startsWith(`${path}/`))
    .sort((one, other) => other.path.length - one.path.length)
  return nearest ? { suite: nearest.suite, group: nearest.group } : { suite: ownSuite, group: null }
}
