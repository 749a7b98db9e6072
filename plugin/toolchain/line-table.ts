import { posix } from 'node:path'
import type { ObjectFile } from './object-file.ts'

/** From this offset of its section on, the code belongs to a line. */
export interface Row {
  offset: number
  file: string
  line: number
  /** 0: the whole line */
  column: number
}

/** Lines of code by the index of its section. */
export type LineTable = ReadonlyMap<number, readonly Row[]>

/** Opcodes of the line number program, DWARF version 4. */
const standard = { copy: 1, advancePc: 2, advanceLine: 3, setFile: 4, setColumn: 5, constAddPc: 8, fixedAdvancePc: 9 }
const extended = { endSequence: 1, setAddress: 2, defineFile: 3 }

/** Reads through a section from front to back. */
export class Reader {
  at: number
  readonly bytes: Buffer

  constructor(bytes: Buffer, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  byte(): number {
    return this.bytes.readUInt8(this.at++)
  }

  word(bytes: 2 | 4): number {
    const value = this.bytes.readUIntLE(this.at, bytes)
    this.at += bytes
    return value
  }

  unsigned(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const next = this.byte()
      value += (next & 127) * scale
      if (next < 128) return value
    }
  }

  signed(): number {
    let value = 0
    for (let scale = 1; ;) {
      const next = this.byte()
      value += (next & 127) * scale
      scale *= 128
      if (next < 128) return (next & 64) === 0 ? value : value - scale
    }
  }

  text(): string {
    const end = this.bytes.indexOf(0, this.at)
    const found = this.bytes.toString('utf8', this.at, end)
    this.at = end + 1
    return found
  }
}

interface Header {
  version: number
  smallest: number
  lineBase: number
  lineRange: number
  opcodeBase: number
  operands: number[]
  files: string[]
  program: number
}

function readHeader(reader: Reader): Header {
  const version = reader.word(2)
  const program = reader.word(4) + reader.at
  const smallest = reader.byte()
  if (version >= 4) reader.byte()
  reader.byte()
  const lineBase = reader.bytes.readInt8(reader.at++)
  const lineRange = reader.byte()
  const opcodeBase = reader.byte()
  const operands = Array.from({ length: opcodeBase - 1 }, () => reader.byte())
  const folders = ['']
  for (let name = reader.text(); name !== ''; name = reader.text()) folders.push(name)
  const files = ['']
  for (let name = reader.text(); name !== ''; name = reader.text()) {
    const folder = folders[reader.unsigned()] ?? ''
    files.push(name.startsWith('/') || name.startsWith('<') ? name : posix.join(folder, name))
    reader.unsigned()
    reader.unsigned()
  }
  return { version, smallest, lineBase, lineRange, opcodeBase, operands, files, program }
}

/** The lines of all code of an object, from its line number programs of DWARF 4. What does not parse is left out. */
export function readLineTable({ sections, relocations }: ObjectFile): LineTable {
  const found = new Map<number, Row[]>()
  const table = sections.find(({ name }) => name === '.debug_line')
  if (!table) return found
  const places = new Map((relocations.get(table.index) ?? []).map((entry) => [entry.offset, entry]))
  const reader = new Reader(table.bytes)
  try {
    while (reader.at < table.bytes.length) {
      const end = reader.word(4) + reader.at
      const header = readHeader(reader)
      reader.at = header.program
      if (header.version >= 2 && header.version <= 4) runProgram(reader, end, header)
      reader.at = end
    }
  } catch {
    // what was read so far is right
  }
  for (const rows of found.values()) rows.sort((a, b) => a.offset - b.offset)
  return found

  function runProgram(reader: Reader, end: number, header: Header): void {
    const { smallest, lineBase, lineRange, opcodeBase, operands, files } = header
    let section = -1
    let offset = 0
    let file = 1
    let line = 1
    let column = 0
    const start = (): void => {
      section = -1
      offset = 0
      file = 1
      line = 1
      column = 0
    }
    const note = (): void => {
      let rows = found.get(section)
      if (!rows) found.set(section, (rows = []))
      rows.push({ offset, file: files[file] ?? '', line, column })
    }
    while (reader.at < end) {
      const opcode = reader.byte()
      if (opcode >= opcodeBase) {
        const special = opcode - opcodeBase
        offset += Math.floor(special / lineRange) * smallest
        line += lineBase + (special % lineRange)
        note()
      } else if (opcode === 0) {
        const length = reader.unsigned()
        const next = reader.at + length
        const what = reader.byte()
        if (what === extended.endSequence) start()
        if (what === extended.setAddress) {
          const place = places.get(reader.at)
          section = place?.symbol.section?.index ?? -1
          offset = place ? place.symbol.offset + place.addend : 0
        }
        if (what === extended.defineFile) files.push(reader.text())
        reader.at = next
      } else if (opcode === standard.copy) note()
      else if (opcode === standard.advancePc) offset += reader.unsigned() * smallest
      else if (opcode === standard.advanceLine) line += reader.signed()
      else if (opcode === standard.setFile) file = reader.unsigned()
      else if (opcode === standard.setColumn) column = reader.unsigned()
      else if (opcode === standard.constAddPc) offset += Math.floor((255 - opcodeBase) / lineRange) * smallest
      else if (opcode === standard.fixedAdvancePc) offset += reader.word(2)
      else for (let i = 0; i < (operands[opcode - 1] ?? 0); i++) reader.unsigned()
    }
  }
}

/** The rows of a section that have a line, once for all that ask. */
const withLines = new WeakMap<readonly Row[], readonly Row[]>()

/** The line that the code at an offset belongs to; line 0 is code that the compiler made, and part of the line before. */
export function lineAt(table: LineTable, section: number, offset: number): Row | undefined {
  const all = table.get(section)
  if (!all) return undefined
  const rows = withLines.get(all) ?? all.filter(({ line }) => line !== 0)
  withLines.set(all, rows)
  return rows[countUpTo(rows, offset) - 1]
}

/** Something at a place in a section. */
export type Placed = Pick<Row, 'offset'>

/** Of how many, from the first on, something holds that holds of no other behind them. */
export function countWhile<T>(ordered: readonly T[], holds: (each: T) => boolean): number {
  let [low, high] = [0, ordered.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(ordered[middle]!)) low = middle + 1
    else high = middle
  }
  return low
}

/** How many begin at an offset or before it. */
export const countUpTo = (ordered: readonly Placed[], offset: number): number =>
  countWhile(ordered, (each) => each.offset <= offset)
