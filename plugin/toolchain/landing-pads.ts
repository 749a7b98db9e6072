import type { ObjectFile } from './object-file.ts'

/** Encodings of numbers and addresses in a table for exceptions. */
const encoding = { omitted: 0xff, unsigned: 0x01, word: 0x03 }

/** Reads numbers of a table one after the other; past its end they are NaN. */
class TableReader {
  at: number
  readonly #table: Buffer

  constructor(table: Buffer, at: number) {
    this.#table = table
    this.at = at
  }

  byte(): number {
    return this.#table[this.at++] ?? NaN
  }

  unsigned(): number {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const next = this.byte()
      value += (next & 127) * scale
      if (!(next >= 128)) return Number.isNaN(next) ? NaN : value
    }
  }

  word(): number {
    return this.byte() + this.byte() * 2 ** 8 + this.byte() * 2 ** 16 + this.byte() * 2 ** 24
  }
}

/** Where code goes on for an exception, from the begin of its function. */
function padsOf(table: Buffer, from: number): number[] {
  const reader = new TableReader(table, from)
  // another begin than that of the function is for functions in several parts, which unoptimised code has not
  if (reader.byte() !== encoding.omitted) return []
  if (reader.byte() !== encoding.omitted) reader.unsigned()
  const form = reader.byte()
  if (form !== encoding.unsigned && form !== encoding.word) return []
  const read = (): number => (form === encoding.unsigned ? reader.unsigned() : reader.word())
  const end = reader.unsigned() + reader.at
  const pads: number[] = []
  while (reader.at < end) {
    const [begin, length, pad] = [read(), read(), read()]
    const action = reader.unsigned()
    if (Number.isNaN(begin + length + pad + action)) break
    if (pad !== 0) pads.push(pad)
  }
  return pads
}

/** A place in a section. */
interface Pad {
  offset: number
}

/**
 * Where the code of an object goes on for an exception, in order, by the index of the section: its unwind entries name a
 * function, and then the table of its calls.
 */
export function landingPads({ sections, relocations }: ObjectFile): ReadonlyMap<number, readonly Pad[]> {
  const found = new Map<number, Pad[]>()
  for (const { index } of sections.filter(({ name }) => name === '.eh_frame')) {
    const entries = [...(relocations.get(index) ?? [])].sort((one, other) => one.offset - other.offset)
    let begin: { section: number; offset: number } | undefined
    for (const { symbol, addend } of entries) {
      const { section } = symbol
      if (section?.isCode) begin = { section: section.index, offset: symbol.offset + addend }
      else if (begin && section?.name.startsWith('.gcc_except_table')) {
        const { offset } = begin
        const known = found.get(begin.section) ?? []
        for (const pad of padsOf(section.bytes, symbol.offset + addend)) known.push({ offset: offset + pad })
        found.set(begin.section, known)
      }
    }
  }
  for (const pads of found.values()) pads.sort((one, other) => one.offset - other.offset)
  return found
}

/** Blocks of a function on x86-64 by their first bytes, in order, to which the one before `end` may go on. */
function successors(code: Buffer, end: number, begins: ReadonlyMap<number, number>, next: number): number[] {
  const found: number[] = []
  let rest = end
  /** Takes a jump off the end, if there is one to a block. */
  const take = (isShort: (opcode: number) => boolean, isLong: (opcode: number) => boolean, prefix: number): boolean => {
    const long = rest - 5 - prefix
    if (long >= 0 && isLong(code[rest - 5] ?? 0) && (prefix === 0 || code[long] === 0x0f)) {
      const to = begins.get(rest + code.readInt32LE(rest - 4))
      if (to !== undefined) return (found.push(to), (rest = long), true)
    }
    if (rest < 2 || !isShort(code[rest - 2] ?? 0)) return false
    const to = begins.get(rest + code.readInt8(rest - 1))
    return to !== undefined && (found.push(to), (rest -= 2), true)
  }
  const isJump = take(
    (opcode) => opcode === 0xeb,
    (opcode) => opcode === 0xe9,
    0,
  )
  take(
    (opcode) => opcode >> 4 === 7,
    (opcode) => opcode >> 4 === 8,
    1,
  )
  const returns = code[end - 1] === 0xc3
  return isJump || returns ? found : [...found, next]
}

/** What a block is for: an exception passes through it on its way, or begins to be handled there, or neither is known. */
export type BlockUse = 'unwinds' | 'handles' | 'other'

/**
 * Which blocks of a function exceptions alone pass through: those that do so by themselves, and those to which only such lead,
 * which end the lives of more variables. `begins` are their first bytes, in order. A block of which nobody knows what leads
 * to it, as those of a switch, is none.
 */
export function unwinding(code: Buffer, begins: readonly number[], end: number, uses: readonly BlockUse[]): boolean[] {
  const found = uses.map((use) => use === 'unwinds')
  if (process.arch !== 'x64' || !found.includes(true)) return found
  const places = new Map(begins.map((begin, index) => [begin, index]))
  const next = begins.map((_, index) => successors(code, begins[index + 1] ?? end, places, index + 1))
  /** of each block: how many lead to it that others pass through as well */
  const others = begins.map(() => 0)
  for (const to of next.flat()) others[to] = (others[to] ?? 0) + 1
  const toFollow = [...found.keys()].filter((index) => found[index])
  for (let index = toFollow.pop(); index !== undefined; index = toFollow.pop()) {
    for (const to of next[index] ?? []) {
      const left = (others[to] ?? 0) - 1
      others[to] = left
      if (left > 0 || found[to] !== false || uses[to] === 'handles') continue
      found[to] = true
      toFollow.push(to)
    }
  }
  return found
}
