import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ConfinementLayer } from '../model/index.ts'
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

test('what candidates run without is said once, and only where it is missing', async () => {
  const bare = '{"seccomp":true,"landlock":false}'
  const line = 'warning: candidates run without landlock, as allowWeakConfinement says'
  expect(await warnings(['landlock'], bare)).toEqual([line])
  expect(await warnings(['landlock', 'seccomp'], '{"seccomp":true,"landlock":true}')).toEqual([])
  expect(await warnings([], bare)).toEqual([])
})
