import * as fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { interfaceOf, useOperator, withoutAutoSync } from '../../fixtures/operator.ts'
import { bytesView, type CompletedLaunch } from '../model/index.ts'

// processes take their time on a loaded machine
vi.setConfig({ testTimeout: 60_000 })

const attributes = ['mode', 'blocks', 'tiles', 'bytes', 'offset', 'rows', 'flags']
const clockLaws = interfaceOf('ClockLaws', 'clock_laws', attributes, ['int8'])
const operator = useOperator(clockLaws)
const unsynchronised = useOperator(clockLaws, withoutAutoSync)

/** What a kernel does in these tests, as its source says. */
interface Work {
  mode: number
  blocks: number
  tiles: number
  bytes: number
  offset: number
  rows: number
  flags: number
}

const flag = {
  again: 1,
  together: 2,
  doubled: 4,
  barriers: 8,
  silent: 16,
  computes: 32,
  mixed: 64,
  pastL2: 128,
  adds: 256,
  hints: 512,
  inParts: 1024,
}
const usual: Work = { mode: 0, blocks: 48, tiles: 8, bytes: 8192, offset: 0, rows: 0, flags: flag.doubled }

/** Modes that work on no more than a few blocks of their tensors, however many tiles there are. */
const readsNoTiles: ReadonlySet<number> = new Set([5, 10, 12, 13, 14, 15, 16])

async function launch(
  change: Partial<Work>,
  timeline = false,
  coreOrder?: string,
  clock = true,
  of = operator,
): Promise<{ launch: CompletedLaunch; y: DataView }> {
  const work = { ...usual, ...change }
  const { tiles, bytes, rows, offset } = work
  const blocks = work.mode === 3 ? 1 : work.flags & flag.mixed ? 2 * work.blocks : work.blocks
  const pitch = rows > 0 ? rows * 8192 : bytes + (offset > 0 ? 512 : 0)
  const shape = [Math.max(readsNoTiles.has(work.mode) ? 0 : blocks * tiles * pitch + offset, 4096)]
  const x = { dtype: 'int8', shape, data: new Int8Array(shape[0]!) } as const
  const { result, y } = await of.run({
    x,
    y: { dtype: 'int8', shape },
    attrs: { ...work },
    timeline,
    clock,
    ...(coreOrder !== undefined && { coreOrder }),
  })
  if (!result.ok) throw new Error(JSON.stringify(result.verdict))
  const { buffer, byteOffset, byteLength } = bytesView(y)
  return { launch: result, y: new DataView(buffer, byteOffset, byteLength) }
}

const ns = async (change: Partial<Work>, coreOrder?: string): Promise<number> =>
  (await launch(change, false, coreOrder)).launch.latencyNs

/** The time of more tiles: what is left when the launch and the first and last steps are taken away. */
const nsOfTiles = async (change: Partial<Work>, tiles: number): Promise<number> =>
  (await ns({ ...change, tiles: 2 * tiles })) - (await ns({ ...change, tiles }))

test('blocks above the number of cores run in waves', async () => {
  const bound = { tiles: 16, bytes: 4096, flags: flag.doubled | flag.computes | flag.barriers }
  const [one, both, three] = [await ns(bound), await ns({ ...bound, blocks: 64 }), await ns({ ...bound, blocks: 144 })]
  const launchNs = 1500
  expect((both - launchNs) / (one - launchNs)).toBeGreaterThan(1.5)
  expect((three - launchNs) / (one - launchNs)).toBeGreaterThan(2.3)
})

test('more cores are never slower for the same independent work', async () => {
  for (const flags of [flag.doubled, flag.doubled | flag.computes, 0]) {
    let before = Infinity
    for (const blocks of [6, 12, 24, 48]) {
      const time = await ns({ blocks, tiles: 768 / blocks, bytes: 16_384, flags })
      expect(time).toBeLessThanOrEqual(before)
      before = time
    }
  }
})

test('rows that begin within a line take longer', async () => {
  const [aligned, sectors, anywhere] = [
    await nsOfTiles({ bytes: 16_384, offset: 0 }, 8),
    await nsOfTiles({ bytes: 16_384, offset: 128 }, 8),
    await nsOfTiles({ bytes: 16_384, offset: 32 }, 8),
  ]
  // copies back are as far from where lines begin
  expect(aligned / sectors).toBeGreaterThan(0.7)
  expect(aligned / sectors).toBeLessThan(0.85)
  expect(anywhere).toBeGreaterThan(sectors)
})

test('of a copy with several rows it counts where each of them begins', async () => {
  const rows = { mode: 17, blocks: 24, tiles: 8, bytes: 17_408, flags: flag.mixed }
  const coresNs = 3000 + 72 * 20
  const nsOfRows = async (offset: number): Promise<number> => (await ns({ ...rows, offset })) - coresNs
  // three of four take 1 / 0.7 of the time
  expect((await nsOfRows(16)) / (await nsOfRows(0))).toBeGreaterThan(1.2)
})

test('short rows take longer than the same bytes in long ones', async () => {
  const perByte = async (bytes: number, rows: number): Promise<number> =>
    (await nsOfTiles({ bytes, rows, flags: flag.doubled | flag.silent }, 2)) / (bytes * rows)
  const long = (await nsOfTiles({ bytes: 8192, flags: flag.doubled | flag.silent }, 8)) / (4 * 8192)
  const rows = [await perByte(16, 64), await perByte(64, 64), await perByte(100, 64), await perByte(512, 16)]
  for (let i = 1; i < rows.length; ++i) expect(rows[i]).toBeLessThan(rows[i - 1]!)
  expect(rows[1]! / long).toBeGreaterThan(2)
})

test('what is in L2 is read faster, and what all read at once is not', async () => {
  const reads = { bytes: 32_768, tiles: 12, flags: flag.doubled | flag.silent }
  const [fresh, again] = [
    await nsOfTiles(reads, 12),
    await nsOfTiles({ ...reads, flags: reads.flags | flag.again }, 12),
  ]
  expect(fresh / again).toBeGreaterThan(2)
  expect(fresh / again).toBeLessThan(4.5)
  const [apart, shared] = [
    await nsOfTiles({ ...reads, flags: reads.flags | flag.again }, 24),
    await nsOfTiles({ ...reads, flags: reads.flags | flag.again | flag.together }, 24),
  ]
  // as measured of all cores
  expect(shared / apart).toBeCloseTo(0.98 / 0.64, 2)
})

test('rows past L2 take whole sectors, as those through it do', async () => {
  const rows = { bytes: 32, rows: 64, tiles: 12, flags: flag.doubled | flag.silent }
  const through = await nsOfTiles(rows, 12)
  expect(await nsOfTiles({ ...rows, flags: rows.flags | flag.pastL2 }, 12)).toBeGreaterThan(0.95 * through)
})

test('more steps that follow from earlier ones never take less time', async () => {
  const times: number[] = []
  for (const chains of [1, 4, 8, 9, 12, 24]) times.push(await ns({ mode: 6, blocks: 1, tiles: 32, offset: chains }))
  expect(times).toEqual(times.toSorted((one, other) => one - other))
})

test('a setting is nothing that the scalar unit has waited for', async () => {
  const looks = { mode: 7, blocks: 1, tiles: 64, bytes: 1024 }
  const plain = await ns({ ...looks, flags: 0 })
  expect(await ns({ ...looks, flags: flag.barriers })).toBeGreaterThanOrEqual(plain)
})

test('what goes past L2 is read from HBM each time', async () => {
  const reads = { bytes: 32_768, tiles: 12, flags: flag.doubled | flag.silent }
  const fresh = await nsOfTiles(reads, 12)
  expect(await nsOfTiles({ ...reads, flags: reads.flags | flag.again | flag.pastL2 }, 12)).toBeCloseTo(fresh, -2)
  // what is written by itself stays in L2, and what is read leaves more of it there when it goes past
  const { shares } = (await launch({ tiles: 32, bytes: 32_768, flags: flag.doubled | flag.pastL2 })).launch
  expect(shares!.hbmBytes).toBe(48 * 32 * 32_768)
  expect(shares!.l2Bytes).toBe(48 * 32 * 32_768)
})

test('what a core says of L2 when it has copied all changes no copy', async () => {
  const copies = { bytes: 16_384, tiles: 160, flags: flag.doubled }
  const plain = await ns(copies)
  const hinted = await ns({ ...copies, flags: copies.flags | flag.hints })
  expect(hinted / plain).toBeGreaterThan(0.999)
  expect(hinted / plain).toBeLessThan(1.01)
})

test('all cores stream as fast as was measured', async () => {
  const bytes = 16_384
  const time = await nsOfTiles({ bytes, tiles: 1, flags: flag.doubled | flag.silent }, 16)
  const perNs = (48 * 16 * bytes) / time
  expect(perNs).toBeGreaterThan(1300)
  expect(perNs).toBeLessThanOrEqual(1500.1)
})

/** Of a sum of 64 blocks, each so many from the next one. */
const cyclesOf = async (offset: number, flags = 0): Promise<number> => {
  const work = { mode: 4, blocks: 1, bytes: 8192, offset, flags }
  return (((await ns({ ...work, tiles: 2100 })) - (await ns({ ...work, tiles: 100 }))) * 1.8) / 2000
}

test('blocks in the same group of banks are served one after the other', async () => {
  const [beside, eighth, sixteenth, odd] = [
    await cyclesOf(1),
    await cyclesOf(8),
    await cyclesOf(16),
    await cyclesOf(17),
  ]
  // eight repeats, and what the next instruction waits for
  expect(odd).toBeCloseTo(beside, 6)
  expect(eighth - beside).toBeCloseTo(4 * 8 - 8, 6)
  expect(sixteenth - beside).toBeCloseTo(8 * 8 - 8, 6)
})

test('a mask that leaves blocks out makes no fewer repeats of those that wait for each other', async () => {
  const [beside, sixteenth] = [await cyclesOf(1, flag.inParts), await cyclesOf(16, flag.inParts)]
  // two blocks each
  expect(sixteenth - beside).toBeCloseTo(8 * 2 - 8, 6)
})

test('what is added to in global memory has to be read', async () => {
  const work = { tiles: 8, bytes: 16_384 }
  const hbmBytes = async (flags: number): Promise<number> => (await launch({ ...work, flags })).launch.shares!.hbmBytes
  const [stored, added] = [await hbmBytes(flag.doubled), await hbmBytes(flag.doubled | flag.adds)]
  const bytes = 48 * work.tiles * work.bytes
  // reading twice as much, more of what is written leaves L2
  expect(added - stored).toBeGreaterThanOrEqual(bytes)
  expect(added - stored).toBeLessThan(1.1 * bytes)
  expect(await ns({ ...work, flags: flag.doubled | flag.adds })).toBeGreaterThan(
    await ns({ ...work, flags: flag.doubled }),
  )
})

test('what is stored in parts leaves L2 as what is stored as a whole does', async () => {
  const whole = { bytes: 16_384, flags: flag.doubled }
  const parts = { ...whole, flags: whole.flags | flag.inParts }
  expect((await launch(parts)).launch.shares!.hbmBytes).toBeCloseTo((await launch(whole)).launch.shares!.hbmBytes)
  expect(await ns(parts)).toBeGreaterThan(await ns(whole))
})

test('two buffers are never slower than one, and no barrier never slower than one', async () => {
  for (const bytes of [512, 4096, 32_768]) {
    for (const flags of [0, flag.computes]) {
      const plain = await ns({ bytes, flags })
      expect(await ns({ bytes, flags: flags | flag.doubled })).toBeLessThanOrEqual(plain)
      expect(plain).toBeLessThanOrEqual(await ns({ bytes, flags: flags | flag.barriers }))
    }
  }
})

test('a second buffer is of no use to a queue that is configured to have one', async () => {
  const single = { mode: 26, flags: 0 }
  expect(await nsOfTiles({ ...single, flags: flag.doubled }, 8)).toBeCloseTo(await nsOfTiles(single, 8), 0)
})

test('more bytes are never faster', async () => {
  for (const [field, values] of [
    ['tiles', [1, 2, 5, 9]],
    ['bytes', [512, 1024, 2048, 8192, 32_768]],
  ] as const) {
    let before = 0
    for (const value of values) {
      const time = await ns({ [field]: value })
      expect(time).toBeGreaterThan(before)
      before = time
    }
  }
})

test('a warm L2 is never slower than a cold one', async () => {
  for (const change of [{}, { flags: flag.silent }, { bytes: 32_768 }, { mode: 1, blocks: 1 }]) {
    const { latencyNs, shares } = (await launch(change, true)).launch
    expect(shares!.warmNs).toBeGreaterThan(1500)
    expect(shares!.warmNs).toBeLessThanOrEqual(latencyNs)
  }
  const { latencyNs, shares } = (await launch({ flags: flag.doubled | flag.silent, bytes: 32_768 }, true)).launch
  expect(shares!.warmNs).toBeLessThan(0.8 * latencyNs)
})

/** Cores that read the same tiles at the same time are slower than those that do so one after the other. */
test('a warm L2 is never slower where cores meet at the same lines', async () => {
  const work = { blocks: 41, tiles: 3, bytes: 29_184, flags: flag.together }
  const { latencyNs, shares } = (await launch(work, true)).launch
  expect(shares!.warmNs).toBeLessThanOrEqual(latencyNs)
})

test('nothing is won by a barrier that keeps cores from the same lines', async () => {
  const all = flag.again | flag.together | flag.doubled
  for (const work of [
    { blocks: 78, tiles: 9, bytes: 26_624, flags: all },
    { blocks: 35, tiles: 9, bytes: 28_672, offset: 32, flags: all },
  ])
    expect(await ns(work)).toBeLessThanOrEqual(1.001 * (await ns({ ...work, flags: all | flag.barriers })))
})

test('what takes longest is told with its line', async () => {
  const { hottest } = (await launch({ blocks: 2, flags: flag.doubled | flag.computes }, true)).launch
  expect(hottest?.find(({ instruction }) => instruction === 'Adds')).toMatchObject({
    pipe: 'V',
    count: 8 * 8,
    file: expect.stringContaining('clock_laws.cpp') as unknown,
  })
  for (let i = 1; i < hottest!.length; ++i) expect(hottest![i]!.ns).toBeLessThanOrEqual(hottest![i - 1]!.ns)
})

test('the parts of a latency are those of its bytes and cores', async () => {
  const { latencyNs, shares, pipes } = (await launch({ bytes: 16_384, tiles: 16, flags: flag.doubled })).launch
  const bytes = 48 * 16 * 16_384
  expect(shares!.hbmBytes + shares!.l2Bytes).toBeCloseTo(2 * bytes, 0)
  expect(shares!.hbmBytes).toBeGreaterThan(bytes)
  expect(shares!.launchNs + shares!.coreNs).toBeLessThanOrEqual(latencyNs)
  for (const busy of Object.values(pipes)) expect(busy).toBeLessThanOrEqual(shares!.coreNs + 0.001)
})

test('cube cores that move nothing leave their share to those that do', async () => {
  const work = { tiles: 24, bytes: 16_384, flags: flag.doubled | flag.silent }
  const [alone, beside] = [await ns(work), await ns({ ...work, blocks: 24, flags: work.flags | flag.mixed })]
  const mixedLaunchNs = 1500
  // 24 more cores are started
  expect(beside - alone - mixedLaunchNs).toBeGreaterThanOrEqual(0)
  expect(beside - alone - mixedLaunchNs).toBeLessThanOrEqual(24 * 20 + 1)
})

test('elements one by one take as long as was measured', async () => {
  const loop = { mode: 2, blocks: 1, tiles: 1, flags: 0 }
  const cycles = ((await ns({ ...loop, bytes: 8192 })) - (await ns({ ...loop, bytes: 4096 }))) * 1.8
  // two reads and a write of local memory, conversions and a sum: 34 cycles
  expect(cycles / 2048).toBeGreaterThan(34 * 0.8)
  expect(cycles / 2048).toBeLessThan(34 * 1.2)
})

/** Kernels at random, of which each law holds: how many, and from which seed. The same ones in every run, unless asked otherwise. */
const numRuns = Number(process.env['NPU_LAW_RUNS'] ?? 4)
const seed = Number(process.env['NPU_LAW_SEED'] ?? 1)
const works = fc.record({
  mode: fc.constant(0),
  blocks: fc.integer({ min: 1, max: 100 }),
  tiles: fc.integer({ min: 1, max: 10 }),
  bytes: fc.integer({ min: 1, max: 64 }).map((lines) => 512 * lines),
  offset: fc.constantFrom(0, 32, 128, 512),
  rows: fc.constant(0),
  flags: fc.integer({ min: 0, max: flag.mixed - 1 }),
})
/** A core more is started later, which little work has nothing of. */
const startNs = 20
/**
 * What two buffers take to set up, in each wave of blocks: a block of a later wave begins later by as many of them as there were
 * before it, and shares the memory with blocks that are late themselves.
 */
const setupNs = ({ blocks }: Work): number => {
  const waves = Math.ceil(blocks / 48)
  return (16 * waves * (waves + 1)) / 2
}
/**
 * A read out of HBM waits for what others write at that moment, which whoever writes earlier can bring about: once for the core that
 * finishes last, in each wave. `turnaroundNs` of timing.h.
 */
const heldUpNs = ({ blocks }: Work): number => 95 * Math.ceil(blocks / 48)
/**
 * Where blocks wait for cores, whoever is earlier can hold up the one that finishes last: in a schedule, parts that take less can
 * make a whole that takes more. Two waves that read the same lines can fall into step besides, and have to share them: 92 blocks of
 * 9 tiles of 31 232 bytes at 128 are 2.3 % slower with two buffers, beyond the above. What runs in one wave has no more than that.
 */
const slackOf = ({ blocks, flags }: Work): number => (blocks <= 48 ? 1 : flags & flag.together ? 1.03 : 1.01)
const without = (work: Work, flags: number): Work => ({ ...work, flags: work.flags & ~flags })
const withAll = (work: Work, flags: number): Work => ({ ...work, flags: work.flags | flags })

test(
  `the laws hold of kernels at random (NPU_LAW_SEED=${seed})`,
  async () => {
    await fc.assert(
      fc.asyncProperty(works, async (work) => {
        const own = await ns(work)
        expect(await ns(work, 'reverse'), 'another order of cores').toBe(own)
        const most = (time: number): number => slackOf(work) * time + heldUpNs(work)
        expect(own, 'than with more bytes').toBeLessThanOrEqual(most(await ns({ ...work, tiles: work.tiles + 1 })))
        expect(await ns(without(work, flag.barriers)), 'no barriers').toBeLessThanOrEqual(
          most(await ns(withAll(work, flag.barriers))),
        )
        expect(await ns(withAll(work, flag.doubled)), 'two buffers').toBeLessThanOrEqual(
          most(await ns(without(work, flag.doubled))) + setupNs(work),
        )
        const { latencyNs, shares } = (await launch(work, true)).launch
        expect(latencyNs, 'with a timeline').toBe(own)
        expect(shares!.warmNs, 'a warm L2').toBeLessThanOrEqual(own)
        if (work.blocks <= 24) {
          const halves = { ...work, blocks: 2 * work.blocks }
          const more = await ns(halves)
          expect(more, 'the same work on twice as many cores').toBeLessThanOrEqual(
            (await ns({ ...work, tiles: 2 * work.tiles })) + startNs * work.blocks,
          )
        }
      }),
      { numRuns, seed },
    )
  },
  120_000 + 30_000 * numRuns,
)

test('blocks that do nothing take no room from those that work', async () => {
  const work = { mode: 3, tiles: 2000, bytes: 512 }
  const few = (await launch({ ...work, blocks: 2400 })).launch
  expect(few.shares!.unrecordedNs).toBeUndefined()
  expect(few.latencyNs).toBeGreaterThanOrEqual(await ns({ ...work, blocks: 1 }))
})

test('barriers take no less time where there are very many, whatever other blocks do', async () => {
  const barriersNs = 1 / 1.8
  for (const [blocks, working] of [
    [1, 1],
    [48, 48],
    [2400, 1],
  ] as const) {
    let [before, tilesBefore] = [0, 0]
    for (const tiles of [1000, 10_000, 100_000]) {
      const time = await ns({ mode: 12, blocks, offset: working, tiles, bytes: 512, flags: 0 })
      if (before > 0) expect(time - before).toBeGreaterThan((tiles - tilesBefore) * barriersNs)
      ;[before, tilesBefore] = [time, tiles]
    }
  }
})

test.each<[string, Partial<Work>]>([
  ['tiles', {}],
  ['one buffer', { flags: 0 }],
  ['rows', { bytes: 32, rows: 64, tiles: 4 }],
  ['rows past L2', { bytes: 32, rows: 64, tiles: 4, flags: flag.pastL2 }],
  ['tiles that begin within a line', { bytes: 16_384, offset: 32, flags: flag.together }],
  ['tiles out of L2', { bytes: 32_768, flags: flag.again | flag.together }],
  ['tiles that are added', { flags: flag.adds | flag.doubled }],
  ['tiles with much work', { flags: flag.computes | flag.barriers }],
  ['elements one by one', { mode: 2, bytes: 1024, tiles: 4 }],
  ['sums of blocks', { mode: 4, offset: 8 }],
  ['chains', { mode: 6, offset: 8 }],
  ['looks', { mode: 7, flags: flag.barriers }],
  ['logarithms', { mode: 9, flags: 0 }],
  ['selections', { mode: 11, flags: flag.barriers }],
  ['code', { mode: 10, offset: 3000 }],
  ['barriers', { mode: 12, offset: 48 }],
  ['turns', { mode: 15, offset: 100 }],
])('what is not recorded takes no less time than what is: %s', async (_, change) => {
  const meetings = 65_536
  const work: Work = { ...usual, blocks: 24, tiles: 32, ...change }
  const nsOfWork = async (thousands: number): Promise<number> => {
    const flags = flag.mixed + thousands * meetings
    const both = { ...work, flags: work.flags + flags }
    const { latencyNs, shares } = (await launch(both)).launch
    expect((shares!.unrecordedNs ?? 0) > 0).toBe(thousands > 1)
    return latencyNs - (await ns({ ...work, mode: 16, flags }))
  }
  // so many leave no room for what comes then
  expect(await nsOfWork(35)).toBeGreaterThan(0.9999 * (await nsOfWork(1)))
})

test('cores that meet are timed where nothing else is recorded, and meet no more often than can be timed', async () => {
  const work = { mode: 5, blocks: 1, bytes: 512, flags: flag.mixed }
  const [few, many] = [await launch({ ...work, tiles: 1000 }), await launch({ ...work, tiles: 800_000 })]
  expect(few.launch.latencyNs).toBeGreaterThan(1000 * 1200)
  expect(few.launch.shares!.unrecordedNs).toBeUndefined()
  expect(many.launch.shares!.unrecordedNs).toBeGreaterThan(0)
  expect(many.launch.latencyNs).toBeGreaterThan(799 * (few.launch.latencyNs - 3000))
  await expect(launch({ ...work, tiles: 1_100_000 })).rejects.toThrow(
    /InstructionLimit.*meet more often than can be timed/,
  )
})

test('a launch may have more cores than 16 bits count', async () => {
  const work = { mode: 10, blocks: 22_000, tiles: 1, bytes: 32, flags: flag.mixed }
  const { reports } = (await launch(work, false, undefined, false)).launch
  expect(reports.filter((report) => report.code !== 'BlockDimWaves')).toEqual([])
})

test('where nobody asks for the latency it is not found out', async () => {
  const { launch: timed, y } = await launch({})
  const untimed = await launch({}, false, undefined, false)
  expect(timed.latencyNs).toBeGreaterThan(1500)
  expect(untimed.launch.latencyNs).toBe(0)
  expect(untimed.y).toEqual(y)
})

test('a timeline comes with the times of other devices', async () => {
  const { latencyNs, elsewhere, clock } = (await launch({ tiles: 16, bytes: 16_384 }, true)).launch
  const on = Object.fromEntries(elsewhere!.map((each) => [each.soc, each.latencyNs]))
  expect(Object.keys(on).toSorted()).toEqual(['Ascend910B1', 'Ascend910B3', 'Ascend910B4', 'Ascend910_93'])
  expect(on['Ascend910_93']).toBe(latencyNs)
  // half of the bandwidth, and eight blocks too many
  expect(on['Ascend910B4']).toBeGreaterThan(1.5 * latencyNs)
  expect(on['Ascend910B3']).toBeGreaterThan(latencyNs)
  expect(clock!.bytes).toBeGreaterThan(48 * 16 * 20)
})

test('tiling data takes as long in pieces as whole, and what is read again is there', async () => {
  const reads = { mode: 8, blocks: 1, tiles: 1, bytes: 4096 }
  const whole = await ns(reads)
  const pieces = await ns({ ...reads, flags: flag.again })
  // 252 lines that are waited for
  expect(whole).toBeGreaterThan((252 * 350) / 1.8)
  expect(pieces).toBeGreaterThanOrEqual(0.99 * whole)
  expect(pieces).toBeLessThan(1.1 * whole)
  expect(await ns({ ...reads, tiles: 2 })).toBeLessThan(1.1 * whole)
})

test('a logarithm of the library takes no less than the instruction that it is made of', async () => {
  const steps = { mode: 9, blocks: 1, tiles: 64, bytes: 4096 }
  const instruction = await ns({ ...steps, flags: 0 })
  expect(await ns({ ...steps, flags: flag.again })).toBeGreaterThanOrEqual(instruction)
})

test('a maximum of the library takes no less than the instruction that it is made of', async () => {
  const steps = { mode: 20, blocks: 1, bytes: 4096 }
  const instruction = await nsOfTiles({ ...steps, flags: 0 }, 100)
  const library = await nsOfTiles({ ...steps, flags: flag.again }, 100)
  expect(library).toBeGreaterThan(0.95 * instruction)
  expect(library).toBeLessThan(2 * instruction)
})

test('what is gathered is waited for as if a barrier stood between', async () => {
  const steps = { mode: 18, blocks: 1, bytes: 4096 }
  expect(await nsOfTiles({ ...steps, flags: 0 }, 100)).toBeGreaterThan(
    0.98 * (await nsOfTiles({ ...steps, flags: flag.barriers }, 100)),
  )
})

test('a selection waits for the comparison whose register it takes', async () => {
  const steps = { mode: 22, blocks: 1, bytes: 4096 }
  expect(await nsOfTiles({ ...steps, flags: 0 }, 100)).toBeGreaterThan(
    0.98 * (await nsOfTiles({ ...steps, flags: flag.barriers }, 100)),
  )
})

test('a selection waits for that where the compiler orders nothing, too', async () => {
  const steps = { mode: 22, blocks: 1, bytes: 4096 }
  const of = async (flags: number, tiles: number): Promise<number> =>
    (await launch({ ...steps, flags, tiles }, false, undefined, true, unsynchronised)).launch.latencyNs
  const [plain, ordered] = [
    (await of(0, 200)) - (await of(0, 100)),
    (await of(flag.barriers, 200)) - (await of(flag.barriers, 100)),
  ]
  expect(plain).toBeGreaterThan(0.98 * ordered)
  expect(plain).toBeLessThan(1.02 * ordered)
})

test('what another core is fetching is there when that has come', async () => {
  const loads = { mode: 23, blocks: 2, tiles: 8, bytes: 65_536, offset: 100 }
  const [shared, apart] = [await ns({ ...loads, flags: flag.together }), await ns({ ...loads, flags: 0 })]
  expect(shared).toBeGreaterThan(apart - 40)
  expect(shared).toBeLessThan(apart + 40)
})

test('rows that overlap on their way past L2 come as often as they are read', async () => {
  const rows = { mode: 24, blocks: 4, bytes: 65_536 }
  const overlapping = await nsOfTiles({ ...rows, flags: flag.mixed | flag.together }, 8)
  // one of them begins at the start of a line
  expect(overlapping).toBeGreaterThan(await nsOfTiles({ ...rows, flags: flag.mixed }, 8))
})

test('fractals out of global memory take as long by LoadData as by DataCopy', async () => {
  const fractals = { mode: 25, blocks: 4, bytes: 32_768 }
  const copied = await nsOfTiles({ ...fractals, flags: flag.mixed }, 32)
  expect(await nsOfTiles({ ...fractals, flags: flag.mixed | flag.again }, 32)).toBeCloseTo(copied, 0)
})

test('unit flags let products and Fixpipe meet, and neither go before the other', async () => {
  const sums = { mode: 21, blocks: 1, bytes: 32_768, flags: flag.mixed }
  // a cycle for each product of fractals
  const productNs = (8 * 8 * 8) / 1.8
  for (const [tiles, rounds] of [
    [2, 1],
    [2, 8],
    [16, 1],
    [16, 4],
    [64, 2],
  ] as const) {
    const flagsNs = await ns({ ...sums, tiles, offset: rounds })
    const unitNs = await ns({ ...sums, tiles, offset: rounds, flags: sums.flags | flag.again })
    expect(unitNs).toBeLessThanOrEqual(flagsNs)
    // the last product of a round meets Fixpipe, and the first one of the next round does
    expect(flagsNs - unitNs).toBeLessThan((2 * rounds - 1) * 1.2 * productNs)
    expect(unitNs).toBeGreaterThan(1500 + tiles * rounds * productNs)
  }
})

test('it makes no difference which of two sources stays where it is', async () => {
  const steps = { mode: 19, blocks: 1, bytes: 16_384 }
  const second = await nsOfTiles({ ...steps, flags: 0 }, 100)
  expect(await nsOfTiles({ ...steps, flags: flag.again }, 100)).toBeCloseTo(second)
})

test('sources that begin in the same place lie in the same banks where one of them stays there', async () => {
  const steps = { mode: 19, blocks: 1, bytes: 16_384 }
  const apart = await nsOfTiles({ ...steps, flags: 0 }, 100)
  expect(await nsOfTiles({ ...steps, flags: flag.together }, 100)).toBeCloseTo(apart)
  // the same bytes are read once
  expect(await nsOfTiles({ ...steps, flags: flag.together | flag.doubled }, 100)).toBeLessThan(0.9 * apart)
})

test('sources lie in the same banks whatever lanes a mask leaves out', async () => {
  const steps = { mode: 19, blocks: 1, bytes: 16_384 }
  const whole = await nsOfTiles({ ...steps, flags: 0 }, 100)
  expect(await nsOfTiles({ ...steps, flags: flag.inParts }, 100)).toBeCloseTo(whole)
})

test('the launch covers the code of the first block of a core, and not that of the others', async () => {
  const work = { mode: 10, tiles: 1, bytes: 4096 }
  const ofCode = async (blocks: number): Promise<number> => {
    const [without, added] = [await ns({ ...work, blocks }), await ns({ ...work, blocks, offset: 300 })]
    return added - without
  }
  const [first, second, third] = [await ofCode(48), await ofCode(96), await ofCode(144)]
  expect(first).toBe(0)
  expect(second).toBeGreaterThan(300)
  expect(third).toBeGreaterThan(1.8 * second)
})

test('the same launch takes the same time, to the last bit', async () => {
  const first = await ns({ offset: 32, flags: flag.together })
  expect(await ns({ offset: 32, flags: flag.together })).toBe(first)
})

test('a selection takes as long as the instructions that it is made of', async () => {
  const selects = { mode: 11, blocks: 1, bytes: 2048 }
  const whole = await nsOfTiles({ ...selects, flags: 0 }, 100)
  const apart = await nsOfTiles({ ...selects, flags: flag.barriers }, 100)
  expect(whole).toBeGreaterThan(0.85 * apart)
  expect(whole).toBeLessThan(1.15 * apart)
})

const ticks = async (tiles: number): Promise<number> =>
  Number((await launch({ mode: 1, blocks: 1, tiles, bytes: 8192 })).y.getBigInt64(0, true))

test('the counter of a core grows with what it waits for', async () => {
  const [few, many] = [await ticks(100), await ticks(300)]
  // 4096 elements of 16 bits take 32 cycles, and a tick is 36
  expect(many - few).toBeGreaterThan((200 * 32) / 36 / 1.1)
  expect(many - few).toBeLessThan(((200 * 32) / 36) * 3)
})

const spins = async (ticks: number): Promise<{ ns: number; ticks: number }> => {
  const { launch: each, y } = await launch({ mode: 14, blocks: 1, tiles: 1, bytes: 4096, offset: ticks, flags: 0 })
  return { ns: each.latencyNs, ticks: Number(y.getBigInt64(0, true)) }
}

test('the counter of a core grows while nothing but it is looked at', async () => {
  const [short, long] = [await spins(10), await spins(1000)]
  expect(short.ticks).toBeGreaterThanOrEqual(10)
  expect(long.ticks).toBeGreaterThanOrEqual(1000)
  expect(long.ticks).toBeLessThan(1010)
  // a tick is 20 ns
  expect(long.ns - short.ns).toBeGreaterThan(0.95 * 990 * 20)
  expect(await spins(1000)).toEqual(long)
})

test('arrays that are copied as a whole are charged by their bytes', async () => {
  const arrays = { mode: 13, blocks: 1, bytes: 512 }
  const cycles = async (flags: number): Promise<number> => ((await nsOfTiles({ ...arrays, flags }, 100)) * 1.8) / 100
  const words = 512
  // a load and a store of eight bytes each
  expect(await cycles(0)).toBeGreaterThan(1.9 * words)
  expect(await cycles(flag.again)).toBeGreaterThan(1.9 * words)
  expect(await cycles(flag.together)).toBeGreaterThan(0.95 * words)
  expect(await cycles(flag.silent)).toBeGreaterThan(1.9 * words)
})
