import { appendFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RandomStream } from '../plugin/inputs/index.ts'
import { Project } from './project.ts'
import { leftoversOf, survivingProcessesOf } from './traces.ts'

/** Runs that are killed; NPU_ROBUST_KILLS asks for fewer. */
const kills = Number(process.env['NPU_ROBUST_KILLS'] || 20)
const seed = Number(process.env['NPU_ROBUST_SEED'] || Date.now() % 2 ** 31)
const random = new RandomStream(seed)

const project = new Project()
let cache: string
let wholeMs = 0
const operators = ['ScaleOne', 'ScaleTwo']

/** Makes the next run compile again, headers included. */
function touch(what: string): void {
  for (const name of operators) appendFileSync(join(project.folder, project.kernelOf(name)), `// ${what}\n`)
  rmSync(join(cache, 'pch'), { recursive: true, force: true })
}

beforeAll(async () => {
  console.log(`NPU_ROBUST_SEED=${seed}`)
  for (const name of operators) project.operator(name)
  project.config('{ launchTimeoutMs: 5000 }')
  // a first run brings the shared cache up to date
  expect((await project.run()).exitCode).toBe(0)
  cache = project.copyCache()
  touch('first')
  const started = performance.now()
  const { exitCode, text } = await project.run({ env: { NPU_CACHE_DIR: cache } })
  wholeMs = performance.now() - started
  expect(exitCode, text).toBe(0)
})
afterAll(() => project.remove())

const isDraft = (path: string): boolean => path.includes('/.tmp-')

const signals = ['SIGINT', 'SIGTERM', 'SIGKILL'] as const

test.each(Array.from({ length: kills }, (_, i) => i))('kill %i leaves nothing behind and spoils nothing', async (i) => {
  const signal = signals[random.below(signals.length)]!
  const wholeGroup = signal === 'SIGINT' && random.below(2) === 0
  const afterMs = 200 + random.below(Math.ceil(wholeMs))
  const what = `${signal}${wholeGroup ? ' to the group' : ''} after ${afterMs} ms (NPU_ROBUST_SEED=${seed}, kill ${i})`
  touch(what)
  const { child, done } = project.start({ env: { NPU_CACHE_DIR: cache } })
  const pid = child.pid ?? 0
  const timer = setTimeout(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(wholeGroup ? -pid : pid, signal)
  }, afterMs)
  await done
  clearTimeout(timer)
  expect(await survivingProcessesOf([project.folder]), `processes after ${what}`).toEqual([])
  // after SIGKILL there was nobody to tidy up: the next start does
  if (signal !== 'SIGKILL')
    expect(
      leftoversOf(pid, cache).filter((path) => !isDraft(path)),
      `files after ${what}`,
    ).toEqual([])

  const next = await project.run({ env: { NPU_CACHE_DIR: cache } })
  expect(next.exitCode, `the run after ${what}:\n${next.text}`).toBe(0)
  expect(operators.flatMap((name) => project.kinds(name))).toEqual(['correct', 'correct'])
  expect(leftoversOf(pid, cache), `files one run after ${what}`).toEqual([])
  expect(await survivingProcessesOf([project.folder])).toEqual([])
  expect(unusable(), `cache entries after ${what}`).toEqual([])
})

/** What a complete entry of each kind holds; a failure that was remembered is complete as well. */
const contents: Record<string, string[]> = {
  kernel: ['kernel.so'],
  host: ['host.so', 'description.json'],
  runtime: ['libnpu_emu.so', 'npu-runner'],
  object: ['unit.o'],
  confine: ['npu-confine'],
}

function unusable(): string[] {
  return Object.entries(contents).flatMap(([kind, names]) =>
    readdirSync(join(cache, kind)).flatMap((key) => {
      const folder = join(cache, kind, key)
      if (existsSync(join(folder, 'failure.json'))) return []
      return names.map((name) => join(folder, name)).filter((path) => !existsSync(path) || statSync(path).size === 0)
    }),
  )
}
