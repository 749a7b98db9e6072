import { readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isInside } from '../files/index.ts'
import { BuildError, isLasting, simpleFailure } from './build-failure.ts'
import { readObjectFile, type ObjectSymbol } from './object-file.ts'
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
  api: ApiSource[]
  /** all that this follows from, absolute */
  read: string[]
}

/** A source that is left out. */
export interface ApiSource {
  source: string
  /** as it is written, and what the preprocessor leaves of it */
  text: string
}

/** How the sources of a host part are compiled. */
export interface HostCompilation {
  /** absolute */
  sources: readonly string[]
  /** names of objects begin like this */
  prefix: string
  defines: readonly string[]
  flags: readonly string[]
  /** runs it where a processor is free */
  inSlot: <T>(work: () => Promise<T>) => Promise<T>
}

/** Headers of the runtime and of the layers above it that call it. Few of them are there, of `acl/acl.h` the types alone. */
const apiHeader = /^(?:acl|opdev|aclnn|aclnn_kernels|level0|level2|fallback|op_api)\/|^(?:aclnn|fallback)\w*\.h$/

/** What registers a definition, tiling or inference of an operator, as it is written or as the preprocessor leaves it. */
const registration =
  /\b(?:IMPL_OP\w*|OP_ADD|REGISTER_OP\w*|REGISTER_\w*TILING\w*TEMPLATE\w*|OpImplRegister\w*|OpDefRegistration|OpDefFactory|TilingStrategyRegistration|TilingRegistry)\b/

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
  | { source: string; kind: 'api'; read: readonly string[]; text: string }
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
  { sources, prefix, defines, flags, inSlot }: HostCompilation,
  room: ObjectRoom,
): Promise<HostUnits> {
  const all = environment.trees.flatMap(({ root, files }) =>
    files.map(({ name, text }) => ({ path: join(root, name), text })),
  )
  const textOf = (source: string): string => all.find(({ path }) => path === source)?.text.toString('utf8') ?? ''
  const mayBePart = (source: string): boolean =>
    all.some(({ path, text }) => path !== source && text.includes(basename(source)))
  const outcomeOf = async (source: string, name: string): Promise<Outcome> => {
    const unit = { source, name, defines, flags }
    try {
      const compiled = await compileUnit(environment, { ...unit, stage: 'host', kind: 'host' })
      return { source, kind: 'compiled', unit: { ...compiled, source } }
    } catch (error) {
      if (!isLasting(error) || error instanceof AskingError) throw error
      const seen = await preprocessHost(environment, unit)
      const written = textOf(source)
      if (seen && isOfApi(written, seen))
        return { source, kind: 'api', read: seen.read, text: `${written.replace(lineJoint, '')}\n${seen.text}` }
      if (!mayBePart(source)) throw error
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
    api: api.map(({ source, text }) => ({ source, text })),
    // of one that does not compile by itself, nobody has said what it reads
    read: failed.length === 0 ? read : [...read, ...all.map(({ path }) => path)],
  }
}

/** Functions and variables of the emulator: headers have few of them. */
const ofEmulator = /^(?:_ZN?[rVKRO]*7npu_emu|npu_emu)/

/** Throws `BuildError` where a unit of a host part calls what no header of the vendor's declares: the emulator's own functions. */
async function requireDeclared({ runtime }: CompileEnvironment, unit: HostUnit): Promise<void> {
  const [{ words }, offered, symbols] = await Promise.all([runtime.include(), runtime.exports(), symbolsOf(unit)])
  const other = symbols.find(
    ({ name, section }) =>
      section === null && offered.has(name) && ofEmulator.test(name) && !words.has(sourceNameOf(name)),
  )
  if (other === undefined) return
  const message = `calls ${sourceNameOf(other.name)}, which no header of the library declares`
  throw new BuildError({ ...simpleFailure('host', message, unit.source), class: 'language' })
}

/** Units that include a source, and are compiled wherever that is: a build takes all of a folder, and those below it or not. */
const includersOf = (source: string, units: readonly HostUnit[]): HostUnit[] =>
  units.filter(
    (unit) => unit.source !== source && unit.read.includes(source) && isInside(dirname(source), dirname(unit.source)),
  )

const symbolsOf = async ({ object }: HostUnit): Promise<readonly ObjectSymbol[]> =>
  readObjectFile(await readFile(object))?.symbols ?? []

/** What nothing that is linked with a unit may define as well. */
const globalsOf = async (unit: HostUnit): Promise<string[]> =>
  (await symbolsOf(unit)).flatMap(({ name, binding, section }) =>
    binding === 'global' && section !== null ? [name] : [],
  )

/** What it lets others define in its place by `weak`. */
const weakOf = async (unit: HostUnit): Promise<string[]> =>
  (await symbolsOf(unit)).flatMap(({ name, binding, section }) =>
    binding === 'weak' && section?.isInGroup === false ? [name] : [],
  )

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

/** Words by which a source may name a symbol that nobody sees in it. */
const hiddenNames = /\b(?:_*asm_*|_*alias_*|dlsym)\b/

/**
 * Throws `BuildError` where a source that is left out names what the library defines: a build of the vendor's, which has both in one
 * library, may have it changed or defined there.
 */
export async function requireApart(api: readonly ApiSource[], units: readonly HostUnit[]): Promise<void> {
  if (api.length === 0) return
  const defined = await Promise.all([globalsOf, weakOf].flatMap((of) => units.map(of)))
  const names = new Set(defined.flat().map(sourceNameOf))
  for (const { source, text } of api) {
    const named =
      hiddenNames.exec(text)?.[0] ?? (text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).find((word) => names.has(word))
    if (named === undefined) continue
    const message = `calls the runtime API, by which it does not compile here, and names \`${named}\` of the host part: move it out of op_host`
    throw new BuildError(simpleFailure('host', message, source))
  }
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
      const own = await globalsOf(unit)
      return around.flat().some((name) => own.includes(name)) ? [] : [unit]
    }),
  )
  return kept.flat()
}
