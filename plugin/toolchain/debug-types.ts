import { Reader } from './line-table.ts'
import type { ObjectFile, Relocation } from './object-file.ts'

/** What a type is for the device: `half` and `float` are the lengths that it has, `double` the longer ones. */
export type NumberKind = 'half' | 'float' | 'double' | 'unsigned' | 'other'

/** Types of an object by the name that the source has for them; a name may stand for several. */
export interface NamedTypes {
  /** those that a function has something of, by its mangled name */
  ofFunctions: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<NumberKind>>>
  all: ReadonlyMap<string, ReadonlySet<NumberKind>>
}

const tags = {
  enumeration: 0x04,
  typedef: 0x16,
  base: 0x24,
  constant: 0x26,
  subprogram: 0x2e,
  volatile: 0x35,
  restrict: 0x37,
  atomic: 0x47,
}
const attributes = {
  name: 0x03,
  byteSize: 0x0b,
  code: 0x11,
  origin: 0x31,
  encoding: 0x3e,
  specification: 0x47,
  type: 0x49,
}
const encodings = { complex: 3, float: 4, unsigned: 7, unsignedCharacter: 8, decimal: 15, unicode: 16 }
const forms = {
  address: 0x01,
  block2: 0x03,
  block4: 0x04,
  data2: 0x05,
  data4: 0x06,
  data8: 0x07,
  text: 0x08,
  block: 0x09,
  block1: 0x0a,
  data1: 0x0b,
  flag: 0x0c,
  signed: 0x0d,
  textAt: 0x0e,
  unsigned: 0x0f,
  reference1: 0x11,
  reference2: 0x12,
  reference4: 0x13,
  reference8: 0x14,
  referenceUnsigned: 0x15,
  sectionOffset: 0x17,
  expression: 0x18,
  present: 0x19,
}

/** Numbers of these are what they qualify. */
const qualifiers: ReadonlySet<number> = new Set([tags.constant, tags.volatile, tags.restrict, tags.atomic])

interface Abbreviation {
  tag: number
  hasChildren: boolean
  attributes: readonly (readonly [name: number, form: number])[]
}

/** One entry, with what is read of it. */
interface Entry {
  tag: number
  /** the function that it is in, or is */
  function: Entry | undefined
  numbers: ReadonlyMap<number, number>
  texts: ReadonlyMap<number, string>
}

function readAbbreviations(bytes: Buffer, at: number): Map<number, Abbreviation> {
  const reader = new Reader(bytes, at)
  const found = new Map<number, Abbreviation>()
  for (let code = reader.unsigned(); code !== 0; code = reader.unsigned()) {
    const tag = reader.unsigned()
    const hasChildren = reader.byte() !== 0
    const list: [number, number][] = []
    for (;;) {
      const pair: [number, number] = [reader.unsigned(), reader.unsigned()]
      if (pair[0] === 0 && pair[1] === 0) break
      list.push(pair)
    }
    found.set(code, { tag, hasChildren, attributes: list })
  }
  return found
}

/** The entries of all units, by where they begin. */
function readEntries({ sections, relocations }: ObjectFile): Map<number, Entry> {
  const found = new Map<number, Entry>()
  const section = (name: string) => sections.find((each) => each.name === name)
  const info = section('.debug_info')
  if (!info) return found
  const abbreviations = section('.debug_abbrev')?.bytes ?? Buffer.alloc(0)
  const strings = section('.debug_str')?.bytes ?? Buffer.alloc(0)
  const places = new Map<number, Relocation>((relocations.get(info.index) ?? []).map((each) => [each.offset, each]))
  const reader = new Reader(info.bytes)
  /** A number that the linker adds to. */
  const offset = (): number => {
    const place = places.get(reader.at)
    const written = reader.word(4)
    return place ? place.symbol.offset + place.addend : written
  }
  const skip = (bytes: number): undefined => void (reader.at += bytes)
  const value = (form: number, unit: number): number | string | undefined => {
    switch (form) {
      case forms.address: {
        // where it lies is told by the section: each function has one of its own
        const section = places.get(reader.at)?.symbol.section?.index ?? -1
        skip(8)
        return section
      }
      case forms.data8:
      case forms.reference8:
        return skip(8)
      case forms.block1:
        return skip(reader.byte())
      case forms.block2:
        return skip(reader.word(2))
      case forms.block4:
        return skip(reader.word(4))
      case forms.block:
      case forms.expression:
        return skip(reader.unsigned())
      case forms.data1:
      case forms.flag:
        return reader.byte()
      case forms.data2:
        return reader.word(2)
      case forms.data4:
      case forms.sectionOffset:
        return offset()
      case forms.text:
        return reader.text()
      case forms.textAt:
        return new Reader(strings, offset()).text()
      case forms.signed:
        return reader.signed()
      case forms.unsigned:
        return reader.unsigned()
      case forms.reference1:
        return unit + reader.byte()
      case forms.reference2:
        return unit + reader.word(2)
      case forms.reference4:
        return unit + reader.word(4)
      case forms.referenceUnsigned:
        return unit + reader.unsigned()
      case forms.present:
        return 1
      default:
        throw new Error(`form ${form}`)
    }
  }
  while (reader.at < info.bytes.length) {
    const unit = reader.at
    const end = reader.word(4) + reader.at
    if (reader.word(2) !== 4) return found
    const known = readAbbreviations(abbreviations, offset())
    reader.byte()
    const parents: (Entry | undefined)[] = []
    while (reader.at < end) {
      const at = reader.at
      const abbreviation = known.get(reader.unsigned())
      if (!abbreviation) {
        parents.pop()
        continue
      }
      const numbers = new Map<number, number>()
      const texts = new Map<number, string>()
      for (const [name, form] of abbreviation.attributes) {
        const read = value(form, unit)
        if (typeof read === 'number') numbers.set(name, read)
        else if (read !== undefined) texts.set(name, read)
      }
      const entry: Entry = { tag: abbreviation.tag, function: parents.at(-1), numbers, texts }
      if (entry.tag === tags.subprogram) entry.function = entry
      found.set(at, entry)
      if (abbreviation.hasChildren) parents.push(entry.function)
    }
    reader.at = end
  }
  return found
}

function kindOfBase({ numbers }: Entry): NumberKind {
  const bytes = numbers.get(attributes.byteSize) ?? 0
  switch (numbers.get(attributes.encoding)) {
    case encodings.float:
      if (bytes > 4) return 'double'
      return bytes < 4 ? 'half' : 'float'
    case encodings.complex:
      return bytes > 8 ? 'double' : 'other'
    case encodings.decimal:
      return 'double'
    case encodings.unsigned:
    case encodings.unsignedCharacter:
    case encodings.unicode:
      return 'unsigned'
    default:
      return 'other'
  }
}

/** Types refer to others, and in what somebody has forged to themselves. */
const longestChain = 100

/** What the names of types stand for that an object of g++ has, from its debugging information of DWARF 4. */
export function readNamedTypes(object: ObjectFile): NamedTypes {
  let entries = new Map<number, Entry>()
  try {
    entries = readEntries(object)
  } catch {
    // a name that nothing is known of is no harmless one
  }
  const follow = (from: Entry | undefined, attribute: number): Entry | undefined =>
    entries.get(from?.numbers.get(attribute) ?? -1)
  const kindOf = (type: Entry | undefined): NumberKind => {
    for (let at = type, left = longestChain; at && left > 0; left--) {
      if (at.tag === tags.base) return kindOfBase(at)
      if (at.tag !== tags.typedef && at.tag !== tags.enumeration && !qualifiers.has(at.tag)) return 'other'
      at = follow(at, attributes.type)
    }
    return 'other'
  }
  /** A function that is declared and defined, or made several times, has an entry for each. */
  const first = (from: Entry): Entry => {
    for (let at = from, left = longestChain; left > 0; left--) {
      const next = follow(at, attributes.origin) ?? follow(at, attributes.specification)
      if (!next) return at
      at = next
    }
    return from
  }
  const all = new Map<string, Set<NumberKind>>()
  const byEntry = new Map<Entry, Map<string, Set<NumberKind>>>()
  const note = (types: Map<string, Set<NumberKind>>, name: string, kind: NumberKind): void => {
    const kinds = types.get(name)
    if (kinds) kinds.add(kind)
    else types.set(name, new Set([kind]))
  }
  const typesOf = (entry: Entry): Map<string, Set<NumberKind>> => {
    const at = first(entry)
    let types = byEntry.get(at)
    if (!types) byEntry.set(at, (types = new Map()))
    return types
  }
  for (const entry of entries.values()) {
    if (isNamed(entry)) note(all, entry.texts.get(attributes.name) ?? '', kindOf(entry))
    if (!entry.function) continue
    let type = isNamed(entry) ? entry : follow(entry, attributes.type)
    for (let left = longestChain; type && qualifiers.has(type.tag) && left > 0; left--)
      type = follow(type, attributes.type)
    if (type && isNamed(type)) note(typesOf(entry.function), type.texts.get(attributes.name) ?? '', kindOf(type))
  }
  const bySection = new Map<number, string[]>()
  for (const { kind, name, section } of object.symbols)
    if (kind === 'function' && section) bySection.set(section.index, [...(bySection.get(section.index) ?? []), name])
  const ofFunctions = new Map<string, ReadonlyMap<string, ReadonlySet<NumberKind>>>()
  for (const entry of entries.values()) {
    const section = entry.tag === tags.subprogram ? entry.numbers.get(attributes.code) : undefined
    for (const name of bySection.get(section ?? -1) ?? []) ofFunctions.set(name, typesOf(entry))
  }
  return { all, ofFunctions }
}

/** Entries of types that the source has a name for, and that are made of another one. */
const isNamed = ({ tag }: Entry): boolean => tag === tags.typedef || tag === tags.enumeration
