import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { FakeCann } from '../../fixtures/fake-cann/fake-cann.ts'
import { repositoryAround } from '../candidates/project.ts'
import { withCaseFile } from '../case-file/index.ts'
import type { Combination, KernelCase, Sample, TaskInterface, Tensor, TensorValue } from '../model/index.ts'
import { KernelService } from '../service/service.ts'
import { ascendTarget } from './ascend.ts'

// compilers and processes take their time on a loaded machine
vi.setConfig({ testTimeout: 240_000 })

const repository = fileURLToPath(new URL('../../', import.meta.url))

const kinds: TaskInterface = {
  name: 'ArgumentKinds',
  kernel: 'argument_kinds',
  suite: 'own',
  group: null,
  category: 'Fixture',
  inputs: [
    { name: 'xs', kind: 'tensorList', required: true, dtypes: ['float32'] },
    { name: 'dims', kind: 'tensor', required: true, dtypes: ['int64'] },
    { name: 'flags', kind: 'tensor', required: true, dtypes: ['bool'] },
    { name: 'factor', kind: 'scalarTensor', required: true, dtypes: ['float32'] },
  ],
  outputs: [{ name: 'y', kind: 'tensor', required: true, dtypes: ['float32'] }],
  attrs: [
    { name: 'scale', type: 'float', required: false, default: 1 },
    { name: 'weights', type: 'listFloat', required: false, default: [] },
    { name: 'axes', type: 'listInt', required: false, default: [] },
  ],
}
const kindsCombinations: Combination[] = [{ inputs: ['float32', 'int64', 'bool', 'float32'], outputs: ['float32'] }]

/** Its host part and its kernel include headers that the baseline operators share. */
const neg: TaskInterface = {
  name: 'Neg',
  kernel: 'neg',
  suite: 'npukernelbench',
  group: 'level1',
  category: 'Math',
  attrs: [],
  inputs: [{ name: 'x', kind: 'tensor', required: true, dtypes: ['float32'] }],
  outputs: [{ name: 'y', kind: 'tensor', required: true, dtypes: ['float32'] }],
}
const negCombinations: Combination[] = [{ inputs: ['float32'], outputs: ['float32'] }]

/** As the vendor's generator declares inputs whose values the host part needs. */
const types = { dims: 'const aclIntArray *', flags: 'const aclBoolArray *', factor: 'const aclScalar *' }

let fake: FakeCann
let service: KernelService
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ascend-inputs-'))
  fake = await FakeCann.start({
    tasks: [
      { task: kinds, combinations: kindsCombinations, types },
      { task: neg, combinations: negCombinations },
    ],
  })
  for (const [name, value] of Object.entries(fake.env)) vi.stubEnv(name, value)
  const cacheDir = fake.cacheDir()
  const target = ascendTarget().create({
    cacheDir,
    soc: 'Ascend910B2',
    jobs: 1,
    defaultHost: ({ name }) => join(repository, 'references', 'baseline', name),
  })
  service = new KernelService({ target, cacheDir, jobs: 1 })
  await service.start()
}, 900_000)
afterAll(async () => {
  await service.close()
  await fake.close()
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const sampleOf = (root: string, task: string): Sample => {
  const around = repositoryAround(root)
  const parts = { kernelDir: join(root, 'op_kernel'), hostDir: join(root, 'op_host'), cmakeLists: [] }
  return { task, name: 's', root, ...parts, ...(around !== undefined && { repository: around }) }
}

/** Builds a sample and runs one case; the values of y. */
async function run(
  sample: Sample,
  { task, combinations }: { task: TaskInterface; combinations: Combination[] },
  { kernelCase, inputs }: { kernelCase: KernelCase; inputs: Record<string, TensorValue> },
): Promise<number[]> {
  const built = await service.build({ sample, task, combinations })
  if (!built.ok) throw new Error(JSON.stringify(built.verdict))
  return await withCaseFile(task, kernelCase, inputs, async ({ path, fileBytes, slots, readOutputs }) => {
    const place = { artifact: built.artifact, case: kernelCase, file: path, fileBytes, slots, poison: 'a5'.repeat(8) }
    const launch = await service.launch(place)
    expect(launch, JSON.stringify(launch)).toMatchObject({ ok: true, reports: [] })
    const { y } = readOutputs()
    return y && 'data' in y ? [...y.data].map(Number) : []
  })
}

const float = (...values: number[]): Tensor => ({
  dtype: 'float32',
  shape: [values.length],
  data: Float32Array.from(values),
})

test('lists, arrays, numbers, flags and attributes reach the operator as they are', async () => {
  const inputs = {
    xs: [float(1, 2), float(3, 4, 5)],
    dims: { dtype: 'int64' as const, shape: [2], data: BigInt64Array.from([6n, 7n]) },
    flags: { dtype: 'bool' as const, shape: [3], data: Uint8Array.from([1, 0, 1]) },
    factor: { dtype: 'float32' as const, shape: [], data: Float32Array.of(0.5) },
  }
  const kernelCase: KernelCase = {
    task: 'ArgumentKinds',
    name: 'test',
    combination: 0,
    inputs: {
      xs: inputs.xs.map(({ shape }) => ({ dtype: 'float32', shape: [...shape] })),
      dims: { dtype: 'int64', shape: [2] },
      flags: { dtype: 'bool', shape: [3] },
      factor: { dtype: 'float32', shape: [] },
    },
    outputs: { y: { dtype: 'float32', shape: [8] } },
    attrs: { scale: 2.5, weights: [0.25, 0.5], axes: [-1, 4] },
    seed: 1,
  }
  const sample = sampleOf(join(repository, 'fixtures/argument_kinds'), 'ArgumentKinds')
  const task = { task: kinds, combinations: kindsCombinations }
  expect(await run(sample, task, { kernelCase, inputs })).toEqual([6, 42, 7, 3, 0.5, 2.5, 0.75, 3])
})

const negCase: KernelCase = {
  task: 'Neg',
  name: 'test',
  combination: 0,
  inputs: { x: { dtype: 'float32', shape: [5] } },
  outputs: { y: { dtype: 'float32', shape: [5] } },
  attrs: {},
  seed: 1,
}
const x: Tensor = { dtype: 'float32', shape: [5], data: Float32Array.from([1, -2, 3, -4, 5]) }

test('a candidate of an operator repository is built with the headers that it shares', async () => {
  const sample = sampleOf(join(repository, 'references/baseline/Neg'), 'Neg')
  const task = { task: neg, combinations: negCombinations }
  expect(await run(sample, task, { kernelCase: negCase, inputs: { x } })).toEqual([-1, 2, -3, 4, -5])
})

const kernel = `#include "kernel_operator.h"
extern "C" __global__ __aicore__ void neg(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  AscendC::GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x);
  to.SetGlobalBuffer((__gm__ float*)y);
  if (AscendC::GetBlockIdx() != 0) return;
  for (uint32_t i = 0; i < 5; ++i) to.SetValue(i, -from.GetValue(i));
}
`

test('a kernel without a host part gets the headers of the host part that completes it', async () => {
  const root = join(folder, 'own')
  mkdirSync(join(root, 'op_kernel'), { recursive: true })
  writeFileSync(join(root, 'op_kernel', 'neg.cpp'), kernel)
  const sample: Sample = { ...sampleOf(root, 'Neg'), hostDir: null }
  const task = { task: neg, combinations: negCombinations }
  expect(await run(sample, task, { kernelCase: negCase, inputs: { x } })).toEqual([-1, 2, -3, 4, -5])
})
