import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import { isInside } from '../files/index.ts'
import { BuildError, isLasting, simpleFailure } from './build-failure.ts'
import { countUpTo, type Placed } from './line-table.ts'
import { specialisationInClass } from './class-specialisations.ts'
import { readObjectFile, type ObjectFile, type ObjectSymbol, type Section } from './object-file.ts'
import { specialisingMacros } from './macros.ts'
import { reading } from './reading-time.ts'
import { maxLinkedMiB } from './room.ts'
import { lineJoint, withoutComments } from './text.ts'
import {
  AskingError,
  compileUnit,
  preprocessHost,
  type CompileEnvironment,
  type Preprocessed,
  type UnitResult,
} from './unit.ts'

/** A compiled source of the host part. */
export type HostUnit = UnitResult & { source: string }

/** What became of the sources of a host part. */
export interface HostUnits {
  units: HostUnit[]
  /** sources that do not compile, as they call a runtime that is no part of a kernel's evaluation */
  api: string[]
  /** all that this follows from, absolute */
  read: string[]
}

/** How the sources of a host part are compiled. */
export interface HostCompilation {
  /** absolute */
  sources: readonly string[]
  /** names of objects begin like this */
  prefix: string
  flags: readonly string[]
  /** runs it where a processor is free */
  inSlot: <T>(work: () => Promise<T>) => Promise<T>
}

/** Headers of the runtime and of the layers above it that call it. Few of them are there, of `acl/acl.h` the types alone. */
const apiHeader = /^(?:acl|opdev|aclnn|aclnn_kernels|level0|level2|fallback|op_api)\/|^(?:aclnn|fallback)\w*\.h$/

/** What registers a definition, tiling or inference of an operator, as it is written or as the preprocessor leaves it. */
const registration =
  /\b(?:IMPL_OP\w*|OP_ADD|REGISTER_OP\w*|REGISTER_(?:(?!TILING)\w)*TILING\w*TEMPLATE\w*|OpImplRegister\w*|OpDefRegistration|OpDefFactory|TilingStrategyRegistration|TilingRegistry)\b/

/** A registration of nothing but how the framework calls the layers above: `IMPL_OP(Add).OpExecuteFunc(execute);`. */
const fallback =
  /(?:\bIMPL_OP\s*\(\s*\w+\s*\)|(?:\[\[maybe_unused\]\]\s*)?\bstatic\s+::gert::OpImplRegisterV2\s+\w+\s*=\s*::gert::OpImplRegisterV2\s*\(\s*"\w+"\s*\))(?:\s*\.\s*(?:OpExecute\w*|HostInputs)\s*\([^()]*\))+\s*;/g

/** Does a text register functions of an operator that its evaluation needs? */
export const registers = (text: string): boolean => registration.test(text.replace(fallback, ''))

/** Is this a source that is left out where it does not compile? */
const isOfApi = (source: string, { ours, missing, text }: Preprocessed): boolean =>
  (missing.some((name) => apiHeader.test(name)) || ours.includes('acl/acl.h')) &&
  // under conditions on what is not there, the preprocessor sees less than in a build of the vendor's
  !registers(withoutComments(source).replace(lineJoint, '')) &&
  !registers(text)

type Outcome =
  | { source: string; kind: 'compiled'; unit: HostUnit }
  | { source: string; kind: 'api'; read: readonly string[] }
  | { source: string; kind: 'failed'; error: BuildError }

/** Sizes of all objects of a host part together. */
export class ObjectRoom {
  #bytes = 0

  /** Throws `BuildError` where there are too many. */
  async take(object: string): Promise<void> {
    this.#bytes += (await stat(object)).size
    if (this.#bytes > maxLinkedMiB << 20)
      throw new BuildError(simpleFailure('host', `its objects have more than ${maxLinkedMiB} MiB together`))
  }
}

/**
 * Compiles sources of a host part. The compiler decides which of them are a part of the library, as no name and no text tells what a
 * source does: all that compile, and no part of another one. Throws `BuildError` for what does not compile and should.
 */
export async function compileHostUnits(
  environment: CompileEnvironment,
  { sources, prefix, flags, inSlot }: HostCompilation,
  room: ObjectRoom,
): Promise<HostUnits> {
  const all = environment.trees.flatMap(({ root, files }) =>
    files.map(({ name, text }) => ({ path: join(root, name), text })),
  )
  const textOf = (source: string): string => all.find(({ path }) => path === source)?.text.toString('utf8') ?? ''
  const mayBePart = (source: string): boolean =>
    all.some(({ path, text }) => path !== source && text.includes(basename(source)))
  const outcomeOf = async (source: string, name: string): Promise<Outcome> => {
    const unit = { source, name, defines: [], flags }
    try {
      const compiled = await compileUnit(environment, { ...unit, stage: 'host', kind: 'host' })
      reading('host', () => refuseSpecialisations(environment, compiled.read))
      return { source, kind: 'compiled', unit: { ...compiled, source } }
    } catch (error) {
      if (!isLasting(error) || error instanceof AskingError) throw error
      const seen = await preprocessHost(environment, unit)
      if (seen && reading('host', () => isOfApi(textOf(source), seen))) return { source, kind: 'api', read: seen.read }
      if (!reading('host', () => mayBePart(source))) throw error
      return { source, kind: 'failed', error }
    }
  }
  let stopped = false
  const outcomes = await Promise.all(
    sources.map((source, index) =>
      inSlot(async () => {
        if (stopped) return null
        try {
          const outcome = await outcomeOf(source, `${prefix}${index}`)
          if (outcome.kind === 'compiled') {
            await room.take(outcome.unit.object)
            await requireDeclared(environment, outcome.unit)
          }
          return outcome
        } catch (error) {
          stopped = true
          throw error
        }
      }),
    ),
  )
  const compiled = outcomes.flatMap((outcome) => (outcome?.kind === 'compiled' ? [outcome.unit] : []))
  const failed = outcomes.flatMap((outcome) => (outcome?.kind === 'failed' ? [outcome] : []))
  const api = outcomes.flatMap((outcome) => (outcome?.kind === 'api' ? [outcome] : []))
  for (const { source, error } of failed) if (includersOf(source, compiled).length === 0) throw error
  const read = [...sources, ...compiled.flatMap((unit) => unit.read), ...api.flatMap((outcome) => outcome.read)]
  return {
    units: await withoutParts(compiled),
    api: api.map(({ source }) => source),
    // of one that does not compile by itself, nobody has said what it reads
    read: failed.length === 0 ? read : [...read, ...all.map(({ path }) => path)],
  }
}

/** Throws `BuildError` where a text that was read has what clang takes, and the host compiler of the vendor's build, g++, does not. */
function refuseSpecialisations({ runtime, trees }: CompileEnvironment, read: readonly string[]): void {
  if (runtime.compiler.family !== 'clang') return
  const isRead = new Set(read)
  const texts = trees.flatMap(({ root, files }) =>
    files.flatMap(({ name, text }) => {
      const file = join(root, name)
      return isRead.has(file) ? [{ file, text: text.toString('utf8') }] : []
    }),
  )
  const macros = specialisingMacros(texts.map(({ text }) => text))
  for (const { file, text } of texts) {
    const line = specialisationInClass(text, macros)
    if (line === undefined) continue
    const message = 'g++ takes no explicit specialisation in a class: write it behind the class'
    const diagnostics = [{ severity: 'error' as const, message, file, line }]
    throw new BuildError({ stage: 'host', class: 'language', diagnostics, log: `${file}:${line}: ${message}\n` })
  }
}

/** Functions and variables of the emulator: headers have few of them. */
const ofEmulator = /^(?:_ZN?[rVKRO]*7npu_emu|npu_emu)/

/** Throws `BuildError` where a unit of a host part calls what no header of the vendor's declares: the emulator's own functions. */
async function requireDeclared({ runtime }: CompileEnvironment, unit: HostUnit): Promise<void> {
  const [{ words }, offered, symbols] = await Promise.all([runtime.include(), runtime.exports(), symbolsOf(unit)])
  const isUndeclared = ({ name, section }: ObjectSymbol): boolean =>
    section === null && offered.has(name) && ofEmulator.test(name) && !words.has(sourceNameOf(name))
  const other = reading('host', () => symbols.find(isUndeclared))
  if (other === undefined) return
  const message = `calls ${sourceNameOf(other.name)}, which no header of the library declares`
  throw new BuildError({ ...simpleFailure('host', message, unit.source), class: 'language' })
}

/** Units that include a source, and are compiled wherever that is: a build takes all of a folder, and those below it or not. */
const includersOf = (source: string, units: readonly HostUnit[]): HostUnit[] =>
  units.filter(
    (unit) => unit.source !== source && unit.read.includes(source) && isInside(dirname(source), dirname(unit.source)),
  )

async function objectOf({ object }: HostUnit): Promise<ObjectFile | null> {
  const file = await readFile(object)
  return reading('host', () => readObjectFile(file))
}

const symbolsOf = async (unit: HostUnit): Promise<readonly ObjectSymbol[]> => (await objectOf(unit))?.symbols ?? []

/** What nothing that is linked with a unit may define as well. */
const globalsOf = async (unit: HostUnit): Promise<string[]> =>
  (await symbolsOf(unit)).flatMap(({ name, binding, section }) =>
    binding === 'global' && section !== null ? [name] : [],
  )

/**
 * Throws `BuildError` where sources of which only definitions are read define what the tiling functions are linked with: they are in
 * another library in a build of the vendor's.
 */
export async function requireApart(units: readonly HostUnit[], apart: readonly string[]): Promise<void> {
  if (apart.length === 0) return
  const others = units.filter(({ source }) => !apart.includes(source))
  const symbols = (await Promise.all(others.map(symbolsOf))).flat()
  const named = new Set(symbols.filter(({ binding }) => binding !== 'local').map(({ name }) => name))
  for (const unit of units) {
    if (!apart.includes(unit.source)) continue
    const shared = (await symbolsOf(unit)).find(
      ({ name, binding, section }) => section?.isInGroup === false && binding !== 'local' && named.has(name),
    )
    if (shared === undefined) continue
    const message = `defines ${shared.name}, and is no part of the library of tiling functions, which names it: name it there as well`
    throw new BuildError(simpleFailure('host', message, unit.source))
  }
}

/** What a function or variable in a group consists of: its bytes, and what they refer to. */
function contentOf({ relocations }: ObjectFile, { bytes, index }: Section): string {
  const targets = (relocations.get(index) ?? []).map(({ offset, symbol, addend }) => {
    const { name, kind, section } = symbol
    const isConstant = kind === 'section' || name.startsWith('.L')
    return [offset, isConstant && section ? constantAt(section, symbol.offset + addend) : name]
  })
  return JSON.stringify([bytes.toString('base64'), targets])
}

/** References of x86-64 count from the end of themselves. */
const countedFrom = process.arch === 'x64' ? 4 : 0

/** What is read of a constant of the compiler's: as long as all in its section are, or up to the end of a text. */
function constantAt({ name, bytes }: Section, addend: number): string {
  const start = addend + countedFrom
  const length = Number(/^\.rodata\.cst(\d+)$/.exec(name)?.[1])
  if (length > 0) return bytes.toString('hex', start, start + length)
  if (!name.startsWith('.rodata.str')) return name
  const { ends, texts } = textsOf(bytes)
  const at = countUpTo(ends, start - 1)
  const begin = (ends[at - 1]?.offset ?? -1) + 1
  const known = texts.get(begin) ?? hashOf([bytes.subarray(begin, ends[at]?.offset)])
  texts.set(begin, known)
  return `${known} from ${start - begin}`
}

/** Texts of a section, each read once however many refer to it: where they end, and hashes of them by their begin. */
const textsOfSections = new WeakMap<Buffer, { ends: Placed[]; texts: Map<number, string> }>()

function textsOf(bytes: Buffer): { ends: readonly Placed[]; texts: Map<number, string> } {
  const known = textsOfSections.get(bytes)
  if (known) return known
  const ends: Placed[] = []
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) ends.push({ offset: at })
  const read = { ends, texts: new Map<number, string>() }
  textsOfSections.set(bytes, read)
  return read
}

/**
 * Throws `BuildError` where two units define an inline function, an instance of a template or the like of one name in different ways: a
 * linker takes any of them, and compilers that optimise have put each in its place before.
 */
export async function requireOneDefinition(
  units: readonly HostUnit[],
  { isRepository, partOf }: { isRepository: boolean; partOf: (source: string) => string },
): Promise<void> {
  if (units.length < 2) return
  const first = new Map<string, { source: string; content: string }>()
  const compare = (file: ObjectFile, source: string): void => {
    const contents = new Map<Section, string>()
    for (const { name, binding, section } of file.symbols) {
      if (binding !== 'weak' || section?.isInGroup !== true) continue
      // repositories link a library each of definitions, of inference and of tiling
      const key = `${isRepository ? partOf(source) : ''} ${name}`
      const content = contents.get(section) ?? contentOf(file, section)
      contents.set(section, content)
      const before = first.get(key)
      if (before === undefined) first.set(key, { source, content })
      else if (before.content !== content) {
        const message = `${sourceNameOf(name)} is defined in another way in ${basename(before.source)}: give one of them another name`
        throw new BuildError(simpleFailure('host', message, source))
      }
    }
  }
  for (const unit of units) {
    const file = await objectOf(unit)
    if (file) reading('host', () => compare(file, unit.source))
  }
}

/** What a symbol is called in a source: the last of its names. */
export function sourceNameOf(symbol: string): string {
  let rest = symbol.replace(/^_ZN?[rVKRO]*(?:S(?:t|[0-9A-Z]*_))?/, '')
  let name = symbol
  for (let length = /^\d+/.exec(rest); length && rest !== symbol; length = /^\d+/.exec(rest)) {
    const end = length[0].length + Number(length[0])
    name = rest.slice(length[0].length, end)
    rest = rest.slice(end)
  }
  return name
}

/**
 * Units without those that others include and that cannot be linked beside these, as both define the same: of what could be, a build
 * of the vendor's may have both, and what the one registers counts by itself as well.
 */
async function withoutParts(units: readonly HostUnit[]): Promise<HostUnit[]> {
  const kept = await Promise.all(
    units.map(async (unit) => {
      const around = await Promise.all(includersOf(unit.source, units).map(globalsOf))
      if (around.length === 0) return [unit]
      const own = new Set(await globalsOf(unit))
      return around.flat().some((name) => own.has(name)) ? [] : [unit]
    }),
  )
  return kept.flat()
}
