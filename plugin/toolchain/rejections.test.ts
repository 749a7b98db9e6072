import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildLimitMs } from '../../fixtures/operator.ts'
import { programOf, rejected } from '../../fixtures/rejected/programs.ts'
import { BuildError } from './build-failure.ts'
import { Cache, cacheFolderOf } from './cache.ts'
import { findCompiler } from './compiler.ts'
import { Runtime } from './runtime.ts'
import { Slots } from './slots.ts'
import { compileUnit } from './unit.ts'

const repository = fileURLToPath(new URL('../../', import.meta.url))

describe.each(['clang++-16', 'g++'])('%s', (name) => {
  vi.setConfig({ testTimeout: buildLimitMs })
  let folder: string
  let runtime: Runtime | null = null

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'rejections-')))
    const compiler = await findCompiler({ ...process.env, NPU_CXX: name }).catch(() => null)
    if (compiler) runtime = new Runtime(compiler, new Cache(cacheFolderOf(repository)), new Slots(1))
  }, buildLimitMs)
  afterAll(() => rmSync(folder, { recursive: true }))

  const compile = async (runtime: Runtime, text: string): Promise<unknown> => {
    const workshop = { runtime, limits: { timeoutMs: 120_000, memoryMiB: 4096 }, folder, trees: [] }
    const source = join(folder, 'rejected.cpp')
    writeFileSync(source, text)
    const unit = { stage: 'kernel', kind: 'aiv', source, name: 'rejected', flags: [] } as const
    return await compileUnit(workshop, unit).catch((reason: unknown) => reason)
  }

  test('takes all of them once the mistake is gone', async ({ skip }) => {
    skip(runtime === null, `no ${name} here`)
    const body = rejected.map(({ title, clean }) => `{  // ${title}\n    ${clean}\n    }`).join('\n    ')
    if (runtime) expect(await compile(runtime, programOf({ body }))).not.toBeInstanceOf(Error)
  })

  test.each(rejected.filter(({ clangOnly }) => !clangOnly || name.startsWith('clang')))(
    'rejects $title',
    async (program) => {
      if (runtime === null) return
      const error = await compile(runtime, programOf(program))
      if (!(error instanceof BuildError)) throw new Error('compiled')
      const [first] = error.failure.diagnostics
      expect(first?.message).toMatch(program.says)
      expect(first?.message).not.toMatch(/npu_emu|static assertion/)
      expect(error.failure.class, first?.message).toBe(program.class)
    },
  )
})
