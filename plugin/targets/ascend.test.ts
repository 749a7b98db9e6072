import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { FakeCann } from '../../fixtures/fake-cann/fake-cann.ts'
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
  await service.close()
  await fake.close()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

afterEach(() => {
  for (const name of ['build', 'missingSymbol', 'tile', 'run', 'clock'] as const) delete fake.faults[name]
})

/** A kernel without a host part, with some text replaced. */
function candidate(...edits: [from: string, to: string][]): Sample {
  const root = join(folder, `sample${count++}`)
  mkdirSync(root)
  cpSync(join(baseline, 'op_kernel'), join(root, 'op_kernel'), { recursive: true })
  const path = join(root, kernelFile)
  const text = readFileSync(path, 'utf8')
  for (const [from] of edits) expect(text).toContain(from)
  writeFileSync(path, edits.reduce((all, [from, to]) => all.replace(from, to), text))
  return { task: 'AddCustom', name: 's', root, kernelDir: join(root, 'op_kernel'), hostDir: null, cmakeLists: [] }
}

const build = async (sample = candidate(), by = service) => await by.build({ sample, task, combinations })

async function artifactOf(sample?: Sample, by = service): Promise<string> {
  const built = await build(sample, by)
  if (!built.ok) throw new Error(JSON.stringify(built.verdict))
  return built.artifact
}

const ones = (size: number): Tensor => ({ dtype: 'float16', shape: [size], data: new Uint16Array(size).fill(0x3c00) })

/** Runs 1 + 1. */
async function run(artifact: string, size = 100, by = service): Promise<{ result: LaunchResult; z: Uint16Array }> {
  const spec = { dtype: 'float16' as const, shape: [size] }
  const kernelCase: KernelCase = {
    ...{ task: 'AddCustom', name: 'test', combination: 0, attrs: {}, seed: 1 },
    inputs: { x: spec, y: spec },
    outputs: { z: spec },
  }
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
    if (!result.ok) console.error(JSON.stringify(result))
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
