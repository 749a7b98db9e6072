import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, input, Launcher, output, page } from '../../../fixtures/launcher.ts'
import { launchReply, type LaunchRequest } from '../../runner/protocol.ts'

let launcher: Launcher
beforeAll(async () => {
  launcher = await Launcher.start()
}, buildLimitMs)
afterAll(async () => await launcher?.stop())

describe('a launch', () => {
  test('sees poisoned outputs, the inputs and nothing of the launch before', async () => {
    const lib = await launcher.library('hostile/remembers', ...launcher.reporting)
    const first = await launcher.launch(lib)
    const second = await launcher.launch(lib)
    expect(second.y).toEqual(first.y)
    const words = [0, 4, 8, 12, 16].map((offset) => first.y.readUInt32LE(offset))
    expect(words).toEqual([5, 0, 7, 0xffcaffca, 0])
    expect(first.y.subarray(20)).toEqual(Buffer.alloc(44, 0xa5))
  })

  test('passes a tensor list as offset of the address table, shapes, addresses', async () => {
    const args = [
      [
        { ...input, name: 'x0', offset: 4 * page, shape: [2, 8] },
        { ...input, name: 'x1', offset: 6 * page },
      ],
      output,
    ]
    const { reply, bytes, y } = await launcher.launch(
      await launcher.library('hostile/reads_list', ...launcher.reporting),
      { args },
    )
    expect(reply.ok).toBe(true)
    const words = Array.from({ length: 6 }, (_, i) => y.readBigUInt64LE(8 * i))
    expect(words).toEqual([48n, 2n, 2n, 8n, 1n | (1n << 32n), 16n])
    expect(y.readBigUInt64LE(48)).toBe(BigInt(bytes.readUInt32LE(4 * page)))
    expect(y.readBigUInt64LE(56)).toBe(BigInt(bytes.readUInt32LE(6 * page)))
  })

  test('names the addresses when their number is wrong', async () => {
    const { reply } = await launcher.launch(await launcher.library('hostile/copies', '-DARITY=5'))
    const message = 'the kernel takes 5 addresses, the task passes 4: x, y, workspace, tiling'
    expect(reply).toMatchObject({ ok: false, failure: { kind: 'rejected', message } })
  })

  test('refuses a kernel built for another runtime', async () => {
    const { reply } = await launcher.launch(await launcher.library('hostile/copies', '-DABI=999'))
    expect(reply).toMatchObject({ ok: false, failure: { kind: 'rejected', message: /built for runtime version 999/ } })
  })

  test('is the machine’s failure, not the candidate’s, when files or requests are wrong', async () => {
    const lib = await launcher.library('hostile/copies')
    const changes: Partial<LaunchRequest>[] = [
      { file: '/nonexistent' },
      { kernel: { aiv: '/nonexistent.so', aic: null } },
      { fileBytes: 2 ** 30 },
      { args: [{ ...input, offset: 8 * page }] },
      { args: [{ ...input, offset: 12 }] },
      { soc: 'Ascend1' },
      { poison: 'zz' },
    ]
    for (const change of changes) {
      const { reply } = await launcher.launch(lib, change)
      expect(reply, JSON.stringify(change)).toMatchObject({ ok: false, failure: { kind: 'infrastructure' } })
    }
  })
})

/** Processes that this one has started and that live, by their ids; and the processor time that each has used, in ticks. */
function childrenOf(parent: number): { pid: number; ticks: number }[] {
  const pids = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return pids.sort((a, b) => a - b).map((pid) => ({ pid, ticks: ticksOf(pid) }))
}

const ticksOf = (pid: number): number =>
  Number(/\) \w(?: \S+){10} (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])

test(
  'is the machine’s failure when its device has no room for a page, whatever the kernel does',
  { timeout: 60_000 },
  async () => {
    const request = await launcher.request(await launcher.library('hostile/endless'), { timeoutMs: 30_000 })
    const line = `${JSON.stringify({ ...request, clockLimitMs: 60_000 })}\n`
    const runner = spawn(launcher.files.runner, { stdio: ['pipe', 'pipe', 'inherit'] })
    try {
      const answered = once(createInterface(runner.stdout), 'line')
      runner.stdin.write(line)
      // the kernel is started first, and is the one that is busy
      const started = () => childrenOf(runner.pid ?? 0)
      await expect.poll(() => started()[0]?.ticks ?? 0, { timeout: 20_000 }).toBeGreaterThan(20)
      const device = started()[1]?.pid ?? 0
      expect(device).toBeGreaterThan(0)
      // the first one is noted, as where an access is repeated
      process.kill(device, 'SIGBUS')
      await expect.poll(() => existsSync(`/proc/${device}`) && process.kill(device, 'SIGBUS')).toBe(false)
      const message = expect.stringMatching(/^no room for a page of the case: the device died of SIGBUS/)
      expect(JSON.parse(String((await answered)[0]))).toMatchObject({
        ok: false,
        failure: { kind: 'infrastructure', message },
      })
    } finally {
      runner.kill('SIGKILL')
    }
  },
)

test('nonsense on a line is answered on a line', () => {
  const lines = [
    '',
    '{',
    '[]',
    '"text"',
    '{"op":"launch"}',
    '{"op":"fly","timeoutMs":1}',
    '['.repeat(100_000),
    '\u0000',
  ]
  const answer = spawnSync(launcher.files.runner, { input: `${lines.join('\n')}\n`, encoding: 'utf8', timeout: 20_000 })
  const replies = answer.stdout.trimEnd().split('\n')
  expect(replies).toHaveLength(lines.length)
  for (const reply of replies) {
    expect(launchReply.parse(JSON.parse(reply))).toMatchObject({ ok: false, failure: { kind: 'infrastructure' } })
  }
})
