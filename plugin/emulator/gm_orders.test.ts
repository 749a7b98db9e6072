import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'

const cores = 3
const bytes = 512
const [store, load, add] = [0, 1, 2]

interface Command {
  /** -1: all cores meet */
  core: number
  kind: number
  offset: number
  rows: number
  rowBytes: number
  gap: number
  value: number
  /** 1: the core waits for all of its pipes before it goes on */
  waits: number
}

const operator = useOperator(interfaceOf('GmOrders', 'gm_orders', ['cores', 'commands'], ['int32'], ['int8']))

/** What the device says: races between cores, and between the pipes of one core, in the bytes of y. */
async function reported(commands: readonly Command[]) {
  const words = commands.flatMap((c) => [c.core, c.kind, c.offset, c.rows, c.rowBytes, c.gap, c.value, c.waits])
  const { result } = await operator.run({
    x: { dtype: 'int32', shape: [words.length], data: Int32Array.from(words) },
    y: { dtype: 'int8', shape: [bytes] },
    attrs: { cores, commands: commands.length },
  })
  expect(result).toMatchObject({ ok: true })
  const of = (code: RegExp) =>
    result.reports.some((report) => code.test(report.code) && report.message.includes(' of y'))
  return { cores: of(/^GmRace$/), pipes: of(/^ErrorSync[12]$/) }
}

/** A row of a copy that its core has not waited for yet. */
interface Row {
  command: number
  kind: number
  begin: number
  end: number
}

interface Touch {
  phase: number
  core: number
  kind: number
}

const touchesOf = (): Touch[][] => Array.from({ length: bytes }, () => [])

/**
 * The same byte by byte: who has read each, and who has written it last or added to it since, in which phase between two meetings,
 * and what each core has not waited for.
 */
class Oracle {
  readonly found = { cores: false, pipes: false }
  readonly #memory = new Uint8Array(bytes).fill(0xa5)
  readonly #touches = { writes: touchesOf(), reads: touchesOf() }
  readonly #pending: Row[][] = Array.from({ length: cores }, () => [])

  constructor(commands: readonly Command[]) {
    let phase = 0
    for (let first = 0; first < commands.length; phase++) {
      const meeting = commands.findIndex(({ core }, i) => i >= first && core < 0)
      const end = meeting < 0 ? commands.length : meeting
      // cores run one after another from meeting to meeting
      for (let core = 0; core < cores; core++) {
        for (let i = first; i < end; i++) if (commands[i]!.core === core) this.#run(commands[i]!, i, phase)
        this.#pending[core] = []
      }
      first = end + 1
    }
  }

  #run(c: Command, command: number, phase: number): void {
    for (let row = 0; row < c.rows; row++) {
      const begin = c.offset + row * (c.rowBytes + c.gap)
      this.#row({ command, kind: c.kind, begin, end: begin + c.rowBytes }, c, phase)
    }
    if (c.waits === 1) this.#pending[c.core] = []
  }

  #row(row: Row, { core, kind, value }: Command, phase: number): void {
    const isSeen = this.#changes(row, value)
    for (let at = row.begin; at < row.end; at++) {
      const touched = kind === load ? ['writes' as const] : ['writes' as const, 'reads' as const]
      for (const side of touched)
        for (const other of this.#touches[side][at]!) {
          const together = kind === add && other.kind === add && side === 'writes'
          if (other.phase === phase && other.core !== core && !together && isSeen(at)) this.found.cores = true
        }
    }
    for (const other of this.#pending[core]!) {
      const together = (kind === add && other.kind === add) || (kind === load && other.kind === load)
      if (other.command === row.command || together) continue
      for (let at = Math.max(row.begin, other.begin); at < Math.min(row.end, other.end); at++)
        if (isSeen(at)) this.found.pipes = true
    }
    this.#pending[core]!.push(row)
    const side = this.#touches[kind === load ? 'reads' : 'writes']
    for (let at = row.begin; at < row.end; at++) {
      side[at] = [
        ...side[at]!.filter((other) => kind === load || (kind === add && other.kind === add)),
        { phase, core, kind },
      ]
      if (kind === store) this.#memory[at] = value
      if (kind === add) this.#memory[at]! += value
    }
  }

  /** Where the order can be seen: writing what is there already cannot, before the first byte that changes and after the last. */
  #changes({ kind, begin, end }: Row, value: number): (at: number) => boolean {
    if (kind !== store) return () => true
    const before = this.#memory.subarray(begin, end)
    const first = before.findIndex((byte) => byte !== value)
    const last = before.findLastIndex((byte) => byte !== value)
    return (at) => first >= 0 && at >= begin + first && at <= begin + last
  }
}

const geometry = fc.oneof(
  fc.constantFrom(
    { offset: 0, rows: 6, rowBytes: 4, gap: 12 },
    { offset: 4, rows: 6, rowBytes: 4, gap: 12 },
    { offset: 8, rows: 5, rowBytes: 8, gap: 8 },
    { offset: 96, rows: 4, rowBytes: 4, gap: 12 },
    { offset: 0, rows: 6, rowBytes: 16, gap: 0 },
    { offset: 96, rows: 3, rowBytes: 16, gap: 0 },
    { offset: 3, rows: 7, rowBytes: 3, gap: 8 },
  ),
  fc.record({
    offset: fc.integer({ min: 0, max: 120 }),
    rows: fc.integer({ min: 1, max: 8 }),
    rowBytes: fc.integer({ min: 1, max: 20 }),
    gap: fc.integer({ min: 0, max: 24 }),
  }),
)

const meet = { core: -1, kind: 0, offset: 0, rows: 0, rowBytes: 0, gap: 0, value: 0, waits: 0 }

/** Programs in which about as many cores and pipes are in order as are not. */
const programs = fc
  .record({
    alwaysWaits: fc.boolean(),
    commands: fc.array(
      fc.tuple(
        geometry,
        fc.constantFrom(store, store, load, load, add),
        fc.constantFrom(0, 0, 1, 2),
        fc.integer({ min: 1, max: 2 }),
        fc.boolean(),
        fc.boolean(),
      ),
      { minLength: 2, maxLength: 12 },
    ),
  })
  .map(({ alwaysWaits, commands }) =>
    commands.flatMap(([where, kind, core, value, waits, meets]): Command[] => {
      const command = { ...where, kind, core, value, waits: alwaysWaits || waits ? 1 : 0 }
      return meets ? [meet, command] : [command]
    }),
  )

test('races between cores and pipes in strided copies are those of every byte by itself', async () => {
  const seen = { cores: 0, pipes: 0, neither: 0 }
  await fc.assert(
    fc.asyncProperty(programs, async (commands) => {
      const { found } = new Oracle(commands)
      expect(await reported(commands)).toEqual(found)
      if (found.cores) seen.cores++
      if (found.pipes) seen.pipes++
      if (!found.cores && !found.pipes) seen.neither++
    }),
    { numRuns: 400 },
  )
  // the programs do not all end alike
  expect(Math.min(seen.cores, seen.pipes, seen.neither)).toBeGreaterThan(15)
}, 120_000)
