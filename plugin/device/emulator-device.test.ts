import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ConfinementLayer, LaunchArgs, Report, TaskInterface } from '../model/index.ts'
import type { EmulatorArtifact } from '../toolchain/artifact.ts'
import type { Runtime } from '../toolchain/runtime.ts'
import { EmulatorDevice } from './emulator-device.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'device-test-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** What a device says while it describes two libraries, on a machine whose runner answers as given. */
async function warnings(allowMissing: ConfinementLayer[], machine: string): Promise<string[]> {
  const runner = join(folder, 'runner')
  const answer = '{"ok":false,"failure":{"kind":"timeout"},"log":""}'
  const serve = `while read -r line; do echo '${answer}'; done`
  writeFileSync(runner, `#!/bin/sh\nif [ "$1" = --confinement ]; then echo '${machine}'; else ${serve}; fi\n`)
  chmodSync(runner, 0o755)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a device asks of it
  const runtime = { allowMissing, files: async () => ({ key: '', library: '', runner }) } as unknown as Runtime
  const said: string[] = []
  const limits = { soc: 'Ascend910B2', launches: 2, launchTimeoutMs: 1000, memoryLimitMiB: 1024 }
  const device = new EmulatorDevice({ runtime, ...limits, onWarning: (line) => said.push(line) })
  try {
    await Promise.all(['one.so', 'two.so'].map(async (host) => await device.describe(host)))
  } finally {
    device.close()
  }
  return said
}

/** A runner whose tilings have one block more each time, and whose launches time out and say how many blocks they had. */
const countingRunner = `#!${process.execPath}
let blocks = 0
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { tile, blockDim, hostCase } = JSON.parse(line)
  const warnings = hostCase?.host === 'warns.so' ? Array(4000).fill('w'.repeat(3000)) : []
  const tiling = tile && { blockDim: ++blocks, blockDimCaller: 0, tilingKey: 0, tiling: '', workspaceBytes: 0, initial: [], shapedOutputs: 0, warnings }
  const reply = { ok: false, failure: { kind: 'timeout' }, log: String(tile ? blocks : blockDim) }
  console.log(JSON.stringify({ ...reply, ...(tiling && { tiled: { ok: true, result: tiling, log: '' } }) }))
})
`

test('all launches of a case have one tiling', async () => {
  const runner = join(folder, 'runner')
  writeFileSync(runner, countingRunner)
  chmodSync(runner, 0o755)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a device asks of it
  const runtime = { allowMissing: [], files: async () => ({ key: '', library: '', runner }) } as unknown as Runtime
  const device = new EmulatorDevice({
    runtime,
    soc: 'Ascend910B2',
    launches: 1,
    launchTimeoutMs: 1000,
    memoryLimitMiB: 1024,
  })
  const task: TaskInterface = {
    suite: 's',
    group: 'g',
    name: 'Nothing',
    category: 'c',
    kernel: 'nothing',
    inputs: [],
    outputs: [],
    attrs: [],
  }
  const operator = { name: 'Nothing', inputs: [], outputs: [], attrs: [], socs: [], hasTiling: true, infers: false }
  const kernels = new Map([['>', { supported: true as const, aiv: 'aiv.so', aic: null, tilingKeys: new Set(['0']) }]])
  const artifactOf = (host: string): EmulatorArtifact => ({
    id: host,
    task,
    operator,
    host,
    kernels,
    autoSync: true,
    trees: [],
  })
  let said: readonly Report[] = []
  const blocksOf = async (host: string, args: Partial<LaunchArgs> = {}) => {
    const kernelCase = {
      task: 'Nothing',
      name: 'static 0',
      combination: 0,
      inputs: {},
      outputs: {},
      attrs: {},
      seed: 1,
    }
    const all = { artifact: host, case: kernelCase, file: '', fileBytes: 0, poison: '0'.repeat(16), slots: [], ...args }
    const { log, reports } = await device.launch(artifactOf(host), all)
    said = reports
    return log
  }
  try {
    expect(await blocksOf('one.so')).toBe('1')
    expect(await blocksOf('one.so', { coreOrder: 'reverse', lateCopies: true })).toBe('1')
    expect(await blocksOf('two.so')).toBe('2')
    for (let i = 0; i < 64; i++) await blocksOf(`${i}.so`)
    expect(await blocksOf('one.so')).toBe('67')
    await blocksOf('warns.so')
    expect(said).toHaveLength(101)
    expect(said.at(-1)).toMatchObject({ code: 'HostWarning', message: 'and 3900 more' })
    expect(JSON.stringify(said).length).toBeLessThan(250_000)
  } finally {
    device.close()
  }
})

test('a library is described for the device of the run', async () => {
  const runner = join(folder, 'runner')
  const answer = "{ ok: false, failure: { kind: 'timeout' }, log: JSON.parse(line).soc }"
  const serve = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    console.log(JSON.stringify(${answer}))
  })`
  writeFileSync(runner, `#!${process.execPath}\n${serve}\n`)
  chmodSync(runner, 0o755)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a device asks of it
  const runtime = { allowMissing: [], files: async () => ({ key: '', library: '', runner }) } as unknown as Runtime
  const limits = { launches: 1, launchTimeoutMs: 1000, memoryLimitMiB: 1024 }
  const device = new EmulatorDevice({ runtime, soc: 'Ascend910_93', ...limits })
  try {
    expect(await device.describe('one.so')).toMatchObject({ log: 'Ascend910_93' })
  } finally {
    device.close()
  }
})

test('what candidates run without is said once, and only where it is missing', async () => {
  const bare = '{"seccomp":true,"landlock":false}'
  const line = 'warning: candidates run without landlock, as allowWeakConfinement says'
  expect(await warnings(['landlock'], bare)).toEqual([line])
  expect(await warnings(['landlock', 'seccomp'], '{"seccomp":true,"landlock":true}')).toEqual([])
  expect(await warnings([], bare)).toEqual([])
})
