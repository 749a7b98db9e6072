import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'
import { toFloat64 } from '../inputs/decode.ts'

/** Blocks of 32 bytes; more than three pages of the bits of valid bytes. */
const blocks = 160
const blockBytes = 32
const mostCommands = 24
const [fill, one, two, widen, narrow, store] = [0, 1, 2, 3, 4, 5]
/** Under a mask, in strides of their own: element by element, then reductions. */
const [masked, maskedWiden, maskedNarrow, maskedAxpy, ofRepeats, ofBlocks, ofPairs, ofAll] = [
  6, 7, 8, 9, 10, 11, 12, 13,
]
const words = 14

interface Command {
  kind: number
  to: number
  from: number
  other: number
  elements: number
  rows: number
  pitch: number
  mask?: readonly number[]
  toBlock?: number
  fromBlock?: number
  toPitch?: number
}

const operator = useOperator(interfaceOf('UnwrittenBytes', 'unwritten_bytes', ['commands'], ['int32'], ['int16']))

async function run(commands: readonly Command[]) {
  const data = new Int32Array(mostCommands * words)
  data.set(
    commands.flatMap((c) => {
      const place = [c.kind, c.to, c.from, c.other, c.elements, c.rows, c.pitch]
      return place.concat(c.mask ?? [0, 0, 0, 0], c.toBlock ?? 0, c.fromBlock ?? 0, c.toPitch ?? 0)
    }),
  )
  const { result, y } = await operator.run({
    x: { dtype: 'int32', shape: [data.length], data },
    y: { dtype: 'int16', shape: [(blocks * blockBytes) / 2] },
    attrs: { commands: commands.length },
  })
  expect(result).toMatchObject({ ok: true })
  return { reports: result.reports, y }
}

async function isReported(commands: readonly Command[]): Promise<boolean> {
  const { reports } = await run(commands)
  return reports.some((report) => report.code === 'ErrorRead2')
}

test('memory begins with the same leftovers, whatever a launch before has written there', async () => {
  const all = (blocks * blockBytes) / 2
  const place = { to: 0, from: 0, other: 0, rows: 1, pitch: 0 }
  const first = { kind: fill, ...place, elements: all }
  const shown = { kind: store, ...place, elements: all }
  for (const written of [all, 2048, 64, 16, 16]) {
    const { y } = await run([shown, { ...first, elements: written }])
    expect(new Set(toFloat64(y))).toEqual(new Set([0x5a5a]))
  }
  for (const to of [100, 3, 159]) {
    await run([{ ...first, to, elements: 16 }, first, { ...first, to: blocks - to, elements: 16 }])
    const { y } = await run([shown, { ...first, to, elements: 16 }])
    expect(new Set(toFloat64(y))).toEqual(new Set([0x5a5a]))
  }
})

const byteAt = (start: number, row: number, pitch: number, block: number, byte: number) =>
  (start + row * pitch + Math.floor(byte / blockBytes) * block) * blockBytes + (byte % blockBytes)

/** Lane by lane: a result is garbage where one of its lanes is, and nothing else is written. */
function applyMasked(c: Command, before: Uint8Array, valid: Uint8Array): void {
  const { mask = [], toBlock = 0, fromBlock = 0, toPitch = 0 } = c
  const isFloat = c.kind === maskedWiden || c.kind === maskedNarrow
  const lanes = isFloat ? 64 : 128
  const [toBytes, fromBytes] = [c.kind === maskedWiden ? 4 : 2, c.kind === maskedNarrow ? 4 : 2]
  /** By the first byte of the result: whether all its lanes of the row are whole. */
  const whole = new Map<number, boolean>()
  for (let row = 0; row < c.rows; row++) {
    if (c.kind !== ofAll) whole.clear()
    for (let lane = 0; lane < lanes; lane++) {
      if (((mask[lane >> 5]! >>> (lane & 31)) & 1) === 0) continue
      const from = byteAt(c.from, row, c.pitch, c.kind === ofAll ? 1 : fromBlock, lane * fromBytes)
      const elementTo = byteAt(c.to, row, toPitch, toBlock, lane * toBytes)
      const base = c.to * blockBytes
      const result =
        {
          [ofRepeats]: base + row * toPitch * 2,
          [ofBlocks]: base + row * toPitch * 16 + (lane >> 4) * 2,
          [ofPairs]: base + row * toPitch * 128 + (lane >> 1) * 2,
          [ofAll]: base,
        }[c.kind] ?? elementTo
      const isRead = before.subarray(from, from + fromBytes).every((byte) => byte === 1)
      const isThere = c.kind !== maskedAxpy || valid.subarray(result, result + 2).every((byte) => byte === 1)
      whole.set(result, (whole.get(result) ?? true) && isRead && isThere)
      valid.fill(whole.get(result) ? 1 : 0, result, result + toBytes)
    }
  }
}

/** The same byte by byte: an element is garbage where a byte is that it is computed from. */
function storesGarbage(commands: readonly Command[]): boolean {
  const valid = new Uint8Array(blocks * blockBytes)
  for (const c of commands) {
    const before = valid.slice()
    if (c.kind >= masked) {
      applyMasked(c, before, valid)
      continue
    }
    const [toBytes, fromBytes] = [c.kind === widen ? 4 : 2, c.kind === narrow ? 4 : 2]
    const sources = { [fill]: [], [two]: [c.from, c.other] }[c.kind] ?? [c.from]
    for (let row = 0; row < c.rows; row++) {
      for (let element = 0; element < c.elements; element++) {
        const isWhole = sources.every((source) => {
          const begin = (source + row * c.pitch) * blockBytes + element * fromBytes
          return before.subarray(begin, begin + fromBytes).every((byte) => byte === 1)
        })
        if (c.kind === store && !isWhole) return true
        if (c.kind === store) continue
        const begin = (c.to + row * c.pitch) * blockBytes + element * toBytes
        valid.fill(isWhole ? 1 : 0, begin, begin + toBytes)
      }
    }
  }
  return false
}

const place = fc.oneof(fc.integer({ min: 0, max: 80 }), fc.constantFrom(0, 1, 33, 64))
const places = { to: place, from: place, other: place }
const inPlace = place.map((to) => ({ to, from: to, other: to }))
const oneRow = fc.record({
  elements: fc.oneof(fc.integer({ min: 1, max: 1200 }), fc.constantFrom(8, 16, 24, 128, 256, 512)),
  rows: fc.constant(1),
  pitch: fc.constant(0),
})
const someRows = fc
  .record({
    elements: fc.integer({ min: 1, max: 128 }),
    rows: fc.integer({ min: 2, max: 5 }),
    gap: fc.integer({ min: 1, max: 5 }),
  })
  .map(({ elements, rows, gap }) => ({ elements, rows, pitch: Math.ceil(elements / 16) + gap }))
const shorter = fc.record({
  elements: fc.integer({ min: 1, max: 600 }),
  rows: fc.constant(1),
  pitch: fc.constant(0),
})

/** One half of the memory to the other. */
const halves = fc
  .tuple(fc.boolean(), fc.integer({ min: 0, max: 24 }), fc.integer({ min: 0, max: 24 }))
  .map(([isUp, to, from]) => ({ to: isUp ? 80 + to : to, from: isUp ? from : 80 + from, other: 0 }))
const maskWords: fc.Arbitrary<number[]> = fc.oneof(
  fc.array(fc.constantFrom(0, -1, 0x5555_5555, 0xffff, 0x7fff_0000, 3), { minLength: 4, maxLength: 4 }),
  fc.constant<number[]>([-1, -1, -1, -1]),
)
const isWide = (kind: number) => kind === maskedWiden || kind === maskedNarrow
const underMask = fc
  .record({
    kind: fc.constantFrom(masked, maskedWiden, maskedNarrow, maskedAxpy, ofRepeats, ofBlocks, ofPairs, ofAll),
    mask: maskWords,
    rows: fc.integer({ min: 1, max: 3 }),
    toBlock: fc.integer({ min: 1, max: 2 }),
    fromBlock: fc.integer({ min: 1, max: 2 }),
    pitch: fc.integer({ min: 0, max: 16 }),
    toPitch: fc.integer({ min: 1, max: 16 }),
  })
  .filter(({ kind, mask }) => mask.some((word, i) => word !== 0 && (i < 2 || !isWide(kind))))
  .map(({ mask, toPitch, ...how }) => ({
    ...how,
    elements: 0,
    mask: isWide(how.kind) ? mask.map((word, i) => (i < 2 ? word : 0)) : mask,
    toPitch: how.kind === ofBlocks || how.kind === ofPairs ? Math.min(toPitch, 7) : toPitch,
  }))

const maskedCommand = fc.tuple(halves, underMask).map(([where, how]): Command => ({ ...where, ...how }))
const plainCommand = fc
  .tuple(
    fc.oneof(fc.record(places), inPlace),
    fc.oneof(
      fc.record({ kind: fc.constantFrom(fill, fill, one, two), how: fc.oneof(oneRow, someRows) }),
      fc.record({ kind: fc.constantFrom(widen, narrow), how: shorter }),
    ),
  )
  .map(([where, { kind, how }]): Command => ({ kind, ...where, ...how }))
const command = fc.oneof({ weight: 2, arbitrary: plainCommand }, { weight: 1, arbitrary: maskedCommand })
const stored = fc.record({ from: place, elements: fc.integer({ min: 1, max: 400 }) })

const programs = fc
  .tuple(fc.array(command, { minLength: 4, maxLength: mostCommands - 1 }), stored)
  .map(([commands, last]): Command[] => [...commands, { kind: store, to: 0, other: 0, rows: 1, pitch: 0, ...last }])

test('what lies between the lanes of a mask stays as it was, where all that is read is garbage', async () => {
  const place = { to: 33, from: 33, other: 33 }
  const filled = { ...place, kind: fill, elements: 1, rows: 1, pitch: 0 }
  const half = { ...place, to: 23, from: 80, kind: masked, elements: 0, rows: 1, pitch: 0 }
  const gaps = { ...half, mask: [0, 0, 0xffff, 0xffff], toBlock: 2, fromBlock: 1, toPitch: 9 }
  const stored = { ...place, kind: store, elements: 1, rows: 1, pitch: 0 }
  expect(await isReported([filled, gaps, stored])).toBe(false)
  expect(await isReported([filled, gaps, { ...stored, from: 31 }])).toBe(true)
})

test('garbage is found where it is stored, as far as that of every byte by itself', async () => {
  const seen = { garbage: 0, none: 0 }
  await fc.assert(
    fc.asyncProperty(programs, async (commands) => {
      const expected = storesGarbage(commands)
      expect(await isReported(commands)).toBe(expected)
      seen[expected ? 'garbage' : 'none']++
    }),
    { numRuns: 800 },
  )
  // the programs do not all end alike
  expect(Math.min(seen.garbage, seen.none)).toBeGreaterThan(50)
}, 120_000)
