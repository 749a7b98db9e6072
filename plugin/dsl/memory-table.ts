import type { Program } from './ir.ts'
import { bytesIn, dtypeIn, ubBytes, type Memory } from './memory.ts'
import { fail, lineOf } from './problem.ts'
import { bytesWith, knownTests, mayBeThere } from './ways.ts'

// The memory of a program as a table, and as a reason to refuse it.

/** The table that `--explain-memory` prints, for one column and one tiling. */
export function memoryTable(
  program: Program,
  memory: Memory,
  text: string,
  column: number,
  fields: ReadonlyMap<string, number>,
): string {
  const tests = knownTests(program)
  const areas = memory.areas
    .map((area) => ({ ...area, sizes: area.sizes.filter((size) => mayBeThere(size, tests, fields)) }))
    .filter(({ sizes }) => sizes.length > 0)
  const rows = areas.map(({ name, sizes, role, buffer, at, why }) => {
    const bytes = Math.max(...sizes.map((size) => bytesIn(size, column, fields)))
    const copies = role === 'scratch' ? '' : ` x ${memory.depthOf.get(buffer!)}`
    const dtype = buffer ? dtypeIn(program, buffer, column) : ''
    return { name, dtype, bytes, line: lineOf(text, at), why: `${why}${copies}` }
  })
  // of two sides of a test that only cores can answer, the table has both
  const total = bytesWith(program, memory, column, fields)
  const width = (key: 'name' | 'dtype', least: number): number =>
    Math.max(least, ...rows.map((each) => each[key].length))
  const [names, types] = [width('name', 7), width('dtype', 5)]
  const line = (name: string, dtype: string, bytes: string, at: string, why: string): string =>
    `${name.padEnd(names)}  ${dtype.padEnd(types)}  ${bytes.padStart(9)}  ${at.padStart(4)}  ${why}`.trimEnd()
  return [
    line('buffer', 'dtype', 'bytes', 'line', ''),
    ...rows.map(({ name, dtype, bytes, line: at, why }) => line(name, dtype, String(bytes), String(at), why)),
    line('(total)', '', String(total), '', `of ${ubBytes}${total > ubBytes ? `: ${total - ubBytes} too many` : ''}`),
  ].join('\n')
}

/** Fails where not even the smallest tiling fits: every field is 1. */
export function checkLeast(program: Program, memory: Memory, text: string): void {
  const fields = new Map(program.fields.map(({ name }): [string, number] => [name, 1]))
  for (let column = 0; column < program.columns; column++) {
    const total = bytesWith(program, memory, column, fields)
    if (total <= ubBytes) continue
    const tests = knownTests(program)
    const least = memory.areas.map(({ sizes }) =>
      Math.max(
        0,
        ...sizes.filter((size) => mayBeThere(size, tests, fields)).map((size) => bytesIn(size, column, fields)),
      ),
    )
    const largest = memory.areas[least.indexOf(Math.max(...least))]!
    fail(
      largest.buffer?.span ?? { start: largest.at, end: largest.at + 1 },
      `the buffers take ${total} bytes even where all sizes are 1, and the unified buffer has ${ubBytes}`,
      'make buffers smaller, or let them be of one tile: { depth: 1 } holds one instead of two',
      memoryTable(program, memory, text, column, fields),
    )
  }
}
