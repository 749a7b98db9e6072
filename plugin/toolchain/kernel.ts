import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { z } from 'zod'
import { escapeRegExp, isInside } from '../files/index.ts'
import { hashOf } from '../cache/hash.ts'
import type { Diagnostic } from '../model/index.ts'
import { areReportsOfCompiler } from './block-reports.ts'
import { BuildError, isLasting, readWarnings, saveWarnings, simpleFailure, type BuildFailure } from './build-failure.ts'
import { readBlocks, saveBlocks } from './code-blocks.ts'
import type { CompileOptions } from './compile-options.ts'
import { parseDiagnostics } from './diagnostics.ts'
import { undefinedSymbols } from './elf.ts'
import {
  coreKindsOf,
  decidesByKey,
  declaredTilingStruct,
  definedStructs,
  definesKernel,
  entryParameters,
  hostCode,
  kernelUnit,
  templateNamespaces,
  withoutVendorSyntax,
  type CoreKinds,
  type EntryParameters,
} from './entry.ts'
import type { CoreKind } from './flags.ts'
import type { BuildContext } from './host.ts'
import { noOtherLines } from './host-words.ts'
import { definesMacro, lineMark, withLinesMarked } from './line-directives.ts'
import { folderInView, linksTo, viewOf } from './overlay.ts'
import { macrosOf, type Macros } from './macros.ts'
import type { OperatorDescription } from './prelude.ts'
import { readObjectFile, type ObjectFile } from './object-file.ts'
import { linkSideBySide, type RepositorySources } from './repository.ts'
import { filesBelow, isForeignArch, isOfHost, sameFiles, tellingPlaces, withMarks, type SourceTree } from './sources.ts'
import { cachedStep, type StepResult } from './step.ts'
import { isGarbled } from './text.ts'
import { askedKeys, builtKeys, mayAskForKeys } from './tiling-keys.ts'
import { compileUnit, linkAlone, linkLibrary, type UnitResult } from './unit.ts'

export interface KernelSources {
  /** op_kernel, a real path */
  kernelDir: string
  trees: readonly SourceTree[]
  options: CompileOptions
  repository?: RepositorySources
  kernel: string
  /** the name without its end of the file that a build compiles; that of the kernel where the host part says nothing */
  file?: string
}

export interface KernelEntry {
  /** absolute */
  path: string
  source: string
  core: CoreKinds
  /** undefined where only the preprocessor knows */
  parameters: EntryParameters | undefined
  /** the plain tiling struct that the kernel names itself */
  tilingStruct: string | undefined
  /** what kernels define where one names its own tiling struct: it stands in the place of what the host part registers */
  ownStructs: string[]
  /** the namespaces in which template arguments are declared */
  namespaces: string[]
  /** what macros of the kernel's folder stand for */
  macros: Macros
}

/** Tests of a repository mirror its folders, and define what the host part registers. */
const inKernelFolder = /^(?!(?:.*\/)?tests?\/)(?:.*\/)?op_kernel\//

/** Not what a kernel includes: host parts, and its own folder, which is read by itself. */
const isHostSide = (name: string, path: string, kernelDir: string): boolean =>
  isOfHost(name) || isInside(path, kernelDir)

/**
 * Of the files that define a kernel, the one that the vendor's build compiles: the one that is called like it, or else the only one.
 * Throws `BuildError` where that is not told.
 */
function chosenEntry<File extends { path: string }>(
  entries: readonly File[],
  all: readonly { path: string }[],
  { kernelDir, kernel, file = kernel }: KernelSources,
): File {
  const [entry] = entries
  if (!entry) throw new BuildError(simpleFailure('kernel', `no file in op_kernel defines the kernel \`${kernel}\``))
  const usual = join(kernelDir, `${file}.cpp`)
  const named = entries.find(({ path }) => path === usual)
  const names = entries.map(({ path }) => relative(kernelDir, path)).join(' and ')
  if (named) return named
  if (all.some(({ path }) => path === usual)) {
    const message = `${basename(usual)} does not define the kernel \`${kernel}\`, as ${names} does: a build compiles ${basename(usual)}`
    throw new BuildError(simpleFailure('kernel', message))
  }
  if (entries.length === 1) return entry
  const message = `${names} define the kernel \`${kernel}\`: a build compiles one file, call that ${basename(usual)}`
  throw new BuildError(simpleFailure('kernel', message))
}

/** Macros that open or close a brace alone, of all that a kernel may include: they say where a function ends that launches one. */
function bracesOf(trees: readonly SourceTree[]): Pick<Macros, 'braces'> | undefined {
  const files = trees.flatMap((tree) => tree.files)
  if (!files.some(({ text }) => text.includes('<<<'))) return undefined
  return { braces: macrosOf(files.map(({ text }) => text.toString('utf8'))).braces }
}

/** The file of op_kernel that defines the kernel. Throws `BuildError` when there is none, or it is not told which. */
export function findEntry(given: KernelSources): KernelEntry {
  const { kernelDir, trees, kernel } = given
  const files = trees.flatMap((tree) =>
    filesBelow(tree, kernelDir).map((file) => ({ ...file, path: join(tree.root, file.name) })),
  )
  const own = files.filter(({ path }) => !isForeignArch(path.slice(kernelDir.length)))
  const texts = own.map(({ path, text }) => ({ path, bytes: text, source: text.toString('utf8') }))
  const macros = { ...macrosOf(texts.map(({ source }) => source)), ...bracesOf(trees) }
  const entries = texts.filter(
    ({ path, source }) => /\.(?:cpp|cc|cxx)$/.test(path) && definesKernel(source, kernel, macros),
  )
  const entry = chosenEntry(entries, texts, given)
  if (isGarbled(entry.bytes))
    throw new BuildError(simpleFailure('kernel', `${basename(entry.path)} is no UTF-8: save it as such`))
  if (decidesByKey(entry.source)) {
    const message = `${basename(entry.path)} compiles code by \`#if\` on TILING_KEY_VAR: a kernel is compiled once for all tiling keys here`
    throw new BuildError(simpleFailure('kernel', message))
  }
  // another entry beside it is the kernel for another device
  const sources = texts.filter((text) => text === entry || !entries.includes(text)).map(({ source }) => source)
  const tilingStruct = declaredTilingStruct(sources)
  const kernels = trees
    .flatMap((tree) => tree.files)
    .filter(({ name }) => inKernelFolder.test(name) && !isForeignArch(name))
  const ownStructs = tilingStruct === undefined ? [] : definedStructs(kernels.map(({ text }) => text.toString('utf8')))
  // headers of other operators and of a template library, which is read where a kernel includes it
  const around = trees
    .flatMap((tree) => tree.files.map((file) => ({ ...file, path: join(tree.root, file.name) })))
    .filter(({ name, path }) => /\.(?:h|hpp)$/.test(name) && !isForeignArch(name) && !isHostSide(name, path, kernelDir))
    .map(({ text }) => text.toString('utf8'))
  return {
    path: entry.path,
    source: entry.source,
    core: coreKindsOf(
      sources,
      kernel,
      around.filter((text) => /\b(?:__aicore__|AscendC::)/.test(text)),
    ),
    parameters: entryParameters(entry.source, kernel, macros),
    tilingStruct,
    ownStructs,
    namespaces: templateNamespaces(sources),
    macros,
  }
}

/** The configuration of the device may name the kernel: it has the name of the operator here, as in other builds. */
export function requireName({ kernelName }: OperatorDescription, kernel: string): void {
  if (kernelName === undefined || kernelName === kernel) return
  const message = `opInterface.value names the kernel \`${kernelName}\`: call it \`${kernel}\`, or leave that out`
  throw new BuildError(simpleFailure('host', message))
}

/**
 * The vendor's build calls the kernel with the addresses of all inputs and outputs, of the workspace and of the tiling data.
 * Throws `BuildError` where it takes other ones.
 */
export function requireParameters(
  { path, parameters }: KernelEntry,
  kernel: string,
  operator: OperatorDescription,
): void {
  const { name, inputs, outputs } = operator
  const wanted = inputs.length + outputs.length + 2
  // where the kernel tells shapes of outputs, one more address is for these
  if (parameters === undefined || [wanted, wanted + 1].includes(parameters.count)) return
  const message =
    `no matching function for call to '${kernel}': it takes ${parameters.count} addresses, and ${name} has ${wanted}: ` +
    `${inputs.length} of inputs, ${outputs.length} of outputs, the workspace and the tiling data`
  const failure = simpleFailure('kernel', message, path)
  const diagnostics = failure.diagnostics.map((item) => ({ ...item, line: parameters.line }))
  throw new BuildError({ ...failure, class: 'api-signature', diagnostics })
}

const libraryFile = 'kernel.so'

const noImitation =
  'a number in the code reads like a call of the emulator, by which the length of code is measured: choose another one'
const workFile = 'work.json'

const kernelWork = z.object({
  /** false: the object calls nothing that belongs to its core kind */
  used: z.boolean(),
  /** whether it moves data out of local memory, which both kinds can ask for */
  stores: z.boolean(),
  /** why there is no library, where its core kind may turn out to have no part in the kernel */
  problem: z.string().nullable(),
  /** that it was compiled for, decimal */
  tilingKeys: z.array(z.string()),
})

/** Namespaces of the runtime whose functions only one core kind calls, as they appear in mangled names. */
const ownNamespace: Record<CoreKind, string> = { aiv: '7npu_emu3vec', aic: '7npu_emu4cube' }

/** Of these, what both kinds have: registers that say how later instructions work. */
const ofBothKinds = /^_ZN7npu_emu3vec(?:9setAtomic|7setMask|14setMaskCounter|10setControl|7control)E/

const callsOf = (kind: CoreKind, symbols: readonly string[]): string[] =>
  symbols.filter((name) => /^_Z\w+$/.test(name) && name.includes(ownNamespace[kind]) && !ofBothKinds.test(name))

/** Copies from local to global memory. */
const isStore = (name: string): boolean => /^_ZN7npu_emu3dma\d+store/.test(name)

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

const mayNameLines = (text: string): boolean => withLinesMarked(text) !== text

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

/** Compiles and links the kernel for one dtype combination and core kind. */
export async function buildKernel(
  context: BuildContext,
  sources: KernelSources,
  variant: { entry: KernelEntry; prelude: string; kind: CoreKind },
): Promise<StepResult> {
  const { runtime, cache, semaphore, limits, urgent } = context
  const { kernelDir, trees, options, repository, kernel } = sources
  const { entry, prelude, kind } = variant
  const key = await runtime.headersKey(kind)
  // the headers of the host part are not at hand where a kernel is compiled for the device
  const folders = [dirname(entry.path), kernelDir]
  const searched = [
    ...folders.map((folder) => ['-iquote', folder] as const),
    ...options.includes.map((folder) => ['-I', folder] as const),
  ]
  const last = (repository?.includes ?? []).filter((folder) => !options.includes.includes(folder))
  const flags = [...searched.flat(), ...[kernelDir, ...last].flatMap((folder) => ['-idirafter', folder])]
  const marked = [entry.path, ...options.defines, ...flags].map((text) => withMarks(text, trees))
  // instructions of the other core kind do nothing where a kernel runs on both
  const mixed = entry.core.kinds.length > 1
  const run = async (folder: string): Promise<string[]> => {
    const environment = { runtime, limits, folder, trees }
    const source = join(folder, 'kernel.cpp')
    const { path, source: text, namespaces, macros } = entry
    // no source can hold a hash of itself
    const hostCodeName = `${hostCode}_${hashOf(...trees.map((tree) => tree.key), ...options.defines).slice(0, 16)}`
    const change = (source: string): string =>
      source.includes('<<<') ? withoutVendorSyntax(source, macros, hostCodeName) : source
    const others = join(folder, 'kernels')
    const view = join(folder, 'view')
    const links = join(folder, 'own')
    /** Compiles the sources as `marked` makes them; an error where this half may have no part in the kernel. */
    const compile = async (
      marked: (source: string) => string,
      { more = [], wantsPreprocessed = false }: { more?: readonly string[]; wantsPreprocessed?: boolean },
    ): Promise<UnitResult | BuildError> => {
      const parts = { prelude, path, kernel, namespaces, macros, hostCodeName }
      await writeFile(source, kernelUnit({ ...parts, source: marked(text) }))
      const hasView = await viewOf(trees, view, (each) => change(marked(each)))
      const placeOf = async (path: string): Promise<string> => (hasView ? await folderInView(path, trees, view) : path)
      const kernels = await Promise.all(
        [...(repository?.kernels ?? [])].map(async ([name, path]) => [name, await placeOf(path)] as const),
      )
      const beside = repository ? await linkSideBySide(others, new Map(kernels)) : []
      const places = await Promise.all(searched.map(async ([flag, path]) => [flag, await placeOf(path)]))
      const own = await placeOf(kernelDir)
      const isGcc = runtime.compiler.family === 'gcc'
      if (isGcc) await linksTo(own, links)
      const after = [isGcc ? links : own, ...(await Promise.all(last.map(placeOf))), ...beside]
      const done = await compileUnit(environment, {
        stage: 'kernel',
        kind,
        source,
        origin: path,
        name: 'kernel',
        defines: options.defines,
        flags: [...places.flat(), ...after.flatMap((place) => ['-idirafter', place]), ...more],
        ...(hasView && { view }),
        ...(isGcc && { links: { path: links, of: kernelDir } }),
        wantsPreprocessed,
      }).catch((error: unknown) => {
        if (isLasting(error) && error.failure.log.includes(lineMark)) throw otherLines(error.failure)
        if (!isLasting(error) || kind !== 'aic' || !entry.core.mayLackCube) throw error
        return error
      })
      await Promise.all([others, view, links].map(async (path) => await rm(path, { recursive: true, force: true })))
      return done
    }
    const saveWork = async (work: z.infer<typeof kernelWork>): Promise<void> =>
      await writeFile(join(folder, workFile), JSON.stringify(work))
    // the compiler itself says that nothing gives itself out for another file, and that the same is compiled where that is asked
    let asked: Buffer | null | undefined
    const has = (wanted: (text: string) => boolean): boolean =>
      trees.some(({ files }) => files.some(({ text }) => wanted(text.toString('utf8'))))
    if (has(mayNameLines)) {
      const marked = await compile(withLinesMarked, { more: noLimit[runtime.compiler.family] }).catch(
        (error: unknown) => {
          // what else is wrong with it is said of the text itself
          if (!isLasting(error) || error.failure.log === noOtherLines) throw error
          return error
        },
      )
      asked = marked instanceof BuildError ? null : await readFile(marked.object)
      if (!(marked instanceof BuildError)) await rm(marked.object)
    }
    const compiled = await compile((each) => each, { wantsPreprocessed: has(mayAskForKeys) })
    if (compiled instanceof BuildError) {
      await saveWork({ used: false, stores: false, problem: compiled.message, tilingKeys: [] })
      await saveWarnings(folder, [], trees)
      await rm(source)
      return trees.flatMap((tree) => tree.files.map(({ name }) => join(tree.root, name)))
    }
    const unit = compiled
    const code = await readFile(unit.object)
    if (asked !== undefined && (asked === null || !isSameCode(asked, code)))
      throw otherLines(simpleFailure('kernel', '', path))
    requireOneKernel(sources, new Set([...unit.read, path]), readObjectFile(code) ?? { symbols: [] })
    const symbols = undefinedSymbols(code)
    const used = callsOf(kind, symbols).length > 0
    const draft = join(folder, `${libraryFile}.part`)
    const stubbed = mixed ? callsOf(kind === 'aiv' ? 'aic' : 'aiv', symbols) : []
    let problem: string | null = null
    const asksFor = askedKeys(unit.preprocessed ?? '')
    let tilingKeys: readonly string[] = []
    try {
      if (!(await linkAlone(environment, { object: unit.object, symbols, stubbed }, draft)))
        await linkLibrary(environment, [unit.object], draft, 'kernel', { stubbed })
      const [object, library] = [await readFile(unit.object), await readFile(draft)]
      if (!areReportsOfCompiler(object, library))
        throw new BuildError({ ...simpleFailure('kernel', noImitation), class: 'language' })
      const blocks = readBlocks([object], library, trees, runtime.compiler.family === 'clang')
      tilingKeys = builtKeys(
        asksFor,
        blocks.tilingKeys.map(({ key }) => key),
      )
      await saveBlocks(folder, { ...blocks, tilingKeys: [...asksFor.map((key) => ({ key })), ...blocks.tilingKeys] })
      await rename(draft, join(folder, libraryFile))
    } catch (error) {
      if (!isLasting(error) || used || !mixed || entry.core.declared) throw error
      problem = error.message
    }
    await saveWork({ used, stores: symbols.some(isStore), problem, tilingKeys: [...tilingKeys] })
    await saveWarnings(folder, parseDiagnostics(unit.log), trees)
    await Promise.all([source, unit.object].map(async (path) => await rm(path)))
    return [...unit.read, entry.path]
  }
  const baseKey = hashOf(
    'kernel 47',
    context.runtime.cann,
    key,
    kernel,
    kind,
    JSON.stringify(entry.core),
    prelude,
    entry.namespaces,
    JSON.stringify(Object.values(entry.macros).map((names) => [...names])),
    marked,
    tellingPlaces(options.defines, trees),
    sameFiles(trees, runtime.compiler.family),
  )
  return await cachedStep(cache, {
    kind: 'kernel',
    baseKey,
    trees,
    run: async (folder) => {
      // built before a slot is taken: what needs slots itself must not be waited for by somebody who holds one
      await Promise.all([runtime.precompiled(kind), runtime.files()])
      return await semaphore.run(async () => await run(folder), urgent)
    },
  })
}

export interface KernelLibrary extends z.infer<typeof kernelWork> {
  library: string
  warnings: Diagnostic[]
}

/** Reads what `buildKernel` left in its folder. */
export async function readKernel(folder: string, trees: readonly SourceTree[]): Promise<KernelLibrary> {
  const work: unknown = JSON.parse(await readFile(join(folder, workFile), 'utf8'))
  const warnings = await readWarnings(folder, trees)
  return { ...kernelWork.parse(work), library: join(folder, libraryFile), warnings }
}

/**
 * Of the halves of a kernel that declares no type, those that have a part in it, as their objects tell. A vector half that only
 * moves data out of local memory works as well: the cube half waits for it.
 */
export function workingHalves<Half extends { kind: CoreKind; used: boolean; stores: boolean }>(
  halves: readonly Half[],
): Half[] {
  const cube = halves.find(({ kind }) => kind === 'aic')
  const works = ({ kind, used, stores }: Half): boolean => used || (kind === 'aiv' && stores && !cube?.stores)
  const working = halves.filter(works)
  return working.length > 0 ? working : halves.filter(({ kind }) => kind === 'aiv')
}
