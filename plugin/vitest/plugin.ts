/// <reference types="vitest/config" />
import { randomInt } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
// types only: loading vitest/node costs a quarter of a second
import type { TestProjectConfiguration } from 'vitest/config'
import type { TestProject, Vite, Vitest, VitestPluginContext } from 'vitest/node'
import { KernelService } from '../service/index.ts'
import type { WorkerOptions } from './meta.ts'
import { resolveOptions, type NpuKernelsOptions, type ResolvedOptions } from './options.ts'
import { prefetchInOrder } from './prefetch.ts'
import { levelKey, levelProjects, levels } from './projects.ts'
import { NpuReporter } from './reporter.ts'
import { SpecCandidates } from './spec-candidates.ts'
import { declaredTags } from './tags.ts'

export { OptionError } from './options.ts'
export type { NpuKernelsOptions } from './options.ts'

/** What lives as long as one Vitest instance, however many projects it has. */
interface Run {
  service: KernelService
  started: Promise<void>
  worker: Omit<WorkerOptions, 'tags'>
  tags: string[]
}

const runs = new WeakMap<Vitest, Run>()

/**
 * The Vitest plugin: makes the projects `level1` to `level3`, builds and runs the candidates of their specs, reports.
 * Throws an OptionError, in one line, for options or environment variables that make no sense.
 */
export function npuKernels(given: NpuKernelsOptions = {}): Vite.Plugin {
  const options = resolveOptions(given, process.env)
  let candidates = new SpecCandidates([])
  let ownProjects = false
  return {
    name: 'vitest-npu',

    config(config) {
      const test = config.test ?? {}
      // command-line values are in `test` already, so they win over these defaults
      const defaults = { pool: test.pool ?? 'threads', isolate: test.isolate ?? false } as const
      const isLevel = (test.provide as Record<string, unknown> | undefined)?.[levelKey] !== undefined
      if (isLevel || test.projects) return { test: defaults }
      ownProjects = true
      const others = options.projects as TestProjectConfiguration[]
      return { test: { ...defaults, projects: [...levelProjects(options.tasks), ...others] } }
    },

    configResolved({ root }) {
      candidates = new SpecCandidates(candidateFolders(options, root))
    },

    // a candidate's files are modules of its spec: an edit reruns that spec, `vitest related` and `--changed` find it, and
    // failures show code frames; imports are hoisted, so they go to the end and move no line
    transform(code, id) {
      if (!/\.spec\.[cm]?[jt]s$/.test(id)) return undefined
      const sources = candidates.sourcesOfSpec(id, code)
      if (sources.length === 0) return undefined
      return { code: `${code}\n${sources.map((path) => `import ${JSON.stringify(path)};`).join('\n')}\n`, map: null }
    },
    load(id) {
      return candidates.owns(id) ? { code: `export default ${JSON.stringify(id)};`, map: null } : undefined
    },

    async configureVitest(context: VitestPluginContext) {
      const { project, vitest } = context
      if (ownProjects && !(levels as readonly string[]).includes(project.name)) return
      let run = runs.get(vitest)
      if (!run) runs.set(vitest, (run = startRun(vitest, options)))
      await run.started
      configureProject(project, vitest, run)
      defineCacheKey(context, candidates)
    },
  }
}

/** Sets on a project what `config()` cannot: Vitest may have resolved it from the user's configuration alone. */
function configureProject(project: TestProject, vitest: Vitest, run: Run): void {
  const { config } = project
  config.runner = here('runner')
  config.setupFiles.unshift(here('setup'))
  config.isolate = vitest.config.isolate
  config.pool = vitest.config.pool
  for (const name of run.tags) if (!config.tags.some((tag) => tag.name === name)) config.tags.push({ name })
  project.provide('npu:options', { ...run.worker, tags: run.tags })
}

/** Starts the service and hooks it to the Vitest instance; synchronous, as projects are configured in parallel. */
function startRun(vitest: Vitest, options: ResolvedOptions): Run {
  const { root } = vitest.config
  const cacheDir = resolve(root, options.cacheDir)
  const folders = candidateFolders(options, root)
  const candidates = new SpecCandidates(folders)
  const reporter = new NpuReporter({ ledger: options.ledger, ignored: () => candidates.found.ignored })
  const baseline = options.baseline === undefined ? packagedBaseline : resolve(root, options.baseline)
  const { soc, jobs, launchTimeoutMs, compileTimeoutMs, memoryLimitMiB } = options
  const limits = { soc, jobs, launchTimeoutMs, compileTimeoutMs, memoryLimitMiB }
  const onProgress = (line: string): void => reporter.progress(line)
  const service = new KernelService({ cacheDir, defaultHosts: baseline, onProgress, ...limits })
  const interfaces = join(cacheDir, 'interfaces')

  // also on a restart after an edit of the configuration: the same Vitest object is then configured again
  vitest.onClose(() => {
    runs.delete(vitest)
    return service.close()
  })
  vitest.config.reporters.push(reporter as never)
  prefetchInOrder(vitest, service, candidates, interfaces)
  // for files that were not there when the spec was transformed
  vitest.config.watchTriggerPatterns = [
    ...(vitest.config.watchTriggerPatterns ?? []),
    { pattern: /\.(cpp|cc|cxx|h|hpp|inl)$/, testsToRun: (file) => candidates.specsOf(resolve(root, file)) },
  ]
  const { target, fuzzRuns, fuzzBudgetMs, latencyIterations, latencyCase, profile } = options
  return {
    service,
    started: service.start(),
    tags: declaredTags(resolve(root, options.tasks), levels),
    worker: {
      ...{ root, socket: service.path, candidates: folders, baseline, target, soc, fuzzRuns, fuzzBudgetMs, launchTimeoutMs },
      ...{ latencyIterations, latencyCase, profile, interfaces, corpus: resolve(root, options.corpus) },
      seed: options.seed ?? randomInt(2 ** 31),
      environment: reproducedVariables.flatMap((name) => (process.env[name] ? [`${name}=${process.env[name]}`] : [])),
    },
  }
}

/** Variables that decide which candidate runs on what; the seed is added where it matters. */
const reproducedVariables = ['NPU_CANDIDATES', 'NPU_TARGET', 'NPU_SOC']

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

const candidateFolders = ({ candidates }: ResolvedOptions, root: string): string[] =>
  [candidates].flat().map((folder) => resolve(root, folder))

const packagedBaseline = fileURLToPath(new URL('../../references/baseline/', import.meta.url)).replace(/\/$/, '')

/** A module beside this one: JavaScript in the package, TypeScript in its sources. */
function here(name: string): string {
  const built = fileURLToPath(new URL(`${name}.js`, import.meta.url))
  return existsSync(built) ? built : fileURLToPath(new URL(`${name}.ts`, import.meta.url))
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')
