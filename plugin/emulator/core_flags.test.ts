import { expect, test } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'

const operator = useOperator(interfaceOf('CoreFlags', 'core_flags', ['kind', 'blocks'], ['int32']))

const [blocks, share] = [4, 128]
const [softBarriers, live, apart, inOrder, arrivals, ofTheScalarUnit, words] = [0, 10, 14, 20, 30, 40, 50]

async function run(kind: number, coreOrder?: string, blocksOf = blocks, lateCopies = false) {
  const data = Int32Array.from({ length: blocksOf * share }, (_, i) => 1000 + i)
  const x = { dtype: 'int32' as const, shape: [data.length], data }
  const { result, y } = await operator.run({
    x,
    y: { dtype: 'int32', shape: [data.length] },
    attrs: { kind, blocks: blocksOf },
    ...(coreOrder === undefined ? {} : { coreOrder }),
    lateCopies,
  })
  return { result, x: data, y: new Int32Array(y.data.buffer, y.data.byteOffset, data.length) }
}

const orders = [undefined, 'reverse', '5']
const inOrders = (kinds: readonly number[]) => kinds.flatMap((kind) => orders.map((order) => [kind, order] as const))

test.each(inOrders([softBarriers, softBarriers + 1]))(
  'soft barriers hold while other cores clear all flags, in one place or two: %i %s',
  async (kind, order) => {
    const { result, x, y } = await run(kind, order)
    expect(result).toMatchObject({ ok: true, reports: [] })
    expect([...y]).toEqual([...x.subarray(share), ...x.subarray(0, share)])
  },
)

test.each(inOrders([softBarriers + 2]))(
  'a soft barrier adds up what nobody has cleared: %i %s',
  async (kind, order) => {
    const { result } = await run(kind, order)
    expect(result).toMatchObject({ ok: false, verdict: { report: { code: 'ErrorSync4', instruction: 'SyncAll' } } })
    expect(result.reports.at(-1)?.message).toMatch(/the flag of AIV \d in gmWorkspace is -?\d+ before barrier 1/)
  },
)

test('flags of a soft barrier that one core clears race with what the others look at', async () => {
  const { result } = await run(softBarriers + 3)
  expect(result.reports).toMatchObject([{ code: 'GmRace', instruction: 'SyncAll' }])
})

test('so does what is stored over a flag behind the barrier', async () => {
  const { result } = await run(softBarriers + 4)
  expect(result.reports[0]).toMatchObject({ code: 'GmRace', other: { instruction: 'DataCopy' } })
})

test('no core passes a soft barrier alone', async () => {
  const { result } = await run(softBarriers + 5)
  expect(result).toMatchObject({ ok: false, verdict: { report: { code: 'ErrorSync4', instruction: 'SyncAll' } } })
})

test.each(inOrders([softBarriers + 6]))('some cores have a soft barrier: %i %s', async (kind, order) => {
  const { result, x, y } = await run(kind, order)
  expect(result).toMatchObject({ ok: true, reports: [] })
  expect([...y]).toEqual([...x.subarray(share, 3 * share), ...x.subarray(0, share), ...x.subarray(3 * share)])
})

test.each(inOrders([softBarriers + 7, softBarriers + 8]))(
  'no core comes to a soft barrier that does not wait for it: %i %s',
  async (kind, order) => {
    const { result } = await run(kind, order)
    expect(result).toMatchObject({ ok: false, verdict: { report: { code: 'ErrorSync4', instruction: 'SyncAll' } } })
    expect(result.reports.at(-1)?.message).toMatch(
      kind === softBarriers + 7
        ? 'AIV 3 comes to a barrier of the first 3 cores'
        : /waits for \d cores, and others wait for \d/,
    )
  },
)

test.each([
  ['SyncAll', 0],
  ['IBSet and IBWait', 1],
  ['InitDetermineComputeWorkspace', 2],
  ['WaitPreBlock and NotifyNextBlock', 3],
])('%s work in the local memory that they are given', async (_, kind) => {
  const lost = await run(live + kind)
  expect(lost.result.ok).toBe(true)
  expect([...lost.y]).not.toEqual([...lost.x])
  const kept = await run(apart + kind)
  expect(kept.result).toMatchObject({ ok: true, reports: [] })
})

test.each(orders)('blocks have their turns in each round: %s', async (order) => {
  const { result, y } = await run(inOrder, order)
  expect(result).toMatchObject({ ok: true, reports: [] })
  expect(y[0]).toBe(1_230_123)
})

test.each([
  ['nobody has initialised the flags', 1],
  ['they are initialised behind the first turn', 2],
  ['something else is stored over them', 3],
  ['they wait for other flags', 4],
  ['one block notifies for all', 5],
  ['one block notifies more often', 6],
])('blocks wait for ever where %s', async (_, kind) => {
  const { result } = await run(inOrder + kind)
  expect(result).toMatchObject({ ok: false, verdict: { report: { code: 'Deadlock', instruction: 'WaitPreBlock' } } })
})

test('the number of a round is read from local memory', async () => {
  const { result } = await run(inOrder + 1)
  expect(result.reports[0]).toMatchObject({ code: 'ErrorRead2', instruction: 'WaitPreBlock' })
})

test.each(orders)('a core waits for all that arrive at a group barrier, twice: %s', async (order) => {
  const { result, x, y } = await run(arrivals, order)
  expect(result).toMatchObject({ ok: true, reports: [] })
  expect([...y]).toEqual([...x.subarray((blocks - 1) * share), ...x.subarray(share)])
})

test.each([
  ['more cores come than it waits for', 1, 'arrives twice in round 1'],
  ['one core arrives for others', 2, 'arrives twice in round 1'],
  ['one core waits for fewer', 3, 'cores that arrive and 1 that wait, and elsewhere of'],
  ['something else is in its counters', 4, 'the counter lets the core pass when 1 of 4 cores have arrived in round 1'],
  ['only the counters of those that arrive are zero', 5, 'cores have gone on by the counter, which is to be 1'],
])('a group barrier does not hold where %s', async (_, kind, message) => {
  const { result } = await run(arrivals + kind)
  expect(result).toMatchObject({ ok: false, verdict: { report: { code: 'ErrorSync4' } } })
  expect(result.reports.at(-1)?.message).toContain(message)
})

test.each([
  ['SyncAll', 0],
  ['IBSet', 1],
  ['WaitPreBlock', 2],
  ['GroupBarrier::Arrive', 3],
])('%s sees no flags that only a data cache has', async (instruction, kind) => {
  const { result } = await run(ofTheScalarUnit + kind)
  expect(result.reports[0]).toMatchObject({ code: 'ErrorSync2', severity: 'error', instruction })
  const cleaned = await run(ofTheScalarUnit + 4 + kind)
  expect(cleaned.result.reports.filter((report) => report.code === 'ErrorSync2')).toEqual([])
})

test('a group barrier has a counter for each core of the larger side', async () => {
  const { y } = await run(ofTheScalarUnit + 7)
  expect(y[0]).toBe(blocks * 512)
})

test('blocks take turns where all of them run at a time', async () => {
  const { result } = await run(inOrder, undefined, 49)
  const instruction = 'InitDetermineComputeWorkspace'
  expect(result).toMatchObject({ ok: false, verdict: { report: { code: 'Deadlock', instruction } } })
  expect(result.reports.at(-1)?.message).toBe('cores wait for others, and of 49 blocks 48 run at a time')
})

/** What the first word of each block is. */
async function foundBy(kind: number, coreOrder?: string, blocksOf = blocks) {
  const { result, y } = await run(words + kind, coreOrder, blocksOf)
  if (!result.ok) throw new Error(JSON.stringify(result.verdict))
  return { meets: result.meets, found: Array.from({ length: blocksOf }, (_, block) => y[block * share]) }
}
const seeds = ['1', '2', '3', '4']
const inShuffledOrders = (kind: number, blocksOf = blocks) =>
  Promise.all(seeds.map(async (seed) => (await foundBy(kind, seed, blocksOf)).found))

test('blocks past the cores begin where any one has ended: not behind all before them', async () => {
  const waves = 96
  const { found, meets } = await foundBy(0, undefined, waves)
  expect([meets, found]).toEqual([true, Array.from({ length: waves }, (_, block) => (block < 48 ? 0 : 1))])
  const reverse = await foundBy(0, 'reverse', waves)
  expect(reverse.found.slice(48).filter((word) => word === 1)).toHaveLength(1)
  for (const shuffled of await inShuffledOrders(0, waves)) expect(new Set(shuffled.slice(48))).toEqual(new Set([0, 1]))
})

test('cores that find one of two neighbours from either end find none or both in a shuffled order', async () => {
  expect((await foundBy(1)).found).toEqual([0, 1, 1, 1])
  expect((await foundBy(1, 'reverse')).found).toEqual([1, 1, 1, 0])
  const sums = (await inShuffledOrders(1, 8)).map((found) => found.slice(1, -1))
  for (const found of sums) expect(found).not.toEqual(Array(6).fill(1))
  expect(new Set(sums.flat())).toEqual(new Set([0, 1, 2]))
})

test('the same seed is the same order', async () => {
  expect((await foundBy(1, '7', 8)).found).toEqual((await foundBy(1, '7', 8)).found)
})

test('a core that looks at a flag of the library meets who sets it', async () => {
  expect((await foundBy(5)).meets).toBe(true)
})

test('cores that look at nothing that others store have not met', async () => {
  expect((await foundBy(2)).meets).toBe(false)
  expect((await foundBy(3)).meets).toBe(false)
})

test.each(['reverse', ...seeds])(
  'a kernel that computes nothing goes on in the same order as its device: %s',
  async (order) => {
    for (const lateCopies of [false, true])
      expect((await run(words + 4, order, blocks, lateCopies)).result).toMatchObject({ ok: true, reports: [] })
  },
)

test.each([6, 7].flatMap((kind) => ['reverse', ...seeds].map((order) => [kind, order] as const)))(
  'so does one that stores words which nobody looks at: %i %s',
  async (kind, order) => {
    const { result, x, y } = await run(words + kind, order, blocks, true)
    expect(result).toMatchObject({ ok: true, reports: [] })
    expect([...y]).toEqual([...x])
  },
)

const styles = Array.from({ length: 8 }, (_, style) => style)
test.each(styles.flatMap((style) => [undefined, 'reverse', '3'].map((order) => [style, order] as const)))(
  'what one core tells by a word or a line is found by a look at either: %i %s',
  async (style, order) => {
    const { result } = await run(words + 8 + style, order, blocks, order === 'reverse')
    expect(result).toMatchObject({ ok: true, reports: [] })
  },
)

test.each([undefined, 'reverse', '3'])(
  'a look at a line that another core stores to by a copy is a race, whichever comes first: %s',
  async (order) => {
    const { result } = await run(words + 16, order)
    const reports = result.ok ? result.reports : []
    expect([...new Set(reports.map(({ code }) => code))]).toEqual(['GmRace'])
  },
)

const sizes = ['equal ones', 'the upper half of it', 'all around it']
test.each(sizes.flatMap((size, kind) => orders.map((order) => [size, kind, order] as const)))(
  'a word is found by a look at %s: %i %s',
  async (_, kind, order) => {
    const { result, x, y } = await run(words + 17 + kind, order)
    expect(result).toMatchObject({ ok: true, reports: [] })
    expect([...y]).toEqual(Array.from({ length: blocks }, () => [...x.subarray(0, share)]).flat())
  },
)

test('who waits for a word takes as long, whatever part of it is looked at', async () => {
  const times = []
  for (const kind of sizes.keys()) {
    const { result } = await run(words + 17 + kind)
    times.push(result.ok && result.latencyNs)
  }
  expect(new Set(times).size).toBe(1)
})

/** The number of each core's context. */
async function contextsIn(order?: string) {
  const { found } = await foundBy(3, order, 8)
  const least = Math.min(...found.map(Number))
  return found.map((place) => Number(place) - least)
}

test('a core has any of the contexts, in each order other ones', async () => {
  const all = await Promise.all([undefined, 'reverse', '1', '2'].map(contextsIn))
  for (const contexts of all) expect(contexts.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(new Set(all.map(String)).size).toBe(4)
  const byNumber = [0, 1, 2, 3, 4, 5, 6, 7]
  expect(all).not.toContainEqual(byNumber)
  expect(all).not.toContainEqual(byNumber.toReversed())
  expect(await contextsIn()).toEqual(all[0])
})
