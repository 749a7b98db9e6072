import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'

/** Blocks of 32 bytes; more than three pages of the race detector. */
const blocks = 160
const blockLength = 16
const mostCommands = 40
/** Each command loads from a place of its own: what writes the same values does not race. */
const loadedWords = mostCommands * 80 * (blockLength / 2)
const [load, fill, read, store, wait, waitAll] = [0, 1, 2, 3, 4, 5]
const pipes = ['MTE2', 'V', 'MTE3'] as const
type Pipe = (typeof pipes)[number]

interface Command {
  kind: number
  offset: number
  rows: number
  blocks: number
  gap: number
  /** Which pipe waits for which: an index of `orders`. */
  order: number
  /** How often it is done, one after the other. */
  times: number
}

const orders = pipes.flatMap((from) => pipes.filter((to) => to !== from).map((to) => ({ from, to })))

const operator = useOperator(interfaceOf('LocalOrders', 'local_orders', ['commands'], ['int32'], ['int16']))

async function isReported(commands: readonly Command[]): Promise<boolean> {
  const words = Int32Array.from({ length: 320 + loadedWords }, (_, i) => i)
  words.set(commands.flatMap((c) => [c.kind, c.offset, c.rows, c.blocks, c.gap, c.order, c.times]))
  const { result } = await operator.run({
    x: { dtype: 'int32', shape: [words.length], data: words },
    y: { dtype: 'int16', shape: [mostCommands * blocks * blockLength] },
    attrs: { commands: commands.length },
  })
  expect(result).toMatchObject({ ok: true })
  return result.reports.some((report) => /^ErrorSync[12]$/.test(report.code))
}

type Counts = Record<Pipe, number>
const zeros = (): Counts => ({ MTE2: 0, V: 0, MTE3: 0 })

/** The same block by block: the last instruction of each pipe that wrote it and that read it, and what each pipe knows to be over. */
function races(commands: readonly Command[]): boolean {
  const writes = Array.from({ length: blocks }, zeros)
  const reads = Array.from({ length: blocks }, zeros)
  const issued = zeros()
  const known: Record<Pipe, Counts> = { MTE2: zeros(), V: zeros(), MTE3: zeros() }
  for (const c of commands) {
    if (c.kind === waitAll) for (const pipe of pipes) known[pipe] = { ...issued }
    if (c.kind === wait) {
      const { from, to } = orders[c.order]!
      const over = { ...known[from], [from]: issued[from] }
      for (const pipe of pipes) known[to][pipe] = Math.max(known[to][pipe], over[pipe])
    }
    if (c.kind === wait || c.kind === waitAll) continue
    const pipe = c.kind === load ? 'MTE2' : c.kind === store ? 'MTE3' : 'V'
    const isWrite = c.kind === load || c.kind === fill
    issued[pipe]++
    for (let row = 0; row < c.rows; row++) {
      const begin = c.offset + row * (c.blocks + c.gap)
      for (let block = begin; block < begin + c.blocks; block++) {
        for (const other of pipes) {
          if (writes[block]![other] > known[pipe][other] && !(other === 'V' && pipe === 'V')) return true
          if (isWrite && other !== pipe && reads[block]![other] > known[pipe][other]) return true
        }
      }
    }
    for (let row = 0; row < c.rows; row++) {
      const begin = c.offset + row * (c.blocks + c.gap)
      for (let block = begin; block < begin + c.blocks; block++) (isWrite ? writes : reads)[block]![pipe] = issued[pipe]
    }
  }
  return false
}

const strided = fc.record({
  offset: fc.integer({ min: 0, max: 40 }),
  rows: fc.integer({ min: 2, max: 8 }),
  blocks: fc.integer({ min: 1, max: 8 }),
  gap: fc.integer({ min: 0, max: 6 }),
})
const straight = fc.record({
  offset: fc.integer({ min: 0, max: 80 }),
  rows: fc.constant(1),
  blocks: fc.integer({ min: 1, max: 80 }),
  gap: fc.constant(0),
})
/** These come again and again, side by side. */
const repeated = fc.constantFrom(
  ...[0, 2, 4, 6, 33, 64].flatMap((offset) => [
    { offset, rows: 6, blocks: 2, gap: 6 },
    { offset, rows: 3, blocks: 2, gap: 14 },
    { offset: offset * 2, rows: 1, blocks: 4, gap: 0 },
  ]),
)

const access = fc.record({
  where: fc.oneof(strided, straight, { weight: 4, arbitrary: repeated }),
  kind: fc.constantFrom(load, fill, read, store),
  /** More than once, so that what is kept of the latest accesses overflows. */
  times: fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.constantFrom(20, 700)),
})
const ordering = fc.record({
  kind: fc.constantFrom(wait, wait, wait, waitAll),
  order: fc.integer({ min: 0, max: orders.length - 1 }),
})

const nowhere = { offset: 0, rows: 1, blocks: 1, gap: 0, times: 1 }

/** In order but for the last two accesses: the first one in disorder would end what is compared. */
const programs = fc
  .tuple(
    fc.array(fc.oneof(access, { weight: 2, arbitrary: ordering }), { maxLength: mostCommands - 2 }),
    fc.array(access, { minLength: 2, maxLength: 2 }),
  )
  .map(([steps, last]) => {
    const commands: Command[] = []
    for (const [i, step] of [...steps, ...last].entries()) {
      const next: Command = 'where' in step ? { ...step.where, ...step, order: 0 } : { ...nowhere, ...step }
      if (next.kind === load) next.times = 1 // the second one would be in disorder with the first
      if (i >= steps.length || !races([...commands, next])) commands.push(next)
    }
    return commands
  })

test('races between pipes in local memory are those of every block by itself', async () => {
  const seen = { race: 0, none: 0 }
  await fc.assert(
    fc.asyncProperty(programs, async (commands) => {
      const expected = races(commands)
      expect(await isReported(commands)).toBe(expected)
      seen[expected ? 'race' : 'none']++
    }),
    { numRuns: 800 },
  )
  // the programs do not all end alike
  expect(Math.min(seen.race, seen.none)).toBeGreaterThan(40)
}, 120_000)
