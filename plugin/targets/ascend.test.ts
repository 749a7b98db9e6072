import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { FakeCann, shareRunners } from '../../fixtures/fake-cann/fake-cann.ts'
import { LoopbackServer } from '../../fixtures/ssh-server.ts'
import { withCaseFile } from '../case-file/index.ts'
import type { Combination, DType, KernelCase, LaunchResult, Sample, TaskInterface, Tensor } from '../model/index.ts'
import { KernelService } from '../service/service.ts'
import { ascendTarget, type AscendOptions } from './ascend.ts'

// compilers and processes take their time on a loaded machine
vi.setConfig({ testTimeout: 120_000 })

const repository = fileURLToPath(new URL('../../', import.meta.url))
const baseline = join(repository, 'references', 'baseline', 'AddCustom')
const kernelFile = 'op_kernel/add_custom.cpp'
const launchTimeoutMs = 300

const argument = (name: string, dtypes: DType[] = ['float16']) =>
  ({ name, kind: 'tensor', required: true, dtypes }) as const

const task: TaskInterface = {
  name: 'AddCustom',
  kernel: 'add_custom',
  suite: 'own',
  group: null,
  category: 'Math',
  inputs: [argument('x'), argument('y')],
  outputs: [argument('z')],
  attrs: [],
}
const combinations: Combination[] = [{ inputs: ['float16', 'float16'], outputs: ['float16'] }]

let fake: FakeCann
let folder: string
let service: KernelService
/** the one whose operators are timed */
let timing: KernelService | undefined
let count = 0

const serviceOf = async (own: AscendOptions = {}, cacheDir = fake.cacheDir()): Promise<KernelService> => {
  const target = ascendTarget(own).create({
    cacheDir,
    soc: 'Ascend910B2',
    jobs: 2,
    launchTimeoutMs,
    defaultHost: ({ name }) => join(repository, 'references', 'baseline', name),
  })
  const made = new KernelService({ target, cacheDir, jobs: 2 })
  await made.start()
  return made
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ascend-test-'))
  fake = await FakeCann.start({ tasks: [{ task, combinations }] })
  for (const [name, value] of Object.entries(fake.env)) vi.stubEnv(name, value)
  service = await serviceOf()
}, 900_000)

afterAll(async () => {
  await timing?.close()
  await service.close()
  await fake.close()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

afterEach(() => {
  for (const name of ['build', 'missingSymbol', 'tile', 'run', 'clock', 'seen'] as const) delete fake.faults[name]
})

/** A kernel without a host part, with some text replaced. */
function candidate(...edits: [from: string, to: string][]): Sample {
  const root = join(folder, `sample${count++}`)
  mkdirSync(root)
  cpSync(join(baseline, 'op_kernel'), join(root, 'op_kernel'), { recursive: true })
  const path = join(root, kernelFile)
  const text = readFileSync(path, 'utf8')
  for (const [from] of edits) expect(text).toContain(from)
  writeFileSync(
    path,
    edits.reduce((all, [from, to]) => all.replace(from, to), text),
  )
  return { task: 'AddCustom', name: 's', root, kernelDir: join(root, 'op_kernel'), hostDir: null, cmakeLists: [] }
}

const build = async (sample = candidate(), by = service) => await by.build({ sample, task, combinations })

async function artifactOf(sample?: Sample, by = service): Promise<string> {
  const built = await build(sample, by)
  if (!built.ok) throw new Error(JSON.stringify(built.verdict))
  return built.artifact
}

const ones = (size: number): Tensor => ({ dtype: 'float16', shape: [size], data: new Uint16Array(size).fill(0x3c00) })

function caseOf(size: number): KernelCase {
  const spec = { dtype: 'float16' as const, shape: [size] }
  const [inputs, outputs] = [{ x: spec, y: spec }, { z: spec }]
  return { task: 'AddCustom', name: 'test', combination: 0, inputs, outputs, attrs: {}, seed: 1 }
}

/** Runs 1 + 1. */
async function run(artifact: string, size = 100, by = service): Promise<{ result: LaunchResult; z: Uint16Array }> {
  const kernelCase = caseOf(size)
  return await withCaseFile(task, kernelCase, { x: ones(size), y: ones(size) }, async (file) => {
    const place = { artifact, case: kernelCase, file: file.path, fileBytes: file.fileBytes, slots: file.slots }
    const result = await by.launch({ ...place, poison: 'a5a5a5a5a5a5a5a5' })
    const { z } = file.readOutputs()
    if (!z || !('dtype' in z) || !(z.data instanceof Uint16Array)) throw new Error('no output z')
    return { result, z: z.data }
  })
}

describe('a right operator', () => {
  test('is built by the flow of the vendor, launched, and read back', async () => {
    const artifact = await artifactOf()
    const { result, z } = await run(artifact)
    expect(result).toMatchObject({ ok: true, reports: [], source: 'measured', profile: 'Ascend910B2, CANN 8.3.RC2' })
    expect(result.ok && result.latencyNs).toBeGreaterThan(0)
    expect([...new Set(z)]).toEqual([0x4000])
  })

  test('is built once for one content', async () => {
    await artifactOf()
    const before = fake.counts.builds
    expect(await build()).toMatchObject({ ok: true, cached: true })
    expect(fake.counts.builds).toBe(before)
  })
})

/** A program of its own that is written like others. */
function programOf(name: string): Sample {
  const root = join(folder, `program-${name}`)
  mkdirSync(root)
  const program = join(root, 'add.npu.ts')
  cpSync(join(repository, 'references/dsl/AddCustom.npu.ts'), program)
  return { task: 'AddCustom', name, root, kernelDir: root, hostDir: null, cmakeLists: [], program }
}

test('two programs of one project are artifacts of their own, and one package', async () => {
  const before = fake.counts.builds
  const artifacts = [await artifactOf(programOf('one')), await artifactOf(programOf('two'))]
  expect(fake.counts.builds).toBe(before + 1)
  expect(new Set(artifacts).size).toBe(2)
  for (const artifact of artifacts) expect((await run(artifact)).z[0]).toBe(0x4000)
})

describe('a build that fails', () => {
  test('has the place in the candidate, and the class that the own toolchain gives', async () => {
    const sample = candidate(['Add(z, x, y,', 'Add(z, x, "y",'])
    const built = await build(sample)
    expect(built).toMatchObject({
      ok: false,
      verdict: { kind: 'compile-failed', stage: 'kernel', class: 'api-signature' },
    })
    const [first] = !built.ok && built.verdict.kind === 'compile-failed' ? built.verdict.diagnostics : []
    const lines = readFileSync(join(sample.root, kernelFile), 'utf8').split('\n')
    expect(first).toMatchObject({ severity: 'error', file: join(sample.root, kernelFile) })
    expect(lines[first!.line! - 1]).toContain('"y"')
    const before = fake.counts.builds
    expect(await build(sample)).toMatchObject({ ok: false, cached: true })
    expect(fake.counts.builds).toBe(before)
  })

  test('says nothing of the candidate where a tool of the vendor has failed', async () => {
    fake.faults.build = '[ERROR] opbuild: out of memory'
    expect(await build(candidate(['Add(z', 'Add (z']))).toMatchObject({
      ok: false,
      verdict: { kind: 'infrastructure', message: expect.stringContaining('opbuild: out of memory') },
    })
  })

  test('does not keep the run when it does not end', async () => {
    const impatient = await serviceOf({ buildTimeoutMs: 2000 }, fake.cacheDir('impatient'))
    fake.faults.build = null
    try {
      expect(await build(candidate(), impatient)).toMatchObject({
        ok: false,
        verdict: { kind: 'compile-failed', diagnostics: [{ message: 'the build did not end within 2 s' }] },
      })
    } finally {
      await impatient.close()
    }
  })

  test('is one whose library lacks a call', async () => {
    fake.faults.missingSymbol = true
    expect(await build(candidate(['Add(z', 'Add( z']))).toMatchObject({
      ok: false,
      verdict: { kind: 'compile-failed', stage: 'link', class: 'link' },
    })
  })

  test('has no other attributes and tensors than the task', async () => {
    const more: TaskInterface = { ...task, attrs: [{ name: 'dim', type: 'int', required: true }] }
    const built = await service.build({ sample: candidate(['Add(z', 'Add(  z']), task: more, combinations })
    expect(built).toMatchObject({ ok: false, verdict: { kind: 'compile-failed', stage: 'host' } })
    expect(!built.ok && built.verdict.kind === 'compile-failed' && built.verdict.log).toContain(
      'aclnnAddCustom takes 3 arguments, and AddCustom has 4: 2 inputs, 1 attributes, 1 outputs',
    )
  })
})

describe('a launch that fails', () => {
  test.each([
    [507_014, 'timeout'],
    [507_015, 'device-error'],
    [507_034, 'timeout'],
    [507_035, 'device-error'],
    [507_046, 'timeout'],
    [507_054, 'infrastructure'],
    [561_003, 'device-error'],
  ] as const)('with the code %i of the runtime is %s', async (code, kind) => {
    fake.faults.run = () => ({ code })
    const { result } = await run(await artifactOf())
    expect(result).toMatchObject({ ok: false, verdict: { kind } })
    delete fake.faults.run
    expect((await run(await artifactOf())).result.ok).toBe(true)
  })

  test('names call, code and what it means', async () => {
    fake.faults.run = () => ({ code: 507_035, message: 'the runtime says so' })
    const { result } = await run(await artifactOf())
    expect(result).toMatchObject({ ok: false, verdict: { report: { code: 'Acl507035', severity: 'error' } } })
    const report = !result.ok && 'report' in result.verdict ? result.verdict.report : undefined
    expect(report?.message).toMatch(/^aclrtSynchronizeStreamWithTimeout gave 507035 .*vector core raised an exception/)
    expect(report?.message).toContain('the runtime says: the runtime says so')
  })

  test('by a fault of another launch is repeated with the device for itself, after a reset', async () => {
    const artifact = await artifactOf()
    const { resets, runs } = fake.counts
    fake.faults.run = (nth) => (nth === runs ? { code: 507_035 } : undefined)
    const { result, z } = await run(artifact)
    expect(result.ok).toBe(true)
    expect(z[0]).toBe(0x4000)
    expect(fake.counts.resets).toBeGreaterThan(resets)
    expect(fake.counts.runs).toBe(runs + 2)
  })

  test.each([
    [
      'declines',
      { code: 561_002, message: 'TilingFunc: no' },
      /^aclnnAddCustomGetWorkspaceSize gave 561002 .*TilingFunc: no/,
    ],
    ['crashes', { crash: true }, /^the tiling function of AddCustom ended the process: SIGSEGV/],
    ['does not return', { hang: true }, /^the tiling function of AddCustom did not return within 0.3 s/],
    ['forges answers', { forges: 'no JSON\n', hang: true }, /^the tiling function of AddCustom ended the process/],
    ['answers nothing', { forges: '{}\n', hang: true }, /^the tiling function of AddCustom ended the process/],
    ['prints without end', { printsMiB: 80, hang: true }, /^the tiling function of AddCustom ended the process/],
  ])('where the tiling function %s says so', async (_, fault, message) => {
    fake.faults.tile = () => fault
    const { result } = await run(await artifactOf())
    expect(result).toMatchObject({ ok: false, verdict: { kind: 'tiling-failed' } })
    expect(!result.ok && 'message' in result.verdict && result.verdict.message).toMatch(message)
  })

  test('that leaves an answer to the next question is started anew for that', async () => {
    const artifact = await artifactOf()
    const nanoseconds = JSON.stringify({ ok: true, ns: 1, workspaceBytes: 0, damages: [], overwritten: [] })
    fake.faults.tile = () => ({ forges: `${nanoseconds}\n${nanoseconds}\n`, hang: true })
    await run(artifact)
    delete fake.faults.tile
    const { result, z } = await run(artifact)
    expect(result).toMatchObject({ ok: true })
    expect(result.ok && result.latencyNs).toBeGreaterThan(1)
    expect(z[0]).toBe(0x4000)
  })

  test('that does not come to its end, and is not ended by the runtime either, is timeout', async () => {
    fake.faults.run = () => ({ hang: true })
    const { result } = await run(await artifactOf())
    expect(result).toMatchObject({ ok: false, verdict: { kind: 'timeout', limitMs: launchTimeoutMs } })
    delete fake.faults.run
    expect((await run(await artifactOf())).result.ok).toBe(true)
  })

  test('by writing outside of its tensors is told where', async () => {
    fake.faults.run = () => ({ writes: { argument: 2, offset: 200 } })
    const { result } = await run(await artifactOf())
    expect(result).toMatchObject({ ok: true, reports: [{ code: 'RedZone', severity: 'error' }] })
    expect(result.reports[0]?.message).toContain('outside of z: at byte 200, behind its end')
    fake.faults.run = () => ({ writes: { argument: 1, offset: -7 } })
    expect((await run(await artifactOf())).result.reports[0]?.message).toContain('outside of y: 7 bytes in front of it')
  })

  test('by writing an input is told which', async () => {
    fake.faults.run = () => ({ writes: { argument: 0, offset: 5 } })
    const { result } = await run(await artifactOf())
    expect(result.reports).toMatchObject([{ code: 'InputOverwritten', severity: 'error' }])
    expect(result.reports[0]?.message).toContain('the input x')
  })
})

describe('a machine', () => {
  test('without a toolkit says so in one line', async () => {
    vi.stubEnv('ASCEND_HOME_PATH', '')
    vi.stubEnv('PATH', '/usr/bin:/bin')
    const bare = await serviceOf({}, join(folder, 'bare'))
    try {
      const built = await build(candidate(), bare)
      expect(built).toMatchObject({ ok: false, verdict: { kind: 'infrastructure' } })
      const message = !built.ok && 'message' in built.verdict ? built.verdict.message : ''
      expect(message).toMatch(/^the target ascend needs, on this machine, CANN: ASCEND_HOME_PATH is not set/)
      expect(message).not.toContain('\n')
    } finally {
      await bare.close()
      for (const name of ['ASCEND_HOME_PATH', 'PATH']) vi.stubEnv(name, fake.env[name])
    }
  })

  test('whose runtime sees fewer devices than its driver is at fault', async () => {
    fake.devices = 2
    const wrong = await serviceOf({ devices: [1] }, fake.cacheDir('wrong'))
    try {
      await build(candidate(), wrong)
      fake.devices = 1
      expect(await build(candidate(['Add(z', 'Add(   z']), wrong)).toMatchObject({
        ok: false,
        verdict: {
          kind: 'infrastructure',
          message: expect.stringContaining('there is no device 1: the runtime sees 1'),
        },
      })
    } finally {
      fake.devices = 1
      await wrong.close()
    }
  })

  test('with another device than that of the run is told how to name it', async () => {
    fake.soc = 'Ascend910B3'
    const other = await serviceOf({}, fake.cacheDir('other'))
    try {
      expect(await build(candidate(), other)).toMatchObject({
        ok: false,
        verdict: { kind: 'infrastructure', message: expect.stringContaining('set `soc` (NPU_SOC) to Ascend910B3') },
      })
    } finally {
      fake.soc = 'Ascend910B2'
      await other.close()
    }
  })
})

describe('a machine that ssh reaches', () => {
  let server: LoopbackServer
  let remote: KernelService

  beforeAll(async () => {
    server = await LoopbackServer.start(fake.env)
    shareRunners(join(server.home, '.cache/vitest-npu/ascend'))
    remote = await serviceOf({ host: 'me@127.0.0.1', ssh: server.arguments, cacheBytes: 4096 }, join(folder, 'local'))
  })
  afterAll(async () => {
    await remote.close()
    await server.close()
  })

  test('builds and launches what is judged here, over one connection', async () => {
    const { result, z } = await run(await artifactOf(candidate(), remote), 100, remote)
    expect(result.ok).toBe(true)
    expect([...new Set(z)]).toEqual([0x4000])
    expect(server.connections).toBe(1)
  })

  test('loses no verdict with a connection', async () => {
    const artifact = await artifactOf(candidate(), remote)
    const { runs } = fake.counts
    fake.faults.run = (nth) => {
      if (nth > runs) return undefined
      server.drop()
      return { hang: true }
    }
    const { result, z } = await run(artifact, 100, remote)
    expect(result.ok).toBe(true)
    expect(z[0]).toBe(0x4000)
    expect(server.connections).toBeGreaterThan(1)
  })

  test('loses no times with a connection', async () => {
    const { runs } = fake.counts
    const { connections } = server
    let dropped = false
    fake.faults.run = (nth) => {
      if (dropped || nth < runs + 12) return undefined
      dropped = true
      server.drop()
      return { hang: true }
    }
    const found = await measured(1, remote)
    expect(found?.ok && [found.times.cold.length, found.baseline?.warm.length]).toEqual([10, 10])
    expect([dropped, server.connections > connections]).toEqual([true, true])
  })
})

/** Measures two operators in turn, on few bytes. */
async function measured(rounds = 2, given?: KernelService) {
  const by = given ?? (timing ??= await serviceOf({ cacheBytes: 4096 }, fake.cacheDir('times')))
  const artifact = await artifactOf(candidate(), by)
  const baseline = await artifactOf(candidate(['Add(z', 'Add(    z']), by)
  const kernelCase = caseOf(100)
  return await withCaseFile(task, kernelCase, { x: ones(100), y: ones(100) }, async (file) => {
    const { path, fileBytes, slots } = file
    const place = { case: kernelCase, file: path, fileBytes, slots, poison: 'a5a5a5a5a5a5a5a5' }
    return await by.measure({ ...place, artifact, baseline, rounds })
  })
}

describe('times', () => {
  test('are taken in turn, cold and warm apart', async () => {
    const { runs } = fake.counts
    const found = await measured()
    expect(found).toMatchObject({ ok: true, driftPercent: 0, profile: 'Ascend910B2, CANN 8.3.RC2' })
    if (!found?.ok) return
    expect([found.times, found.baseline].map((each) => [each?.cold.length, each?.warm.length])).toEqual([
      [20, 20],
      [20, 20],
    ])
    // five before those that are timed, of each
    expect(fake.counts.runs - runs).toBe(2 * (5 + 20 + 20))
  })

  test('of a baseline that drifts say by how much', async () => {
    const { runs } = fake.counts
    fake.faults.clock = (ns, nth) => ns * (1 + (nth - runs) / 1000)
    const found = await measured()
    expect(found?.ok && found.driftPercent).toBeGreaterThan(2)
  })

  test('of a baseline that fails say whose launch it was', async () => {
    const { runs } = fake.counts
    fake.faults.run = (nth) => (nth === runs + 7 ? { code: 507_015 } : undefined)
    expect(await measured(1)).toMatchObject({ ok: false, of: 'baseline', verdict: { kind: 'device-error' } })
  })
})

describe('devices', () => {
  test('share what is launched', async () => {
    fake.devices = 2
    const by = await serviceOf({}, fake.cacheDir('two'))
    try {
      const artifact = await artifactOf(candidate(), by)
      const used = new Set<number>()
      fake.faults.seen = (device) => used.add(device)
      const all = await Promise.all([run(artifact, 100, by), run(artifact, 100, by)])
      expect(all.map(({ result }) => result.ok)).toEqual([true, true])
      expect(used).toEqual(new Set([0, 1]))
    } finally {
      fake.devices = 1
      await by.close()
    }
  })

  test('that are timed are nobody else’s meanwhile, not even those of another run', async () => {
    const other = await serviceOf({}, fake.cacheDir('another'))
    try {
      const artifact = await artifactOf(candidate(['Add(z', 'Add(     z']), other)
      const order: string[] = []
      const began = new Promise<void>((resolve) => {
        fake.faults.seen = (_, seen) => {
          order.push(seen)
          resolve()
        }
      })
      const launches = async (): Promise<void> => {
        await began
        for (let i = 0; i < 12; i++) expect((await run(artifact, 100, other)).result.ok).toBe(true)
      }
      const [found] = await Promise.all([measured(1), launches()])
      expect(found?.ok).toBe(true)
      const counts = new Map<string, number>()
      for (const each of order) counts.set(each, (counts.get(each) ?? 0) + 1)
      const [foreign] = [...counts].find(([, count]) => count === 12) ?? []
      const timed = order.map((each) => each !== foreign)
      expect(timed.filter(Boolean)).toHaveLength(50)
      expect(timed.slice(timed.indexOf(true), timed.lastIndexOf(true) + 1)).not.toContain(false)
    } finally {
      await other.close()
    }
  })
})
