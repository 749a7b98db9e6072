// stand-ins have only what is asked of them
// oxlint-disable typescript/no-unsafe-type-assertion
import { closeSync, openSync, writeSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { emptyTensor } from '../model/index.ts'
import type { KernelCase, LaunchArgs, LaunchResult, Profile, Report } from '../model/index.ts'
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
  // a vendor may lose 2^-13 of the scale, that is 2
  golden: () => ({ y: { values: new Float64Array(4), scale: new Float64Array(4).fill(2 ** 14) } }),
  staticCases: [{ name: 'static 1' }],
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
  /** the first elements of the outputs: by number, in reverse order, and in a shuffled one */
  y: [number, number, number?]
  free?: [number, number]
  addsFloats?: boolean
  blockDim?: number
  latencyNs?: number
  polls?: boolean
  /** cores meet by words: by number, and in reverse order */
  meets?: [boolean, boolean, boolean?]
  /** instead of an answer to the launch in reverse order */
  again?: Partial<Extract<LaunchResult, { ok: false }>> | { reports: Report[] }
}

/** A device that leaves an element that depends on the order of cores. */
function deviceOf({
  y,
  free = [0, 0],
  addsFloats = false,
  blockDim = 2,
  latencyNs = 1000,
  polls = false,
  meets = [false, false],
  again,
}: Device) {
  return vi.fn((args: LaunchArgs): Promise<LaunchResult> => {
    const turn = args.coreOrder === undefined ? 0 : args.coreOrder === 'reverse' ? 1 : 2
    const file = openSync(args.file, 'r+')
    for (const slot of args.slots.flat())
      if (slot?.access === 'out')
        writeSync(file, Float32Array.of((slot.name === 'y' ? y : free)[turn] ?? 0, 0, 0, 0), 0, 16, slot.offset)
    closeSync(file)
    const facts = {
      latencyNs,
      hostMs: 0,
      addsFloats,
      polls,
      meets: meets[turn] ?? true,
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

async function evaluated(device: Device, profile: Profile = 'strict', name = 'c', seed = kernelCase.seed) {
  const launch = deviceOf(device)
  const bench = { launch, prepared: new PreparedCases(), profile, spec: 'T' }
  const { verdict, assessment } = await evaluateCase({ task, artifact: 'a' }, { ...kernelCase, name, seed }, bench)
  return { verdict, assessment, launches: launch.mock.calls.length, orders: launch.mock.calls.map(([args]) => args) }
}

test('outputs that follow the order of cores are a hazard', async () => {
  const { verdict } = await evaluated({ y: [0, 7] })
  expect(verdict).toMatchObject({
    kind: 'hazard',
    report: { code: 'CoreOrder', message: expect.stringContaining('y differs from byte') },
  })
})

test('the same outputs in both orders are correct, and one that the case does not judge may hold anything', async () => {
  expect(await evaluated({ y: [0, 0], free: [1, 2] })).toMatchObject({ verdict: { kind: 'correct' }, launches: 2 })
})

test('sums of floats may be rounded in the order of cores, within the tolerance', async () => {
  expect((await evaluated({ y: [0, 1], addsFloats: true })).verdict.kind).toBe('correct')
  expect((await evaluated({ y: [0, 2], addsFloats: true })).verdict.kind).toBe('hazard')
  expect((await evaluated({ y: [0, 1] })).verdict.kind).toBe('hazard')
})

test('both outputs are judged under the profile that decides', async () => {
  expect((await evaluated({ y: [0, 2], addsFloats: true }, 'standard')).verdict.kind).toBe('correct')
  expect((await evaluated({ y: [0, 3], addsFloats: true }, 'standard')).verdict.kind).toBe('hazard')
  const tolerated = { answers: { standard: 'accepted', strict: 'rejected', benchmark: 'accepted' } }
  const first = { y: [2, 2] } satisfies Device
  expect(await evaluated(first, 'standard')).toMatchObject({
    verdict: { kind: 'correct' },
    assessment: { ...tolerated, accuracy: 'within-tolerance' },
  })
  expect(await evaluated(first, 'strict')).toMatchObject({
    verdict: { kind: 'wrong-value' },
    assessment: { ...tolerated, accuracy: 'within-tolerance' },
  })
})

test('an error that only the other order shows is a hazard as it stands', async () => {
  const report: Report = { code: 'GmRace', severity: 'error', message: '', core: 'AIV 0', instruction: '', count: 1 }
  const { verdict } = await evaluated({ y: [0, 0], again: { reports: [report] } })
  expect(verdict).toEqual({ kind: 'hazard', report })
})

const late: Report = { code: 'LateCopy', severity: 'error', message: '', core: 'AIV 0', instruction: '', count: 1 }

test('a late copy is a hazard where the outputs are others, and nothing where they are the same', async () => {
  expect((await evaluated({ y: [0, 7], again: { reports: [late] } })).verdict).toEqual({ kind: 'hazard', report: late })
  expect((await evaluated({ y: [0, 0], again: { reports: [late] } })).verdict.kind).toBe('correct')
  const failed = { ok: false as const, verdict: { kind: 'timeout' as const, limitMs: 5 }, reports: [late], log: '' }
  expect((await evaluated({ y: [0, 0], again: failed })).verdict).toEqual({ kind: 'hazard', report: late })
})

test('one core: a second launch of static cases', async () => {
  expect((await evaluated({ y: [0, 0], blockDim: 1 }, 'strict', 'static 1')).launches).toBe(2)
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

test('cores that look for what others store are launched in another order, however long it takes', async () => {
  const slow = { y: [0, 7], latencyNs: 1e9, polls: true } satisfies Device
  expect(await evaluated(slow)).toMatchObject({
    verdict: { kind: 'hazard', report: { code: 'CoreOrder' } },
    launches: 2,
  })
})

test('whatever it takes, a launch in which cores meet is repeated', async () => {
  const slow = { y: [0, 7], latencyNs: 1e9, meets: [true, true] } satisfies Device
  expect((await evaluated(slow)).verdict.kind).toBe('hazard')
})

test.each<[boolean, boolean]>([
  [true, false],
  [false, true],
])('cores that meet by words are launched in a shuffled order as well: %s %s', async (...meets) => {
  const { verdict, orders } = await evaluated({ y: [0, 0, 7], polls: true, meets })
  const message = expect.stringMatching(/^with the cores in a shuffled order, .* y differs from byte/) as unknown
  expect(verdict).toMatchObject({ kind: 'hazard', report: { code: 'CoreOrder', message } })
  expect(orders.map(({ coreOrder, lateCopies }) => [coreOrder, lateCopies])).toEqual([
    [undefined, undefined],
    ['reverse', true],
    [expect.stringMatching(/^\d+$/), undefined],
  ])
  expect((await evaluated({ y: [0, 0, 0], polls: true, meets })).verdict.kind).toBe('correct')
})

test('cores that do not meet pay for no third launch, nor do those that another order has shown to be wrong', async () => {
  expect((await evaluated({ y: [0, 0, 7], polls: true })).launches).toBe(2)
  expect((await evaluated({ y: [0, 7, 7], meets: [true, true] })).launches).toBe(2)
})

test('sums of floats are shuffled in static cases, and in some of the others', async () => {
  const sums = { y: [0, 0, 7], addsFloats: true, latencyNs: 1e9, meets: [false, false] } satisfies Device
  expect(await evaluated(sums, 'strict', 'static 1')).toMatchObject({ verdict: { kind: 'hazard' }, launches: 3 })
  const generated = await Promise.all([0, 1, 2, 3].map((seed) => evaluated(sums, 'strict', 'c', seed)))
  expect(generated.map(({ launches }) => launches)).toEqual([3, 2, 2, 2])
})

test.each<[string, Device, Profile?]>([
  ['one core', { y: [0, 7], blockDim: 1 }],
  ['a long launch', { y: [0, 7], latencyNs: 1e6 }],
  ['wrong outputs', { y: [9, 7] }],
  ['the rule of the public benchmark', { y: [0, 7] }, 'benchmark'],
])('%s: no second launch', async (_, device, profile) => {
  expect((await evaluated(device, profile)).launches).toBe(1)
})
