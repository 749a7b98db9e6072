import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { matmul, operator as build, type Product } from '../../fixtures/matmul_object/product.ts'
import { buildLimitMs, startService, type FixtureOperator } from '../../fixtures/operator.ts'
import type { KernelService } from '../service/service.ts'

// processes take their time on a loaded machine
vi.setConfig({ testTimeout: 120_000 })

let service: KernelService
let operator: FixtureOperator
beforeAll(async () => {
  service = await startService()
  operator = await build(service)
}, buildLimitMs)
afterAll(async () => await service?.close())

const keys = {
  all: 1,
  bigBlocks: 2,
  oneByOne: 3,
  fractals: 4,
  halfBias: 5,
  inL0c: 6,
  added: 7,
  scalar: 8,
  fixed: 9,
  two: 10,
  shortened: 15,
  parts: 16,
  pairs: 17,
  pairsOneByOne: 18,
  pairsBig: 19,
  upper: 20,
  lower: 21,
  three: 22,
  ownCopies: 23,
  ownCopiesBig: 24,
  nibbles: 25,
  nibblesBig: 26,
  sparse: 27,
}
const types = ['f16 to f32', 'f16', 'bf16', 'f32', 'i8 to i32', 'i8 to f16', 'i8', 'f16 to i8', 'bf16 to f32']

const base = matmul({ key: keys.all, combination: 0, m: 100, n: 90, k: 130, baseM: 32, baseN: 48, baseK: 64 })

async function wrong(product: Product): Promise<string | undefined> {
  const { result, difference } = await product.run(operator)
  expect(result).toMatchObject({ ok: true, reports: [] })
  return difference()
}

const even = (value: number): number => Math.ceil(value / 2) * 2

const multiple = (unit: number, most: number) => fc.integer({ min: 1, max: most }).map((count) => count * unit)

/** Any problem, on any number of cores, in base blocks of any size. */
const products = (key: number, combination: number) =>
  fc
    .record({
      m: fc.integer({ min: 1, max: 150 }),
      n: fc.integer({ min: 1, max: 150 }),
      k: fc.integer({ min: 1, max: 200 }),
      rows: fc.integer({ min: 1, max: 3 }),
      columns: fc.integer({ min: 1, max: 3 }),
      baseM: multiple(combination >= 4 && combination <= 6 ? 32 : 16, 3),
      baseN: multiple(combination >= 4 && combination <= 6 ? 32 : 16, 3),
      baseK: multiple(32, 3),
      depth: fc.integer({ min: 1, max: 2 }),
      step: fc.integer({ min: 1, max: 2 }),
      order: fc.integer({ min: 0, max: 1 }),
      db: fc.integer({ min: 1, max: 2 }),
      bias: fc.boolean(),
      transposeA: fc.boolean(),
      transposeB: fc.boolean(),
      seed: fc.integer({ min: 1, max: 2 ** 31 }),
    })
    .map(({ rows, columns, depth, step, db, ...rest }) => {
      const big = key === keys.bigBlocks || key === keys.oneByOne
      const outer = rest.k > step * rest.baseK ? 1 : step
      return matmul({
        ...rest,
        key,
        combination,
        singleM: Math.ceil(rest.m / rows),
        singleN: Math.ceil(rest.n / columns),
        steps: big ? step : 1,
        outerSteps: big ? outer : 1,
        depth: big ? outer * step * depth : step,
        dbL0: db,
        dbL0c: db,
        scale: combination >= 5 && combination <= 7 ? 1 + (rest.seed % 2) : 0,
      })
    })

describe('a Matmul object multiplies matrices of any size', () => {
  test.each(types.map((name, i) => [name, i] as const))('%s', async (_, combination) => {
    const any = fc.constantFrom(keys.all, keys.bigBlocks, keys.oneByOne).chain((key) => products(key, combination))
    await fc.assert(
      fc.asyncProperty(any, async (product) => {
        expect(await wrong(product)).toBeUndefined()
      }),
      { numRuns: 20 },
    )
  })
})

describe('a Matmul object', () => {
  test.each([0, 3, 4, 7])('takes and gives matrices in columns of fractals: types %i', async (combination) => {
    const scale = combination === 7 ? 1 : 0
    const even = { combination, key: keys.fractals, fractals: true, scale, m: 96, n: 128, k: 160, baseM: 32, baseN: 64 }
    for (const transposeA of [false, true])
      for (const transposeB of [false, true])
        expect(await wrong(base.with({ ...even, transposeA, transposeB }))).toBeUndefined()
    expect(await wrong(base.with({ ...even, singleM: 32, singleN: 64 }))).toBeUndefined()
  })

  test('adds a bias of halves', async () => {
    expect(await wrong(base.with({ key: keys.halfBias, bias: true, halfBias: true }))).toBeUndefined()
  })

  test.each([0, 4])('leaves blocks in L0C of the kernel: types %i', async (combination) => {
    expect(await wrong(base.with({ key: keys.inL0c, combination, bias: true, baseM: 64, baseN: 64 }))).toBeUndefined()
  })

  test('adds to what is in L0C, and to what is in global memory', async () => {
    const parts = { key: keys.added, k: 128, m: 60, n: 44 }
    expect(await wrong(base.with({ ...parts, baseM: 64, baseN: 48 }))).toBeUndefined()
    expect(await wrong(base.with({ ...parts, baseM: 32, baseN: 32 }))).toBeUndefined()
  })

  test.each([0, 3])('takes one number as a matrix: types %i', async (combination) => {
    const sums = { key: keys.scalar, combination, m: 1, baseM: 16, constant: 2 }
    expect(await wrong(base.with(sums))).toBeUndefined()
    expect(await wrong(base.with({ ...sums, transposeB: true }))).toBeUndefined()
  })

  test('takes base blocks from its type', async () => {
    const { result, difference } = await base.with({ key: keys.fixed, baseM: 1, baseN: 1, baseK: 1 }).run(operator)
    expect(result).toMatchObject({ ok: true, reports: [] })
    expect(difference()).toBeUndefined()
  })

  test.each([0, 3, 4])('multiplies by the tiling of the library: types %i', async (combination) => {
    const planned = fc.record({
      m: fc.integer({ min: 1, max: 600 }),
      n: fc.integer({ min: 1, max: 600 }),
      k: fc.integer({ min: 1, max: 300 }),
      key: fc.constantFrom(keys.all, keys.bigBlocks),
      bias: fc.boolean(),
      transposeA: combination === 0 ? fc.boolean() : fc.constant(false),
      transposeB: combination === 0 ? fc.boolean() : fc.constant(true),
      blocks: fc.integer({ min: 1, max: 24 }),
    })
    await fc.assert(
      fc.asyncProperty(planned, async (problem) => {
        expect(await wrong(base.with({ ...problem, combination, baseM: 0 }))).toBeUndefined()
      }),
      { numRuns: 8 },
    )
  })

  test.each([
    ['one after the other', 11, false],
    ['whose rows take turns, B first', 12, true],
    ['whose rows take turns, S first', 13, true],
    ['of heads', 14, false],
  ])('multiplies several matrices at once, %s', async (_, key, turns) => {
    const small = { key, turns, m: 40, n: 36, k: 50, baseM: 32, baseN: 32, baseK: 32, blocks: 1 }
    for (const [batchA, batchB] of [
      [3, 3],
      [1, 4],
      [4, 1],
    ] as const)
      for (const transposeA of [false, true])
        expect(
          await wrong(base.with({ ...small, batchA, batchB, transposeA, transposeB: !transposeA })),
        ).toBeUndefined()
    expect(await wrong(base.with({ ...small, batchA: 2, batchB: 2, bias: true, combination: 3 }))).toBeUndefined()
  })

  test('shortens the mantissas of floats where it is told to', async () => {
    const hf32 = base.with({ key: keys.shortened, combination: 3, shortened: true, m: 20, n: 20, k: 16 })
    expect(await wrong(hf32)).toBeUndefined()
    const { difference } = await hf32.with({ key: keys.all }).run(operator)
    expect(difference()).toBeDefined()
  })

  test('works in turn with another one', async () => {
    expect(await wrong(base.with({ key: keys.two, depth: 2, dbL0: 2 }))).toBeUndefined()
  })

  test.each([0, 4])('gives the parts of a sum one by one: types %i', async (combination) => {
    for (const order of [0, 1])
      expect(
        await wrong(
          base.with({ key: keys.parts, combination, order, singleM: 64, baseN: 64, k: 120, steps: 2, depth: 8 }),
        ),
      ).toBeUndefined()
  })

  test.each([0, 4, 6])('computes two blocks at once: types %i', async (combination) => {
    const scale = combination === 6 ? 1 : 0
    const property = fc.asyncProperty(
      fc.constantFrom(keys.pairs, keys.pairsOneByOne, keys.pairsBig).chain((key) => products(key, combination)),
      async (product) => {
        const big = product.problem.key === keys.pairsBig
        const baseK = big ? Math.ceil(product.problem.k / 32) * 32 : product.problem.baseK
        const twos = { steps: 2, outerSteps: 2, depth: 4 }
        expect(await wrong(product.with({ scale, baseK, dbL0: big ? 1 : 2, ...twos }))).toBeUndefined()
      },
    )
    await fc.assert(property, { numRuns: 12 })
  })

  test('is done sooner where two blocks share what they have in common', async () => {
    const wide = base.with({ m: 256, n: 512, k: 64, baseM: 128, baseN: 64, steps: 2, depth: 4, dbL0: 2 })
    const times = []
    for (const changes of [{}, { key: keys.pairs }]) {
      const { result } = await wide.with(changes).run(operator)
      if (!result.ok) throw new Error(JSON.stringify(result))
      times.push(result.latencyNs)
    }
    expect(times[1]).toBeLessThan(times[0] ?? 0)
  })

  test.each([
    ['upper', keys.upper, 0],
    ['lower', keys.lower, 0],
    ['lower', keys.lower, 1],
  ] as const)('leaves out what is not in the %s triangle', async (side, key, order) => {
    for (const changes of [{}, { singleM: 64, baseM: 16 }, { baseN: 16, depth: 4, steps: 2, outerSteps: 1 }])
      expect(await wrong(base.with({ key, side, order, ...changes }))).toBeUndefined()
  })

  test('keeps three by three blocks of A', async () => {
    const three = { key: keys.three, k: 90, baseK: 32, steps: 3, depth: 9 }
    expect(await wrong(base.with(three))).toBeUndefined()
    expect(await wrong(base.with({ ...three, transposeA: true, transposeB: true, bias: true }))).toBeUndefined()
  })

  test.each([keys.ownCopies, keys.ownCopiesBig])('copies by functions of the kernel: key %i', async (key) => {
    const big = key === keys.ownCopiesBig ? { steps: 2, outerSteps: 1, depth: 4 } : {}
    for (const changes of [{}, { singleM: 64, singleN: 48 }, { m: 33, n: 17, k: 300, bias: true }])
      expect(await wrong(base.with({ key, relu: true, ...big, ...changes }))).toBeUndefined()
  })

  test.each([4, 5])('multiplies int4: types %i', async (combination) => {
    const any = fc.constantFrom(keys.nibbles, keys.nibblesBig).chain((key) => products(key, combination))
    const property = fc.asyncProperty(any, async (product) => {
      const { m, n, k, baseM, singleN = n } = product.problem
      const sizes = { m: even(m), n: even(n), k: even(k), singleN: even(singleN), baseM, baseN: 64, baseK: 64 }
      const changes = { ...sizes, transposeA: false, nibbles: true, scale: combination === 5 ? 1 : 0 }
      expect(await wrong(product.with(changes))).toBeUndefined()
    })
    await fc.assert(property, { numRuns: 20 })
  })

  test('multiplies by a matrix of which two of four elements are not zero', async () => {
    const sparse = base.with({ key: keys.sparse, combination: 4, sparse: true, baseM: 32, baseN: 32, baseK: 64 })
    for (const changes of [
      { k: 128 },
      { k: 200, bias: true },
      { k: 256, transposeA: true, steps: 2, outerSteps: 1, depth: 4 },
      { k: 68, m: 33, n: 100, singleN: 64, order: 1 },
    ])
      expect(await wrong(sparse.with(changes))).toBeUndefined()
  })

  // together alone is not enough: rows take as long, and more of them are loaded before the first is used
  test('is done sooner where several blocks are loaded together and ahead', async () => {
    const large = base.with({ m: 256, n: 256, k: 1024, baseM: 64, baseN: 64 })
    const big = { key: keys.bigBlocks, steps: 2, outerSteps: 1, depth: 2 }
    const times = []
    for (const changes of [{}, big, { ...big, depth: 4, dbL0: 2, dbL0c: 2 }]) {
      const { result } = await large.with(changes).run(operator)
      if (!result.ok) throw new Error(JSON.stringify(result))
      times.push(result.latencyNs)
    }
    expect(times[2]).toBeLessThan((times[0] ?? 0) * 0.8)
    expect(times[2]).toBeLessThan((times[1] ?? 0) * 0.95)
  })
})

describe('of the whole of a matrix, a Matmul object', () => {
  test('does not ask for the number of rows', async () => {
    expect(await wrong(base.with({ fault: 10 }))).toBeUndefined()
  })

  test('takes the length of rows for the way from one to the next, and warns where a part is longer', async () => {
    const { result } = await base.with({ fault: 11 }).run(operator)
    expect(result).toMatchObject({ ok: true, reports: [{ code: 'AssertIgnored', severity: 'warning' }] })
    expect(result.reports[0]?.message).toMatch(/of matrix A are to be computed, the whole of it is \d+ x \d+$/)
    expect(operator.marked('the product')).toEqual([`${result.reports[0]?.file}:${result.reports[0]?.line}`])
  })
})

describe('a Matmul object refuses', () => {
  test.each([
    ['work without a tiling', { fault: 1 }, 'ErrorBuffer0', 'has no tiling', 'no tiling'],
    ['work without operands', { fault: 2 }, 'ParameterRange', 'matrix A was never set', 'no operand'],
    ['more rows than there are', { fault: 3 }, 'ErrorGmWrite', 'of y, which has 36000', 'the product'],
    ['a block that was never computed', { fault: 4 }, 'QueueEmpty', 'no block', 'no block'],
    ['a second block before the first was taken', { fault: 5 }, 'QueueExhausted', 'nobody has taken', 'two blocks'],
    [
      'a bias that the tiling does not know',
      { fault: 6 },
      'ParameterRange',
      'isBias of the tiling is 0',
      'the product',
    ],
    [
      'numbers of batches that do not go together',
      { key: 11, fault: 7, batchA: 4, batchB: 4 },
      'ParameterRange',
      '3 batches of A and 4 of B',
      'the batches',
    ],
    ['blocks that do not fit L0A', { baseM: 528 }, 'BufferSize', 'baseM * baseK * dbL0A takes 67584', undefined],
    ['blocks that do not fit L0C', { baseM: 256, baseN: 256 }, 'BufferSize', 'baseM * baseN * dbL0C', undefined],
    ['more accumulators than two', { dbL0c: 3 }, 'ParameterRange', 'dbL0C of the tiling is 3', undefined],
    ['base blocks of no whole fractals', { baseM: 24 }, 'ParameterRange', 'are 24 x 48', undefined],
    ['steps along K of no whole fractals', { baseK: 24 }, 'ParameterRange', 'baseK of the tiling is 24', undefined],
    ['three buffers of L0', { dbL0: 3, baseK: 16 }, 'ParameterRange', 'dbL0A of the tiling is 3', undefined],
    [
      'a part of what comes at once',
      { key: 2, steps: 2, outerSteps: 1 },
      'ParameterRange',
      'depthA1 of the tiling is 1',
      undefined,
    ],
    [
      'three buffers of L1',
      { key: 2, steps: 2, outerSteps: 1, depth: 6 },
      'ParameterRange',
      'depthA1 of the tiling is 6',
      undefined,
    ],
    [
      'several rows of blocks with a part of K',
      { key: 2, steps: 2, depth: 4 },
      'ParameterRange',
      'stepM of the tiling is 2',
      undefined,
    ],
    ['more blocks than fit L1', { depth: 200 }, 'BufferSize', 'A and B with depthA1 and depthB1', undefined],
    [
      'all parts of sums at one place',
      { key: 16, fault: 8 },
      'ParameterRange',
      'results come one by one',
      'parts of sums',
    ],
    [
      'a sparse matrix without an index',
      { key: 27, combination: 4, k: 128, baseK: 64, baseN: 32, fault: 9 },
      'ParameterRange',
      'which elements of B are there',
      'the sparse product',
    ],
    ['pairs of blocks in steps along K', { key: 19, dbL0c: 2 }, 'ParameterRange', 'takes a K of one block', undefined],
    ['a quantised result without a scale', { combination: 7 }, 'FixpipeQuant', 'no scale was set', 'the product'],
  ])('%s', async (_, changes, code, message, mark) => {
    const { result } = await base.with(changes).run(operator)
    const report = result.reports.find((entry) => entry.code === code)
    expect(report?.message, JSON.stringify(result.reports)).toContain(message)
    if (mark !== undefined) expect(operator.marked(mark)).toEqual([`${report?.file}:${report?.line}`])
  })
})
