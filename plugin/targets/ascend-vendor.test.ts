import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { FakeCann } from '../../fixtures/fake-cann/fake-cann.ts'
import type { VendorOperator } from '../ascend/vendor/call.ts'
import { vendorOperators } from '../ascend/vendor/operators.ts'
import type { FoundOperator } from '../ascend/vendor/vendor-operator.ts'
import { withCaseFile } from '../case-file/index.ts'
import type { DType, KernelCase, TaskInterface, Tensor } from '../model/index.ts'
import { AscendTarget, ascendTarget } from './ascend.ts'

// compilers and processes take their time on a loaded machine
vi.setConfig({ testTimeout: 120_000 })

const dtypes: DType[] = ['float16']
const argument = (name: string) => ({ name, kind: 'tensor', required: true, dtypes }) as const
const task: TaskInterface = {
  name: 'AddCustom',
  kernel: 'add_custom',
  suite: 'npukernelbench',
  group: 'level1',
  category: 'Math',
  inputs: [argument('x'), argument('y')],
  outputs: [argument('z')],
  attrs: [],
}

let fake: FakeCann
let target: AscendTarget

beforeAll(async () => {
  const combinations = [{ inputs: ['float16' as const, 'float16' as const], outputs: ['float16' as const] }]
  fake = await FakeCann.start({ tasks: [{ task, combinations }] })
  for (const [name, value] of Object.entries(fake.env)) vi.stubEnv(name, value)
  const options = { cacheDir: fake.cacheDir(), soc: 'Ascend910B2', jobs: 1, launchTimeoutMs: 60_000 }
  const made = ascendTarget({ cacheBytes: 4096, profiler: true }).create(options)
  if (!(made instanceof AscendTarget)) throw new Error('another target')
  target = made
}, 900_000)
afterAll(async () => {
  await target.close()
  await fake.close()
  vi.unstubAllEnvs()
})
beforeEach(() => {
  delete fake.faults.profiler
})

const spec = { dtype: 'float16' as const, shape: [100] }
const kernelCase: KernelCase = {
  task: 'AddCustom',
  name: 'static 0',
  combination: 0,
  inputs: { x: spec, y: spec },
  outputs: { z: spec },
  attrs: {},
  seed: 1,
}
const ones: Tensor = { ...spec, data: new Uint16Array(100).fill(0x3c00) }

async function artifactOf(operator: VendorOperator = vendorOperators['AddCustom']!) {
  const found = await target.vendorOperator(task, operator)
  if (!found.ok) throw new Error(found.why)
  return found.artifact
}

/** What an operator makes of ones: the bits of the first and of all other elements. */
async function resultOf(operator?: VendorOperator): Promise<number[]> {
  const artifact = await artifactOf(operator)
  return await withCaseFile(task, kernelCase, { x: ones, y: ones }, async (file) => {
    const { path, fileBytes, slots } = file
    const place = { artifact: artifact.id, case: kernelCase, file: path, fileBytes, slots, poison: 'a5'.repeat(8) }
    const launch = await target.launch(artifact, place)
    expect(launch).toMatchObject({ ok: true, reports: [] })
    const { z } = file.readOutputs()
    return z && 'data' in z ? [...new Set([...z.data].map(Number))] : []
  })
}

const sum = { between: 'sum', like: 'x' } as const
const whyNot = (found: FoundOperator): string => (found.ok ? '' : found.why)

describe('an operator of the toolkit', () => {
  test('is found by its header, launched, and read back', async () => {
    const artifact = await artifactOf()
    expect(artifact.calls).toMatchObject([{ call: { name: 'aclnnAdd' }, header: 'aclnnop/aclnn_add.h' }])
    expect(artifact.libraries).toEqual([join(fake.home, 'lib64/libopapi.so')])
    expect(await resultOf()).toEqual([0x4000])
  })

  test('may be several calls, which hand tensors on', async () => {
    expect(
      await resultOf([
        ['aclnnAdd', 'x', 'y', 1, sum],
        ['aclnnAdd', sum, 'y', 1, 'z'],
      ]),
    ).toEqual([0x4200])
  })

  test.each<[string, VendorOperator, RegExp]>([
    ['that no header declares', [['aclnnSqrt', 'x', 'z']], /^CANN 8\.3\.RC2 declares no aclnnSqrt$/],
    [
      'with other parameters',
      [['aclnnAdd', 'x', 'y', 'z']],
      /^aclnnAdd takes 4 arguments that are known, and is given 3$/,
    ],
    ['that there is none of', { none: 'it is too simple' }, /^it is too simple$/],
  ])('%s is told in one line', async (_, operator, why) => {
    expect(whyNot(await target.vendorOperator(task, operator))).toMatch(why)
  })
})

const measured = async () => {
  const artifact = await artifactOf()
  return await withCaseFile(task, kernelCase, { x: ones, y: ones }, async (file) => {
    const { path, fileBytes, slots } = file
    const place = { case: kernelCase, file: path, fileBytes, slots, poison: 'a5'.repeat(8), rounds: 1 }
    return await target.measure(artifact, null, { ...place, artifact: artifact.id, baseline: null })
  })
}

describe('kernel times of the profiler', () => {
  test('stand beside those of events, and take the runtime down in order', async () => {
    const { finalized } = fake.counts
    const found = await measured()
    expect(found.ok && found.noKernelTimes).toBeUndefined()
    if (!found.ok) return
    expect(found.times.kernel).toHaveLength(10)
    expect(found.times.kernel![0]).toBeCloseTo(found.times.cold[0]! / 2, 0)
    expect(fake.counts.finalized).toBe(finalized + 1)
  })

  test('are left out where it fails, and those of events stay', async () => {
    fake.faults.profiler = '[ERROR] the device has no counters'
    const found = await measured()
    expect(found).toMatchObject({ ok: true, noKernelTimes: 'msprof failed: [ERROR] the device has no counters' })
    expect(found.ok && [found.times.kernel, found.times.cold.length]).toEqual([undefined, 10])
  })
})

test('what times are measured under is told', async () => {
  expect(await target.conditions()).toEqual({
    cann: '8.3.RC2',
    driver: expect.any(String),
    clockMHz: { rated: 1800, now: 1800 },
  })
})
