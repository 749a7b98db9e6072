import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Cache, cacheFolderOf } from '../../cache/cache.ts'
import { LineProcess } from '../../process/line-process.ts'
import { runProcess } from '../../process/run-process.ts'
import { Semaphore } from '../../process/semaphore.ts'
import { launchReply } from '../../runner/protocol.ts'
import { missingLayers } from '../../runner/runner-process.ts'
import { findCompiler } from '../../toolchain/compiler.ts'
import { Runtime } from '../../toolchain/runtime.ts'
import { buildLimitMs, Launcher } from '../../../fixtures/launcher.ts'

const repository = fileURLToPath(new URL('../../../', import.meta.url))
const source = join(repository, 'fixtures/missing_layer.cpp')

let launcher: Launcher
let folder: string
let confine: string

beforeAll(async () => {
  launcher = await Launcher.start()
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'npu-layers-')))
  const compiler = await findCompiler()
  confine = await new Runtime(compiler, new Cache(cacheFolderOf(repository)), new Semaphore(1)).confine()
  for (const call of ['SYS_seccomp', 'SYS_landlock_create_ruleset']) {
    const flags = ['-shared', '-fPIC', '-include', 'sys/syscall.h', `-DCALL=${call}`, '-ldl']
    execFileSync(compiler.path, [source, ...flags, '-o', join(folder, call)])
  }
}, buildLimitMs)
afterAll(async () => {
  await launcher?.stop()
  rmSync(folder, { recursive: true })
})

const confined = async (env: NodeJS.ProcessEnv, ...args: string[]) =>
  await runProcess([confine, '--write', folder, ...args, '--', '/bin/true'], { timeoutMs: 20_000, env })

describe.each([
  ['landlock', 'SYS_landlock_create_ruleset', 'seccomp'],
  ['seccomp', 'SYS_seccomp', 'landlock'],
] as const)('a kernel without %s', (layer, call, other) => {
  const env = (): NodeJS.ProcessEnv => ({ LC_ALL: 'C', LD_PRELOAD: join(folder, call) })
  const refusal = new RegExp(
    `^[^\n]*this machine has no ${layer}, without which [^\n]*; allowWeakConfinement: \\['${layer}'\\] [^\n]* does without\n?$`,
  )

  const launch = async (...args: string[]) => {
    const runner = new LineProcess(launcher.files.runner, { name: 'npu-runner', args, env: env() })
    try {
      const request = await launcher.request(await launcher.library('hostile/copies'))
      return await runner.request('launch', { ...request, clockLimitMs: 20_000 }, launchReply, 60_000)
    } finally {
      runner.kill()
    }
  }

  test('runs no candidate, and says in one line what is missing', async () => {
    const refused = {
      ok: false,
      failure: { kind: 'infrastructure', message: expect.stringMatching(refusal) },
    }
    expect(await launch()).toMatchObject(refused)
    expect(await launch('--allow-missing', other)).toMatchObject(refused)
  })

  test('runs candidates where whoever runs them does without it', async () => {
    expect(await launch('--allow-missing', layer)).toMatchObject({ ok: true, log: 'copied\n' })
  })

  test('runs no tool on what a candidate wrote', async () => {
    for (const args of [[], ['--allow-missing', other]])
      expect(await confined(env(), ...args)).toMatchObject({ exitCode: 125, stderr: expect.stringMatching(refusal) })
    expect(await confined(env(), '--allow-missing', layer)).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test('tells what it has', async () => {
    const said = await runProcess([launcher.files.runner, '--confinement'], { timeoutMs: 20_000, env: env() })
    expect(JSON.parse(said.stdout)).toEqual({ [layer]: false, [other]: true })
  })
})

test('this machine has every layer, and its runner says so', async () => {
  expect(await missingLayers(launcher.files.runner)).toEqual([])
})
