import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildLimitMs, FixtureOperator, interfaceOf, startService } from '../../fixtures/operator.ts'
import type { Tensor } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'

// processes take their time on a loaded machine
vi.setConfig({ testTimeout: 60_000 })

const dtypes = ['float32', 'int32'] as const
let service: KernelService
let operator: FixtureOperator

beforeAll(async () => {
  service = await startService()
  const task = interfaceOf('Outputs', 'outputs', ['mode', 'atomic'], [...dtypes])
  operator = await FixtureOperator.build(service, task)
}, buildLimitMs)
afterAll(async () => await service?.close())

const filled = (dtype: (typeof dtypes)[number], value: number): Tensor => ({
  dtype,
  shape: [2, 8],
  data: dtype === 'float32' ? new Float32Array(16).fill(value) : new Int32Array(16).fill(value),
})

async function run(attrs: { mode: number; atomic: number }, combination = 0) {
  const x = filled(dtypes[combination] ?? 'float32', 3)
  return await operator.run({ x, y: { dtype: x.dtype, shape: [2, 8] }, attrs, combination })
}

const findingsOf = async (mode: number): Promise<string[]> => {
  const { result } = await run({ mode, atomic: 1 })
  expect(result.ok).toBe(true)
  const ofInference = result.reports.filter(({ instruction }) => instruction === 'inference')
  return ofInference.map(({ code, severity, message }) => `${severity} ${code}: ${message}`)
}

const fillsOnlyZeros =
  'warning: output y has an InitValue that is not 0: toolkits up to CANN 8.5 only clear outputs where an operator is called by itself'

describe('an output with an initial value', () => {
  test.each([
    [0, 1.5],
    [1, 7],
  ])('holds that of column %i before the kernel starts', async (combination, value) => {
    const { result, y } = await run({ mode: 0, atomic: 1 }, combination)
    expect(result.ok).toBe(true)
    expect(result.reports.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([fillsOnlyZeros])
    expect([...y.data]).toEqual([...Array(8).fill(3), ...Array(8).fill(value)])
  })

  test('takes the time of a launch that fills it', async () => {
    const [asked, unasked] = [await run({ mode: 0, atomic: 1 }), await run({ mode: 0, atomic: 0 })]
    if (!asked.result.ok || !unasked.result.ok) throw new Error('the launch failed')
    expect(asked.result.latencyNs - unasked.result.latencyNs).toBeGreaterThan(1500)
  })

  test('is poisoned like any other, with a warning, when the tiling function does not ask for it', async () => {
    const { result, y } = await run({ mode: 0, atomic: 0 })
    expect(result.reports.map(({ message }) => message)).toEqual([
      'output y has an InitValue, which does nothing: the tiling function of Outputs does not call SetNeedAtomic(true)',
    ])
    expect(y.data[8]).not.toBe(1.5)
  })
})

describe('inference', () => {
  test('that agrees with the case, or leaves an extent open, is not mentioned', async () => {
    expect(await findingsOf(0)).toEqual([])
    expect(await findingsOf(2)).toEqual([])
  })

  test.each([
    [1, 'the shape inference function of Outputs says output y is [2, 8, 2], in this case it is [2, 8]'],
    [3, 'the shape inference function of Outputs returned GRAPH_FAILED'],
    [4, expect.stringMatching(/^warning HostWarning: the inference of Outputs crashed: SIGSEGV/)],
    [5, 'the type inference function of Outputs says output y is int8, in this case it is float32'],
  ])('that does otherwise (mode %i) is a warning and changes no verdict', async (mode, finding) => {
    expect(await findingsOf(mode)).toEqual([typeof finding === 'string' ? `warning HostWarning: ${finding}` : finding])
  })
})

test('a kernel tells the shape of its output, and reads constants in global memory', async () => {
  const told = await FixtureOperator.build(service, interfaceOf('ToldShape', 'told_shape', ['extent'], ['int32']))
  const x: Tensor = { dtype: 'int32', shape: [8], data: new Int32Array(8).fill(5) }
  const { result, y } = await told.run({ x, y: { dtype: 'int32', shape: [16] }, attrs: { extent: 1 } })
  expect(result).toMatchObject({ ok: true, reports: [] })
  expect([...y.data]).toEqual([0, 1, 4, 9, 16, 25, 36, 49, 1, 5, 0, 0, 0, 0, 0, 0])
})
