import { readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import type { Vite } from 'vitest/node'
import { qualifiedName, type TaskPlace } from '../model/index.ts'
import { placeOf, specsOf, type ResolvedSuite } from '../suites/index.ts'
import * as builders from '../task/index.ts'
import { defineTask, type KernelTask } from '../task/index.ts'
import { didYouMean, messageOf, UserError } from './user-error.ts'

/** What reading a folder of specs came to. */
export interface LoadedSpecs {
  tasks: KernelTask[]
  /** specs that could not be loaded: one line each */
  broken: string[]
}

/** Modules find what stands for the package here. */
const registryKey = Symbol.for('vitest-npu:specs')

const allSpecs = (suites: readonly ResolvedSuite[]): string[] => suites.flatMap((suite) => specsOf(suite, suites))

/** Loads every spec of some suites, suite by suite. */
export const loadTasks = (suites: readonly ResolvedSuite[]): Promise<LoadedSpecs> =>
  withLoader(suites, (load) => load(allSpecs(suites)))

/** Loads some of the specs. */
export const loadSpecs = (suites: readonly ResolvedSuite[], specs: readonly string[]): Promise<LoadedSpecs> =>
  withLoader(suites, (load) => load(specs))

/** `npukernelbench/Softmax` or `Softmax`. */
interface TaskName {
  suite?: string | undefined
  name: string
}

/** Loads one task: from the specs that spell its name, or from all of them when a name is put together. */
export async function loadTask(suites: readonly ResolvedSuite[], text: string): Promise<KernelTask> {
  const wanted = taskNameOf(text, suites)
  const specs = allSpecs(suites.filter(({ name }) => wanted.suite === undefined || name === wanted.suite))
  const quoted = new RegExp(`['"\`]${wanted.name.replace(/\W/g, '')}['"\`]`)
  const near = specs.filter((spec) => quoted.test(readFileSync(spec, 'utf8')))
  return withLoader(suites, async (load) => {
    const first = await load(near)
    const found = only(first.tasks, wanted)
    if (found) return found
    const all = await load(specs)
    const task = only(all.tasks, wanted)
    if (task) return task
    const [problem] = all.broken
    const names = all.tasks.map((task) => task.interface.name)
    const because = problem ? `; ${all.broken.length} of ${specs.length} specs cannot be loaded: ${problem}` : ''
    const folders = [...new Set(suites.map(({ folder }) => folder))].join(' and ')
    throw new UserError(`no task is called ${text}${didYouMean(wanted.name, names)} in ${folders}${because}`)
  })
}

function taskNameOf(text: string, suites: readonly ResolvedSuite[]): TaskName {
  const [suite, name, ...more] = text.split('/')
  if (name === undefined) return { name: text }
  const names = suites.map((each) => each.name)
  if (more.length > 0 || suite === undefined || !names.includes(suite)) {
    const near = didYouMean(suite ?? '', names)
    throw new UserError(`${text}: no suite is called ${suite}${near}; there are ${names.join(', ')}`)
  }
  return { suite, name }
}

/** The task of that name. Throws a UserError when several suites have one and none is said. */
function only(tasks: readonly KernelTask[], { suite, name }: TaskName): KernelTask | undefined {
  const found = tasks.filter(
    (task) => task.interface.name === name && task.interface.suite === (suite ?? task.interface.suite),
  )
  const names = [...new Set(found.map((task) => qualifiedName(task.interface)))]
  if (names.length > 1) throw new UserError(`${name} is a task of several suites: say ${names.join(' or ')}`)
  return found[0]
}

type Load = (specs: readonly string[]) => Promise<LoadedSpecs>

/**
 * Runs specs outside of Vitest, with the Vite that Vitest brings: they are TypeScript, in a package Node would refuse
 * to strip types in. `vitest-npu` becomes a module whose kernelSuite collects tasks and registers no tests.
 */
async function withLoader<T>(suites: readonly ResolvedSuite[], work: (load: Load) => Promise<T>): Promise<T> {
  const collected: KernelTask[] = []
  // that of the spec that is being loaded
  let place: TaskPlace | undefined
  const kernelSuite: typeof defineTask = (name, definition) => {
    const task = defineTask(name, definition, place)
    collected.push(task)
    return task
  }
  const standIn: Record<string, unknown> = { ...builders, kernelSuite }
  Object.assign(globalThis, { [registryKey]: standIn })
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
    root: dirname(suites[0]?.folder ?? process.cwd()),
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
      place = placeOf(spec, suites)
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
