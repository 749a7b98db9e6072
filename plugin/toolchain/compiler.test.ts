import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { InfrastructureError } from '../model/index.ts'
import { findCompiler } from './compiler.ts'

// compilers and processes take their time on a loaded machine
vi.setConfig({ testTimeout: 120_000 })

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'compiler-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function fake(name: string, version: string): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\necho '${version}'\n`)
  chmodSync(path, 0o755)
  return path
}

const messageFor = async (env: NodeJS.ProcessEnv): Promise<string> => {
  const error: unknown = await findCompiler(env).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(InfrastructureError)
  return error instanceof Error ? error.message : ''
}

test('a machine without a compiler is told in one line which packages to install', async () => {
  const message = await messageFor({ PATH: folder })
  expect(message).toContain('no C++ compiler: clang++ >= 16 or g++ >= 12 is needed')
  expect(message).toContain('apt-get install clang-16')
  expect(message).not.toContain('\n')
})

test('compilers that are too old are named and refused', async () => {
  fake('clang++', 'Debian clang version 14.0.6')
  fake('g++', 'g++ (Debian 11.2.0) 11.2.0 Free Software Foundation')
  expect(await messageFor({ PATH: folder })).toContain('(clang++ is version 14, g++ is version 11)')
})

test('NPU_CXX is obeyed or refused, never passed over', async () => {
  fake('g++', 'g++ (Debian 12.2.0) 12.2.0 Free Software Foundation')
  const old = fake('clang++-15', 'clang version 15.0.1')
  expect(await messageFor({ PATH: folder, NPU_CXX: old })).toBe(
    `NPU_CXX=${old} is clang++ 15; version 16 or newer is needed`,
  )
  expect(await messageFor({ PATH: folder, NPU_CXX: 'nowhere++' })).toBe('NPU_CXX=nowhere++: there is no such program')
  expect(await messageFor({ PATH: folder, NPU_CXX: fake('icc', 'icc 2021') })).toContain('neither clang++ nor g++')
})

test.for(['', 'g++'])(
  'the compiler of this machine is found with its header folders and linker: %s',
  async (name, { skip }) => {
    const compiler = await findCompiler({ ...process.env, ...(name && { NPU_CXX: name }) }).catch(() => null)
    skip(compiler === null, `no ${name} here`)
    if (compiler === null) return
    expect(compiler.major).toBeGreaterThanOrEqual(compiler.family === 'clang' ? 16 : 12)
    expect(compiler.includeDirs).toContain('/usr/include')
    expect(compiler.linker?.path).toMatch(/^\//)
  },
)
