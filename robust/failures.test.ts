import { chmodSync, chownSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Project, type Edits, type Result } from './project.ts'
import { childrenOf, commandOf, descendantsOf, processorTimeOf, survivingProcessesOf } from './traces.ts'

const include = '#include "kernel_operator.h"'
const loop = 'for (uint32_t offset = 0;'

/** The kernel does something else before its first tile. */
const first = (statement: string, header = ''): Edits => [
  [include, `${include}\n${header}`],
  [loop, `${statement}\n  ${loop}`],
]

const limits = '{ fuzzRuns: 2, fuzzBudgetMs: 5000, launchTimeoutMs: 1500 }'

/** The user that everything is forbidden to, where this one is root. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0

describe('one run over operators that fail in every way', () => {
  let project: Project
  let result: Result

  beforeAll(async () => {
    project = new Project()
    project.config(limits)
    project.operator('Right')
    project.operator('Crashes', { kernel: first('volatile char large[4 << 20]; large[0] = 1;') })
    project.operator('Endless', { kernel: first('for (volatile int i = 0;; i = i + 1) {}') })
    project.operator('Exits', { kernel: first('exit(0);', '#include <cstdlib>') })
    project.operator('NotNumbers', { kernel: [['data.factor, static', '__builtin_nanf(""), static']] })
    project.operator('Unnamed', { kernel: [['void unnamed(', 'void renamed(']] })
    project.operator('GoldenThrows', {
      spec: [
        ['golden: ({ x }, { factor }) => ({', `golden: ({ x }, { factor }) => Reflect.get(globalThis, 'missing')({`],
      ],
    })
    project.operator('WrongRow', { spec: [['factor: 0.5', `factor: 'half' as never`]] })
    project.operator('Empty')
    project.operator('Last')
    for (const part of ['op_kernel', 'op_host']) project.clear(`candidates/Empty/${part}`)
    result = await project.run()
  })
  afterAll(() => project.remove())

  test.each([
    ['Right', ['correct']],
    ['Last', ['correct']],
    ['Crashes', ['crashed']],
    ['Endless', ['device-error']],
    ['Exits', ['compile-failed']],
    ['NotNumbers', ['wrong-nonfinite']],
    ['Unnamed', ['compile-failed']],
    ['GoldenThrows', ['infrastructure']],
    ['WrongRow', ['infrastructure']],
  ])('%s is judged %j', (operator, kinds) => {
    const found = project
      .kinds(operator)
      .filter((kind) => kind !== 'correct' || operator === 'Right' || operator === 'Last')
    expect(found, result.text).toEqual(kinds)
  })

  test.each([
    ['a crash names the signal', /crashed: .*SIGSEGV/],
    [
      'an endless kernel names its loop',
      /InstructionLimit at op_kernel\/endless\.cpp:23 .*processor time of its launch/,
    ],
    ['a function of the host is named', /no matching function for call to 'exit': a function of the host/],
    ['NaN is counted', /wrong-nonfinite: .*y: 1 000 of 1 000 elements/],
    ['a missing kernel is named', /no file in op_kernel defines the kernel `unnamed`/],
    [
      'a golden that throws is named',
      /golden of GoldenThrows in .*golden-throws\.spec\.ts failed on .*is not a function/,
    ],
    ['a wrong attribute is named', /WrongRow.*factor/s],
    ['a candidate without sources is named', /Empty/],
  ])('%s', (_, message) => {
    expect(result.text).toMatch(message)
  })

  test('the run fails, prints its table and leaves no process', async () => {
    // a golden throws: more than a candidate failed
    expect(result.exitCode).toBe(3)
    expect(result.text).toMatch(/level1 +10 /)
    expect(await survivingProcessesOf([project.folder])).toEqual([])
  })
})

describe('a machine that lacks something', () => {
  let project: Project
  beforeAll(() => {
    project = new Project()
    project.config(limits)
    project.operator('Right')
  })
  afterAll(() => project.remove())

  test('no compiler: one message, an infrastructure verdict', async () => {
    const { text, exitCode } = await project.run({ env: { PATH: '/nonexistent', NPU_CXX: '' } })
    expect(exitCode).toBe(3)
    expect(text.match(/no C\+\+ compiler: clang\+\+ >= 16 or g\+\+ >= 12 is needed/g), text).toHaveLength(1)
    expect(project.kinds('Right')).toEqual(['infrastructure'])
  })

  test('a cache folder that cannot be made: one message that names it', async () => {
    const { text, exitCode } = await project.run({ env: { NPU_CACHE_DIR: '/dev/null/cache' } })
    expect(exitCode).toBe(3)
    expect(text).toMatch(/cannot write the cache folder \/dev\/null\/cache \(set NPU_CACHE_DIR\)/)
    expect(project.kinds('Right')).toEqual(['infrastructure'])
  })

  test('a folder of candidates that is named and missing: one message, and no green run', async () => {
    const { text, exitCode } = await project.run({ env: { NPU_CANDIDATES: 'nowhere' } })
    expect(exitCode, text).toBe(64)
    expect(text).toContain('npu: candidates are asked for in nowhere, and there is none: nothing was judged')
    expect(project.kinds('Right')).toEqual(['no-candidate'])
  })

  test.runIf(isRoot)('a package that cannot be written is enough; sources that cannot be read are named', async () => {
    project.operator('Unreadable')
    const cache = project.copyCache()
    give(project.folder, nobody)
    chmodSync(join(project.folder, project.kernelOf('Unreadable')), 0o000)
    chownSync(join(project.folder, project.kernelOf('Unreadable')), 0, 0)
    const { text } = await project.run({ uid: nobody, env: { NPU_CACHE_DIR: cache, HOME: project.folder } })
    expect(project.kinds('Right'), text).toEqual(['correct'])
    expect(project.kinds('Unreadable'), text).toEqual(['compile-failed'])
    expect(text).toMatch(/cannot read .*unreadable\.cpp: .*EACCES/)
  })
})

describe('workers that die', () => {
  let project: Project
  beforeAll(() => {
    project = new Project()
  })
  afterAll(() => project.remove())

  // a worker that is killed while Vitest hands it a spec costs more: Vitest's pool gives up on what it has not begun
  test('a killed worker costs what it held; the rest of the run is judged', { retry: 2 }, async () => {
    project.config('{ fuzzRuns: 2, launchTimeoutMs: 4000 }')
    project.operator('Endless', { kernel: first('for (volatile int i = 0;; i = i + 1) {}') })
    for (const name of ['RightOne', 'RightTwo', 'RightThree']) project.operator(name)
    const { done, child } = project.start({ args: ['--pool=forks', '--maxWorkers=2'] })
    await new Promise((resolve) => setTimeout(resolve, 2500))
    // one that still has something to do: where everything is built already, the other may have ended by now
    process.kill(await workerOf(child.pid ?? 0), 'SIGKILL')
    const { exitCode, text } = await done
    expect(exitCode).not.toBe(0)
    expect(text).toMatch(/Worker exited unexpectedly|Worker forks emitted error/)
    const judged = ['RightOne', 'RightTwo', 'RightThree'].filter((name) => project.kinds(name)[0] === 'correct')
    expect(judged.length, text).toBeGreaterThanOrEqual(2)
    expect(await survivingProcessesOf([project.folder])).toEqual([])
  })
})

describe('a run that is killed', () => {
  let project: Project
  beforeAll(() => {
    project = new Project()
  })
  afterAll(() => project.remove())

  test('takes a kernel that never ends with it', async () => {
    project.config('{ launchTimeoutMs: 600_000 }')
    project.operator('Endless', { kernel: first('for (volatile int i = 0;; i = i + 1) {}') })
    const { done, child } = project.start()
    const kernelsAtWork = (): number[] =>
      descendantsOf(child.pid ?? 0).filter((pid) => commandOf(pid).includes('npu-runner') && processorTimeOf(pid) > 100)
    await expect.poll(kernelsAtWork, { timeout: 300_000 }).not.toEqual([])
    process.kill(child.pid ?? 0, 'SIGKILL')
    await done
    expect(await survivingProcessesOf([project.folder], 2000)).toEqual([])
  })
})

/** The process of the forks pool that runs specs. Throws when there is none within half a minute. */
async function workerOf(main: number): Promise<number> {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    const worker = childrenOf(main).find((pid) => commandOf(pid).includes('workers/forks'))
    if (worker !== undefined) return worker
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('no worker was started')
}

/** Gives a folder and everything in it to another user. */
function give(folder: string, uid: number): void {
  chownSync(folder, uid, uid)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) chownSync(join(folder, name), uid, uid)
}
