// stand-ins have only what is asked of them
// oxlint-disable typescript/no-unsafe-type-assertion
import { closeSync, openSync, writeSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { emptyTensor } from '../model/index.ts'
import type { KernelCase, LaunchArgs, LaunchResult, Report } from '../model/index.ts'
import type { KernelTask } from '../task/kernel-task.ts'
import { evaluateCase } from './evaluate.ts'
import { PreparedCases } from './prepared.ts'
import { casesBefore } from './tiling-state.ts'

const caseOf = (name: string, length: number, combination = 0): KernelCase => {
  const spec = { dtype: 'float32' as const, shape: [length] }
  return { task: 'T', name, combination, inputs: { x: spec }, outputs: { y: spec }, attrs: {}, seed: 1 }
}

const namesBefore = (staticCases: readonly KernelCase[], name: string): string[] =>
  casesBefore({ staticCases }, caseOf(name, 4)).map((one) => one.name)

test('the smallest static case and the largest are tiled after the other end, of other dtypes first', () => {
  const cases = [
    caseOf('static 1', 8),
    caseOf('static 2', 0),
    caseOf('static 3', 64, 1),
    caseOf('static 4', 4),
    caseOf('static 5', 128),
    caseOf('static 6', 16, 1),
  ]
  expect(namesBefore(cases, 'static 4')).toEqual(['static 3', 'static 5'])
  expect(namesBefore(cases, 'static 5')).toEqual(['static 6', 'static 4'])
  for (const other of ['static 1', 'static 2', 'static 3', 'static 6', 'generated'])
    expect(namesBefore(cases, other)).toEqual([])
})

test('a task of one case, or of one that has bytes, has none to be tiled first', () => {
  expect(namesBefore([caseOf('static 1', 8)], 'static 1')).toEqual([])
  expect(namesBefore([caseOf('static 1', 0), caseOf('static 2', 8)], 'static 2')).toEqual([])
})

const argument = { name: 'x', kind: 'tensor' as const, required: true, dtypes: ['float32' as const] }
const [small, large] = [caseOf('static 1', 4), caseOf('static 2', 8)]
const task = {
  interface: {
    name: 'T',
    kernel: 't',
    level: 1,
    category: 'C',
    inputs: [argument],
    outputs: [{ ...argument, name: 'y' }],
    attrs: [],
  },
  profiles: {
    strict: () => ({ absolute: 0, relative: 0 }),
    benchmark: () => ({ block: () => true, acceptsRounded: true }),
  },
  draw: () => ({ x: emptyTensor('float32', [4]) }),
  golden: () => ({ y: { values: new Float64Array(4), scale: new Float64Array(4) } }),
  staticCases: [small, large],
} as unknown as KernelTask

/** How the launch with the tiling of a later call goes: the first element of its output, or what it is instead of an answer. */
type Later = number | Partial<Extract<LaunchResult, { ok: false }>> | { reports: Report[] }

async function evaluated(later?: Later) {
  const launch = vi.fn((args: LaunchArgs): Promise<LaunchResult> => {
    const isLater = args.isTiledAfter === true
    const file = openSync(args.file, 'r+')
    const first = isLater && typeof later === 'number' ? later : 0
    for (const slot of args.slots.flat())
      if (slot?.access === 'out') writeSync(file, Float32Array.of(first, 0, 0, 0), 0, 16, slot.offset)
    closeSync(file)
    const facts = { latencyNs: 1e9, hostMs: 0, addsFloats: false, profile: '', pipes: {}, blockDim: 1, tilingKey: 0 }
    const tiledOtherwise = args.after && later !== undefined && !isLater && { tiledOtherwise: true as const }
    const answer = { ok: true as const, source: 'emulated' as const, ...facts, reports: [], log: '', ...tiledOtherwise }
    return Promise.resolve(isLater && typeof later === 'object' ? ({ ...answer, ...later } as LaunchResult) : answer)
  })
  const bench = { launch, prepared: new PreparedCases(), profile: 'strict' as const, spec: 'T' }
  const { verdict } = await evaluateCase({ task, artifact: 'a' }, small, bench)
  return { verdict, asked: launch.mock.calls.map(([{ after, isTiledAfter }]) => [after, isTiledAfter]) }
}

test('one tiling is launched once', async () => {
  expect(await evaluated()).toEqual({ verdict: { kind: 'correct' }, asked: [[[large], undefined]] })
})

const prefix =
  'the tiling function keeps state between calls: the tiling of static 1 differs when it is asked after static 2: '
const report = { code: 'GmRace', severity: 'error', message: 'two cores', core: '', instruction: '', count: 1 } as const

test.each<[Later, string]>([
  [7, 'its outputs are wrong then'],
  [{ reports: [report] }, 'GmRace: two cores'],
  [{ ok: false, verdict: { kind: 'device-error', report } }, 'GmRace: two cores'],
  [{ ok: false, verdict: { kind: 'tiling-failed', message: 'it crashed' } }, 'it crashed'],
  [{ ok: false, verdict: { kind: 'timeout', limitMs: 1 } }, 'timeout'],
])('another one that is wrong is a hazard: %j', async (later, why) => {
  const { verdict, asked } = await evaluated(later)
  expect(verdict).toMatchObject({ kind: 'hazard', report: { code: 'TilingState', message: prefix + why } })
  expect(asked[1]).toEqual([[large], true])
})

test('another one that is right is none', async () => {
  expect((await evaluated(0)).verdict).toEqual({ kind: 'correct' })
})

test('a failure of ours says nothing of the candidate', async () => {
  const { verdict } = await evaluated({ ok: false, verdict: { kind: 'infrastructure', message: 'no room' } })
  const message = 'running static 1 after another case failed: no room'
  expect(verdict).toEqual({ kind: 'infrastructure', message })
})
