import { basename, dirname, relative } from 'node:path'
import type { TestProjectConfiguration } from 'vitest/config'
import { realPath } from '../candidates/index.ts'
import { ownSuite } from '../model/index.ts'
import { packagedTasks, specFolders, type ResolvedSuite } from '../suites/index.ts'

/** The value that marks a project as one of ours, so that the plugin leaves all others alone. */
export const projectKey = 'npu:project'

interface SuiteProject {
  name: string
  /** folder of the suite, and the folder in it that the project is about */
  folder: string
  path: string
  /** folders within it that are other projects */
  others: string[]
}

/**
 * One project for each group of each suite, named after the group, or after the suite where it has none; a name that an
 * earlier suite has taken is put as `<suite>/<group>`.
 */
export function projectsOf(suites: readonly ResolvedSuite[]): SuiteProject[] {
  const projects: SuiteProject[] = []
  // the package has no specs outside of its suite
  const shown = suites.filter(({ name, folder }) => name !== ownSuite || folder !== packagedTasks)
  const folders = shown.flatMap((suite) => specFolders(suite).map(({ path }) => path))
  for (const suite of shown) {
    for (const { group, path } of specFolders(suite)) {
      const short = group ?? suite.name
      const isTaken = projects.some(({ name }) => name === short)
      const others = folders.filter((other) => other.startsWith(`${path}/`))
      projects.push({ name: isTaken ? `${suite.name}/${short}` : short, folder: suite.folder, path, others })
    }
  }
  return projects
}

/** What Vitest leaves out by itself, where a project says nothing else. */
const excludedByVitest = ['**/node_modules/**', '**/.git/**']

/**
 * The projects of the suites, with the plugins and defaults of the configuration they are part of. What lies in a folder
 * of candidates is no spec, whatever it is called.
 */
export const projectConfigurations = (
  suites: readonly ResolvedSuite[],
  candidates: readonly string[] = [],
): TestProjectConfiguration[] =>
  projectsOf(suites).map(({ name, folder, path, others }) => {
    const inside = relative(folder, path)
    const isInstalled = folder.includes('/node_modules/')
    const within = candidates.flatMap((path) => [path, realPath(path)]).filter((each) => each.startsWith(`${folder}/`))
    const excluded = [...others, ...new Set(within)].map((other) => `${relative(folder, other)}/**`)
    return {
      extends: true,
      test: {
        name,
        dir: folder,
        include: [inside === '' ? '**/*.spec.ts' : `${inside}/**/*.spec.ts`],
        ...(excluded.length > 0 && { exclude: [...excludedByVitest, ...excluded] }),
        provide: { [projectKey]: name },
        ...(isInstalled && { exclude: excluded, server: installedServer(folder) }),
      },
    }
  })

/** What Vitest needs to run TypeScript specs of an installed package: it leaves `node_modules` alone otherwise. */
const installedServer = (folder: string): { deps: { inline: RegExp[] } } => {
  const [root, specs] = [dirname(folder), basename(folder)].map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return { deps: { inline: [new RegExp(`${root}/(?:${specs}|references)/`)] } }
}
