import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { create } from 'tar'
import { afterEach, beforeEach, expect, test } from 'vitest'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-stopped-'))))
afterEach(() => rmSync(folder, { recursive: true }))

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('an import that is stopped by %s leaves nothing of its archive', async (signal, code) => {
  const [own, sources] = [join(folder, 'tmp'), join(folder, 'sources')]
  for (const path of [own, sources]) mkdirSync(path)
  for (let i = 0; i < 10_000; i++) writeFileSync(join(sources, `${i}.h`), '')
  const archive = join(folder, 'a.tar')
  await create({ file: archive, cwd: folder }, ['sources'])
  const args = [program, 'import', archive, '--out', join(folder, 'out')]
  const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: own }, stdio: 'ignore' })
  const ended = once(child, 'exit')
  const unpacked = (): string[] => readdirSync(own).filter((name) => name.startsWith('npu-import'))
  while (unpacked().length === 0 && child.exitCode === null) await sleep(2)
  child.kill(signal)
  expect(await ended).toEqual([code, null])
  expect(unpacked()).toEqual([])
})
