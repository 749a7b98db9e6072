import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { BuildArgs, KernelCase, LaunchArgs, Target, TargetDescription } from '../model/index.ts'
import { ServiceClient } from './client.ts'
import { KernelService } from './service.ts'

const task = { name: 'T', kernel: 't', suite: 'own', group: null, category: 'Test', inputs: [], outputs: [], attrs: [] }
const sample = { task: 'T', name: 's', root: '/none', kernelDir: '/none/op_kernel', hostDir: null, cmakeLists: [] }
const build: BuildArgs = { sample, task, combinations: [] }
const kernelCase: KernelCase = { task: 'T', name: 'c', combination: 0, inputs: {}, outputs: {}, attrs: {}, seed: 1 }
const launch: LaunchArgs = { artifact: 'built', case: kernelCase, file: '', fileBytes: 0, slots: [], poison: '' }

let folder: string
let service: KernelService

/** A target that notes what it is asked. */
function targetOf(description: Partial<TargetDescription> = {}, conditions: readonly string[] | null = []) {
  const ran = { ok: true as const, latencyNs: 7, hostMs: 0, addsFloats: false, profile: '', pipes: {}, reports: [] }
  return {
    description: { name: 'noting', soc: 'S', latencySource: 'measured', prefetches: true, ...description },
    build: vi.fn<Target['build']>(async () => ({ ok: true, artifact: { id: 'built' }, cached: false, warnings: [] })),
    launch: vi.fn<Target['launch']>(async () => ({ ...ran, blockDim: 1, tilingKey: 0, log: '' })),
    conditionsOf: () => conditions,
    release: vi.fn<Target['release']>(),
    close: vi.fn<Target['close']>(async () => {}),
  } satisfies Target
}

const digestOf = (spec: string, project: string): string | null =>
  spec === 'reads files' ? null : `${spec} ${project}`

async function serve<T extends Target>(target: T): Promise<T> {
  service = new KernelService({ target, cacheDir: join(folder, 'cache'), jobs: 2, digestOf })
  await service.start()
  return target
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-test-'))
})
afterEach(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

test.each(['emulated', 'measured'] as const)('a latency is %s because its target says so', async (latencySource) => {
  await serve(targetOf({ latencySource }))
  await service.build(build)
  expect(await service.launch(launch)).toMatchObject({ ok: true, latencyNs: 7, source: latencySource })
})

test('a target that does not build ahead is asked for what somebody waits for, and for nothing else', async () => {
  const ahead = await serve(targetOf())
  service.prefetch([build])
  await vi.waitFor(() => expect(ahead.build).toHaveBeenCalledTimes(1))
  await service.close()
  const later = await serve(targetOf({ prefetches: false }))
  service.prefetch([build])
  expect(await service.build(build)).toMatchObject({ ok: true, artifact: 'built' })
  expect(later.build).toHaveBeenCalledTimes(1)
})

test('a request that is none costs nobody but its sender an answer', async () => {
  await serve(targetOf())
  const client = new ServiceClient(service.path)
  try {
    const good = client.call('build', build)
    const odd = { ...build, sample: { ...sample, fixedCase: 1e20 } }
    client.notify('prefetch', [odd, build])
    await expect(client.call('build', odd)).rejects.toThrow(/^build: .*fixedCase/s)
    expect(await good).toMatchObject({ ok: true })
    expect(await client.call('launch', launch)).toMatchObject({ ok: true })
  } finally {
    client.close()
  }
})

test('whatever a target throws is a verdict on the machine', async () => {
  const target = await serve(targetOf())
  target.build.mockRejectedValueOnce(new Error('no disk'))
  const verdict = { kind: 'infrastructure', message: 'no disk' }
  expect(await service.build(build)).toMatchObject({ ok: false, verdict })
  await service.build(build)
  target.launch.mockRejectedValueOnce(new Error('no disk'))
  expect(await service.launch(launch)).toMatchObject({ ok: false, verdict })
})

test('what a target says of a candidate goes on as text that may be printed', async () => {
  const text = '\u001B[2J\n::error::no'
  const shown = '\\x1b[2J\n\\x3a:error::no'
  const report = { code: text, severity: 'error' as const, message: text, core: text, instruction: text, count: 1 }
  const target = await serve(targetOf())
  const diagnostics = [{ severity: 'error' as const, message: text, file: text }]
  const failure = { stage: 'kernel' as const, class: 'syntax' as const, diagnostics, log: text }
  target.build.mockResolvedValueOnce({ ok: false, failure, cached: false })
  expect(await service.build(build)).toMatchObject({
    verdict: { diagnostics: [{ message: shown, file: shown }], log: shown },
  })
  const [artifact, warnings] = [{ id: 'built' }, diagnostics]
  target.build.mockResolvedValueOnce({ ok: true, artifact, cached: false, warnings })
  expect(await service.build(build)).toMatchObject({ warnings: [{ message: shown, file: shown }] })
  target.launch.mockResolvedValueOnce({
    ok: false,
    verdict: { kind: 'device-error', report },
    reports: [report],
    log: text,
  })
  const neutral = { code: shown, message: shown, core: shown, instruction: shown }
  expect(await service.launch(launch)).toMatchObject({ verdict: { report: neutral }, reports: [neutral], log: shown })
  target.launch.mockRejectedValueOnce(new Error(text))
  expect(await service.launch(launch)).toMatchObject({ verdict: { message: shown } })
})

test('what tiling functions make of cases is asked of a target that can tell', async () => {
  const sketched = [{ blockDim: 3, tilingKey: '7', tiling: '' }, null]
  const question = { artifact: 'built', cases: [kernelCase, kernelCase], timeoutMs: 5 }
  await serve(targetOf())
  await service.build(build)
  expect(await service.sketch(question)).toBeNull()
  await service.close()
  const sketch = vi.fn<NonNullable<Target['sketch']>>(async () => sketched)
  await serve({ ...targetOf(), sketch })
  expect(await service.sketch(question)).toBeNull()
  await service.build(build)
  expect(await service.sketch(question)).toEqual(sketched)
  expect(sketch).toHaveBeenCalledWith({ id: 'built' }, question)
  sketch.mockRejectedValueOnce(new Error('no runner'))
  expect(await service.sketch(question)).toBeNull()
})

test('what is remembered goes by spec, project, artifact and what the target adds', async () => {
  const question = { artifact: 'built', spec: 'a.spec.ts', project: 'p' }
  const fileFor = async (target: Target, changed: Partial<typeof question> = {}): Promise<string | null> => {
    await serve(target)
    await service.build(build)
    const file = service.verdictFile({ ...question, ...changed })
    await service.close()
    return file
  }
  const file = await fileFor(targetOf())
  expect(file).toMatch(/\/cache\/verdicts\/[0-9a-f]{32}\.jsonl$/)
  expect(await fileFor(targetOf())).toBe(file)
  expect(await fileFor(targetOf(), { spec: 'b.spec.ts' })).not.toBe(file)
  expect(await fileFor(targetOf(), { project: 'q' })).not.toBe(file)
  expect(await fileFor(targetOf({}, ['/elsewhere']))).not.toBe(file)
  expect(await fileFor(targetOf({}, null))).toBeNull()
  expect(await fileFor(targetOf(), { spec: 'reads files' })).toBeNull()
  expect(await fileFor(targetOf(), { artifact: 'other' })).toBeNull()
})

test('closing the service closes its target, once for each call', async () => {
  const target = await serve(targetOf())
  await service.close()
  expect(target.close).toHaveBeenCalledTimes(1)
})
