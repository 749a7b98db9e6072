import { expect, test } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'
import { bytesView, type Report, type Tensor } from '../model/index.ts'

const operator = useOperator(interfaceOf('RawAccess', 'raw_access', ['kind', 'blocks'], ['float32']))

/** As the kernel numbers them. */
const ways = {
  'vector instructions': 0,
  'raw pointers to global memory': 1,
  'raw pointers to local memory': 2,
  'elements got and set': 3,
  'elements by reference': 4,
  'additions in place': 5,
  structs: 6,
  'copies by builtin functions': 7,
  'after a raw load of the tiling data': 9,
  'and eight scalar loads': 10,
} as const

const [clockGHz, elements] = [1.8, 2048]

async function run(kind: number, { length = elements, blocks = 1 } = {}) {
  const data = Float32Array.from({ length }, (_, i) => i % 100)
  const x = { dtype: 'float32' as const, shape: [length], data }
  return await operator.run({ x, y: { dtype: 'float32', shape: [length] }, attrs: { kind, blocks } })
}

async function latencyOf(kind: number, length: number, blocks = 1): Promise<number> {
  const { result } = await run(kind, { length, blocks })
  if (!result.ok) throw new Error(JSON.stringify(result))
  return result.latencyNs
}

/** Of one further element, in cycles. */
const cyclesOf = async (way: keyof typeof ways): Promise<number> =>
  (((await latencyOf(ways[way], 3 * elements)) - (await latencyOf(ways[way], 2 * elements))) * clockGHz) / elements

const floatsOf = (tensor: Tensor): Float32Array => {
  const bytes = bytesView(tensor)
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}

const placeOf = (report: Report | undefined): string => `${report?.file}:${report?.line}`

test.each(Object.entries(ways))('%s: right and without a finding', async (_, kind) => {
  const { result, y } = await run(kind)
  expect(result).toMatchObject({ ok: true, reports: [] })
  expect([...floatsOf(y)]).toEqual(Array.from({ length: elements }, (__, i) => 2 * (i % 100) + 1))
})

// `clock.test.ts` has the loop that was measured
test('an element that is got twice, added up and set takes less than the 34 cycles that conversions of float16 are in', async () => {
  const cycles = await cyclesOf('elements got and set')
  expect(cycles).toBeGreaterThan(20)
  expect(cycles).toBeLessThan(34)
})

test.each(['raw pointers to local memory', 'elements by reference'] as const)(
  '%s are as slow as elements got and set',
  async (way) => {
    const [raw, got] = [await cyclesOf(way), await cyclesOf('elements got and set')]
    expect(raw).toBeGreaterThan(0.9 * got)
    expect(raw).toBeLessThan(1.5 * got)
  },
)

test.each(['raw pointers to global memory', 'additions in place', 'structs', 'copies by builtin functions'] as const)(
  '%s are no way around vector instructions',
  async (way) => {
    expect(await cyclesOf(way)).toBeGreaterThan(20 * (await cyclesOf('vector instructions')))
  },
)

test.each([
  ['on the stack, with a table of constants,', 8, 9],
  ['around instructions that do nothing', 36, 3],
  ['between barriers of an idle pipe', 37, 3],
  ['between flags of an idle pipe', 38, 3],
  ['in a function that one of the headers calls', 35, 3],
])('arithmetic %s takes time', async (_, kind, cycles) => {
  const rounds = 1000
  const spent = (await latencyOf(kind, 2 * rounds)) - (await latencyOf(kind, rounds))
  // sixteen products and sums in each
  expect((spent * clockGHz) / rounds).toBeGreaterThan(16 * cycles)
})

test('work of more cycles than 32 bits count takes as long as it is', async () => {
  const comparisons = 11
  expect(await latencyOf(comparisons, elements)).toBeGreaterThan(2 ** 32 / clockGHz)
})

test('stores that each take a line of the cache are written back one by one', async () => {
  const [scattered, perLine] = [19, 16]
  const spent = (await latencyOf(scattered, 4 * elements)) - (await latencyOf(scattered, 2 * elements))
  expect((spent * clockGHz) / ((2 * elements) / perLine)).toBeGreaterThan(60)
})

test('a line that is preloaded takes its time to come, and no more', async () => {
  const [lines, missNs] = [elements / 16, 350 / clockGHz]
  const spentOn = async (kind: number): Promise<number> =>
    ((await latencyOf(kind, 2 * elements)) - (await latencyOf(kind, elements))) / lines
  const [plain, preloaded] = [await spentOn(39), await spentOn(40)]
  expect(plain).toBeGreaterThan(missNs)
  expect(preloaded).toBeGreaterThan(0.97 * plain)
  const [afterWork, aheadOfWork] = [await spentOn(41), await spentOn(42)]
  expect(afterWork - aheadOfWork).toBeGreaterThan(0.9 * missNs)
  expect(afterWork - aheadOfWork).toBeLessThan(missNs)
})

test('a scalar load waits for the copies that write the word, with a flag and without', async () => {
  const [plain, flagged] = [await latencyOf(43, elements), await latencyOf(44, elements)]
  expect(plain).toBeGreaterThan(0.99 * flagged)
})

test('a single scalar load does not slow a kernel down', async () => {
  const [plain, other] = [await latencyOf(ways['vector instructions'], elements), await latencyOf(9, elements)]
  const missNs = 350 / clockGHz
  expect(other - plain).toBeGreaterThan(0)
  expect(other - plain).toBeLessThan(1.2 * missNs)
})

test.each([
  ['store past a tensor', 20, 'ErrorGmWrite'],
  ['load past a tensor', 21, 'ErrorGmRead'],
  ['store to an input', 22, 'ErrorInputWrite'],
  ['store through a null pointer', 23, 'ErrorGmWrite'],
  ['load through a null pointer', 24, 'ErrorGmRead'],
  ['store past local memory', 28, 'ErrorBuffer3'],
  ['store from an array into an input', 29, 'ErrorInputWrite'],
  ['fill past a tensor', 30, 'ErrorGmWrite'],
  ['store to a variable of all cores', 34, 'ErrorGmWrite'],
])('%s: ends the launch, in its line', async (name, kind, code) => {
  const { result } = await run(kind)
  expect(result).toMatchObject({ ok: false, verdict: { kind: 'device-error' } })
  expect(result.reports.map((report) => report.code)).toEqual([code])
  expect(operator.marked(name)).toEqual([placeOf(result.reports[0])])
})

test('bytes of local memory that nothing has written are seen where they are loaded', async () => {
  const { result } = await run(27)
  expect(result).toMatchObject({ ok: true, reports: [{ code: 'ErrorRead2', severity: 'error' }] })
  expect(operator.marked('load of what nothing has written')).toEqual([placeOf(result.reports[0])])
})

test.each([31, 32, 33])('also by a function of the headers that is given a reference: %i', async (kind) => {
  const { result } = await run(kind)
  expect(result.ok).toBe(true)
  expect(new Set(result.reports.map(({ code }) => code))).toEqual(new Set(['ErrorRead2']))
  expect(new Set(result.reports.map(placeOf))).toEqual(new Set(operator.marked(`${kind}`)))
})

test('cores that store different values to one place race; equal ones do not', async () => {
  const [different, equal] = [25, 26]
  const { result } = await run(different, { blocks: 2 })
  expect(result).toMatchObject({ ok: true, reports: [{ code: 'GmRace', severity: 'error' }] })
  expect(operator.marked('cores store to one place')).toEqual([placeOf(result.reports[0])])
  expect((await run(equal, { blocks: 2 })).result).toMatchObject({ ok: true, reports: [] })
})

test.each([
  ['flags between single cores', 12],
  ['lines of the cache', 13],
  ['words past the cache', 14],
  ['the order of blocks', 15],
])('cores that wait for each other by %s work one after the other', async (_, kind) => {
  const [rounds, cores] = [20_000, 4]
  expect(await latencyOf(kind, rounds, cores)).toBeGreaterThan(0.95 * cores * (await latencyOf(kind, rounds)))
})

test.each([
  ['words past the cache', 16],
  ['a line of the cache', 17],
])('cores that count in %s without an order lose some', async (_, kind) => {
  const { result, y } = await run(kind, { blocks: 4 })
  expect(result).toMatchObject({ ok: true, reports: [] })
  expect(new Int32Array(floatsOf(y).buffer, floatsOf(y).byteOffset)[0]).toBe(1)
})

test('a flag that is stored and not written back is a race', async () => {
  const { result } = await run(18, { blocks: 2 })
  expect(result).toMatchObject({ ok: true, reports: [{ code: 'GmRace', severity: 'error' }] })
  expect(operator.marked('flag that nobody writes back')).toEqual([placeOf(result.reports[0])])
})

test('blocks past the cores of the device begin where one has ended, which none does that waits for them', async () => {
  const [inTurn, cores] = [13, 48]
  expect((await run(inTurn, { blocks: cores })).result.ok).toBe(true)
  const { result } = await run(inTurn, { blocks: cores + 1 })
  expect(result).toMatchObject({ ok: false, verdict: { kind: 'device-error', report: { code: 'Deadlock' } } })
  expect(result.reports.at(-1)?.message).toMatch(/SyncAll.*1 cores begin only where one of these has ended/)
})
