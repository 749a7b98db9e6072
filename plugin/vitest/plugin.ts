import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
// types only: loading vitest/node costs a quarter of a second
import type { TestProject, Vite, Vitest, VitestPluginContext } from 'vitest/node'
import { suitesOf, type Suite } from '../suites/index.ts'
import { resolveOptions, type NpuKernelsOptions } from './options.ts'
import { projectConfigurations, projectKey, projectsOf } from './projects.ts'
import { candidateFolders, startRun, type Run } from './run.ts'
import { forgetSuites, runSuites } from './run-suites.ts'
import { SpecCandidates } from './spec-candidates.ts'

export { OptionError } from './options.ts'
export type { NpuKernelsOptions } from './options.ts'
export type { Suite } from '../suites/index.ts'

const runs = new WeakMap<Vitest, Run>()

/**
 * The Vitest plugin: makes a project for each group of tasks (`level1` to `level3`), builds and runs the candidates of
 * their specs, reports. Throws an OptionError, in one line, for options or environment variables that make no sense.
 */
export function npuKernels(given: NpuKernelsOptions = {}): Vite.Plugin {
  const options = resolveOptions(given, process.env)
  let candidates: SpecCandidates | undefined
  let ownProjects: string[] | undefined
  return {
    name: 'vitest-npu',
    // what the command line asks a configuration for
    api: { suites: options.suites } satisfies PluginApi,

    config(config) {
      const test = config.test ?? {}
      // command-line values are in `test` already, so they win over these defaults
      const defaults = { pool: test.pool ?? 'threads', isolate: test.isolate ?? false } as const
      const isOwn = (test.provide as Record<string, unknown> | undefined)?.[projectKey] !== undefined
      if (isOwn || test.projects) return { test: defaults }
      const suites = suitesOf(options, resolve(config.root ?? '.'))
      ownProjects = projectsOf(suites).map(({ name }) => name)
      return { test: { ...defaults, projects: [...projectConfigurations(suites), ...options.projects] } }
    },

    configResolved({ root }) {
      candidates = new SpecCandidates(candidateFolders(options, root), runSuites(options, root))
    },

    // a candidate's files are modules of its spec: an edit reruns that spec, `vitest related` and `--changed` find it,
    // and failures show code frames; imports are hoisted, so they go to the end and move no line
    transform(code, id) {
      if (!/\.spec\.[cm]?[jt]s$/.test(id)) return undefined
      const sources = candidates?.sourcesOfSpec(id, code) ?? []
      if (sources.length === 0) return undefined
      return { code: `${code}\n${sources.map((path) => `import ${JSON.stringify(path)};`).join('\n')}\n`, map: null }
    },
    load(id) {
      return candidates?.owns(id) ? { code: `export default ${JSON.stringify(id)};`, map: null } : undefined
    },

    // Vitest waits for the promise, which its type does not say
    // oxlint-disable-next-line typescript/no-misused-promises
    async configureVitest(context) {
      const { project, vitest } = context
      if (ownProjects && !ownProjects.includes(project.name)) return
      let run = runs.get(vitest)
      if (!run) {
        runs.set(vitest, (run = startRun(vitest, options)))
        // also on a restart after an edit of the configuration, which configures the same Vitest object again
        vitest.onClose(() => {
          runs.delete(vitest)
          forgetSuites()
          return run?.service.close()
        })
      }
      await run.started
      configureProject(project, vitest, run)
      if (candidates) defineCacheKey(context, candidates)
    },
  }
}

/** What other programs may ask of the plugin in a configuration. */
export interface PluginApi {
  suites: readonly Suite[]
}

/** Sets on a project what `config()` cannot: Vitest may have resolved it from the user's configuration alone. */
function configureProject(project: TestProject, vitest: Vitest, run: Run): void {
  const { config } = project
  config.runner = here('runner')
  config.setupFiles.unshift(here('setup'))
  config.isolate = vitest.config.isolate
  config.pool = vitest.config.pool
  for (const name of run.worker.tags) if (!config.tags.some((tag) => tag.name === name)) config.tags.push({ name })
  project.provide('npu:options', run.worker)
}

/** Vitest may keep transformed modules on disk: all that `transform` depends on is in the key. */
function defineCacheKey(context: VitestPluginContext, candidates: SpecCandidates): void {
  type Define = (key: (module: { id: string }) => string | undefined) => void
  const names = context as { defineCacheKeyGenerator?: Define; experimental_defineCacheKeyGenerator?: Define }
  const define = names.defineCacheKeyGenerator ?? names.experimental_defineCacheKeyGenerator
  define?.(({ id }) => {
    if (!id.endsWith('.ts')) return undefined
    const sources = candidates.sourcesOfSpec(id, textOf(id))
    return sources.length > 0 ? `vitest-npu ${sources.join(' ')}` : undefined
  })
}

/** A module beside this one: JavaScript in the package, TypeScript in its sources. */
function here(name: string): string {
  const built = fileURLToPath(new URL(`${name}.js`, import.meta.url))
  return existsSync(built) ? built : fileURLToPath(new URL(`${name}.ts`, import.meta.url))
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')
