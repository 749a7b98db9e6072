import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { useCompileEnvironment } from '../../fixtures/compile-environment.ts'
import { buildLimitMs } from '../../fixtures/operator.ts'
import { runConfined, toolFolders } from '../toolchain/confinement.ts'
import type { HeaderKind } from '../toolchain/flags.ts'
import type { CompileEnvironment } from '../toolchain/unit.ts'
import { isRenamed } from './names.ts'

vi.setConfig({ testTimeout: buildLimitMs })
const made = useCompileEnvironment('clang++-16')

/** The macros without arguments that a source has once it includes the headers: nothing else is included in a project. */
async function macrosOf(kind: HeaderKind, { runtime, folder, limits }: CompileEnvironment): Promise<string[]> {
  const [pch, { folder: include }, program] = await Promise.all([
    runtime.precompiled(kind),
    runtime.include(),
    runtime.confine(),
  ])
  const source = join(folder, 'empty.cpp')
  writeFileSync(source, '')
  const command = [runtime.compiler.path, ...pch.flags, '-dM', '-E', source]
  const readable = [...toolFolders(runtime.compiler), include, pch.folder, folder]
  const confinement = {
    ...limits,
    program,
    writable: folder,
    fileMiB: 16,
    readable,
    allowMissing: runtime.allowMissing,
  }
  const { stdout, stderr, exitCode } = await runConfined(command, confinement)
  expect([exitCode, stderr]).toEqual([0, ''])
  return [...stdout.matchAll(/^#define ([A-Za-z]\w*)(?= )/gm)].map(([, name = '']) => name)
}

test.each<HeaderKind>(['host', 'aiv', 'aic'])(
  'a variable that is called like a macro of the headers of %s gets another name',
  async (kind) => {
    const macros = await macrosOf(kind, made.environment!)
    expect(macros.length).toBeGreaterThan(100)
    expect(macros.filter((name) => !isRenamed(name))).toEqual([])
  },
)
