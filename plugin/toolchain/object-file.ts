import { isElf, stringAt } from './elf.ts'

const sectionHeaderBytes = 64
const symbolBytes = 24
const relocationBytes = 24

const sectionTypes = { symbols: 2, relocations: 4, noBits: 8, dynamicSymbols: 11 }
const sectionFlags = { write: 1, allocate: 2, execute: 4, group: 0x200, threadLocal: 0x400 }
/** R_X86_64_PLT32, R_AARCH64_JUMP26, R_AARCH64_CALL26 */
const callRelocations: ReadonlySet<number> = new Set([4, 282, 283])
const symbolTypes = { object: 1, function: 2, section: 3, indirectFunction: 10 }
const symbolBindings = ['local', 'global', 'weak'] as const

export interface Section {
  name: string
  index: number
  /** in a library that is linked */
  address: number
  /** of functions: what `__aicore__` asks for, or what the compiler takes */
  alignment: number
  isCode: boolean
  /** part of the library that is linked; the others are for linkers and debuggers */
  isLoaded: boolean
  /** variables that code may write, each core sharing them */
  isWritable: boolean
  /** one of several that are the same: the linker takes any */
  isInGroup: boolean
  bytes: Buffer
}

export interface ObjectSymbol {
  name: string
  kind: 'function' | 'object' | 'section' | 'indirect function' | 'other'
  binding: 'local' | 'global' | 'weak' | 'other'
  /** null: defined elsewhere */
  section: Section | null
  offset: number
  size: number
}

/** One place in a section that the linker fills in. */
export interface Relocation {
  offset: number
  /** the address of a function is taken where it is not called */
  isCall: boolean
  symbol: ObjectSymbol
  addend: number
}

export interface ObjectFile {
  sections: readonly Section[]
  symbols: readonly ObjectSymbol[]
  /** by the index of the section that is filled in */
  relocations: ReadonlyMap<number, readonly Relocation[]>
}

/** A 64-bit number; those of an object file are far below 2^53. */
const long = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32

const signedLong = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at) + bytes.readInt32LE(at + 4) * 2 ** 32

function readSections(file: Buffer): { section: Section; type: number; info: number }[] {
  const start = long(file, 40)
  const count = file.readUInt16LE(60)
  const names = long(file, start + file.readUInt16LE(62) * sectionHeaderBytes + 24)
  return Array.from({ length: count }, (_, index) => {
    const at = start + index * sectionHeaderBytes
    const type = file.readUInt32LE(at + 4)
    const flags = file.readUInt32LE(at + 8)
    const from = long(file, at + 24)
    const bytes = type === sectionTypes.noBits ? 0 : long(file, at + 32)
    const name = stringAt(file, names + file.readUInt32LE(at))
    const section: Section = {
      name,
      index,
      address: long(file, at + 16),
      alignment: long(file, at + 48),
      isCode: (flags & sectionFlags.execute) !== 0,
      isLoaded: (flags & sectionFlags.allocate) !== 0,
      isWritable: (flags & sectionFlags.write) !== 0 && (flags & sectionFlags.threadLocal) === 0,
      isInGroup: (flags & sectionFlags.group) !== 0,
      bytes: file.subarray(from, from + bytes),
    }
    return { section, type, info: file.readUInt32LE(at + 44) }
  })
}

const kindOf = (type: number): ObjectSymbol['kind'] => {
  if (type === symbolTypes.function) return 'function'
  if (type === symbolTypes.object) return 'object'
  if (type === symbolTypes.indirectFunction) return 'indirect function'
  return type === symbolTypes.section ? 'section' : 'other'
}

function readSymbols(file: Buffer, table: Section, names: number, sections: readonly Section[]): ObjectSymbol[] {
  const found: ObjectSymbol[] = []
  for (let at = 0; at + symbolBytes <= table.bytes.length; at += symbolBytes) {
    const info = table.bytes[at + 4] ?? 0
    const kind = kindOf(info & 15)
    const section = sections[table.bytes.readUInt16LE(at + 6)]
    found.push({
      name: kind === 'section' ? (section?.name ?? '') : stringAt(file, names + table.bytes.readUInt32LE(at)),
      kind,
      binding: symbolBindings[info >> 4] ?? 'other',
      section: section === undefined || section.index === 0 ? null : section,
      offset: long(table.bytes, at + 8),
      size: long(table.bytes, at + 16),
    })
  }
  return found
}

/** Reads an object file of this machine's compilers. It may come from a candidate: what does not parse yields null. */
export function readObjectFile(file: Buffer): ObjectFile | null {
  if (!isElf(file)) return null
  try {
    const all = readSections(file)
    const sections = all.map(({ section }) => section)
    const table = all.find(({ type }) => type === sectionTypes.symbols)?.section
    if (!table) return null
    const start = long(file, 40)
    const link = file.readUInt32LE(start + table.index * sectionHeaderBytes + 40)
    const names = long(file, start + link * sectionHeaderBytes + 24)
    const symbols = readSymbols(file, table, names, sections)
    const relocations = new Map<number, Relocation[]>()
    for (const { section, info } of all.filter(({ type }) => type === sectionTypes.relocations)) {
      const list: Relocation[] = []
      for (let at = 0; at + relocationBytes <= section.bytes.length; at += relocationBytes) {
        const symbol = symbols[section.bytes.readUInt32LE(at + 12)]
        if (!symbol) continue
        const addend = signedLong(section.bytes, at + 16)
        const isCall = callRelocations.has(section.bytes.readUInt32LE(at + 8))
        list.push({ offset: long(section.bytes, at), isCall, symbol, addend })
      }
      relocations.set(info, list)
    }
    return { sections, symbols, relocations }
  } catch {
    return null
  }
}

/** A library that is linked: its sections, and what is looked up when it is loaded, by the address of the pointer to it. */
export interface Library {
  sections: readonly Section[]
  imports: ReadonlyMap<number, string>
}

/** Reads a shared library that the linker made of a candidate's object: what does not parse yields null. */
export function readLibrary(file: Buffer): Library | null {
  if (!isElf(file)) return null
  try {
    const all = readSections(file)
    const sections = all.map(({ section }) => section)
    const start = long(file, 40)
    const linkOf = ({ index }: Section) => all[file.readUInt32LE(start + index * sectionHeaderBytes + 40)]
    const imports = new Map<number, string>()
    for (const { section, type } of all) {
      const symbols = linkOf(section)
      if (type !== sectionTypes.relocations || symbols?.type !== sectionTypes.dynamicSymbols) continue
      const names = linkOf(symbols.section)?.section.bytes ?? Buffer.alloc(0)
      for (let at = 0; at + relocationBytes <= section.bytes.length; at += relocationBytes) {
        const symbol = section.bytes.readUInt32LE(at + 12) * symbolBytes
        imports.set(long(section.bytes, at), stringAt(names, symbols.section.bytes.readUInt32LE(symbol)))
      }
    }
    return { sections, imports }
  } catch {
    return null
  }
}
