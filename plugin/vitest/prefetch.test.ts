// stand-ins have only what is asked of them
// oxlint-disable typescript/no-unsafe-type-assertion
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TestSpecification, Vitest } from 'vitest/node'
import type { BuildArgs, TaskInterface } from '../model/index.ts'
import type { KernelService } from '../service/index.ts'
import { savedInterface, saveInterface } from './interfaces.ts'
import { prefetchInOrder } from './prefetch.ts'
import { SpecCandidates } from './spec-candidates.ts'

let root: string
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'npu-prefetch-'))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const task = (name: string): TaskInterface => ({
  name,
  kernel: name.toLowerCase(),
  suite: 'own',
  group: null,
  category: 'Math',
  inputs: [],
  outputs: [],
  attrs: [],
})

/** Sorts the specs as Vitest would, backwards here, and returns what the service was asked to build. */
async function asked(config: object, names: readonly string[]): Promise<string[]> {
  const builds: BuildArgs[] = []
  class Backwards {
    async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      return [...files].reverse()
    }
  }
  const vitest = { config: { sequence: { sequencer: Backwards }, ...config } } as unknown as Vitest
  const service = { prefetch: (args: BuildArgs[]) => builds.push(...args) } as unknown as KernelService
  prefetchInOrder(
    vitest,
    service,
    new SpecCandidates([join(root, 'c')], { suites: [], shared: {}, tasks: [] }),
    join(root, 'interfaces'),
  )
  const files = names.map((name) => ({ moduleId: join(root, `${name}.spec.ts`) }) as unknown as TestSpecification)
  await new vitest.config.sequence.sequencer(vitest).sort(files)
  return builds.map(({ sample }) => sample.task)
}

test('candidates are built ahead in the order their specs will run, as far as their tasks are known', async () => {
  for (const name of ['A', 'B', 'C']) {
    write(`${name}.spec.ts`, `kernelSuite('${name}', {})`)
    write(`c/${name}/op_kernel/k.cpp`)
    if (name !== 'B') saveInterface(join(root, 'interfaces'), { task: task(name), combinations: [] })
  }
  expect(await asked({}, ['A', 'B', 'C'])).toEqual(['C', 'A'])
})

test('nothing is built ahead for tests that a filter leaves out', async () => {
  write('A.spec.ts', `kernelSuite('A', {})`)
  write('c/A/op_kernel/k.cpp')
  saveInterface(join(root, 'interfaces'), { task: task('A'), combinations: [] })
  expect(await asked({ testNamePattern: /latency/ }, ['A'])).toEqual([])
  expect(await asked({ tagsFilter: ['stage/compile'] }, ['A'])).toEqual([])
  expect(await asked({ tagsFilter: [] }, ['A'])).toEqual(['A'])
})

test('a memory that is damaged or of another version is no memory', () => {
  write('interfaces/own/A.json', '{"task":')
  write('interfaces/own/B.json', '{"task":{"name":"B"}}')
  expect(savedInterface(join(root, 'interfaces'), task('A'))).toBeUndefined()
  expect(savedInterface(join(root, 'interfaces'), task('B'))).toBeUndefined()
})

test('tasks of the same name in two suites are remembered apart', () => {
  const interfaces = join(root, 'interfaces')
  const other = { ...task('A'), suite: 'other', kernel: 'another' }
  for (const each of [task('A'), other]) saveInterface(interfaces, { task: each, combinations: [] })
  expect([task('A'), other].map((each) => savedInterface(interfaces, each)?.task.kernel)).toEqual(['a', 'another'])
})
