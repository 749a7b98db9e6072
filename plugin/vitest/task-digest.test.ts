import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Vitest } from 'vitest/node'
import { resolveOptions } from './options.ts'
import { conditionsOf, TaskDigests } from './task-digest.ts'

let folder: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'task-digest-')))
  write('task.spec.ts', "import { golden } from './golden.ts'")
  write('golden.ts', 'export const golden = 1')
  write('vitest.config.ts', 'export default {}')
  write('node_modules/lib/package.json', '{ "name": "fast-check", "version": "1.2.3" }')
  write('node_modules/lib/dist/index.js', 'process.env.X')
  write('plugin/compare/judge.js', 'export const judge = 1')
  // what a file system calls the time may lag behind the clock
  vi.useFakeTimers({ now: Date.now() + 1000, toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

interface Node {
  id: string
  file: string
  transformResult: { code: string } | null
  importedModules: Set<Node>
}

const node = (path: string, ...imports: Node[]): Node => ({
  id: join(folder, path),
  file: join(folder, path),
  transformResult: path.includes('node_modules') ? null : { code: 'made' },
  importedModules: new Set(imports),
})

/** What a configuration hands to specs. */
interface Given {
  define?: Record<string, unknown>
  defines?: Record<string, unknown>
  provided?: Record<string, unknown>
  environment?: string
  execArgv?: string[]
}

const graph = (...more: Node[]): Vitest => graphWith({}, ...more)

/** The spec as Vite knows it: it imports golden and a package; golden imports the spec's package too. */
function graphWith({ define, defines = {}, provided, ...run }: Given, ...more: Node[]): Vitest {
  const lib = node('node_modules/lib/dist/index.js')
  const spec = node('task.spec.ts', node('golden.ts', lib, ...more), lib)
  const project = {
    name: 'level1',
    config: { setupFiles: [], defines, environment: 'node', execArgv: [], ...run },
    getProvidedContext: () => ({ 'npu:options': { run: Math.random() }, ...provided }),
    vite: {
      config: { define, configFile: join(folder, 'vitest.config.ts'), configFileDependencies: [] },
      environments: {
        ssr: { moduleGraph: { getModuleById: (id: string) => (id === spec.file ? spec : undefined) } },
        client: { moduleGraph: { getModuleById: () => undefined } },
      },
    },
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the few parts of Vitest that are asked
  return { projects: [project] } as unknown as Vitest
}

const digests = (vitest = graph(), conditions = 'strict'): TaskDigests =>
  new TaskDigests(vitest, { conditions, plugin: join(folder, 'plugin/') })

const digest = (vitest?: Vitest, conditions?: string): string | null =>
  digests(vitest, conditions).of(join(folder, 'task.spec.ts'), 'level1')

describe('the name of what a verdict follows from', () => {
  test('is the same as long as nothing changes', () => {
    expect(digest()).toMatch(/^[0-9a-f]{32}$/)
    expect(digest()).toBe(digest())
  })

  test.each([
    ['the spec', 'task.spec.ts', "import { golden } from './golden.ts' "],
    ['a module it imports', 'golden.ts', 'export const golden = 2'],
    ['the configuration', 'vitest.config.ts', 'export default { }'],
    ['the plugin itself', 'plugin/compare/judge.js', 'export const judge = 2'],
    ['the plugin by a module', 'plugin/compare/more.js', ''],
    ['the version of a package', 'node_modules/lib/package.json', '{ "name": "fast-check", "version": "1.2.4" }'],
  ])('is another when %s changes', (_, path, text) => {
    const before = digest()
    write(path, text)
    expect(digest()).not.toBeNull()
    expect(digest()).not.toBe(before)
  })

  test('is another under other conditions', () => {
    expect(digest(graph(), 'benchmark')).not.toBe(digest())
  })

  test.each<Given>([
    { define: { __FACTOR__: '2' } },
    { define: { __FACTOR__: 2 } },
    { defines: { __FACTOR__: 2 } },
    { provided: { factor: 2 } },
    { provided: { factor: new Map([['all', 2]]) } },
  ])('is another when the configuration gives %o', (given) => {
    const seen = [digest(), digest(graphWith(given))]
    expect(seen[1]).toMatch(/^[0-9a-f]{32}$/)
    expect(seen[1]).not.toBe(seen[0])
    expect(digest(graphWith(given))).toBe(seen[1])
  })

  test('is another when a plugin makes something else of a module', () => {
    write('more.ts', 'export const more = 1')
    const [one, other] = ['1', '2'].map((code) => digest(graph({ ...node('more.ts'), transformResult: { code } })))
    expect(one).not.toBeNull()
    expect(other).not.toBe(one)
  })

  test('is the same when a tool notes something behind a module', () => {
    const notes = ['', '\n', '\n//# vitestCache=W10\n', '\n//# sourceMappingURL=a\n//# vitestCache=W10']
    const made = notes.map((note) => ({ ...node('more.ts'), transformResult: { code: `made${note}` } }))
    expect(new Set(made.map((more) => digest(graph(more)))).size).toBe(1)
  })

  test('is another when a module imports one more', () => {
    write('more.ts', 'export const more = 1')
    expect(digest(graph(node('more.ts')))).not.toBe(digest())
  })
})

describe('there is no name', () => {
  test.each(["import { readFileSync } from 'node:fs'", 'const { env } = process', 'const { random } = Math'])(
    'for a module that says %s',
    (code) => {
      write('golden.ts', `${code}\n`)
      expect(digest()).toBeNull()
    },
  )

  test('where the configuration defines what each worker asks for', () => {
    expect(digest(graphWith({ define: { __FACTOR__: 'Number(process.env.FACTOR)' } }))).toBeNull()
    expect(digest(graphWith({ define: { 'process.env.NODE_ENV': 'process.env.NODE_ENV' } }))).not.toBeNull()
  })

  test('where workers run what no module imports', () => {
    expect(digest(graphWith({ environment: './environment.ts' }))).toBeNull()
    expect(digest(graphWith({ execArgv: ['--import', './first.ts'] }))).toBeNull()
    for (const [options, isNamed] of [
      ['--max-old-space-size=4096', true],
      ['--max-old-space-size=4096 --import ./first.ts', false],
      ['--require=./first.cjs', false],
      ['-r ./first.cjs', false],
      ['--experimental-loader ./first.ts', false],
    ] as const) {
      vi.stubEnv('NODE_OPTIONS', options)
      expect(digest() !== null, options).toBe(isNamed)
    }
    vi.unstubAllEnvs()
    write('task.spec.ts', '// @vitest-environment ./environment.ts')
    expect(digest()).toBeNull()
  })

  test('for modules that are no files, are gone, or belong to no package', () => {
    expect(digest(graph({ ...node('x'), file: '\0virtual:golden' }))).toBeNull()
    expect(digest(graph(node('gone.ts')))).toBeNull()
    expect(digest(graph(node('node_modules/stray.js')))).toBeNull()
    // it may ask for the time, and so may what it loads
    write('node_modules/other/package.json', '{ "name": "other", "version": "1.2.3" }')
    write('node_modules/other/index.js', "import 'clock'")
    expect(digest(graph(node('node_modules/other/index.js')))).toBeNull()
  })

  test('for a spec that Vite does not know, or a project that Vitest does not', () => {
    expect(digests().of(join(folder, 'other.spec.ts'), 'level1')).toBeNull()
    expect(digests().of(join(folder, 'task.spec.ts'), 'level2')).toBeNull()
  })

  test.each(['task.spec.ts', 'golden.ts', 'vitest.config.ts', 'plugin/compare/judge.js'])(
    'once %s has changed since the run began',
    (path) => {
      const during = digests()
      expect(during.of(join(folder, 'task.spec.ts'), 'level1')).not.toBeNull()
      vi.setSystemTime(Date.now() - 2000)
      const started = digests()
      write(path, readFileSync(join(folder, path), 'utf8'))
      expect(started.of(join(folder, 'task.spec.ts'), 'level1')).toBeNull()
    },
  )

  test('after the first run of watch mode', () => {
    const watching = digests()
    watching.close()
    expect(watching.of(join(folder, 'task.spec.ts'), 'level1')).toBeNull()
  })
})

describe('the conditions of a verdict', () => {
  const plain = conditionsOf(resolveOptions({}, {}))

  test.each([
    { soc: 'Ascend910B1' },
    { cann: '8.3' },
    { profile: 'benchmark' },
    { warnings: 'fail' },
    { launchTimeoutMs: 10_000 },
    { memoryLimitMiB: 1024 },
  ])('are others with %j', (options) => {
    expect(conditionsOf(resolveOptions(options, {}))).not.toBe(plain)
  })

  test.each([{ jobs: 1 }, { fuzzRuns: 3 }, { maxElements: 9 }, { seed: 3 }, { ledger: 'elsewhere' }])(
    'are the same with %j, which changes no verdict',
    (options) => {
      expect(conditionsOf(resolveOptions(options, {}))).toBe(plain)
    },
  )
})
