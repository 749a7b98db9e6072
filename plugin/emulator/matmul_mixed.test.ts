import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { matmul, operator as build, type Problem, type Product } from '../../fixtures/matmul_object/product.ts'
import { buildLimitMs, startService, type FixtureOperator } from '../../fixtures/operator.ts'
import type { KernelService } from '../service/service.ts'

// processes take their time on a loaded machine
vi.setConfig({ testTimeout: 120_000 })

let service: KernelService
let operator: FixtureOperator
beforeAll(async () => {
  service = await startService()
  operator = await build(service, ['MatmulMixed', 'matmul_mixed'])
}, buildLimitMs)
afterAll(async () => await service?.close())

const keys = {
  all: 1,
  oneToOne: 2,
  epilogue: 3,
  ahead: 4,
  later: 5,
  fromUb: 6,
  both: 7,
  inPlace: 8,
  two: 9,
  batch: 10,
  batches: 11,
  batchesWait: 12,
  batchesToUb: 13,
  fromL1: 14,
  fromL1ByUb: 15,
  shared: 16,
  masters: 17,
  ownCopies: 18,
  parts: 19,
  sharedB: 20,
  sums: 21,
}
const faults = {
  readsAtOnce: 1,
  neverWaits: 2,
  leavesEarly: 3,
  tooSmall: 4,
  setsNothing: 5,
  endsBefore: 6,
  noWorkspace: 7,
  noSystemWorkspace: 8,
}

const sizes = { m: 128, n: 128, k: 96, singleM: 64, singleN: 64, baseM: 32, baseN: 32, baseK: 32, pairs: true }
const base = matmul({ key: keys.all, combination: 0, ...sizes })

async function wrong(product: Product, coreOrder?: string): Promise<string | undefined> {
  const { result, difference } = await product.run(operator, coreOrder)
  expect(result).toMatchObject({ ok: true, reports: [] })
  return difference()
}

const problems = fc
  .record({
    m: fc.integer({ min: 1, max: 150 }),
    n: fc.integer({ min: 1, max: 150 }),
    k: fc.integer({ min: 1, max: 200 }),
    rows: fc.integer({ min: 1, max: 3 }),
    columns: fc.integer({ min: 1, max: 3 }),
    order: fc.integer({ min: 0, max: 1 }),
    bias: fc.boolean(),
    transposeA: fc.boolean(),
    transposeB: fc.boolean(),
    combination: fc.integer({ min: 0, max: 8 }),
    oneToOne: fc.boolean(),
    seed: fc.integer({ min: 1, max: 2 ** 31 }),
  })
  .map(({ rows, columns, oneToOne, ...rest }): Product => {
    const parts = { singleM: Math.ceil(rest.m / rows), singleN: Math.ceil(rest.n / columns) }
    const scale = rest.combination >= 5 && rest.combination <= 7 ? 1 : 0
    const key = oneToOne ? keys.oneToOne : keys.all
    return base.with({ ...rest, ...parts, key, pairs: !oneToOne, scale, depth: 2, dbL0: 2 })
  })

describe('vector cores ask their cube core for products', () => {
  test('of any size and type', async () => {
    const property = fc.asyncProperty(problems, async (product) => {
      expect(await wrong(product)).toBeUndefined()
    })
    await fc.assert(property, { numRuns: 60 })
  })

  test.each([
    ['block by block, with an epilogue in UB', keys.epilogue],
    ['ahead of an epilogue', keys.ahead],
    ['where the results wait', keys.inPlace],
    ['in global memory and in UB', keys.both],
  ])('%s', async (_, key) => {
    const epilogue: Partial<Problem> = { key, relu: true }
    for (const changes of [
      {},
      { m: 100, n: 112, bias: true },
      { combination: 1 },
      { combination: 4 },
      { m: 300, singleM: 300, n: 64 },
    ])
      expect(await wrong(base.with({ ...epilogue, ...changes }))).toBeUndefined()
  })

  test('later than they ask', async () => {
    expect(await wrong(base.with({ key: keys.later }))).toBeUndefined()
  })

  test('of rows that are in UB', async () => {
    for (const combination of [0, 2, 3, 4])
      expect(await wrong(base.with({ key: keys.fromUb, combination, m: 100 }))).toBeUndefined()
  })

  test('of rows that they have put into L1', async () => {
    for (const combination of [0, 3])
      for (const changes of [{}, { m: 100, n: 100 }, { singleM: 48, order: 1, bias: true }])
        expect(await wrong(base.with({ key: keys.fromL1, combination, ...changes }))).toBeUndefined()
    for (const combination of [0, 2, 4])
      expect(await wrong(base.with({ key: keys.fromL1ByUb, combination, m: 100, baseN: 64 }))).toBeUndefined()
  })

  test.each([
    ['at once', keys.batches, 0, true],
    ['and take each when it is there', keys.batchesWait, 0, true],
    ['and wait for all', keys.batchesWait, faults.readsAtOnce, true],
    ['that come to UB', keys.batchesToUb, 0, false],
  ])('of several batches, several times, %s', async (_, key, fault, turns) => {
    const small = { key, fault, turns, m: 40, n: 48, k: 50, singleM: 40, singleN: 48, blocks: 1, batchA: 4, batchB: 4 }
    expect(await wrong(base.with(small))).toBeUndefined()
    expect(await wrong(base.with({ ...small, transposeA: true, transposeB: true, bias: true }))).toBeUndefined()
    if (turns) expect(await wrong(base.with({ ...small, n: 36, singleN: 36 }))).toBeUndefined()
  })

  test.each([
    ['together', keys.shared],
    ['as their cube core runs the same kernel', keys.masters],
  ])('for all of a group, %s', async (_, key) => {
    for (const order of [undefined, 'reverse', '7'])
      expect(await wrong(base.with({ key, blocks: 4 }), order)).toBeUndefined()
    expect(await wrong(base.with({ key, m: 100, n: 90, blocks: 4 }))).toBeUndefined()
  })

  test('that the cube core adds up for a group', async () => {
    for (const changes of [{}, { m: 100, n: 90, k: 130, order: 1, depth: 3 }, { bias: true, dbL0c: 2 }])
      expect(await wrong(base.with({ key: keys.sums, blocks: 4, ...changes }))).toBeUndefined()
    expect(await wrong(base.with({ key: keys.sums, blocks: 4, fault: faults.neverWaits }))).toBeUndefined()
  })

  test('that copy by functions of the kernel', async () => {
    for (const changes of [{}, { m: 100, k: 70 }, { combination: 4, baseN: 64 }])
      expect(await wrong(base.with({ key: keys.ownCopies, ...changes }))).toBeUndefined()
  })

  test('that come in parts along K', async () => {
    for (const changes of [{}, { m: 100, k: 70, order: 1 }])
      expect(await wrong(base.with({ key: keys.parts, depth: 2, ...changes }))).toBeUndefined()
  })

  test('or for nothing, where they share a matrix', async () => {
    expect(await wrong(base.with({ key: keys.sharedB, m: 150, singleM: 50, n: 64 }))).toBeUndefined()
  })

  test('by two objects, whatever core comes first', async () => {
    for (const order of [undefined, 'reverse', '7', '8'])
      expect(await wrong(base.with({ key: keys.two }), order)).toBeUndefined()
  })

  test('and go on with other work meanwhile', async () => {
    const { result } = await base.with({ key: keys.epilogue }).run(operator)
    const { result: ahead } = await base.with({ key: keys.ahead }).run(operator)
    if (!result.ok || !ahead.ok) throw new Error('the launch failed')
    expect(ahead.latencyNs).toBeLessThan(0.8 * result.latencyNs)
  })
})

describe('it is an error', () => {
  test.each([
    [
      'to read a result that was not waited for',
      keys.later,
      faults.readsAtOnce,
      'GmRace',
      'nothing orders the two cores',
      'nobody waits',
    ],
    [
      'to end without waiting',
      keys.later,
      faults.neverWaits,
      'ErrorSync3',
      'has never waited for 1 results',
      undefined,
    ],
    [
      'to leave before the objects are registered',
      keys.all,
      faults.leavesEarly,
      'Deadlock',
      'REGIST_MATMUL_OBJ',
      undefined,
    ],
    [
      'to give too little UB',
      keys.epilogue,
      faults.tooSmall,
      'BufferSize',
      'the tensor in UB has 4096',
      'the block comes to UB',
    ],
    [
      'to set no matrix for the next product',
      keys.all,
      faults.setsNothing,
      'ParameterRange',
      'no matrix was set',
      'nothing was set',
    ],
    ['to ask when nobody answers', keys.all, faults.endsBefore, 'ErrorBuffer0', 'no cube core answers', undefined],
    [
      'to leave no place in the workspace for the messages to the cube core',
      keys.all,
      faults.noSystemWorkspace,
      'BufferSize',
      'the workspace has 4096 bytes; Matmul of vector cores takes the first 16777216',
      undefined,
    ],
    [
      'to go ahead without a workspace',
      keys.ahead,
      faults.noWorkspace,
      'ParameterRange',
      'no place for its results',
      undefined,
    ],
    [
      'to go through batches without a workspace',
      keys.batches,
      faults.noWorkspace,
      'ParameterRange',
      'the results have no place',
      undefined,
    ],
  ])('%s', async (_, key, fault, code, message, mark) => {
    const { result } = await base.with({ key, fault }).run(operator)
    const found = result.reports.filter((entry) => entry.code === code)
    expect(found.map((entry) => entry.message).join(), JSON.stringify(result.reports)).toContain(message)
    const places = found.flatMap(({ file, line, other }) => [
      `${file}:${line}`,
      ...(other ? [`${other.file}:${other.line}`] : []),
    ])
    if (mark !== undefined) expect(places).toContain(operator.marked(mark)[0])
  })
})
