import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeReply, type RunnerRequest } from './protocol.ts'
import { RunnerProcess } from './runner-process.ts'

let folder: string
let runner: RunnerProcess | null = null

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'runner-test-'))
})
afterEach(() => {
  runner?.kill()
  rmSync(folder, { recursive: true })
})

/** A stand-in for npu-runner: a shell script. */
function start(script: string): RunnerProcess {
  const path = join(folder, 'runner')
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  runner = new RunnerProcess(path)
  return runner
}

const request: RunnerRequest = { op: 'describe', host: '/host.so', soc: 'Ascend910B2', timeoutMs: 1000 }
const answer = '{"ok":true,"result":{"operators":[],"tilingStructs":[],"tilingClasses":[]},"log":"hello"}'

test('answers are checked and returned', async () => {
  const reply = await start(`while read -r line; do echo '${answer}'; done`).request(request, describeReply)
  expect(reply).toMatchObject({ ok: true, log: 'hello' })
})

test('a runner that dies fails the request with its last words', async () => {
  const asking = start('read -r line; echo "out of processes" >&2; exit 3').request(request, describeReply)
  await expect(asking).rejects.toThrow('npu-runner ended (status 3): out of processes')
  expect(runner?.alive).toBe(false)
})

test('nonsense from a runner is our fault, not a result', async () => {
  await expect(start('read -r line; echo "{}"').request(request, describeReply)).rejects.toThrow(
    'sent a malformed answer to describe',
  )
})

test('what the process of a candidate forged is a failure of its own, and the runner goes on', async () => {
  const forged = answer.replace('"tilingClasses":[]', '"tilingClasses":[1]')
  const running = start(`while read -r line; do echo '${forged}'; done`)
  for (let i = 0; i < 2; i++)
    expect(await running.request(request, describeReply)).toMatchObject({
      ok: false,
      failure: { kind: 'malformed', message: expect.stringContaining('at tilingClasses.0') },
      log: 'hello',
    })
})

test('a runner that is not there says so', async () => {
  runner = new RunnerProcess(join(folder, 'absent'))
  await expect(runner.request(request, describeReply)).rejects.toThrow(/cannot start .*absent: .*ENOENT/)
})
