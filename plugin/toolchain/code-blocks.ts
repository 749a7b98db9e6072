import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { isInside } from '../files/index.ts'
import { isReport } from './block-reports.ts'
import { landingPads, unwinding, type BlockUse } from './landing-pads.ts'
import { countUpTo, readLineTable, type Placed, type Row } from './line-table.ts'
import { identifierOf } from './mangled.ts'
import { readObjectFile, type ObjectFile, type Relocation } from './object-file.ts'
import { groupedBy, type TilingKey } from '../model/index.ts'
import type { SourceTree } from './sources.ts'
import { decodedBy, selectedKeys } from './tiling-keys.ts'

const codeBlock = z.object({
  /** where the call that reports the block returns to, from the begin of the library */
  offset: z.int(),
  /** index of the file that it begins in */
  file: z.int(),
  line: z.int(),
  column: z.int(),
  /** counts the blocks of one function that begin at the same place: those of `a && b`, or of a macro */
  ordinal: z.int(),
  /** lines of that file that its code belongs to, in order; `line` is one of them */
  lines: z.array(z.int()),
  /** the name of the function that begins with it */
  entryOf: z.string().exactOptional(),
})

/** One basic block of a kernel library. */
export type CodeBlock = z.infer<typeof codeBlock>

const libraryBlocks = z.object({
  /** paths of sources, with the mark of their tree */
  files: z.array(z.string()),
  blocks: z.array(codeBlock),
  /** tiling keys that its code asks for or is selected for; by their fields, where they have some */
  tilingKeys: z.array(z.object({ key: z.string(), fields: z.string().exactOptional() })),
})

/** The basic blocks of a kernel library that a candidate has written. */
export type LibraryBlocks = z.infer<typeof libraryBlocks>

/** What is written in a tree. */
type TreeText = Pick<SourceTree, 'mark' | 'files'>

/** From the number that the linker fills into a call to the instruction behind it; and how long a call is. */
const behindCall = 4
const callBytes = process.arch === 'x64' ? 5 : 4

/**
 * The blocks of objects in files of the trees, as they lie in the library that was linked of them, in this order. All are a
 * candidate's work: what does not parse has none. A block that is no statement is one that the compiler has added, and so is one
 * that ends the life of variables where an exception passes. `choice` is the class of the choices of a template.
 */
export function readBlocks(
  objectFiles: readonly Buffer[],
  libraryFile: Buffer,
  trees: readonly TreeText[],
  isClang: boolean,
  choice?: string,
): LibraryBlocks {
  const objects = objectFiles.map(readObjectFile)
  const library = readObjectFile(libraryFile)
  const files = new Map<string, number>()
  const blocks: CodeBlock[] = []
  if (!library || objects.includes(null)) return { files: [], blocks, tilingKeys: [] }
  const closes = closingBraces(trees)
  const isOwn = (file: string): boolean => trees.some(({ mark }) => isInside(file, mark))
  const placesOf = linkedFunctions(library)
  for (const object of objects) {
    if (!object) continue
    const lines = readLineTable(object)
    const pads = landingPads(object)
    const ordered = new Map<number, readonly Relocation[]>()
    for (const { name, section, from, to, base } of placesOf(object)) {
      const rows = between(lines.get(section) ?? [], from, to)
      if (!rows.some((row) => isOwn(row.file))) continue
      const filledIn = ordered.get(section) ?? inOrder(object.relocations.get(section) ?? [])
      ordered.set(section, filledIn)
      const relocations = between(filledIn, from, to)
      const begins = relocations.filter(isReport).map(({ offset }) => offset + behindCall)
      const ends = begins.map((_, index) => (begins[index + 1] ?? Infinity) - callBytes)
      const uses = usesOf(begins, { from, to, relocations, pads: pads.get(section) ?? [] })
      const code = object.sections[section]?.bytes ?? Buffer.alloc(0)
      const places = begins.map((begin) => begin - callBytes)
      const isUnwinding = unwinding(code, places, to, uses)
      const met = new Map<string, number>()
      for (const [index, begin] of begins.entries()) {
        if (isUnwinding[index]) continue
        const until = ends[index] ?? Infinity
        // clang may go on in the line before, and says where code has no line; of g++ such code begins without one
        const before = isClang ? countUpTo(rows, begin - callBytes) - 1 : countUpTo(rows, begin - callBytes - 1)
        // a function begins before its first report
        const here = rows.slice(index === 0 ? 0 : Math.max(0, before), countUpTo(rows, until - 1))
        const own = here.filter((row) => row.line !== 0 && isOwn(row.file) && !closes(row))
        const [first] = own
        if (!first) continue
        const { file, line, column } = first
        const place = `${file}:${line}:${column}`
        const ordinal = met.get(place) ?? 0
        met.set(place, ordinal + 1)
        const written = own.flatMap((row) => (row.file === file ? [row.line] : []))
        const numbers = [...new Set(written)].sort((a, b) => a - b)
        const number = files.get(file) ?? files.size
        files.set(file, number)
        const entry = index === 0 ? { entryOf: identifierOf(name) } : {}
        blocks.push({ offset: base + begin, file: number, line, column, ordinal, lines: numbers, ...entry })
      }
    }
  }
  const paths = [...files.keys()]
  const functions = library.symbols.flatMap(({ kind, name }) => (kind === 'function' ? [name] : []))
  return { files: paths, blocks, tilingKeys: choice === undefined ? [] : choicesIn(functions, choice, trees) }
}

/** What compilers call when an exception goes on from a function, and when one begins to be handled. */
const passingOn = /^(?:_Unwind_Resume|__clang_call_terminate|_ZSt9terminatev)$/
const handling = '__cxa_begin_catch'

interface FunctionCode {
  from: number
  to: number
  /** in order */
  relocations: readonly Relocation[]
  pads: readonly Placed[]
}

/** What the blocks of a function are for that begin with these reports. */
function usesOf(begins: readonly number[], { from, to, relocations, pads }: FunctionCode): BlockUse[] {
  const own = between(pads, from, to)
  return begins.map((begin, index) => {
    const calls = between(relocations, begin, begins[index + 1] ?? to).map(({ symbol }) => symbol.name)
    if (calls.includes(handling)) return 'handles'
    const since = (begins[index - 1] ?? from) - callBytes
    const isPad = countUpTo(own, begin - callBytes) > countUpTo(own, since)
    return isPad || calls.some((called) => passingOn.test(called)) ? 'unwinds' : 'other'
  })
}

/** Tiling keys that a template was compiled for. */
function choicesIn(functions: readonly string[], choice: string, trees: readonly TreeText[]): TilingKey[] {
  const choices = selectedKeys(functions, choice)
  if (choices.length === 0) return []
  const decode = decodedBy(trees.flatMap(({ files }) => files.map(({ text }) => text.toString('utf8'))))
  return choices.map((choice) => {
    const fields = decode(choice)
    return { key: choice.key, ...(fields !== undefined && { fields }) }
  })
}

/** Whether a row is of the end of a block of statements, behind which the next one may begin: a jump, or destructors. */
function closingBraces(trees: readonly TreeText[]): (row: Row) => boolean {
  const texts = new Map<string, string[]>()
  return ({ file, line, column }) => {
    let text = texts.get(file)
    if (!text) {
      const tree = trees.find(({ mark }) => isInside(file, mark))
      const source = tree?.files.find(({ name }) => join(tree.mark, name) === file)
      texts.set(file, (text = source?.text.toString('utf8').split('\n') ?? []))
    }
    return text[line - 1]?.[column - 1] === '}'
  }
}

/** A function of an object: the bytes of its section, and what these are further on in the library. */
interface LinkedFunction {
  name: string
  section: number
  from: number
  to: number
  base: number
}

/**
 * The functions of one object after the other, in the order in which they were linked. Those of one name are where the linker
 * has put them in this order, if they are of single objects, and the first one otherwise.
 */
function linkedFunctions(library: ObjectFile): (object: ObjectFile) => LinkedFunction[] {
  const functions = library.symbols.filter(({ kind }) => kind === 'function')
  const linked = groupedBy(functions, ({ name }) => name)
  return (object) => {
    const met = new Set<string>()
    return object.symbols.flatMap(({ kind, name, section, offset, size }) => {
      if (kind !== 'function' || section === null || size === 0) return []
      // two names of one function
      const place = `${section.index}:${offset}`
      if (met.has(place)) return []
      const found = linked.get(name)?.shift()
      if (found?.size !== size) return []
      met.add(place)
      return [{ name, section: section.index, from: offset, to: offset + size, base: found.offset - offset }]
    })
  }
}

const inOrder = <T extends Placed>(all: readonly T[]): readonly T[] => [...all].sort((a, b) => a.offset - b.offset)

/** Those from an offset up to another one. */
const between = <T extends Placed>(ordered: readonly T[], from: number, to: number): readonly T[] =>
  ordered.slice(countUpTo(ordered, from - 1), countUpTo(ordered, to - 1))

const blocksFile = 'blocks.json'

/** Keeps the blocks of a library in its folder. */
export const saveBlocks = async (folder: string, blocks: LibraryBlocks): Promise<void> =>
  await writeFile(join(folder, blocksFile), JSON.stringify(blocks))

/** Reads what `saveBlocks` left. */
export async function loadBlocks(folder: string): Promise<LibraryBlocks> {
  const text: unknown = JSON.parse(await readFile(join(folder, blocksFile), 'utf8'))
  return libraryBlocks.parse(text)
}
