import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { LoopbackServer } from '../../fixtures/ssh-server.ts'
import { SshMachine } from './ssh-machine.ts'

vi.setConfig({ testTimeout: 60_000 })

const hasSsh = ((): boolean => {
  try {
    execFileSync('ssh', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe.runIf(hasSsh)('a machine that ssh reaches', () => {
  let server: LoopbackServer
  let machine: SshMachine
  let local: string

  beforeAll(async () => {
    server = await LoopbackServer.start({ PATH: process.env['PATH'] ?? '' })
    machine = new SshMachine({ host: 'me@127.0.0.1', ssh: server.arguments })
    local = mkdtempSync(join(tmpdir(), 'npu-ssh-test-'))
  })
  afterAll(async () => {
    await machine.close()
    await server.close()
    rmSync(local, { recursive: true })
  })

  test('runs commands as they are, over one connection', async () => {
    const odd = `it's "$HOME" \\ *`
    expect(await machine.run(['printf', '%s', odd], { timeoutMs: 10_000 })).toMatchObject({ exitCode: 0, stdout: odd })
    const place = { cwd: '/tmp', env: { NAME: 'a b' }, timeoutMs: 10_000 }
    const said = await machine.run(['sh', '-c', 'pwd; echo "$NAME"; exit 3'], place)
    expect(said).toMatchObject({ exitCode: 3, stdout: '/tmp\na b\n' })
    expect(server.connections).toBe(1)
  })

  test('takes a status of its own for none of the connection', async () => {
    const before = server.connections
    expect(await machine.run(['sh', '-c', 'exit 255'], { timeoutMs: 10_000 })).toMatchObject({ exitCode: 254 })
    expect(server.connections).toBe(before)
  })

  test('ends what takes too long', async () => {
    expect(await machine.run(['sleep', '30'], { timeoutMs: 1000 })).toMatchObject({ timedOut: true })
  })

  test('takes folders, and case files whose outputs come back', async () => {
    mkdirSync(join(local, 'folder/inner'), { recursive: true })
    writeFileSync(join(local, 'folder/inner/file'), 'content')
    const to = join(server.home, 'there')
    await machine.send(join(local, 'folder'), to)
    expect(readFileSync(join(to, 'inner/file'), 'utf8')).toBe('content')

    const file = join(local, `case-${process.pid}`)
    writeFileSync(file, 'input.output')
    const placed = await machine.placeCase(file, 6)
    expect(readFileSync(placed.path, 'utf8')).toBe('input.output')
    writeFileSync(placed.path, 'INPUT.RESULT')
    await placed.collect()
    expect(readFileSync(file, 'utf8')).toBe('input.RESULT')
    expect(() => readFileSync(placed.path)).toThrow('ENOENT')
  })

  test('does again what a lost connection has cut off', async () => {
    const count = join(server.home, 'count')
    const running = machine.run(['sh', '-c', `echo x >> ${count}; sleep 1; echo done`], { timeoutMs: 20_000 })
    await vi.waitFor(() => expect(readFileSync(count, 'utf8')).toBe('x\n'), 10_000)
    server.drop()
    expect(await running).toMatchObject({ exitCode: 0, stdout: 'done\n' })
    expect(readFileSync(count, 'utf8')).toBe('x\nx\n')
  })

  test('has programs that are asked in lines', async () => {
    const program = machine.start(['cat'], { name: 'cat' })
    expect(await program.request('a question', { x: 1 }, z.object({ x: z.number() }), 10_000)).toEqual({ x: 1 })
    program.end()
  })

  test('that is not there is told in one line', async () => {
    const nowhere = new SshMachine({ host: 'me@127.0.0.1', ssh: ['-F', '/dev/null', '-p', '1'] })
    await expect(nowhere.run(['true'], { timeoutMs: 1000 })).rejects.toThrow(
      /^no connection to me@127.0.0.1 by ssh: .+$/,
    )
    await nowhere.close()
  })
})
