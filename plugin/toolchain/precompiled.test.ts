import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Cache } from '../cache/cache.ts'
import { runProcess } from '../process/run-process.ts'
import { Semaphore } from '../process/semaphore.ts'
import { findCompiler } from './compiler.ts'
import { Runtime } from './runtime.ts'

test('headers are known again, and not read twice, when their file times are others', async () => {
  const compiler = await findCompiler()
  const root = mkdtempSync(join(tmpdir(), 'npu-precompiled-'))
  try {
    const runtime = new Runtime(compiler, new Cache(join(root, 'cache')), new Semaphore(1))
    const { folder } = await runtime.include()
    const { flags } = await runtime.precompiled('host')
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) utimesSync(join(folder, name), 1, 1)
    const unit = join(root, 'unit.cpp')
    writeFileSync(unit, '#include "register/op_def_registry.h"\n')
    const done = await runProcess([compiler.path, ...flags, '-fsyntax-only', unit], { timeoutMs: 60_000 })
    expect(done).toMatchObject({ stderr: '', exitCode: 0 })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}, 120_000)
