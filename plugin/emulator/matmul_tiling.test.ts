import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, Launcher } from '../../fixtures/launcher.ts'
import { tileReply, type TileRequest } from '../runner/protocol.ts'

let launcher: Launcher
beforeAll(async () => {
  launcher = await Launcher.start()
}, buildLimitMs)
afterAll(async () => await launcher?.stop())

const types = {
  float: { code: 0, bits: 32 },
  half: { code: 1, bits: 16 },
  bfloat16: { code: 27, bits: 16 },
  int8: { code: 2, bits: 8 },
  int4: { code: 29, bits: 4 },
}
const [gm, tscm] = [0, 13]
const [l0, l0c, l1] = [65536, 131072, 524288 - 256]

const single = {
  type: 'half' as keyof typeof types,
  positionA: gm,
  positionB: gm,
  transposedA: false,
  transposedB: false,
  hasBias: false,
  scalesColumns: false,
  m: 1024,
  n: 1024,
  k: 1024,
  base: [-1, -1, -1],
  traverse: 0,
  l1Bytes: -1,
  schedule: 0,
  isSparse: false,
}
const [pairs, threes] = [1, 2]
const several = { ...single, cores: 24, splitsK: false, core: [-1, -1, -1], unit: [-1, -1], mostM: -1, leastN: -1 }
type Single = typeof single
type Several = typeof several

const wordsOfSingle = (p: Single): number[] => [
  p.positionA,
  p.positionB,
  types[p.type].code,
  ...[p.transposedA, p.transposedB, p.hasBias, p.scalesColumns].map(Number),
  p.m,
  p.n,
  p.k,
  ...p.base,
  p.traverse,
  p.l1Bytes,
  p.schedule,
  Number(p.isSparse),
]

const fieldNames = (
  'usedCoreNum M N Ka Kb singleCoreM singleCoreN singleCoreK baseM baseN baseK depthA1 depthB1 stepM stepN isBias ' +
  'transLength iterateOrder shareMode shareL1Size shareL0CSize shareUbSize batchM batchN singleBatchM singleBatchN ' +
  'stepKa stepKb depthAL1CacheUB depthBL1CacheUB dbL0A dbL0B dbL0C'
).split(' ')

async function tilingOf(problem: Single | Several) {
  const cores =
    'cores' in problem
      ? [problem.cores, Number(problem.splitsK), ...problem.core, ...problem.unit, problem.mostM, problem.leastN]
      : []
  const tensor = { dtype: 'float32', shape: [1] }
  const request: TileRequest = {
    op: 'tile',
    host: await launcher.library('host/matmul_tiling'),
    operator: 'Product',
    soc: 'Ascend910B2',
    inputs: [tensor],
    outputs: [tensor],
    attrs: [
      { name: 'problem', type: 'listInt', value: [cores.length > 0 ? 1 : 0, ...wordsOfSingle(problem), ...cores] },
    ],
    timeoutMs: 4000,
  }
  const reply = await launcher.runner.request(request, tileReply)
  if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
  const bytes = Buffer.from(reply.result.tiling, 'base64')
  const words = Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readInt32LE(i * 4))
  const told = words.slice(100, 112)
  const fields: Record<string, number> = Object.fromEntries(fieldNames.map((name, i) => [name, words[i] ?? Number.NaN]))
  return { of: (name: string) => fields[name] ?? Number.NaN, words, told, status: told[0], log: reply.log }
}

const up = (value: number, unit: number): number => Math.ceil(value / unit) * unit

/** What every tiling keeps to, whatever the problem: the memories hold it, and it covers the share of a core. */
function expectLegal(p: Single, { of, told, words }: Awaited<ReturnType<typeof tilingOf>>): void {
  const { bits } = types[p.type]
  const wide = Math.max(16, 256 / bits)
  const [m, n, k] = [of('baseM'), of('baseN'), of('baseK')]
  const rows = up(m, p.transposedA ? wide : 16)
  const columns = up(n, p.transposedB ? 16 : wide)
  expect([m % 16, n % 16, k % (!p.transposedA && p.transposedB ? 256 / bits : wide)]).toEqual([0, 0, 0])
  expect((rows * k * bits * of('dbL0A')) / 8).toBeLessThanOrEqual(l0)
  expect((columns * k * bits * of('dbL0B')) / 8).toBeLessThanOrEqual(l0)
  expect(m * n * 4 * of('dbL0C')).toBeLessThanOrEqual(l0c)
  if (p.hasBias) expect(n).toBeLessThanOrEqual(256)
  const inA = p.positionA === tscm ? 0 : (rows * k * bits * of('depthA1')) / 8
  const inB = p.positionB === tscm ? 0 : (columns * k * bits * of('depthB1')) / 8
  const besides = n * (p.hasBias ? 4 : 0) + n * (p.scalesColumns ? 8 : 0)
  expect(inA + inB + besides).toBeLessThanOrEqual(p.l1Bytes === -1 ? l1 : p.l1Bytes)
  const [stepsA, stepsB] = [of('stepM') * of('stepKa'), of('stepN') * of('stepKb')]
  expect([stepsA, 2 * stepsA]).toContain(of('depthA1'))
  expect([stepsB, 2 * stepsB]).toContain(of('depthB1'))
  const along = (share: string, base: number): number => Math.ceil(of(share) / base)
  const alongK = along('singleCoreK', k)
  for (const [name, most] of [
    ['stepM', along('singleCoreM', m)],
    ['stepN', along('singleCoreN', n)],
    ['stepKa', alongK],
    ['stepKb', alongK],
  ] as const) {
    expect(of(name)).toBeGreaterThanOrEqual(1)
    expect(of(name)).toBeLessThanOrEqual(most)
  }
  // the rules of MDL: several blocks of a matrix are kept where its K is whole, and the moves of K are multiples
  if (of('stepKa') < alongK) expect(of('stepM')).toBe(1)
  if (of('stepKb') < alongK) expect(of('stepN')).toBe(1)
  const [timesA, timesB] = [Math.ceil(alongK / of('stepKa')), Math.ceil(alongK / of('stepKb'))]
  expect(Math.max(timesA, timesB) % Math.min(timesA, timesB)).toBe(0)
  if (p.traverse !== 0) expect(of('iterateOrder')).toBe(p.traverse - 1)
  expect([of('M'), of('N'), of('Ka'), of('Kb'), of('isBias')]).toEqual([p.m, p.n, p.k, p.k, Number(p.hasBias)])
  expect(told.slice(1, 4)).toEqual([m, n, k])
  expect(words.slice(0, 50)).toEqual(words.slice(50, 100))
}

const extent = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 20_000 }))
const singles: fc.Arbitrary<Single> = fc.record({
  type: fc.constantFrom('float', 'half', 'bfloat16', 'int8', 'int4'),
  positionA: fc.constantFrom(gm, gm, 10, tscm),
  positionB: fc.constantFrom(gm, gm, tscm),
  transposedA: fc.boolean(),
  transposedB: fc.boolean(),
  hasBias: fc.boolean(),
  scalesColumns: fc.boolean(),
  m: extent,
  n: extent,
  k: extent,
  base: fc.constant([-1, -1, -1]),
  traverse: fc.constantFrom(0, 1, 2),
  l1Bytes: fc.constantFrom(-1, -1, 200_000),
  schedule: fc.constant(0),
  isSparse: fc.constant(false),
})
const runs = { numRuns: 300, seed: 7 }

describe('the tiling of a matrix product', { timeout: 120_000 }, () => {
  test('on one core covers the shape and fits every memory', async () => {
    const property = fc.asyncProperty(singles, async (problem) => {
      const made = await tilingOf(problem)
      expect(made.log).toBe('')
      expectLegal(problem, made)
      const { of } = made
      expect([of('usedCoreNum'), of('singleCoreM'), of('singleCoreN'), of('singleCoreK')]).toEqual([
        1,
        problem.m,
        problem.n,
        problem.k,
      ])
    })
    await fc.assert(property, runs)
  })

  test('over cores gives each a share, all of them the shape, and uses no more than there are', async () => {
    const problems = fc
      .tuple(singles, fc.integer({ min: 1, max: 48 }), fc.boolean(), fc.constantFrom(-1, 64, 100))
      .map(([one, cores, splitsK, unit]): Several => ({ ...several, ...one, cores, splitsK, unit: [unit, unit] }))
    const property = fc.asyncProperty(problems, async (problem) => {
      const made = await tilingOf(problem)
      expectLegal(problem, made)
      const { of, told } = made
      const parts = (whole: number, share: string): number => Math.ceil(whole / of(share))
      const counts = [parts(problem.m, 'singleCoreM'), parts(problem.n, 'singleCoreN'), parts(problem.k, 'singleCoreK')]
      expect(of('usedCoreNum')).toBe(counts.reduce((a, b) => a * b))
      expect(of('usedCoreNum')).toBeLessThanOrEqual(problem.cores)
      if (!problem.splitsK) expect(of('singleCoreK')).toBe(problem.k)
      if (of('singleCoreM') < problem.m && problem.unit[0] !== -1)
        expect(of('singleCoreM') % (problem.unit[0] ?? 1)).toBe(0)
      expect(told.slice(6)).toEqual([
        of('usedCoreNum'),
        counts[0],
        counts[1],
        of('singleCoreM'),
        of('singleCoreN'),
        of('singleCoreK'),
      ])
    })
    await fc.assert(property, runs)
  })

  test('keeps the block that was fixed', async () => {
    const sides = fc.constantFrom(16, 32, 48, 64, 96, 128, 160, 256)
    const problems = fc
      .tuple(singles, sides, sides, fc.constantFrom(-1, 64, 128))
      .filter(([, m, n]) => m * n * 4 <= l0c)
      .map(([one, m, n, k]): Single => ({ ...one, m: one.m + 256, n: one.n + 256, k: one.k + 64, base: [m, n, k] }))
    const property = fc.asyncProperty(problems, async (problem) => {
      const made = await tilingOf(problem)
      const [m = 0, n = 0, k = 0] = problem.base
      const deepest = (Math.max(up(m, 64), up(n, 64)) * Math.max(k, 64) * types[problem.type].bits) / 8
      if (made.status === -1 && deepest > l0) return
      expectLegal(problem, made)
      expect([made.of('baseM'), made.of('baseN')]).toEqual([m, n])
      if (k !== -1) expect(made.of('baseK')).toBe(k)
    })
    await fc.assert(property, runs)
  })

  test('occupies the cores and the cube when the product is large', async () => {
    const { of } = await tilingOf({ ...several, m: 4096, n: 4096, k: 4096 })
    expect(of('usedCoreNum')).toBeGreaterThanOrEqual(22)
    expect(of('baseM') * of('baseN')).toBeGreaterThanOrEqual(128 * 128)
    expect([of('dbL0A'), of('dbL0B')]).toEqual([2, 2])
    expect(of('depthA1')).toBe(2 * of('stepM') * of('stepKa'))
    expect(of('stepKa') * of('baseK')).toBeGreaterThanOrEqual(128)
  })

  test('takes the share of a core as it is given, and then all cores that there are', async () => {
    const { of } = await tilingOf({ ...several, core: [128, 256, -1] })
    expect([of('singleCoreM'), of('singleCoreN'), of('singleCoreK'), of('usedCoreNum')]).toEqual([128, 256, 1024, 24])
  })

  test('splits rows over cores where columns would do as well', async () => {
    const { of } = await tilingOf({ ...several, m: 512, n: 512, k: 128, cores: 2 })
    expect([of('singleCoreM'), of('singleCoreN')]).toEqual([256, 512])
  })

  test('splits into equal parts where that costs little', async () => {
    const { of } = await tilingOf({ ...several, m: 256, n: 512, k: 192 })
    expect([256 % of('singleCoreM'), 512 % of('singleCoreN')]).toEqual([0, 0])
  })

  test('leaves a matrix whole that is put into L1', async () => {
    const square = { ...several, m: 256, n: 256, k: 64, cores: 4 }
    expect((await tilingOf({ ...square, positionA: tscm })).of('singleCoreM')).toBe(256)
    expect((await tilingOf({ ...square, positionB: tscm })).of('singleCoreN')).toBe(256)
  })

  test('puts two blocks beside each other that are computed at once', async () => {
    for (const traverse of [1, 2]) {
      const made = await tilingOf({ ...single, schedule: pairs, traverse, base: [64, 64, 64] })
      const { of } = made
      expect(of('baseM') * of('baseN') * 4 * 2).toBeLessThanOrEqual(l0c)
      expect([of('stepM'), of('stepN')][traverse === 1 ? 1 : 0]).toBeGreaterThanOrEqual(2)
    }
  })

  test('keeps three by three blocks of A', async () => {
    const { of } = await tilingOf({ ...single, schedule: threes, m: 256, n: 512, k: 192, hasBias: true })
    const [stepM, stepKa] = [of('stepM'), of('stepKa')]
    expect(Math.max(stepM, stepKa)).toBeLessThanOrEqual(3)
    expect([stepM, stepKa, of('stepKb')]).toEqual([
      Math.ceil(256 / of('baseM')),
      Math.ceil(192 / of('baseK')),
      Math.ceil(192 / of('baseK')),
    ])
    expect(of('depthA1')).toBe(stepM * stepKa)
  })

  test('takes whole fractals of a sparse matrix', async () => {
    const problem: Single = { ...single, type: 'int8', transposedB: true, isSparse: true, m: 128, n: 7680, k: 640 }
    const { of } = await tilingOf(problem)
    expect(of('baseK') % 64).toBe(0)
  })

  test('has room in L1 for the bias', async () => {
    const { status } = await tilingOf({ ...single, base: [16, 256, 64], l1Bytes: 35_000 })
    expect(status).toBe(0)
  })

  test('keeps the share of a core in its range', async () => {
    const { of } = await tilingOf({ ...several, mostM: 100, leastN: 512 })
    expect(of('singleCoreM')).toBeLessThanOrEqual(100)
    expect(of('singleCoreN')).toBeGreaterThanOrEqual(512)
  })

  test.for<[string, Partial<Several>]>([
    ['M, N and K have to be set and larger than 0', { k: 0 }],
    ['M, N and K have to be set and larger than 0', { m: -1 }],
    ['baseM * baseN is larger than L0C', { base: [256, 256, -1] }],
    ['baseM * baseK is larger than L0A', { base: [256, 16, 256] }],
    ['baseN * baseK is larger than L0B', { base: [16, 256, 256] }],
    ['baseM is too large for L0A', { base: [4096, 16, -1], m: 8192 }],
    ['the bias of baseN columns is larger than the bias table', { base: [16, 272, -1], hasBias: true }],
    ['baseM is larger than the M of a core', { base: [64, -1, -1], core: [32, -1, -1] }],
    ['baseN is larger than the N of a core', { base: [-1, 64, -1], core: [-1, 32, -1] }],
    ['SetFixSplit takes multiples of 16 for baseM and baseN', { base: [24, -1, -1] }],
    ['SetFixSplit takes multiples of 32 bytes for baseK', { base: [-1, -1, 8] }],
    ['SetBufferSpace takes -1, or at most what the memory has', { l1Bytes: 1_000_000 }],
    ['no block fits L0A, L0B, L0C and L1', { l1Bytes: 512 }],
    // room for the two blocks alone
    ['no block fits L0A, L0B, L0C and L1', { base: [16, 256, 64], l1Bytes: 35_000, hasBias: true }],
    ['a sparse B is int8, and transposed', { isSparse: true, type: 'int8' }],
    ['a sparse B is int8, and transposed', { isSparse: true, transposedB: true }],
    ['N_BUFFER_33 takes A and B from global memory', { schedule: threes, positionA: tscm }],
    ['no block fits L0A, L0B, L0C and L1', { schedule: threes, m: 4096, n: 4096, k: 4096, cores: 1 }],
    ['no split over the cores keeps to SetSingleRange and SetFixSplit', { mostM: 100, base: [112, -1, -1] }],
  ])('says why there is none: %s', async ([reason, change]) => {
    const { log } = await tilingOf({ ...several, ...change })
    expect(log).toContain(`error [MatmulApi Tiling] ${reason}\n`)
  })

  test('is none, and nothing is written, for a product without elements', async () => {
    const { status, words } = await tilingOf({ ...single, n: 0 })
    expect(status).toBe(-1)
    expect(words.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => 0))
  })
})
