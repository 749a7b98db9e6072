const symbolTable = 2
const dynamicSymbolTable = 11
const symbolBytes = 24
const sectionHeaderBytes = 64

/** True for a 64-bit little-endian ELF file. */
export const isElf = (file: Buffer): boolean =>
  file.length >= 64 && file.readUInt32BE(0) === 0x7f454c46 && file[4] === 2 && file[5] === 1

export function stringAt(file: Buffer, offset: number): string {
  const end = file.indexOf(0, offset)
  return file.toString('latin1', offset, end < 0 ? file.length : end)
}

/**
 * Names of the symbols that an object file refers to and does not define. The object comes from a candidate: what does not
 * parse yields an empty list.
 */
export const undefinedSymbols = (file: Buffer): string[] => symbolsOf(file, symbolTable, false)

/** Names of the symbols that a shared library offers to others. */
export const exportedSymbols = (file: Buffer): string[] => symbolsOf(file, dynamicSymbolTable, true)

function symbolsOf(file: Buffer, table: number, defined: boolean): string[] {
  if (!isElf(file)) return []
  try {
    const sections = Number(file.readBigUInt64LE(40))
    const count = file.readUInt16LE(60)
    const header = (index: number): number => sections + index * sectionHeaderBytes
    const found: string[] = []
    for (let index = 0; index < count; index++) {
      const at = header(index)
      if (file.readUInt32LE(at + 4) !== table) continue
      const from = Number(file.readBigUInt64LE(at + 24))
      const bytes = Number(file.readBigUInt64LE(at + 32))
      const names = Number(file.readBigUInt64LE(header(file.readUInt32LE(at + 40)) + 24))
      for (let symbol = from; symbol + symbolBytes <= Math.min(from + bytes, file.length); symbol += symbolBytes) {
        const name = file.readUInt32LE(symbol)
        if (name !== 0 && (file.readUInt16LE(symbol + 6) !== 0) === defined) found.push(stringAt(file, names + name))
      }
    }
    return found
  } catch {
    return []
  }
}
