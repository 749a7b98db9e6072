import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { replay } from '../../fixtures/fake-target/replay.ts'
import type { KernelCase, LaunchArgs } from '../model/index.ts'
import { ServiceClient, ServiceGoneError } from './client.ts'
import { KernelService } from './service.ts'

const kernelCase: KernelCase = { task: 'T', name: 'c', combination: 0, inputs: {}, outputs: {}, attrs: {}, seed: 1 }
const launch: LaunchArgs = { artifact: 'unknown', case: kernelCase, file: '', fileBytes: 0, slots: [], poison: '' }

/** Nothing is asked of it here. */
const target = replay.create({ cacheDir: '', soc: 'Ascend910B2', jobs: 1 })

let folder: string
const open: { close: () => unknown }[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'client-test-'))
})
afterEach(async () => {
  await Promise.all(open.splice(0).map(async (each) => await each.close()))
  rmSync(folder, { recursive: true })
})

async function service(): Promise<KernelService> {
  const made = new KernelService({ target, cacheDir: join(folder, 'cache'), jobs: 1 })
  await made.start()
  open.push(made)
  return made
}

function client(path: string): ServiceClient {
  const made = new ServiceClient(path)
  open.push(made)
  return made
}

test('an artifact that was not built in this run is not launched', async () => {
  const { path } = await service()
  const result = await client(path).call('launch', launch)
  expect(result).toMatchObject({ ok: false, verdict: { kind: 'infrastructure', message: /was not built in this run/ } })
})

test('the service leaves neither socket nor folder', async () => {
  const made = await service()
  const home = join(made.path, '..')
  expect(readdirSync(home)).toEqual(['socket'])
  await made.close()
  expect(existsSync(home)).toBe(false)
})

test('calls fail clearly once the service is gone', async () => {
  const made = await service()
  const worker = client(made.path)
  await worker.call('launch', launch)
  await made.close()
  await vi.waitFor(() => expect(worker.connected).toBe(false))
  await expect(worker.call('launch', launch)).rejects.toThrow(ServiceGoneError)
  await expect(client(join(folder, 'no-socket')).call('launch', launch)).rejects.toThrow('service is gone (ENOENT)')
})

/** A server that answers only when told. */
async function silent(): Promise<{ path: string; sockets: Socket[] }> {
  const sockets: Socket[] = []
  const path = join(folder, 'silent')
  const server: Server = createServer((socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(path, resolve))
  open.push({ close: () => sockets.forEach((socket) => socket.destroy()) }, { close: () => server.close() })
  return { path, sockets }
}

test('an aborted call rejects with the reason of its signal and leaves no listener', async () => {
  const { path } = await silent()
  const control = new AbortController()
  const removed = vi.spyOn(control.signal, 'removeEventListener')
  const waiting = client(path).call('launch', launch, control.signal)
  control.abort(new Error('test timed out'))
  await expect(waiting).rejects.toThrow('test timed out')
  expect(removed).toHaveBeenCalled()
})

test('answers that arrive in pieces or together reach their callers', async () => {
  const { path, sockets } = await silent()
  const worker = client(path)
  const both = Promise.all([worker.call('launch', launch), worker.call('launch', launch)])
  await vi.waitFor(() => expect(sockets).toHaveLength(1))
  sockets[0]?.write('{"id":2,"result":{"ok":fa')
  await new Promise((resolve) => setTimeout(resolve, 10))
  sockets[0]?.write('lse,"log":"second"}}\n{"id":1,"result":{"ok":false,"log":"first"}}\n')
  expect(await both).toEqual([
    { ok: false, log: 'first' },
    { ok: false, log: 'second' },
  ])
})
