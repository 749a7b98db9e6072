import { writeFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { useCompileEnvironment } from '../../fixtures/compile-environment.ts'
import { buildLimitMs } from '../../fixtures/operator.ts'
import { InfrastructureError } from '../model/index.ts'
import { BuildError } from './build-failure.ts'
import { requireRoom } from './room.ts'
import { compileUnit, linkLibrary, type CompileEnvironment } from './unit.ts'

vi.mock('node:fs/promises', async (original) => {
  const all = await original<{ statfs: typeof statfs }>()
  return { ...all, statfs: vi.fn(all.statfs) }
})

afterEach(() => vi.mocked(statfs).mockReset())

const roomy = { type: 0, bsize: 4096, blocks: 1 << 20, bfree: 1 << 20, bavail: 1 << 20, files: 1 << 20, ffree: 1 << 20 }

/** What asks the disk afterwards finds this on it. */
const withDisk = (found: Partial<typeof roomy>): void =>
  void vi.mocked(statfs).mockResolvedValue({ ...roomy, ...found })

const errorOf = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => null,
    (reason: unknown) => reason,
  )

const compile = async (environment: CompileEnvironment, text: string): Promise<unknown> => {
  const source = join(environment.folder, 'unit.cpp')
  writeFileSync(source, text)
  return await errorOf(compileUnit(environment, { stage: 'host', kind: 'host', source, name: 'unit', flags: [] }))
}

test.each([
  [{}, null],
  [{ bavail: 1000 }, 'the linker failed, and the disk of /some/host is full: 3 MiB of 256 MiB left'],
  [{ ffree: 2 }, 'the linker failed, and the disk of /some/host is full: room for 2 files of 64 left'],
  [{ blocks: 0, bavail: 0, files: 0, ffree: 0 }, null],
])('a disk with %o', async (found, message) => {
  withDisk(found)
  const error = await errorOf(requireRoom('/some/host/draft', 'linker'))
  expect(error).toEqual(message === null ? null : new InfrastructureError(message))
})

describe.each(['clang++-16', 'g++'])('%s', (name) => {
  vi.setConfig({ testTimeout: buildLimitMs })
  const made = useCompileEnvironment(name)

  test('what fails on a full disk is no failure of a candidate', async ({ skip }) => {
    skip(made.environment === null, `no ${name} here`)
    const environment = made.environment!
    withDisk({ bavail: 0 })
    const place = `the disk of ${dirname(environment.folder)} is full`
    const errors = [
      await compile(environment, '#error wrong\n'),
      await errorOf(linkLibrary(environment, ['/nowhere.o'], join(environment.folder, 'out.so'), 'host')),
    ]
    for (const error of errors) {
      expect(error).toBeInstanceOf(InfrastructureError)
      expect(error).toMatchObject({ message: expect.stringContaining(place) as unknown })
    }
  })

  test('what only says that a disk is full is a failure, and found anew each time', async ({ skip }) => {
    skip(made.environment === null, `no ${name} here`)
    withDisk({})
    const [said, wrong] = [
      await compile(made.environment!, '#error No space left on device\n'),
      await compile(made.environment!, '#error wrong\n'),
    ]
    for (const error of [said, wrong]) expect(error).toBeInstanceOf(BuildError)
    expect([said, wrong]).toMatchObject([{ lasting: false }, { lasting: true }])
  })

  test('a compiler that crashes has not judged what it was given', async ({ skip }) => {
    skip(made.environment === null || name === 'g++', 'only clang can be told to crash')
    withDisk({})
    for (const how of ['crash', 'llvm_fatal_error']) {
      const error = await compile(made.environment!, `#pragma clang __debug ${how}\n`)
      expect(error).toBeInstanceOf(BuildError)
      expect(error).toMatchObject({ lasting: false })
    }
  })
})
