import { circular } from './circular.ts'
import { countUpTo, lineAt, readLineTable, type LineTable } from './line-table.ts'
import type { ObjectFile, ObjectSymbol, Relocation, Section } from './object-file.ts'
import { symbolFinder, type SymbolFinder } from './symbol-finder.ts'

/** What `__aicore__` of the emulator's headers asks for; compilers ask for no more than 16 themselves. */
const deviceAlignment = 64

export interface Place {
  file: string
  line: number
}

/** A place in a function that refers to something. */
export interface Use extends Place {
  to:
    | { kind: 'function'; called: CompiledFunction }
    | { kind: 'elsewhere'; name: string }
    | { kind: 'variable'; name: string }
    | { kind: 'table of virtual functions'; name: string }
}

/** One function of an object that was compiled with a section for each. */
export interface CompiledFunction {
  /** mangled */
  name: string
  /** index of the section that is its code */
  section: number
  /** where its code begins; undefined for functions of the emulator's headers */
  place: Place | undefined
  /** the functions of the object that its code speaks of; of the emulator's headers too, which `uses` leaves out */
  refersTo: ReadonlySet<CompiledFunction>
  /** declared with `__aicore__` or `__global__` */
  isDevice: boolean
  /** its address is taken, in code or as the value of a variable: whoever calls what a pointer points to may call it */
  isPointedTo: boolean
  /**
   * it calls itself, and there is no relocation that tells of it: the function is seen in its own unit alone. False for clang,
   * whose bitcode tells
   */
  callsItself: boolean
  uses: Use[]
}

const virtualTable = /^_ZT[VC]/

/** What a compiler calls because `flags.ts` has it report loads, stores and blocks. */
const reporting = /^__(?:asan|tsan|sanitizer)_/

/** Where compilers put constants that hold addresses: the loader writes them, and nothing else. */
const relocated = /^\.data\.rel\.ro(?:\.local)?(?:\.(.*))?$/

/**
 * Tells what code can write, in whatever section, or could if somebody had not named the section: without a name of the candidate's a
 * constant is there for the addresses in it.
 */
function variableTest({ relocations }: ObjectFile): (symbol: ObjectSymbol) => boolean {
  const ordered = new Map<number, readonly Relocation[]>()
  return ({ name, section, offset, size }) => {
    if (section === null || !section.isWritable || name === '') return false
    const [found, ofSymbol = name] = relocated.exec(section.name) ?? []
    if (found === undefined || ofSymbol !== name) return true
    const { index } = section
    const inOrder = ordered.get(index) ?? [...(relocations.get(index) ?? [])].sort((a, b) => a.offset - b.offset)
    ordered.set(index, inOrder)
    return countUpTo(inOrder, offset - 1) === countUpTo(inOrder, offset + size - 1)
  }
}

/** Every function of an object with what it refers to. */
export function readFunctions(object: ObjectFile, isClang: boolean): CompiledFunction[] {
  const lines = readLineTable(object)
  const bySection = new Map<number, CompiledFunction>()
  for (const { kind, name, section } of object.symbols) {
    if (kind !== 'function' || section === null || bySection.has(section.index)) continue
    const first = lines.get(section.index)?.find(({ line }) => line !== 0)
    const place = first && { file: first.file, line: first.line }
    const isDevice = section.alignment >= deviceAlignment
    const index = section.index
    const callsItself = !isClang && callsStart(section.bytes)
    const refersTo: ReadonlySet<CompiledFunction> = new Set()
    bySection.set(index, { name, section: index, place, refersTo, isDevice, isPointedTo: false, callsItself, uses: [] })
  }
  const isVariable = variableTest(object)
  const found = object.symbols.filter((symbol) => symbol.kind === 'object' && isVariable(symbol))
  const variables = { all: new Set(found), meeting: symbolFinder(found) }
  for (const [index, each] of bySection) {
    const relocations = object.relocations.get(index) ?? []
    const others = relocations.flatMap(({ symbol }) => bySection.get(symbol.section?.index ?? -1) ?? [])
    each.refersTo = new Set(others)
    if (!each.place) continue
    each.uses = relocations.flatMap((entry) => useOf(entry, index, { bySection, lines, variables }))
  }
  for (const { symbol } of addressesTaken(object)) {
    const taken = bySection.get(symbol.section?.index ?? -1)
    if (taken) taken.isPointedTo = true
  }
  return [...bySection.values()]
}

const constants = /^\.(?:t?data|rodata)/

/** Where code, or a variable of the candidate's, has the address of something for another purpose than to call it. */
function addressesTaken({ sections, symbols, relocations }: ObjectFile): Relocation[] {
  const ofEntry = symbolFinder(symbols.filter(({ name }) => name.startsWith('npu_emu_')))
  // what it starts is called by the runtime; a kernel is one of these functions as well, and takes addresses for itself
  const started = new Set(
    symbols.flatMap(({ name, section }) => (name.includes('npu_emu_') && section ? [section] : [])),
  )
  const isOfEntry = (from: Section, { offset, symbol: { section } }: Relocation): boolean =>
    section !== null && started.has(section) && ofEntry(from, offset, offset + 1) !== undefined
  return sections
    .filter(({ isCode, name }) => isCode || constants.test(name))
    .flatMap((section) =>
      (relocations.get(section.index) ?? []).filter(
        (each) => !each.isCall && each.symbol.section?.isCode && !isOfEntry(section, each),
      ),
    )
}

/** Whether the code of a function has a call of its first instruction: `call` of x86-64, `bl` of aarch64. */
function callsStart(code: Buffer): boolean {
  if (process.arch === 'arm64') {
    for (let at = 0; at + 4 <= code.length; at += 4)
      if (code.readUInt32LE(at) === (0x94000000 | (-(at >> 2) & 0x3ffffff)) >>> 0) return true
    return false
  }
  for (let at = code.indexOf(0xe8); at >= 0 && at + 5 <= code.length; at = code.indexOf(0xe8, at + 1))
    if (code.readInt32LE(at + 1) === -(at + 5)) return true
  return false
}

interface Known {
  bySection: ReadonlyMap<number, CompiledFunction>
  lines: LineTable
  variables: { all: ReadonlySet<ObjectSymbol>; meeting: SymbolFinder }
}

function targetOf({ symbol, addend }: Relocation, { bySection, variables }: Known): Use['to'] | null {
  const { name, section } = symbol
  if (virtualTable.test(name)) return { kind: 'table of virtual functions', name }
  if (section === null) return name === '' || reporting.test(name) ? null : { kind: 'elsewhere', name }
  const called = bySection.get(section.index)
  if (section.isCode) return called ? { kind: 'function', called } : null
  if (symbol.kind === 'object') return variables.all.has(symbol) ? { kind: 'variable', name } : null
  // by its place in the section; the end of the instruction that refers to it is mostly four bytes further, and up to eight
  const variable = variables.meeting(section, addend + 4, addend + 5) ?? variables.meeting(section, addend, addend + 9)
  return variable ? { kind: 'variable', name: variable.name } : null
}

function useOf(entry: Relocation, section: number, known: Known): Use[] {
  const to = targetOf(entry, known)
  const row = lineAt(known.lines, section, entry.offset)
  return to && row ? [{ to, file: row.file, line: row.line }] : []
}

/**
 * Functions that call themselves, be it by way of others, such as those of the headers that are given a functor. `callingPointers`:
 * names of those that call what a pointer points to.
 */
export function recursive(
  functions: readonly CompiledFunction[],
  callingPointers: ReadonlySet<string>,
): CompiledFunction[] {
  const pointedTo = functions.filter((each) => each.isPointedTo)
  // null stands between all that call what a pointer points to and all that is pointed to
  const callsOf = (from: CompiledFunction): (CompiledFunction | null)[] => [
    ...from.refersTo,
    ...(callingPointers.has(from.name) ? [null] : []),
    ...(from.callsItself ? [from] : []),
  ]
  const found = circular([...functions, null], (from) => (from === null ? pointedTo : callsOf(from)))
  return found.filter((each) => each !== null)
}
