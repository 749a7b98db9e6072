import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'

/** Blocks of 32 bytes; more than three pages of the bits of valid bytes. */
const blocks = 160
const blockBytes = 32
const mostCommands = 24
const [fill, one, two, widen, narrow, store] = [0, 1, 2, 3, 4, 5]

interface Command {
  kind: number
  to: number
  from: number
  other: number
  elements: number
  rows: number
  pitch: number
}

const operator = useOperator(interfaceOf('UnwrittenBytes', 'unwritten_bytes', ['commands'], ['int32'], ['int16']))

async function isReported(commands: readonly Command[]): Promise<boolean> {
  const words = new Int32Array(mostCommands * 7)
  words.set(commands.flatMap((c) => [c.kind, c.to, c.from, c.other, c.elements, c.rows, c.pitch]))
  const { result } = await operator.run({
    x: { dtype: 'int32', shape: [words.length], data: words },
    y: { dtype: 'int16', shape: [(blocks * blockBytes) / 2] },
    attrs: { commands: commands.length },
  })
  expect(result).toMatchObject({ ok: true })
  return result.reports.some((report) => report.code === 'ErrorRead2')
}

/** The same byte by byte: an element is garbage where a byte is that it is computed from. */
function storesGarbage(commands: readonly Command[]): boolean {
  const valid = new Uint8Array(blocks * blockBytes)
  for (const c of commands) {
    const before = valid.slice()
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

const command = fc
  .tuple(
    fc.oneof(fc.record(places), inPlace),
    fc.oneof(
      fc.record({ kind: fc.constantFrom(fill, fill, one, two), how: fc.oneof(oneRow, someRows) }),
      fc.record({ kind: fc.constantFrom(widen, narrow), how: shorter }),
    ),
  )
  .map(([where, { kind, how }]): Command => ({ kind, ...where, ...how }))
const stored = fc.record({ from: place, elements: fc.integer({ min: 1, max: 400 }) })

const programs = fc
  .tuple(fc.array(command, { minLength: 4, maxLength: mostCommands - 1 }), stored)
  .map(([commands, last]): Command[] => [...commands, { kind: store, to: 0, other: 0, rows: 1, pitch: 0, ...last }])

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
  expect(Math.min(seen.garbage, seen.none)).toBeGreaterThan(100)
}, 120_000)
