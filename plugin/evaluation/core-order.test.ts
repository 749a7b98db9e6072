// stand-ins have only what is asked of them
// oxlint-disable typescript/no-unsafe-type-assertion
import { closeSync, openSync, writeSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { emptyTensor, type KernelCase, type LaunchArgs, type LaunchResult, type Report } from '../model/index.ts'
import type { KernelTask } from '../task/kernel-task.ts'
import { evaluateCase } from './evaluate.ts'
import { PreparedCases } from './prepared.ts'

const spec = { dtype: 'float32' as const, shape: [4] }
const argument = { name: 'x', kind: 'tensor' as const, required: true, dtypes: ['float32' as const] }
const task = {
  interface: {
    name: 'T',
    kernel: 't',
    level: 1,
    category: 'C',
    inputs: [argument],
    outputs: [
      { ...argument, name: 'y' },
      { ...argument, name: 'free' },
    ],
    attrs: [],
  },
  profiles: {
    strict: () => ({ absolute: 1, relative: 0 }),
    benchmark: () => ({ block: () => true, acceptsRounded: true }),
    judged: () => ['y'],
  },
  draw: () => ({ x: emptyTensor('float32', [4]) }),
  golden: () => ({ y: { values: new Float64Array(4) } }),
} as unknown as KernelTask

const kernelCase: KernelCase = {
  task: 'T',
  name: 'c',
  combination: 0,
  inputs: { x: spec },
  outputs: { y: spec, free: spec },
  attrs: {},
  seed: 1,
}

interface Device {
  /** the first elements of the outputs: by number, and in reverse order */
  y: [number, number]
  free?: [number, number]
  addsFloats?: boolean
  blockDim?: number
  latencyNs?: number
  /** instead of an answer to the launch in reverse order */
  again?: Partial<Extract<LaunchResult, { ok: false }>> | { reports: Report[] }
}

/** A device that leaves an element that depends on the order of cores. */
function deviceOf({ y, free = [0, 0], addsFloats = false, blockDim = 2, latencyNs = 1000, again }: Device) {
  return vi.fn((args: LaunchArgs): Promise<LaunchResult> => {
    const turn = args.coreOrder === 'reverse' ? 1 : 0
    const file = openSync(args.file, 'r+')
    for (const slot of args.slots.flat())
      if (slot?.access === 'out')
        writeSync(file, Float32Array.of((slot.name === 'y' ? y : free)[turn], 0, 0, 0), 0, 16, slot.offset)
    closeSync(file)
    const facts = {
      latencyNs,
      hostMs: 0,
      addsFloats,
      profile: '',
      pipes: {},
      reports: [],
      blockDim,
      tilingKey: 0,
      log: '',
    }
    const answer = { ok: true as const, source: 'emulated' as const, ...facts }
    return Promise.resolve(turn === 1 && again ? ({ ...answer, ...again } as LaunchResult) : answer)
  })
}

async function evaluated(device: Device, profile: 'strict' | 'benchmark' = 'strict') {
  const launch = deviceOf(device)
  const bench = { launch, prepared: new PreparedCases(), profile, spec: 'T' }
  const { verdict } = await evaluateCase({ task, artifact: 'a' }, kernelCase, bench)
  return { verdict, launches: launch.mock.calls.length }
}

test('outputs that follow the order of cores are a hazard', async () => {
  const { verdict } = await evaluated({ y: [0, 7] })
  expect(verdict).toMatchObject({
    kind: 'hazard',
    report: { code: 'CoreOrder', message: expect.stringContaining('y differs from byte') },
  })
})

test('the same outputs in both orders are correct, and one that the case does not judge may hold anything', async () => {
  expect(await evaluated({ y: [0, 0], free: [1, 2] })).toEqual({ verdict: { kind: 'correct' }, launches: 2 })
})

test('sums of floats may be rounded in the order of cores, within the tolerance', async () => {
  expect((await evaluated({ y: [0, 1], addsFloats: true })).verdict.kind).toBe('correct')
  expect((await evaluated({ y: [0, 2], addsFloats: true })).verdict.kind).toBe('hazard')
  expect((await evaluated({ y: [0, 1] })).verdict.kind).toBe('hazard')
})

test('an error that only the other order shows is a hazard as it stands', async () => {
  const report: Report = { code: 'GmRace', severity: 'error', message: '', core: 'AIV 0', instruction: '', count: 1 }
  const { verdict } = await evaluated({ y: [0, 0], again: { reports: [report] } })
  expect(verdict).toEqual({ kind: 'hazard', report })
})

const failing = (verdict: Extract<LaunchResult, { ok: false }>['verdict']) =>
  evaluated({ y: [0, 0], again: { ok: false, verdict, reports: [], log: '' } })

test('a launch that fails in the other order is a hazard; one that we failed is ours', async () => {
  expect((await failing({ kind: 'timeout', limitMs: 5 })).verdict).toMatchObject({
    kind: 'hazard',
    report: { code: 'CoreOrder', message: expect.stringContaining('the launch fails: timeout') },
  })
  expect((await failing({ kind: 'infrastructure', message: 'gone' })).verdict.kind).toBe('infrastructure')
})

test.each<[string, Device, ('strict' | 'benchmark')?]>([
  ['one core', { y: [0, 7], blockDim: 1 }],
  ['a long launch', { y: [0, 7], latencyNs: 1e6 }],
  ['wrong outputs', { y: [9, 7] }],
  ['the rule of the public benchmark', { y: [0, 7] }, 'benchmark'],
])('%s: no second launch', async (_, device, profile) => {
  expect((await evaluated(device, profile)).launches).toBe(1)
})
