import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Vite } from 'vitest/node'
import * as builders from '../task/index.ts'
import { defineTask, type KernelTask } from '../task/index.ts'
import { didYouMean, messageOf, Problem } from './problem.ts'

/** What reading a folder of specs came to. */
export interface LoadedSpecs {
  tasks: KernelTask[]
  /** specs that could not be loaded: one line each */
  broken: string[]
}

/** Modules find what stands for the package here. */
const seat = Symbol.for('vitest-npu:specs')

/** Absolute paths of the specs in a folder. */
const specsOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.spec.ts'))
    .sort()
    .map((file) => join(folder, file))

/** Loads every spec of a folder. */
export const loadTasks = (folder: string): Promise<LoadedSpecs> => withLoader(folder, (load) => load(specsOf(folder)))

/** Loads one task: the spec that spells its name, or all of them when a name is put together. */
export async function loadTask(folder: string, name: string): Promise<KernelTask> {
  const specs = specsOf(folder)
  const quoted = new RegExp(`['"\`]${name.replace(/\W/g, '')}['"\`]`)
  const near = specs.filter((spec) => quoted.test(readFileSync(spec, 'utf8')))
  return withLoader(folder, async (load) => {
    const first = await load(near)
    const found = first.tasks.find((task) => task.interface.name === name)
    if (found) return found
    const all = await load(specs)
    const task = all.tasks.find((task) => task.interface.name === name)
    if (task) return task
    const [problem] = all.broken
    const names = all.tasks.map((task) => task.interface.name)
    const because = problem ? `; ${all.broken.length} of ${specs.length} specs cannot be loaded: ${problem}` : ''
    throw new Problem(`no task is called ${name}${didYouMean(name, names)} in ${folder}${because}`)
  })
}

type Load = (specs: readonly string[]) => Promise<LoadedSpecs>

/**
 * Runs specs outside of Vitest, with the Vite that Vitest brings: they are TypeScript, in a package Node would refuse to
 * strip types in. `vitest-npu` becomes a module whose kernelSuite collects tasks and registers no tests.
 */
async function withLoader<T>(folder: string, work: (load: Load) => Promise<T>): Promise<T> {
  const collected: KernelTask[] = []
  const kernelSuite: typeof defineTask = (name, definition) => {
    const task = defineTask(name, definition)
    collected.push(task)
    return task
  }
  const standIn: Record<string, unknown> = { ...builders, kernelSuite }
  Object.assign(globalThis, { [seat]: standIn })
  const names = Object.keys(standIn).join(', ')
  const { createViteServer } = await import('vitest/node')
  const plugin: Vite.Plugin = {
    name: 'vitest-npu:specs',
    enforce: 'pre',
    resolveId: (id) => (id === 'vitest-npu' ? '\0vitest-npu' : undefined),
    load: (id) =>
      id === '\0vitest-npu' ? `export const { ${names} } = globalThis[Symbol.for('vitest-npu:specs')]` : undefined,
  }
  const server = await createViteServer({
    configFile: false,
    root: dirname(folder),
    logLevel: 'silent',
    appType: 'custom',
    clearScreen: false,
    server: { middlewareMode: true, watch: null, ws: false, hmr: false },
    optimizeDeps: { noDiscovery: true },
    // installed packages are left to Node otherwise, and the plugin never asked
    ssr: { noExternal: ['vitest-npu'] },
    plugins: [plugin],
  })
  // a spec that was loaded before is not run again: its tasks stay
  const load: Load = async (specs) => {
    const broken: string[] = []
    for (const spec of specs) {
      try {
        await server.ssrLoadModule(spec)
      } catch (error) {
        broken.push(`${relative(process.cwd(), spec)}: ${messageOf(error).split('\n')[0]}`)
      }
    }
    return { tasks: [...collected], broken }
  }
  try {
    return await work(load)
  } finally {
    await server.close()
  }
}
