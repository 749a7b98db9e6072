import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serialize } from 'node:v8'
import type { TestProject, Vite, Vitest } from 'vitest/node'
import { hashOf } from '../cache/hash.ts'
import { FileDigests } from './file-digests.ts'
import type { ResolvedOptions } from './options.ts'
import { isPure } from './purity.ts'

/** This package's code: the folder that holds `vitest/`. */
const ownFolder = fileURLToPath(new URL('..', import.meta.url))

const isCode = (name: string): boolean => /\.[cm]?[jt]s$/.test(name) && !/\.(?:test|d)\.[cm]?ts$/.test(name)

/** Only modules that are impure anyway ask for these. */
const isOfEnvironment = /^(?:process|import\.meta)\b/

/**
 * All options that can change a verdict and are not in its case; every other option decides what is judged, or what is
 * shown.
 */
export const conditionsOf = ({
  target,
  soc,
  cann,
  profile,
  warnings,
  launchTimeoutMs,
  memoryLimitMiB,
  allowWeakConfinement,
}: ResolvedOptions): string =>
  JSON.stringify({
    target: target.name,
    soc,
    cann,
    profile,
    warnings,
    launchTimeoutMs,
    memoryLimitMiB,
    allowWeakConfinement,
  })

/** What digests look at beside the files. */
export interface DigestOptions {
  /** everything of the run that can change a verdict, as text */
  conditions: string
  /** folder of the plugin's own code */
  plugin?: string
}

/**
 * Names what a verdict on a spec follows from beside candidate and case: the spec and all modules it imports, what the
 * configuration makes of them, this plugin, and the conditions of the run. Where that cannot be told with certainty
 * there is no name: a module asks for the time or reads a file, a worker runs code that no module imports, a file has
 * changed since the run began, or the run is a later one of watch mode, where a worker may still hold modules of an
 * earlier one.
 */
export class TaskDigests {
  readonly #vitest: Vitest
  readonly #options: DigestOptions
  readonly #files = new FileDigests(Date.now())
  readonly #pluginFolder: string
  readonly #plugin: readonly string[]
  /** by digest of the module */
  readonly #pure = new Map<string, boolean>()
  #closed = false

  constructor(vitest: Vitest, options: DigestOptions) {
    this.#vitest = vitest
    this.#options = options
    this.#pluginFolder = options.plugin ?? ownFolder
    this.#plugin = readdirSync(this.#pluginFolder, { recursive: true, encoding: 'utf8' })
      .filter(isCode)
      .sort()
      .map((name) => join(this.#pluginFolder, name))
  }

  /** From now on there are no names. */
  close(): void {
    this.#closed = true
  }

  of(spec: string, projectName: string): string | null {
    const project = this.#vitest.projects.find(({ name }) => name === projectName)
    if (this.#closed || !project || runsMore(project, this.#files.text(spec) ?? '')) return null
    const plugin = this.#files.ofAll(this.#plugin)
    const config = this.#files.ofAll(configFiles(project))
    const given = givenBy(project)
    const modules = this.#modules(project, [spec, ...project.config.setupFiles])
    if (plugin === null || config === null || given === null || modules === null) return null
    return hashOf(this.#options.conditions, process.version, process.arch, plugin, config, given, ...modules)
  }

  /** The modules that some entries lead to, each with its digest. */
  #modules(project: TestProject, entries: readonly string[]): string[] | null {
    const graphs = Object.values(project.vite.environments).map(({ moduleGraph }) => moduleGraph)
    const found = new Map<string, string>()
    const pending: Vite.EnvironmentModuleNode[] = []
    for (const entry of entries) {
      if (entry.startsWith(this.#pluginFolder)) continue
      const nodes = graphs.flatMap((graph) => graph.getModuleById(entry) ?? [])
      if (nodes.length === 0) return null
      pending.push(...nodes)
    }
    const seen = new Set(pending)
    for (let node = pending.pop(); node; node = pending.pop()) {
      const { file } = node
      if (!file?.startsWith('/')) return null
      if (file.startsWith(this.#pluginFolder)) continue
      const { transformResult } = node
      const digest = transformResult ? this.#module(file) : this.#files.ofPackage(file)
      if (digest === null) return null
      // plugins may make something else of the same file
      found.set(node.id ?? file, transformResult ? hashOf(digest, withoutNotes(transformResult.code)) : digest)
      if (!transformResult) continue
      for (const next of node.importedModules) {
        if (!seen.has(next)) pending.push(next)
        seen.add(next)
      }
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).flat()
  }

  #module(file: string): string | null {
    const digest = this.#files.of(file)
    if (digest === null) return null
    let pure = this.#pure.get(digest)
    if (pure === undefined) this.#pure.set(digest, (pure = isPure(file, this.#files.text(file) ?? '')))
    return pure ? digest : null
  }
}

/** Code without what tools note behind it: source maps, and what the cache of Vitest keeps of a module. */
function withoutNotes(code: string): string {
  const lines = code.trimEnd().split('\n')
  while (lines.at(-1)?.startsWith('//# ')) lines.pop()
  return lines.join('\n').trimEnd()
}

/** What Node runs before everything else. Its other options, as limits of memory, change no verdict. */
const preloads = /(?:^|\s)["']?(?:--(?:import|require|(?:experimental-)?loader)|-r)\b/

/** Do workers run code of which the modules of a spec say nothing? */
function runsMore({ config: { environment, execArgv } }: TestProject, spec: string): boolean {
  const own = /@(?:vitest|jest)-environment\s+(\S+)/.exec(spec)?.[1]
  return (own ?? environment) !== 'node' || execArgv.length > 0 || preloads.test(process.env['NODE_OPTIONS'] ?? '')
}

/**
 * What a configuration hands to specs beside their modules, wherever it has it from: what it defines, and what it or a global setup
 * provides. null where that may be another thing in each worker.
 */
function givenBy(project: TestProject): Buffer | null {
  const { 'npu:options': _, ...provided } = project.getProvidedContext()
  const defined = Object.entries(project.vite.config.define ?? {}).filter(([name]) => !isOfEnvironment.test(name))
  const isTold = defined.every(([, value]) => typeof value !== 'string' || isPure('define.js', `(${value})`))
  return isTold ? serialize([defined, project.config.defines, provided]) : null
}

function configFiles({ vite }: TestProject): string[] {
  const { configFile, configFileDependencies } = vite.config
  return [...new Set([...(configFile ? [configFile] : []), ...configFileDependencies])].sort()
}
