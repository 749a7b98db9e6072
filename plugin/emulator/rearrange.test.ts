import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'
import {
  commandBytes,
  imageBytes,
  imageOf,
  outcomeBytes,
  plain,
  resultWords,
  writeCommand,
  type Command,
} from '../../fixtures/rearrange/command.ts'
import { gather, gatherings } from '../../fixtures/rearrange/gathering.ts'
import { reduce, reductions } from '../../fixtures/rearrange/reductions.ts'
import { sort, sortings } from '../../fixtures/rearrange/sorting.ts'
import { transpose, transposings } from '../../fixtures/rearrange/transposing.ts'
import { bytesView } from '../model/index.ts'

const device = useOperator(interfaceOf('Rearrange', 'rearrange', ['blocks'], ['int32']))

/** Image and results as the documentation says they are after the command. */
function expected(c: Command): { image: DataView; results: number[] } {
  const image = imageOf(c)
  for (const oracle of [reduce, gather, transpose, sort]) {
    const results = oracle(c, image)
    if (results) return { image, results }
  }
  throw new Error(`nothing is known of ${c.op}`)
}

/** What the device leaves of each command. */
async function run(commands: readonly Command[]): Promise<DataView[]> {
  const words = new Int32Array((commandBytes / 4) * commands.length)
  commands.forEach((c, i) => writeCommand(new DataView(words.buffer), i * commandBytes, c))
  const { result, y } = await device.run({
    x: { dtype: 'int32', shape: [words.length], data: words },
    y: { dtype: 'int32', shape: [(outcomeBytes / 4) * commands.length] },
    attrs: { blocks: commands.length },
  })
  if (!result.ok) throw new Error(JSON.stringify([result, commands], null, 2))
  const errors = result.reports.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw new Error(JSON.stringify([errors, commands], null, 2))
  const bytes = bytesView(y)
  return commands.map((_, i) => new DataView(bytes.buffer, bytes.byteOffset + i * outcomeBytes, outcomeBytes))
}

const hex = (word: number): string => word.toString(16)

/** The first word that is not what it should be, as a sentence; undefined when all are. */
function difference(c: Command, actual: DataView): string | undefined {
  const wanted = expected(c)
  const before = imageOf(c)
  const shown = JSON.stringify({ ...c, patches: c.patches.length })
  for (let at = 0; at < imageBytes; at += 4) {
    const [a, b] = [actual.getUint32(at, true), wanted.image.getUint32(at, true)]
    if (a !== b) return `byte ${at}: ${hex(a)}, should be ${hex(b)}, was ${hex(before.getUint32(at, true))} ${shown}`
  }
  for (let i = 0; i < resultWords; ++i) {
    const [a, b] = [actual.getUint32(imageBytes + 4 * i, true), wanted.results[i] ?? 0]
    if (a !== b) return `result ${i}: ${hex(a)}, should be ${hex(b)} ${shown}`
  }
  return undefined
}

/** Commands of one launch: a block each. */
const blocks = 24

describe('the device rearranges as documented', () => {
  const groups = { reductions, gatherings, transposings, sortings }
  test.each(Object.entries(groups))('in %s', { timeout: 120_000 }, async (_, commands) => {
    await fc.assert(
      fc.asyncProperty(fc.array(commands, { minLength: 1, maxLength: blocks }), async (drawn) => {
        const left = await run(drawn)
        drawn.forEach((c, i) => {
          const outcome = left[i]
          if (outcome) expect(difference(c, outcome)).toBeUndefined()
        })
      }),
      { numRuns: 40, endOnFailure: true },
    )
  })
})

const firstOf = async (c: Command): Promise<number> => (await run([c]))[0]?.getFloat32(0, true) ?? 0

describe('a repeat does not see what earlier ones have left in the temporary tensor', () => {
  const twos = { at: 4096, words: Array<number>(64).fill(0x4000_0000) }
  const zeros = { at: 4096, words: Array<number>(2048).fill(0) }
  const over: Command = { ...plain, op: 'ReduceMax', type: 'float', seed: 1, count: 64, repeats: 8 }

  test.each<[what: string, change: Partial<Command>]>([
    ['sums that go on', { op: 'ReduceSum', srcStride: 0, at: [0, 4096, 4100, 0], patches: [zeros, twos] }],
    ['a maximum in the last repeat', { at: [0, 4096, 4096 + 448 * 4, 0], patches: [zeros] }],
    ['a minimum and its index', { op: 'ReduceMin', mode: 1, at: [0, 4096, 4096 + 448 * 4, 0], patches: [zeros] }],
  ])('%s', async (_, change) => {
    expect(await firstOf({ ...over, ...change })).toBeNaN()
  })

  test.each<[what: string, wanted: number, change: Partial<Command>]>([
    ['a sum', 128, { op: 'ReduceSum' }],
    ['a maximum', 2, {}],
    ['a maximum and its index', 2, { mode: 1 }],
  ])('%s may work where its source begins', async (_, wanted, change) => {
    const inPlace = { at: [0, 4096, 4096, 0], patches: [zeros, twos] }
    expect(await firstOf({ ...over, ...inPlace, ...change })).toBe(wanted)
  })
})

const sorted: Partial<Command> = { op: 'MrgSort', count: 15, bits: [8, 8, 8, 8] }

/** The codes of what is reported of one call, and the image that it leaves. */
async function reported(change: Partial<Command>): Promise<{ codes: string[]; image: DataView }> {
  const c: Command = { ...plain, op: '', type: 'float', seed: 1, ...change }
  const words = new Int32Array(commandBytes / 4)
  writeCommand(new DataView(words.buffer), 0, c)
  const { result, y } = await device.run({
    x: { dtype: 'int32', shape: [words.length], data: words },
    y: { dtype: 'int32', shape: [outcomeBytes / 4] },
    attrs: { blocks: 1 },
  })
  if (!result.ok) throw new Error(JSON.stringify([result, c], null, 2))
  const { buffer, byteOffset } = bytesView(y)
  return { codes: result.reports.map(({ code }) => code), image: new DataView(buffer, byteOffset, outcomeBytes) }
}

const every = (step: number) => [{ at: 12_288, words: Array.from({ length: 192 }, (_, i) => i * step) }]
const squares: Partial<Command> = { op: 'TransDataTo5HD', mode: 1, repeats: 3, dstStride: 16, srcStride: 16 }

describe('a repeat that reads what an earlier one has written', () => {
  const chains: [what: string, at: number, change: Partial<Command>][] = [
    ['elements by offset', 512, { op: 'Gather', at: [256, 0, 12_288, 0], count: 192, patches: every(4) }],
    [
      'blocks by offset',
      512,
      { op: 'Gatherb', type: 'uint32', at: [256, 0, 12_288, 0], repeats: 3, dstStride: 8, patches: every(32) },
    ],
    ['elements that are kept', 512, { op: 'GatherMask', at: [256, 0, 0, 0], form: 7, repeats: 3 }],
    ['halves that are kept', 512, { op: 'GatherMask', type: 'half', at: [256, 0, 0, 0], form: 7, repeats: 3 }],
    ['every other element', 768, { op: 'GatherMask', at: [512, 0, 0, 0], form: 1, repeats: 4 }],
    ['elements of one long repeat', 512, { op: 'GatherMask', at: [256, 0, 0, 0], form: 7, mode: 1, count: 192 }],
    ['elements of blocks apart', 512, { op: 'GatherMask', at: [256, 0, 0, 0], form: 7, blockStride: 2, repeats: 3 }],
    ['squares of words', 1024, { ...squares, at: [512, 0, 0, 0] }],
    ['squares of halves', 1024, { ...squares, type: 'half', at: [512, 0, 0, 0] }],
    ['squares of bytes', 1024, { ...squares, type: 'uint8', at: [512, 0, 0, 0] }],
    ['squares by registers', 1024, { ...squares, form: 3, at: [512, 0, 0, 0] }],
    ['lists that are merged', 64, { ...sorted, at: [64, 0, 0, 0] }],
    ['rows that are sorted', 256, { op: 'Sort32', at: [0, 0, 8192, 0], repeats: 3 }],
    ['sums of repeats', 260, { op: 'ReduceRepeat sum', at: [256, 0, 0, 0], count: 64, repeats: 3, dstStride: 1 }],
  ]
  test.each(chains)('finds garbage there: %s', async (_, at, change) => {
    const { codes, image } = await reported(change)
    expect(codes).toContain('OverlapForbidden')
    expect(image.getFloat32(at, true)).toBeNaN()
  })

  const ahead: [what: string, bytes: number, change: Partial<Command>][] = [
    ['elements that are kept', 768, { op: 'GatherMask', form: 7, repeats: 3 }],
    ['every fourth element', 256, { op: 'GatherMask', form: 4, repeats: 4 }],
    ['halves of one long repeat', 512, { op: 'GatherMask', type: 'half', form: 2, mode: 1, count: 512 }],
    ['rows pushed together', 480, { op: 'GatherMask', form: 7, mode: 1, count: 40, repeats: 3, srcStride: 8 }],
    ['squares of halves', 1536, { ...squares, type: 'half' }],
    ['squares of words', 1536, { ...squares }],
    ['squares of bytes', 1536, { ...squares, type: 'uint8', more: 0 }],
  ]
  test.each(ahead)('does not do so in place: %s', async (_, bytes, change) => {
    const [there, apart] = [
      await reported({ ...change, at: [0, 0, 0, 0] }),
      await reported({ ...change, at: [4096, 0, 0, 0] }),
    ]
    expect(there.codes).toEqual([])
    // bytes are those of the lower half of each block
    const step = change.type === 'uint8' ? 32 : 4
    for (let at = 0; at < bytes; at += step) expect(there.image.getUint32(at)).toBe(apart.image.getUint32(4096 + at))
  })
})

/** Calls that cannot be carried out, and the code each is reported by. */
const refused: [what: string, code: string, change: Partial<Command>][] = [
  ['an offset past UB', 'ErrorRead3', { op: 'Gather', count: 1, patches: [{ at: 12_288, words: [200_000] }] }],
  ['an offset between elements', 'ErrorRead4', { op: 'Gather', count: 1, patches: [{ at: 12_288, words: [2] }] }],
  [
    'blocks at no block',
    'ErrorRead4',
    { op: 'Gatherb', type: 'uint32', patches: [{ at: 12_288, words: [16, 0, 0, 0, 0, 0, 0, 0] }] },
  ],
  ['a pattern beyond the seventh', 'ParameterRange', { op: 'GatherMask', form: 8 }],
  ['a result between pairs', 'ErrorWrite4', { op: 'ReduceRepeat max', count: 64, at: [4, 4096, 0, 0] }],
  ['256 repeats', 'RepeatRange', { op: 'ReduceRepeat sum', count: 64, repeats: 256 }],
  ['blocks transposed to no block', 'ErrorWrite4', { op: 'TransDataTo5HD', at: [16, 4096, 0, 0], mode: 1 }],
  ['an image of part of a block', 'ParameterRange', { op: 'Transpose image', count: 2, more: 7 }],
  ['one list to merge', 'ParameterRange', { ...sorted, count: 1 }],
  ['a list too long', 'ParameterRange', { ...sorted, bits: [4096, 0, 0, 0] }],
]

/** Calls that leave their buffers, and stay inside UB. */
const carriedOut: typeof refused = [
  ['an image without room to work', 'ErrorWrite2', { op: 'Transpose image', count: 9, more: 8 }],
  ['a sort without room to work', 'ErrorWrite2', { op: 'Sort', repeats: 16, at: [0, 4096, 6144, 16_256] }],
  ['an offset past the buffer', 'ErrorRead3', { op: 'Gather', count: 1, patches: [{ at: 12_288, words: [16_384] }] }],
  ['kept elements past the buffer', 'ErrorWrite2', { op: 'GatherMask', form: 7, at: [16_128, 0, 0, 0], repeats: 2 }],
  [
    'levels past the temporary tensor',
    'ErrorWrite2',
    { op: 'ReduceMax', count: 64, repeats: 8, at: [0, 0, 16_352, 0] },
  ],
]

test.each([
  ...refused.map((row) => [...row, 'error'] as const),
  ...carriedOut.map((row) => [...row, 'warning'] as const),
])('the device notices %s', async (_, code, change, severity) => {
  const c: Command = { ...plain, op: '', type: 'float', seed: 1, ...change }
  const words = new Int32Array(commandBytes / 4)
  writeCommand(new DataView(words.buffer), 0, c)
  const x = { dtype: 'int32' as const, shape: [words.length], data: words }
  const { result } = await device.run({ x, y: { dtype: 'int32', shape: [outcomeBytes / 4] }, attrs: { blocks: 1 } })
  expect(result.reports).toContainEqual(expect.objectContaining({ code, severity }))
})
