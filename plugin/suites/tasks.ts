import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { placeOf, specFolders } from './place.ts'
import type { ResolvedSuite } from './suite.ts'

/** Tasks that the text of a spec defines, from its `kernelSuite('<Task>', …` calls. */
export const tasksIn = (code: string): string[] => [
  ...new Set([...code.matchAll(/\bkernelSuite\(\s*(['"`])(\w+)\1/g)].map((match) => match[2] ?? '')),
]

/** Categories of the tasks below a folder of specs, as far as these spell both. */
export const categoriesIn = (folder: string): Map<string, string> =>
  new Map(
    specsBelow(folder).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(spelled)].map(([, , name = '', category = '']) => [name, category]),
    ),
  )

const spelled = /\bkernelSuite\(\s*(['"`])(\w+)\1(?:(?!\bkernelSuite\().)*?\bcategory: (?:['"`])(\w+)/gs

/** Absolute paths of the specs of a suite, sorted. */
export function specsOf(suite: ResolvedSuite, suites: readonly ResolvedSuite[]): string[] {
  return specFolders(suite)
    .filter(({ path }) => existsSync(path))
    .flatMap(({ path }) => specsBelow(path))
    .filter((file) => placeOf(file, suites).suite === suite.name)
}

const specsBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.spec.ts') && !file.includes('node_modules/'))
    .sort()
    .map((file) => join(folder, file))

/** The suites of each task, by its name. Specs are read, not run: they have to spell the name. */
export function suitesByTask(suites: readonly ResolvedSuite[]): Map<string, string[]> {
  const owners = new Map<string, string[]>()
  for (const suite of suites) {
    const files = specsOf(suite, suites)
    for (const task of new Set(files.flatMap((file) => tasksIn(readFileSync(file, 'utf8')))))
      owners.set(task, [...(owners.get(task) ?? []), suite.name])
  }
  return owners
}

/** The suites that have a task of the same name, by that name. */
export const sharedTasks = (owners: ReadonlyMap<string, string[]>): Record<string, string[]> =>
  Object.fromEntries([...owners].filter(([, names]) => names.length > 1))
