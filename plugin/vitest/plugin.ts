import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
// types only: loading vitest/node costs a quarter of a second
import type { TestProject, Vite, Vitest } from 'vitest/node'
import { exitCodes } from '../model/index.ts'
import { suitesOf } from '../suites/index.ts'
import { OptionError, resolveOptions, type NpuKernelsOptions, type ResolvedOptions } from './options.ts'
import { projectConfigurations, projectKey, projectsOf } from './projects.ts'
import { candidateFolders, endRun, runOf, startRun, type Run } from './run.ts'
import { forgetSuites } from './run-suites.ts'
import { requireSystem } from './system.ts'

export { OptionError } from './options.ts'
export type { NpuKernelsOptions } from './options.ts'
export type { Suite } from '../suites/index.ts'

/**
 * The Vitest plugin: makes a project for each group of tasks (`level1` to `level3`), builds and runs the candidates of
 * their specs, reports. Throws an OptionError, in one line, for options or environment variables that make no sense.
 */
export function npuKernels(given: NpuKernelsOptions = {}): Vite.Plugin {
  requireSystem()
  const options = asUsage(() => resolveOptions(given, process.env))
  let ownProjects: string[] | undefined
  return {
    name: 'vitest-npu',
    // what the command line asks a configuration for
    api: { options } satisfies PluginApi,

    config(config) {
      const test = config.test ?? {}
      // command-line values are in `test` already, so they win over these defaults
      const defaults = { pool: test.pool ?? 'threads', isolate: test.isolate ?? false } as const
      const isOwn = (test.provide as Record<string, unknown> | undefined)?.[projectKey] !== undefined
      if (isOwn || test.projects) return { test: defaults }
      const root = resolve(config.root ?? '.')
      const suites = suitesOf(options, root)
      const folders = candidateFolders(options, root)
      ownProjects = projectsOf(suites).map(({ name }) => name)
      return { test: { ...defaults, projects: [...projectConfigurations(suites, folders), ...options.projects] } }
    },

    // Vitest waits for the promise, which its type does not say
    // oxlint-disable-next-line typescript/no-misused-promises
    async configureVitest({ project, vitest }) {
      if (ownProjects && !ownProjects.includes(project.name)) return
      let run = runOf(vitest)
      if (!run) {
        run = asUsage(() => startRun(vitest, options))
        // also on a restart after an edit of the configuration, which configures the same Vitest object again
        vitest.onClose(() => {
          forgetSuites()
          return endRun(vitest)
        })
      }
      await run.started
      configureProject(project, vitest, run)
    },
  }
}

/** Has `vitest` end with the exit code of a wrong call where options make no sense; other programs decide themselves. */
function asUsage<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const isVitest = /^vitest(\.mjs)?$/.test(basename(process.argv[1] ?? ''))
    if (error instanceof OptionError && isVitest) process.exitCode = exitCodes.usage
    throw error
  }
}

/** What other programs may ask of the plugin in a configuration. */
export interface PluginApi {
  options: ResolvedOptions
}

/** Sets on a project what `config()` cannot: Vitest may have resolved it from the user's configuration alone. */
function configureProject(project: TestProject, vitest: Vitest, run: Run): void {
  const { config } = project
  config.runner = here('runner')
  config.setupFiles.unshift(here('setup'))
  config.isolate = vitest.config.isolate
  config.pool = vitest.config.pool
  // Vitest starts no more suites at once, and each waits for a launch most of the time
  config.maxConcurrency = Math.max(config.maxConcurrency, run.worker.samplesAtOnce)
  for (const name of run.worker.tags) if (!config.tags.some((tag) => tag.name === name)) config.tags.push({ name })
  project.provide('npu:options', run.worker)
}

/** A module beside this one: JavaScript in the package, TypeScript in its sources. */
function here(name: string): string {
  const built = fileURLToPath(new URL(`${name}.js`, import.meta.url))
  return existsSync(built) ? built : fileURLToPath(new URL(`${name}.ts`, import.meta.url))
}
