import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Launcher } from '../../fixtures/launcher.ts'
import {
  commandBytes,
  imageBytes,
  imageOf,
  placesAt,
  read,
  srcAt,
  tilingAt,
  tmpAt,
  writeCommand,
  type Command,
} from '../../fixtures/library_shape/command.ts'
import { filled, fills } from '../../fixtures/library_shape/fill.ts'
import { askHost, type HostCall } from '../../fixtures/library_shape/host.ts'
import { padsInPlace, rearrange, rearrangeHelper, rearrangements } from '../../fixtures/library_shape/rearrange.ts'
import {
  broadcasts,
  reduce,
  reduceHelper,
  reductions,
  runningSums,
  sums,
  usesTemporary,
  xorSums,
} from '../../fixtures/library_shape/reduce.ts'
import { select, selectHelper, selections } from '../../fixtures/library_shape/select.ts'
import { buildLimitMs, FixtureOperator, interfaceOf, startService } from '../../fixtures/operator.ts'
import { bytesView } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'

let service: KernelService
let device: FixtureOperator
let launcher: Launcher
beforeAll(async () => {
  service = await startService()
  launcher = await Launcher.start()
  device = await FixtureOperator.build(service, interfaceOf('LibraryShape', 'library_shape', ['blocks'], ['int32']))
}, buildLimitMs)
afterAll(async () => {
  await launcher?.stop()
  await service.close()
})

/** Commands of one launch: a block each. */
const blocks = 16

async function launch(commands: readonly Command[]) {
  const words = new Int32Array((commandBytes / 4) * commands.length)
  commands.forEach((c, i) => writeCommand(new DataView(words.buffer), i * commandBytes, c))
  return await device.run({
    x: { dtype: 'int32', shape: [words.length], data: words },
    y: { dtype: 'int32', shape: [(imageBytes / 4) * commands.length] },
    attrs: { blocks: commands.length },
  })
}

/** What the device leaves in the output of each command. */
async function run(commands: readonly Command[]): Promise<DataView[]> {
  const { result, y } = await launch(commands)
  const errors = result.reports.filter(({ severity }) => severity === 'error')
  if (!result.ok || errors.length > 0) throw new Error(JSON.stringify([result, commands], null, 2))
  const bytes = bytesView(y)
  return commands.map((_, i) => new DataView(bytes.buffer, bytes.byteOffset + i * imageBytes, imageBytes))
}

async function check(commands: fc.Arbitrary<Command>, verify: (c: Command, left: DataView) => void) {
  const programs = fc.array(commands, { minLength: 1, maxLength: blocks })
  await fc.assert(
    fc.asyncProperty(programs, async (drawn) => {
      const tiled: Command[] = []
      for (const c of drawn) tiled.push(rearrangeHelper(c) ? { ...(await sized(c)), tmpBytes: c.tmpBytes } : c)
      const left = await run(tiled)
      tiled.forEach((c, i) => left[i] && verify(c, left[i]))
    }),
    { numRuns: 25, endOnFailure: true },
  )
}

/** The unified buffer after the call, but for the temporary memory. */
function expected(c: Command): DataView {
  const image = imageOf(c)
  for (const oracle of [reduce, select, rearrange]) if (oracle(c, image)) return image
  throw new Error(`nothing is known of ${c.op}`)
}

/** The first byte that is not what it should be, as a sentence; undefined when all are. */
function difference(c: Command, left: DataView): string | undefined {
  const wanted = expected(c)
  for (let at = 0; at < tmpAt; ++at) {
    const [a, b] = [left.getUint8(at), wanted.getUint8(at)]
    if (a !== b) return `byte ${at} holds ${a}, should be ${b}, was ${imageOf(c).getUint8(at)} ${JSON.stringify(c)}`
  }
  return undefined
}

const families = { broadcasts, reductions, sums, xorSums, runningSums, selections, rearrangements }

describe('the library does what is documented', { timeout: 120_000 }, () => {
  test.each(Object.entries(families))('in %s', async (_, commands) => {
    await check(commands, (c, left) => expect(difference(c, left)).toBeUndefined())
  })

  test('when it fills global memory', async () => {
    const untouched = new Uint8Array(imageBytes).fill(0xa5)
    await check(fills, (c, left) => {
      const bytes = new Uint8Array(left.buffer, left.byteOffset, left.byteLength)
      const wanted = filled(c, untouched)
      const at = bytes.findIndex((byte, i) => byte !== wanted[i])
      expect(at, `${JSON.stringify(c)}: byte ${at} holds ${bytes[at]}, should be ${wanted[at]}`).toBe(-1)
    })
  })
})

/** The helper that tells the temporary memory of the call. */
const helperOf = (c: Command) =>
  [reduceHelper, selectHelper, rearrangeHelper].map((find) => find(c)).find((call) => call !== undefined)

/** The command with no more temporary memory than the host says it takes, and with the tiling that the host makes. */
async function sized(c: Command): Promise<Command> {
  const call = helperOf(c)
  if (!call) throw new Error(`no helper for ${c.op}`)
  const [, least, ...tiling] = await askHost(launcher, call)
  const own = Array.from({ length: tilingAt }, (_, i) => c.args[i] ?? 0)
  return { ...c, args: tiling.length > 0 ? [...own, ...tiling] : c.args, tmpBytes: least }
}

describe('the helper of the host tells what the device needs', { timeout: 120_000 }, () => {
  test.each(Object.entries(families))('for %s', async (_, commands) => {
    const withTmp = commands.map((c) => ({ ...c, form: 1 as const }))
    await fc.assert(
      fc.asyncProperty(fc.array(withTmp, { minLength: 4, maxLength: 12 }), async (drawn) => {
        const asked: Command[] = []
        for (const c of drawn) asked.push(await sized(c))
        const enough = asked.filter(({ tmpBytes }) => tmpBytes <= imageBytes - tmpAt)
        const left = enough.length > 0 ? await run(enough) : []
        left.forEach((image, i) => enough[i] && expect(difference(enough[i], image)).toBeUndefined())
        const short = enough.find((c) => c.tmpBytes > 0 && usesTemporary(c) && !padsInPlace(c))
        if (!short) return
        const { result } = await launch([{ ...short, tmpBytes: short.tmpBytes - 1 }])
        const hint = expect.stringMatching(/^take the size from Get\w+ on the host$/) as unknown
        expect(result.reports).toContainEqual(
          expect.objectContaining({ code: 'AssertIgnored', severity: 'warning', hint }),
        )
      }),
      { numRuns: 10, endOnFailure: true },
    )
  })
})

/** Worked out by hand: [largest, smallest] bytes. */
const told: [HostCall, number[]][] = [
  [{ helper: 'BroadCast', src: [20, 1], dst: [20, 12], values: [4] }, [24 * 32 + 20 * 64, 8 * 32 + 8 * 64]],
  [{ helper: 'BroadCast', src: [20, 1], dst: [20, 32], values: [1] }, [24 * 32 + 1344, 16 * 32 + 1344]],
  [{ helper: 'BroadCast', src: [1, 32], dst: [20, 32], values: [2] }, [32, 32]],
  [{ helper: 'BroadCast', src: [1, 1], dst: [20, 30], values: [2] }, [0, 0]],
  [{ helper: 'ReduceSum', src: [3, 100], dst: [1], values: [0, 0, 0] }, [768, 768]],
  [{ helper: 'ReduceSum', src: [3, 64], dst: [1], values: [0, 0, 0] }, [0, 0]],
  [{ helper: 'ReduceMean', src: [10, 9], dst: [1], values: [0, 1, 0] }, [512, 512]],
  [{ helper: 'ReduceMax', src: [3, 130], dst: [1], values: [1, 0, 0] }, [768, 768]],
  [{ helper: 'ReduceMin', src: [3, 20], dst: [1], values: [0, 0, 0] }, [96, 96]],
  [{ helper: 'ReduceProd', src: [3, 20], dst: [1], values: [0, 0, 0] }, [416, 416]],
  [{ helper: 'ReduceProd', src: [3, 20], dst: [1], values: [0, 0, 1] }, [256, 256]],
  [{ helper: 'ReduceAny', src: [3, 33], dst: [1], values: [4, 0, 1] }, [224, 224]],
  [{ helper: 'ReduceAll', src: [5, 33], dst: [1], values: [4, 1, 0] }, [256, 256]],
  [{ helper: 'ReduceXorSum', src: [100], dst: [1], values: [2, 1] }, [512, 512]],
  [{ helper: 'Sum', src: [1000], dst: [1], values: [4] }, [64, 64]],
  [{ helper: 'Mean', src: [1000], dst: [1], values: [2, 4] }, [4064, 4064]],
  [{ helper: 'CumSum', src: [20, 16], dst: [1], values: [2, 1] }, [3072, 1536]],
  [{ helper: 'CumSum', src: [20, 16], dst: [1], values: [2, 0] }, [1280, 1280]],
  [{ helper: 'Select', src: [80, 64], dst: [1], values: [2, 0, 80, 96] }, [20_992, 18_944]],
  [{ helper: 'SelectWithBytesMask', src: [1], dst: [10, 32], values: [4, 1, 10, 48] }, [1152, 1152]],
  [{ helper: 'DropOut', src: [10, 32], dst: [1], values: [2] }, [2560, 512]],
  [{ helper: 'Pad', src: [10, 13], dst: [1], values: [2, 13] }, [144 * 64, 1024]],
  [{ helper: 'Transpose', src: [2, 3, 40, 32], dst: [1], values: [4, 1] }, [48 * 64, 1024]],
  [{ helper: 'Transpose', src: [2, 3, 40, 32], dst: [1], values: [2, 5] }, [1024, 1024]],
  [{ helper: 'TransData', src: [1, 20, 2, 3, 5], dst: [1, 2, 2, 3, 5, 16], values: [0] }, [2112, 2112]],
  [{ helper: 'TransData', src: [1, 2, 2, 3, 5, 16], dst: [1, 20, 2, 3, 5], values: [1] }, [2560, 2560]],
  [{ helper: 'TransData', src: [3, 20, 2, 3, 5], dst: [2, 2, 3, 5, 1, 16, 16], values: [2] }, [34_048, 34_048]],
  [{ helper: 'TransData', src: [2, 2, 3, 5, 1, 16, 16], dst: [3, 20, 2, 3, 5], values: [3] }, [65_536, 65_536]],
  [{ helper: 'TransData', src: [2, 2, 3, 5, 1, 16, 16], dst: [16, 32, 2, 3, 5], values: [3] }, [32_768, 32_768]],
  [{ helper: 'TopK', src: [3, 96], dst: [1], values: [4, 5, 0, 1] }, [1920, 1920]],
  [{ helper: 'TopK', src: [3, 32], dst: [1], values: [2, 5, 3, 0] }, [1216, 1216]],
]

test.each(told)('%o of the host is told', async (call, sizes) => {
  expect((await askHost(launcher, call)).slice(0, 2)).toEqual(sizes)
})

test('the tiling structs of the host hold what the library computes', async () => {
  const unpad = await askHost(launcher, { helper: 'UnPad', src: [4, 32], dst: [1], values: [2, 2048] })
  expect(unpad).toEqual([0, 0, 4, 32, 2, 32, 512, 32, 1, 32])
  const [, , ...topk] = await askHost(launcher, { helper: 'TopK', src: [2, 32], dst: [1], values: [2, 18, 3, 1] })
  const nsmall = { tmpLocalSize: 288, allDataSize: 64, innerDataSize: 256, kAlignFourBytes: 24, maskOffset: 36 }
  expect([topk[0], topk[1], topk[2], topk[5], topk[7]]).toEqual(Object.values(nsmall))
  expect(topk.slice(18, 24)).toEqual([256, 0, 0, 0, 0xaaaa_aaaa, 0b1010])
  expect(topk.slice(24)).toEqual([0x1111_1111, 0x1111_1111, 0x11, 0])
})

test('a tiling struct of the library reaches the kernel inside of the tiling data', async () => {
  const c: Command = { op: 'Pad by tiling data', type: 'half', form: 1, tmpBytes: 0, args: [], seed: 3 }
  const [left] = await run([c])
  expect(left && difference(c, left)).toBeUndefined()
  expect(left?.getUint16(0, true)).toBe(0x4700)
})

const padded = (...extents: number[]): number[] => Array.from({ length: 8 }, (_, i) => extents[i] ?? 0)

test('a tensor keeps the shape that was noted on it', async () => {
  const args = [3, 5, 7, 2, 11]
  const [left] = await run([{ op: 'SetShapeInfo', type: 'int32', form: 0, tmpBytes: 0, args, seed: 1 }])
  const wanted = [...padded(3, 5, 7), ...padded(2, 11), ...padded(3, 5), 32, 10, 105, 0]
  expect(wanted.map((_, i) => left?.getInt32(4 * i, true))).toEqual(wanted)
})

/** A call with dst or its temporary memory elsewhere. */
function placed(op: string, args: readonly number[], { dst = 0, tmp = 0 }): Command {
  const all = Array.from({ length: placesAt + 2 }, (_, i) => args[i] ?? [dst, tmp][i - placesAt] ?? 0)
  return { op, type: 'float', form: 1, tmpBytes: 8192, args: all, seed: 7 }
}

/** What a call leaves where dst is, and the codes of what is reported of it. */
async function resultsOf(c: Command, count: number): Promise<{ values: number[]; codes: string[] }> {
  const { result, y } = await launch([c])
  if (!result.ok) throw new Error(JSON.stringify([result, c], null, 2))
  const { buffer, byteOffset } = bytesView(y)
  const image = new DataView(buffer, byteOffset, imageBytes)
  const at = c.args[placesAt] ?? 0
  return {
    values: Array.from({ length: count }, (_, i) => read('float', image, at + 4 * i)),
    codes: result.reports.map(({ code }) => code),
  }
}

const rowBytes = 512

describe('a result that lies', () => {
  const lost: [what: string, op: string, args: number[], places: { dst?: number; tmp?: number }][] = [
    ['on a row that has not been added up', 'Sum', [8, 128, 128], { dst: srcAt + rowBytes }],
    ['where the next row is added up', 'Sum', [8, 128, 128], { dst: tmpAt }],
    ['on a row of which there is no mean yet', 'Mean', [8, 128, 128], { dst: srcAt + rowBytes }],
    ['where products are gathered by a pattern', 'ReduceProd', [4, 20, 1, 0], { dst: tmpAt }],
    ['inside of what is folded', 'ReduceMax', [4, 128, 1, 0], { dst: tmpAt + 64 }],
    ['on short rows behind', 'ReduceMax', [40, 8, 1, 0], { dst: srcAt + 256 }],
    ['on the second row of running sums', 'CumSum', [16, 16, 0], { dst: srcAt + 64 }],
    ['on the blocks of other rows', 'Broadcast', [2, 1, 8, 1, 8, 40], { dst: tmpAt }],
  ]
  test.each(lost)('%s is lost', async (_, op, args, places) => {
    const { values, codes } = await resultsOf(placed(op, args, places), 4)
    expect(codes).toEqual(['AssertIgnored'])
    expect(values.some(Number.isNaN)).toBe(true)
  })

  const kept: [what: string, op: string, args: number[], places: { dst?: number; tmp?: number }][] = [
    ['on the first row', 'Sum', [8, 128, 128], { dst: srcAt }],
    ['on the first row of which there is a mean', 'Mean', [8, 128, 128], { dst: srcAt }],
    ['where an only row is added up', 'Sum', [1, 128, 128], { dst: tmpAt }],
    ['where all is read into other memory first', 'ReduceMax', [8, 128, 1, 0], { dst: srcAt + rowBytes }],
    ['where the last instruction finds all', 'ReduceSum', [8, 128, 1, 0], { dst: tmpAt }],
    ['on short rows that have been read', 'ReduceMax', [40, 8, 1, 0], { dst: srcAt }],
    ['on what it is the running sum of', 'CumSum', [16, 16, 0], { dst: srcAt }],
    ['on what it is the running sum of, along rows', 'CumSum', [16, 16, 1], { dst: srcAt }],
    ['on what is broadcast from other memory', 'Broadcast', [2, 1, 8, 1, 8, 40], { dst: srcAt }],
  ]
  test.each(kept)('%s is right, and warned of', async (_, op, args, places) => {
    const [there, apart] = [await resultsOf(placed(op, args, places), 8), await resultsOf(placed(op, args, {}), 8)]
    const count = args[0] === 1 ? 1 : 8
    expect(apart.codes).toEqual([])
    expect(there.codes).toEqual(['OverlapForbidden'])
    expect(there.values.slice(0, count)).toEqual(apart.values.slice(0, count))
  })
})

/** The bits of 1.0. */
const one = 0x3f80_0000

/** Calls that cannot be carried out, the code each is reported by, and what the message says. */
const refused: [what: string, code: string, message: RegExp, change: Partial<Command>][] = [
  [
    'a broadcast to another length',
    'ParameterRange',
    /2 elements in srcShape/,
    { op: 'Broadcast', args: [1, 0, 2, 1, 3, 1] },
  ],
  ['a broadcast along the other axis', 'ParameterRange', /axis is 0/, { op: 'Broadcast', args: [2, 0, 4, 1, 4, 8] }],
  ['a broadcast of rows of 28 bytes', 'ParameterRange', /32 bytes/, { op: 'Broadcast', args: [2, 0, 1, 7, 4, 7] }],
  ['a result past UB', 'ErrorWrite2', /./, { op: 'Broadcast', args: [2, 1, 100, 1, 100, 800] }],
  ['a reduction of an empty axis', 'ParameterRange', /srcShape is 3 x 0/, { op: 'ReduceSum', args: [3, 0, 1, 0] }],
  [
    'a reduction of rows without padding',
    'ParameterRange',
    /srcInnerPad is false/,
    { op: 'ReduceMax', form: 1, tmpBytes: 4096, args: [3, 9, 1, 0, 1] },
  ],
  ['a padding without tiling', 'ParameterRange', /tiling is empty/, { op: 'Pad', args: [0, 1, 7] }],
  ['a transposition without tiling', 'ParameterRange', /tiling is empty/, { op: 'Transpose', args: [1] }],
  ['a transposition between other layouts', 'ParameterRange', /transposition 8/, { op: 'Transpose', args: [8] }],
  ['more elements than a row has', 'ParameterRange', /k is 33/, { op: 'TopK', args: [1, 32, 32, 33, 1, 0] }],
  [
    'a ranking with the tiling of another',
    'ParameterRange',
    /another shape/,
    { op: 'TopK', args: [1, 32, 32, 3, 1, 0] },
  ],
  ['a mask of odd rows', 'ParameterRange', /pad the rows|7 bytes/, { op: 'DropOut', args: [2, 16, 7, one, 1] }],
  [
    'more elements to drop than there are',
    'ErrorWrite2',
    /dst touches/,
    { op: 'DropOut', args: [64, 1024, 1024, one, 2] },
  ],
  ['rows shorter than their sum', 'ParameterRange', /n is 9/, { op: 'Sum', args: [3, 8, 9] }],
  ['a running sum of rows of 12 bytes', 'ParameterRange', /inner is 3/, { op: 'CumSum', args: [3, 3, 0] }],
  [
    'a fill when nothing is left of the memory',
    'BufferSize',
    /no byte of UB is left/,
    { op: 'Fill', form: 1, args: [0, 8, 1] },
  ],
]

test.each(refused)('the library refuses %s', async (_, code, message, change) => {
  const { result } = await launch([{ op: '', type: 'float', form: 0, tmpBytes: 0, args: [], seed: 1, ...change }])
  const found = expect.objectContaining({ code, severity: 'error', message: expect.stringMatching(message) as unknown })
  expect(result.reports).toContainEqual(found)
})

test.each([
  ['warns of a probability above 1, and scales by it', 0x40000000, ['AssertIgnored']],
  ['scales by a probability of 1', one, []],
])('the library %s', async (_, probability, codes) => {
  const draw = { type: 'float', form: 0, tmpBytes: 0, seed: 1 } as const
  const { result } = await launch([{ op: 'DropOut', ...draw, args: [2, 16, 16, probability, 2] }])
  expect(result.ok).toBe(true)
  expect(result.reports.map(({ code }) => code)).toEqual(codes)
})
