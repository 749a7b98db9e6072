import { expect, test, vi } from 'vitest'
import { matmul, operator as matmulOperator } from '../../fixtures/matmul_object/product.ts'
import { interfaceOf, startService, useOperator } from '../../fixtures/operator.ts'
import type { CompletedLaunch, Timeline } from '../model/index.ts'

// processes take their time on a loaded machine
vi.setConfig({ testTimeout: 60_000 })

const operator = useOperator(interfaceOf('GmTouches', 'gm_touches', ['mode'], ['float32']))

interface Interval {
  begin: number
  end: number
  busy: number
  waited: number
  count: number
  instruction: string | undefined
  waitsFor: string | undefined
}

/** A launch, and what each pipe of the first core that is told has done, in nanoseconds. */
async function timed(mode: number): Promise<{ launch: CompletedLaunch; pipes: Map<string, Interval[]> }> {
  const shape = [100]
  const x = { dtype: 'float32', shape, data: new Float32Array(100) } as const
  const problem = { x, y: { dtype: 'float32' as const, shape }, attrs: { mode }, timeline: true }
  const { result } = await operator.run(problem)
  if (!result.ok || !result.timeline) throw new Error(JSON.stringify(result))
  return { launch: result, pipes: intervalsOf(result.timeline) }
}

function intervalsOf({ names, cores: [core] }: Timeline): Map<string, Interval[]> {
  return new Map(
    core?.pipes.map(({ pipe, intervals }) => [
      pipe,
      intervals.map(([begin, end, busy, waited, count, instruction, waitsFor]) => ({
        begin: begin / 1000,
        end: end / 1000,
        busy: busy / 1000,
        waited: waited / 1000,
        count,
        instruction: names[instruction] || undefined,
        waitsFor: names[waitsFor] || undefined,
      })),
    ]),
  )
}

const sum = (all: readonly Interval[], field: 'busy' | 'waited' | 'count'): number =>
  all.reduce((total, each) => total + each[field], 0)

test('a copy back waits for the copy there, and begins when that has ended', async () => {
  const { launch, pipes } = await timed(1)
  const [load] = pipes.get('MTE2')!
  expect(load).toMatchObject({ instruction: 'DataCopy', count: 1, waited: 0 })
  const [wait, store, ...more] = pipes.get('MTE3')!
  // the end of the TPipe
  expect(more).toMatchObject([{ waitsFor: 'all pipes', busy: 0 }])
  expect(wait).toMatchObject({ waitsFor: 'MTE2', busy: 0, count: 1 })
  expect(wait?.instruction).toBeUndefined()
  expect(store).toMatchObject({ instruction: 'DataCopy', begin: wait?.end, waited: 0 })
  // reading takes longer to be seen than to be sent
  expect(wait!.end).toBeGreaterThan(load!.end)
  expect(launch.timeline?.cores.map(({ core }) => core)).toEqual(['AIV 0'])
})

test('pipes are busy as long as is told without a timeline', async () => {
  for (const mode of [1, 4, 8, 10]) {
    const { launch, pipes } = await timed(mode)
    for (const [pipe, ns] of Object.entries(launch.pipes)) expect(sum(pipes.get(pipe)!, 'busy')).toBeCloseTo(ns, 0)
    const end = launch.timeline!.cores[0]!.end / 1000
    expect(end).toBeLessThan(launch.latencyNs)
    for (const all of pipes.values()) {
      let last = 0
      for (const { begin, end: ends, busy, waited } of all) {
        expect(begin).toBeGreaterThanOrEqual(last)
        expect(ends - begin).toBeGreaterThanOrEqual(busy + waited - 0.01)
        last = ends
      }
      // what nothing comes after may be waited for when the core has ended
      expect(last).toBeLessThan(end + 20)
    }
  }
})

test('what is too much is joined: nothing is lost of times and counts', async () => {
  const { pipes } = await timed(10)
  for (const [pipe, other] of [
    ['MTE2', 'MTE3'],
    ['MTE3', 'MTE2'],
  ] as const) {
    const all = pipes.get(pipe)!
    expect(all.length).toBeGreaterThan(200)
    expect(all.length).toBeLessThanOrEqual(512)
    // a copy and a wait each time, and the end of the TPipe
    expect(sum(all, 'count')).toBeGreaterThanOrEqual(6000)
    expect(sum(all, 'count')).toBeLessThanOrEqual(6001)
    const joined = all.find(({ count, waitsFor }) => count > 2 && waitsFor !== 'several')
    expect(joined).toMatchObject({ instruction: 'DataCopy', waitsFor: other })
    expect(joined?.busy).toBeGreaterThan(0)
    expect(joined?.waited).toBeGreaterThan(0)
    const waitsFor = new Set(all.filter(({ count, waited }) => count === 1 && waited > 0).map((each) => each.waitsFor))
    expect([...waitsFor].filter((each) => each !== other && each !== 'all pipes')).toEqual([])
  }
})

test('a timeline changes no latency and no output', async () => {
  const shape = [100]
  const x = { dtype: 'float32', shape, data: Float32Array.from({ length: 100 }, (_, i) => i) } as const
  const problem = { x, y: { dtype: 'float32' as const, shape }, attrs: { mode: 10 } }
  const [plain, told] = [await operator.run(problem), await operator.run({ ...problem, timeline: true })]
  if (!plain.result.ok || !told.result.ok) throw new Error('the launch failed')
  expect(told.result.latencyNs).toBe(plain.result.latencyNs)
  expect(told.y).toEqual(plain.y)
})

test('of a kernel with both kinds of cores, cores of both are told', { timeout: 300_000 }, async () => {
  const service = await startService()
  try {
    const product = matmul({
      key: 1,
      combination: 0,
      m: 64,
      n: 48,
      k: 80,
      baseM: 32,
      baseN: 32,
      baseK: 64,
      singleM: 32,
    })
    const { result } = await product.run(await matmulOperator(service, ['MatmulMixed', 'matmul_mixed']), undefined, {
      timeline: true,
    })
    if (!result.ok || !result.timeline) throw new Error(JSON.stringify(result))
    const { cores } = result.timeline
    expect(new Set(cores.map(({ core }) => core.slice(0, 3)))).toEqual(new Set(['AIC', 'AIV']))
    expect(new Set(cores.map(({ core }) => core)).size).toBe(cores.length)
    const last = Math.max(...cores.map(({ end }) => end))
    expect(cores[0]?.end).toBe(last)
    const cube = cores.find(({ core }) => core.startsWith('AIC'))!
    expect(cube.pipes.map(({ pipe }) => pipe)).toEqual(expect.arrayContaining(['M', 'MTE1', 'MTE2', 'FIX']))
    // one kind waits for the other
    const cross = result.timeline.names.indexOf('cores')
    expect(cores.some(({ pipes }) => pipes.some(({ intervals }) => intervals.some((each) => each[6] === cross)))).toBe(
      true,
    )
  } finally {
    await service.close()
  }
})
