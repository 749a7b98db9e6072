import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import { escapeRegExp } from '../files/index.ts'
import type { Diagnostic } from '../model/index.ts'
import { BuildError, isLasting, simpleFailure, type BuildFailure } from './build-failure.ts'
import { kernelUnit, withoutVendorSyntax, type CoreKinds, type TaskType } from './entry.ts'
import type { CoreKind } from './flags.ts'
import { noOtherLines } from './host-words.ts'
import type { KernelEntry, KernelSources } from './kernel-entry.ts'
import { definesMacro, lineMark, mayNameLines, withLinesMarked } from './line-directives.ts'
import { readObjectFile, type ObjectFile } from './object-file.ts'
import { folderInView, linksTo, viewOf } from './overlay.ts'
import { reading } from './reading-time.ts'
import { linkSideBySide } from './repository.ts'
import { withMarks } from './sources.ts'
import { compileUnit, type CompileEnvironment, type UnitResult } from './unit.ts'

/**
 * Throws `BuildError` where the function of the kernel's name is not the one that its text defines: what stands for the name is a
 * macro, or another one has the name by macros. The one of the text has been renamed.
 */
function requireOneKernel(
  { kernel, trees, options }: KernelSources,
  read: ReadonlySet<string>,
  { symbols }: Pick<ObjectFile, 'symbols'>,
): void {
  const files = trees.flatMap(({ root, files }) => files.map(({ name, text }) => ({ path: join(root, name), text })))
  const definer = files.find(({ path, text }) => read.has(path) && definesMacro(text.toString('utf8'), kernel))
  const isOption = options.defines.some((define) => new RegExp(`^-D${escapeRegExp(kernel)}(?!\\w)`).test(define))
  const message = `\`${kernel}\` is the name of the kernel: no macro can have it, nor make it the name of another function`
  const isOther = new RegExp(`^(?:_Z${kernel.length}${escapeRegExp(kernel)}P.*|${escapeRegExp(kernel)})$`)
  const hasOther = symbols.some(
    ({ kind, name, section }) => kind === 'function' && section !== null && isOther.test(name),
  )
  if (definer || isOption || hasOther)
    throw new BuildError({ ...simpleFailure('kernel', message, definer?.path), class: 'language' })
}

/** All errors are told. */
const noLimit = { clang: ['-ferror-limit=0'], gcc: ['-fmax-errors=0'] }

function otherLines({ diagnostics }: BuildFailure): BuildError {
  const found = diagnostics.find(({ message }) => message.includes(lineMark))
  const diagnostic: Diagnostic = { severity: 'error', message: noOtherLines, file: found?.file, line: found?.line }
  return new BuildError({ stage: 'kernel', class: 'language', diagnostics: [diagnostic], log: noOtherLines })
}

/** The command that a compiler was given stands in what it makes. */
const commandSection = '.llvmcmd'

/** Do two objects hold the same code, of the same lines? */
function isSameCode(one: Buffer, other: Buffer): boolean {
  const [first, second] = [one, other].map((object) =>
    readObjectFile(object)?.sections.filter(({ name }) => name !== commandSection),
  )
  if (!first || first.length !== second?.length) return false
  return first.every(({ name, bytes }, i) => name === second[i]?.name && bytes.equals(second[i].bytes))
}

/** Where a kernel's headers are looked for: flags and folders in their order, and folders that come after those of the system. */
export interface SearchedFolders {
  flags: readonly (readonly ['-iquote' | '-I', string])[]
  after: readonly string[]
}

/** The headers of the host part are not at hand where a kernel is compiled for the device. */
export function searchedFolders(
  { kernelDir, options, repository }: KernelSources,
  entry: KernelEntry,
): SearchedFolders {
  const others = (repository?.includes ?? []).filter((folder) => !options.includes.includes(folder))
  return {
    flags: [
      ...[dirname(entry.path), kernelDir].map((folder) => ['-iquote', folder] as const),
      ...options.includes.map((folder) => ['-I', folder] as const),
    ],
    after: [kernelDir, ...others],
  }
}

/** All that says which headers a kernel finds, but for the content of the candidate's files. */
export function searchedKey(sources: KernelSources, entry: KernelEntry): string[][] {
  const { trees, repository } = sources
  const { flags, after } = searchedFolders(sources, entry)
  // kernels that lie side by side
  const beside = [...(repository?.kernels ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))
  return [flags.flat(), after, beside.flat()].map((list) => list.map((text) => withMarks(text, trees)))
}

export interface KernelVariant {
  entry: KernelEntry
  core: CoreKinds
  taskTypes: readonly TaskType[]
  prelude: string
  kind: CoreKind
}

/** What no source can hold: a hash of all of them. */
export const secretOf = ({ trees, options }: Pick<KernelSources, 'trees' | 'options'>): string =>
  hashOf(...trees.map((tree) => tree.key), ...options.defines).slice(0, 16)

interface Way {
  /** what of each source is compiled in its place */
  change: (source: string) => string
  more?: readonly string[]
}

/** Compiles the kernel in one way. A `BuildError` is returned where this half may have no part in the kernel. */
async function compileWay(
  environment: CompileEnvironment,
  sources: KernelSources,
  { entry, core, taskTypes, prelude, kind }: KernelVariant,
  { change, more = [] }: Way,
): Promise<UnitResult | BuildError> {
  const { runtime, folder } = environment
  const { kernelDir, trees, options, repository, kernel } = sources
  const { path, source: text, namespaces, macros } = entry
  const secret = secretOf(sources)
  const withoutLaunches = (source: string): string =>
    source.includes('<<<') ? withoutVendorSyntax(source, macros, secret) : source
  const source = join(folder, 'kernel.cpp')
  const parts = { prelude, path, kernel, namespaces, macros, secret, taskTypes }
  await writeFile(
    source,
    reading('kernel', () => kernelUnit({ ...parts, source: change(text) })),
  )
  const others = join(folder, 'kernels')
  const view = join(folder, 'view')
  const links = join(folder, 'own')
  const hasView = await viewOf(trees, view, (each) => withoutLaunches(change(each)))
  const placeOf = async (path: string): Promise<string> => (hasView ? await folderInView(path, trees, view) : path)
  const kernels = await Promise.all(
    [...(repository?.kernels ?? [])].map(async ([name, path]) => [name, await placeOf(path)] as const),
  )
  const beside = repository ? await linkSideBySide(others, new Map(kernels)) : []
  const searched = searchedFolders(sources, entry)
  const places = await Promise.all(searched.flags.map(async ([flag, path]) => [flag, await placeOf(path)]))
  const [own = '', ...last] = await Promise.all(searched.after.map(placeOf))
  const isGcc = runtime.compiler.family === 'gcc'
  if (isGcc) await linksTo(own, links)
  const after = [isGcc ? links : own, ...last, ...beside]
  const compiling = compileUnit(environment, {
    stage: 'kernel',
    kind,
    source,
    origin: path,
    name: 'kernel',
    defines: options.defines,
    renamed: [kernel],
    flags: [...places.flat(), ...after.flatMap((place) => ['-idirafter', place]), ...more],
    ...(hasView && { view }),
    ...(isGcc && { links: { path: links, of: kernelDir } }),
  }).catch((error: unknown) => {
    if (isLasting(error) && error.failure.log.includes(lineMark)) throw otherLines(error.failure)
    if (!isLasting(error) || kind !== 'aic' || !core.mayLackCube) throw error
    return error
  })
  try {
    return await compiling
  } finally {
    // also of a way that has failed: the next one makes them anew
    const left = [others, view, links, source]
    await Promise.all(left.map(async (path) => await rm(path, { recursive: true, force: true })))
  }
}

/**
 * Compiles the kernel to an object. Throws `BuildError`; one is returned where this half of a kernel on both kinds of cores may
 * have no part in it.
 */
export async function compileKernel(
  environment: CompileEnvironment,
  sources: KernelSources,
  variant: KernelVariant,
): Promise<UnitResult | BuildError> {
  const { compiler } = environment.runtime
  const { path } = variant.entry
  // the compiler itself says that nothing gives itself out for another file, and that the same is compiled where that is asked
  let asked: Buffer | null | undefined
  const files = sources.trees.flatMap((tree) => tree.files)
  if (reading('kernel', () => files.some(({ text }) => mayNameLines(text.toString('utf8'))))) {
    const way = { change: withLinesMarked, more: noLimit[compiler.family] }
    const marked = await compileWay(environment, sources, variant, way).catch((error: unknown) => {
      // what else is wrong with it is said of the text itself
      if (!isLasting(error) || error.failure.log === noOtherLines) throw error
      return error
    })
    asked = marked instanceof BuildError ? null : await readFile(marked.object)
    if (!(marked instanceof BuildError)) await rm(marked.object)
  }
  const unit = await compileWay(environment, sources, variant, { change: (source) => source })
  if (unit instanceof BuildError) return unit
  const code = await readFile(unit.object)
  return reading('kernel', () => {
    if (asked !== undefined && (asked === null || !isSameCode(asked, code)))
      throw otherLines(simpleFailure('kernel', '', path))
    requireOneKernel(sources, new Set([...unit.read, path]), readObjectFile(code) ?? { symbols: [] })
    return unit
  })
}
