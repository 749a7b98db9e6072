import { groupedBy } from '../model/index.ts'
import { countUpTo, countWhile } from './line-table.ts'
import type { ObjectSymbol, Section } from './object-file.ts'

/** The first of some symbols, in their order, that has a byte of a section from one place up to another. */
export type SymbolFinder = (section: Section, from: number, to: number) => ObjectSymbol | undefined

/** Those that begin at one place: names of one thing. */
interface Begin {
  offset: number
  /** each longer than all before it: no other one is ever the first */
  symbols: { rank: number; symbol: ObjectSymbol }[]
  /** where all end that begin here or before */
  end: number
}

function beginsOf(symbols: readonly { rank: number; symbol: ObjectSymbol }[]): Begin[] {
  const begins: Begin[] = []
  // a stable sort: those of one place stay in their order
  for (const each of [...symbols].sort((a, b) => a.symbol.offset - b.symbol.offset)) {
    const { offset, size } = each.symbol
    let last = begins.at(-1)
    if (last?.offset !== offset) begins.push((last = { offset, symbols: [], end: last?.end ?? 0 }))
    if (size > (last.symbols.at(-1)?.symbol.size ?? 0)) last.symbols.push(each)
    last.end = Math.max(last.end, offset + size)
  }
  return begins
}

/** Indexes symbols by their place, so that each question takes time by the logarithm of their number. */
export function symbolFinder(symbols: readonly ObjectSymbol[]): SymbolFinder {
  const bySection = groupedBy(
    symbols.map((symbol, rank) => ({ rank, symbol })),
    ({ symbol }) => symbol.section,
  )
  const known = new Map<Section, Begin[]>()
  return (section, from, to) => {
    const begins = known.get(section) ?? beginsOf(bySection.get(section) ?? [])
    known.set(section, begins)
    let first: { rank: number; symbol: ObjectSymbol } | undefined
    for (let at = countUpTo(begins, to - 1) - 1; at >= 0 && begins[at]!.end > from; at--) {
      const { offset, symbols } = begins[at]!
      const found = symbols[countWhile(symbols, ({ symbol }) => symbol.size <= from - offset)]
      if (found && (!first || found.rank < first.rank)) first = found
    }
    return first?.symbol
  }
}
