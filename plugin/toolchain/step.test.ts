import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Cache } from '../cache/cache.ts'
import { BuildError, simpleFailure } from './build-failure.ts'
import { readSourceTree } from './sources.ts'
import { cachedStep, SourcesChangedError, type StepResult } from './step.ts'

let folder: string
let runs: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'step-test-'))
  runs = 0
  write('used.h', 'one')
  write('other.h', 'one')
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)

/** A step that reads `used.h` only. */
async function step(work: () => void = () => {}): Promise<StepResult> {
  const tree = await readSourceTree(folder, '/mark')
  const run = async (): Promise<string[]> => {
    runs++
    work()
    return [join(tree.root, 'used.h')]
  }
  return await cachedStep(new Cache(join(folder, '.cache')), { kind: 'test', baseKey: 'baseKey', trees: [tree], run })
}

test('a step runs again only when a file that it read has changed', async () => {
  expect(await step()).toMatchObject({ ok: true, cached: false })
  expect(await step()).toMatchObject({ ok: true, cached: true })
  write('other.h', 'two')
  expect(await step()).toMatchObject({ ok: true, cached: true })
  write('used.h', 'two')
  expect(await step()).toMatchObject({ ok: true, cached: false })
  write('used.h', 'one')
  write('other.h', 'one')
  expect(await step()).toMatchObject({ ok: true, cached: true })
  expect(runs).toBe(2)
})

test('a new file may shadow another, so the step runs again', async () => {
  await step()
  write('new.h', '')
  expect(await step()).toMatchObject({ cached: false })
})

const fail = (lasting: boolean) => () => {
  throw new BuildError(simpleFailure('kernel', 'no', join(folder, 'used.h')), lasting)
}

test('a failure that is the same everywhere is remembered, another is not', async () => {
  expect(await step(fail(false))).toMatchObject({ ok: false, cached: false })
  expect(await step(fail(true))).toMatchObject({ ok: false, cached: false })
  expect(await step(fail(true))).toMatchObject({ ok: false, cached: true })
  expect(runs).toBe(2)
})

async function failLate(draft: string): Promise<string[]> {
  mkdirSync(join(draft, 'overlay'))
  writeFileSync(join(draft, 'overlay', 'large.o'), 'code')
  throw new BuildError(simpleFailure('kernel', 'no'))
}

test('a failure that is remembered leaves nothing of what was made before', async () => {
  const tree = await readSourceTree(folder, '/mark')
  const cache = new Cache(join(folder, '.cache'))
  await cachedStep(cache, { kind: 'test', baseKey: 'baseKey', trees: [tree], run: failLate })
  const [entry] = readdirSync(join(folder, '.cache', 'test'))
  expect(readdirSync(join(folder, '.cache', 'test', entry!)).sort()).toEqual(['.sizes.json', 'failure.json'])
})

test('what an editor changed meanwhile is not remembered under its old content', async () => {
  await expect(step(() => write('used.h', 'two'))).rejects.toThrow(SourcesChangedError)
  write('used.h', 'one')
  expect(await step()).toMatchObject({ ok: true, cached: false })
})

test('two trees that share a cache do not make each other run again', async () => {
  const elsewhere = join(folder, 'elsewhere')
  let edits = 0
  const inTree = async (root: string, used: string): Promise<StepResult> => {
    writeFileSync(join(root, 'used.h'), used)
    writeFileSync(join(root, 'other.h'), `edit ${edits++}`)
    const tree = await readSourceTree(root, '/mark')
    const run = async (): Promise<string[]> => (runs++, [join(tree.root, 'used.h')])
    return await cachedStep(new Cache(join(folder, '.cache')), { kind: 'test', baseKey: 'baseKey', trees: [tree], run })
  }
  mkdirSync(elsewhere)
  mkdirSync(join(folder, 'here'))
  for (let round = 0; round < 3; round++) {
    await inTree(join(folder, 'here'), 'one')
    await inTree(elsewhere, 'two')
  }
  expect(runs).toBe(2)
})
