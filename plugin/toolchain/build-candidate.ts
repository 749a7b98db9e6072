import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import {
  FileError,
  isInside,
  listBelow,
  megabytes,
  pathOf,
  readRegular,
  shownName,
  type Listed,
} from '../files/index.ts'
import {
  InfrastructureError,
  messageOf,
  type BuildArgs,
  type Combination,
  type DefaultHost,
  type Diagnostic,
  type Sample,
  type TargetBuild,
} from '../model/index.ts'
import type { EmulatorArtifact, KernelLibraries, KernelVariants } from './artifact.ts'
import { BuildError, simpleFailure } from './build-failure.ts'
import { readPresets } from './cmake-presets.ts'
import { addedFolders, leavingMacros, projectsOf, requirePlainCommands, textsOf } from './cmake-project.ts'
import { settingsAround } from './cmake-settings.ts'
import {
  isOtherSource,
  isReached,
  namesSources,
  reachedBy,
  readNamedSources,
  requirePlainHost,
  type NamedSources,
  type Project,
} from './cmake-sources.ts'
import { LimitedSlots, type Limited } from './compile-time.ts'
import { columnOf, combinationKey, keepDeclaredOutputs } from './combination.ts'
import { givesOptions, OtherFiles, otherFilesOf, readCompileOptions, type CompileOptions } from './compile-options.ts'
import { coreOf } from './entry.ts'
import { buildHost, operatorOf, readHost, type BuildContext, type HostBuild, type HostSources } from './host.ts'
import {
  findEntry,
  requireName,
  requireParameters,
  structsOfKernels,
  type KernelEntry,
  type KernelSources,
} from './kernel-entry.ts'
import { buildFacts, isFoundHere, noFacts, readFacts, withoutType } from './kernel-facts.ts'
import { buildKernel, readKernel, workingHalves } from './kernel.ts'
import {
  dtypeMacros,
  keyMacros,
  PreludeError,
  preludeText,
  tilingStructWarning,
  type OperatorDescription,
} from './prelude.ts'
import { reading, withReadingTime } from './reading-time.ts'
import { readRepositorySources, type RepositorySources } from './repository.ts'
import { readSourceTree, sameFiles, tellingPlaces, withMarks, type SourceTree } from './sources.ts'
import { SourcesChangedError, type StepResult } from './step.ts'
import { builtKeys } from './tiling-keys.ts'

/** What building a whole candidate needs besides what its steps need. */
export interface CandidateContext extends BuildContext {
  defaultHost: DefaultHost
  /** the operator repository that a folder is part of */
  repositoryAround: (folder: string) => string | undefined
}

const marks = {
  candidate: '/npu/candidate',
  host: '/npu/default-host',
  repository: '/npu/repository',
  hostRepository: '/npu/default-repository',
} as const

/** What a candidate is built from, as it lies on disk. */
export interface Sources {
  trees: SourceTree[]
  /** the folder of the candidate */
  root: string
  hostDir: string
  kernelDir: string
  options: CompileOptions
  /** its files of CMake, nearest first */
  lists: { folder: string; text: string }[]
  repository?: RepositorySources
  /** what surrounds the host part: another repository where that is a default one */
  hostRepository?: RepositorySources
  /** the sources that its files of CMake name */
  named: NamedSources
}

/** What the host part is built from. */
const hostSourcesOf = ({ trees, hostDir, root, hostRepository, named }: Sources): HostSources => ({
  folder: hostDir,
  trees,
  ...(hostRepository && { repository: hostRepository }),
  ...(!hostRepository && isInside(hostDir, root) && { named: named.host ?? 'in its folder' }),
})

/** The real path of a folder of the candidate. Throws `FileError` where there is none, or it lies outside of `root`. */
async function ownFolder(path: string, root?: string): Promise<string> {
  const real = await realpath(path).catch((error: unknown) => {
    throw new FileError(`cannot read ${shownName(path)}: ${messageOf(error)}`)
  })
  if (root === undefined || isInside(real, root)) return real
  throw new FileError(`${basename(path)} links to a place outside of the candidate: put a copy there`)
}

/** Files of CMake are small. */
const maxListBytes = 1 << 20

/** Of all files that a candidate may have its files of CMake read. */
const maxOtherBytes = 4 << 20

/**
 * Files of a candidate, other than its lists, that give compile options where CMake is told to read them: what is called like a file of
 * CMake, also where no source may lie, and what a file that CMake reads names. Files of CMake that are too long for that are taken to
 * give some.
 */
function otherFiles(root: string, lists: readonly { path: string; text: string }[]): OtherFiles {
  const read = new Set(lists.map(({ path }) => resolve(path)))
  const found = new Map<string, string | undefined>()
  let left = maxOtherBytes
  const take = (entry: Listed, isOwn: boolean): string => {
    const path = join(root, entry.name)
    const file = read.has(path) || found.has(path) ? undefined : fileOf(root, entry)
    if (file === undefined) return ''
    const { size } = statSync(file)
    if (size > left && !isOwn) return ''
    left -= size
    const text = left < 0 ? undefined : readRegular(file, size).toString('utf8')
    found.set(path, text)
    return text ?? ''
  }
  const entries = listBelow(root, { belowOdd: true, belowSkipped: true })
  const byName = new Map<string, Listed[]>()
  for (const entry of entries) {
    const name = basename(entry.name)
    const same = byName.get(name)
    if (same) same.push(entry)
    else byName.set(name, [entry])
  }
  const own = entries.filter(({ name }) => /(?:^|\/)CMakeLists\.txt$|\.cmake$/.test(name))
  const texts = [...lists.map(({ text }) => text), ...own.map((entry) => take(entry, true))]
  const named = new Set<string>()
  // what is included may include more
  for (const text of texts)
    for (const word of text.split(/[^\w.+-]+/)) {
      if (named.has(word)) continue
      named.add(word)
      for (const entry of byName.get(word) ?? []) {
        const more = take(entry, false)
        if (/\binclude[ \t]*\(/i.test(more)) texts.push(more)
      }
    }
  const unread = entries.filter(({ name, kind }) => {
    const path = join(root, name)
    return kind !== 'folder' && !found.has(path) && !read.has(path)
  })
  const links = entries.filter(({ kind }) => kind === 'link').map(({ name }) => basename(name))
  const allTexts = new Map([...found].flatMap(([path, text]) => (text === undefined ? [] : [[path, text] as const])))
  const reached = reachedBy({
    lists: lists.map(({ path, text }) => ({ folder: dirname(path), text })),
    others: { allTexts, links: new Set(links) },
  })
  return otherFilesOf(found, [...read], {
    unread: unread.map(({ name }) => basename(name)),
    links,
    isReached: (path) => isReached(reached, path),
  })
}

/** The file that an entry is, or that its link leads to within the candidate. */
function fileOf(root: string, entry: Listed): string | Buffer | undefined {
  const path = pathOf(root, entry)
  if (entry.kind !== 'link') return entry.kind === 'file' ? path : undefined
  try {
    const real = realpathSync(path)
    return isInside(real, root) && statSync(real).isFile() ? real : undefined
  } catch {
    return undefined
  }
}

/** Reads what a candidate is built from. Throws `BuildError` or `FileError` where that cannot be. */
export async function readSources(
  context: Pick<CandidateContext, 'defaultHost' | 'repositoryAround'>,
  { sample, task }: BuildArgs,
): Promise<Sources> {
  const operator = context.defaultHost(task)
  const fallback = operator === undefined ? undefined : join(operator, 'op_host')
  const wanted = sample.hostDir ?? fallback
  if (wanted === undefined || !existsSync(wanted)) {
    const missing = `, and there is no default one${fallback === undefined ? '' : ` at ${fallback}`}`
    const where = sample.hostDir === null ? missing : ` at ${wanted}`
    throw new BuildError(simpleFailure('host', `${task.name} has no op_host${where}`))
  }
  const root = await ownFolder(sample.root)
  const kernelDir = await ownFolder(sample.kernelDir, root)
  // a host part that was put together with another kernel lies elsewhere
  const isBeside = dirname(wanted) === dirname(sample.kernelDir)
  const hostDir = await ownFolder(wanted, isBeside ? root : undefined)
  const tree = await readSourceTree(root, marks.candidate, { own: [kernelDir, hostDir] })
  const hostTree = isInside(hostDir, root) ? tree : await readSourceTree(hostDir, marks.host, { own: [hostDir] })
  const texts = sample.cmakeLists.map((path) => readRegular(path, maxListBytes).toString('utf8'))
  const { lists, options, named } = reading('kernel', () => {
    const { lists, others, presets } = listsOf(root, sample, texts)
    const options = readCompileOptions(task.name, lists)
    const named =
      sample.repository === undefined
        ? namedSources({ operator: task.name, tree, kernelDir, hostDir, lists, others, presets })
        : {}
    return { lists, options, named }
  })
  const repository =
    sample.repository && (await readRepositorySources(tree, sample.repository, marks.repository, texts))
  const shared = hostTree === tree ? undefined : context.repositoryAround(dirname(hostDir))
  const hostRepository = shared ? await readRepositorySources(hostTree, shared, marks.hostRepository) : repository
  const trees = [
    ...new Set([tree, hostTree, ...[repository, hostRepository].flatMap((each) => (each ? [each.tree] : []))]),
  ]
  return {
    trees,
    root,
    named,
    hostDir,
    kernelDir,
    options,
    lists,
    ...(repository && { repository }),
    ...(hostRepository && { hostRepository }),
  }
}

/** Does anything follow from a text? */
const isRead = (text: string): boolean => givesOptions(text) || namesSources(text)

/** The lists of a candidate, with what is known of its other files. Throws `BuildError` where these change what is not followed. */
function listsOf(root: string, { cmakeLists, repository }: Sample, texts: readonly string[]) {
  const presets = readPresets(root)
  const files = cmakeLists.map((path, index) => ({ path, folder: dirname(resolve(path)), text: texts[index] ?? '' }))
  const others = files.length > 0 ? otherFiles(root, files) : new OtherFiles([])
  const top = repository ?? root
  const project = { root: top, lists: files, others }
  const all = textsOf(project)
  if (others.paths.size > 0 || [...all.values()].some(isRead)) requirePlainCommands(project, all)
  const added = addedFolders(project, all)
  const own = files.find(({ folder }) => folder === top)
  const around = settingsAround(all, presets)
  const shared = { top, others, leaving: leavingMacros(all.values()), ...(own && { projects: projectsOf(own.text) }) }
  const lists = files.map(({ folder, text }) => ({
    ...shared,
    folder,
    text,
    elsewhere: () => around(join(folder, 'CMakeLists.txt')),
    isUnadded: !added.has(folder),
  }))
  return { lists, others, presets }
}

/** What the files of CMake of a candidate say of its sources. Throws `BuildError` where they change what is not followed. */
function namedSources({
  operator,
  tree,
  kernelDir,
  hostDir,
  lists,
  others,
  presets,
}: Pick<Sources, 'kernelDir' | 'hostDir' | 'lists'> & {
  operator: string
  tree: SourceTree
  others: OtherFiles
  presets: ReadonlySet<string>
}): NamedSources {
  const { root } = tree
  const project: Project = {
    operator,
    root,
    hostDir,
    kernelDir,
    lists: lists.map(({ folder, text }) => ({ folder: realpathSync(folder), text })),
    others,
    presets,
    files: new Set(tree.files.map(({ name }) => join(root, name))),
    beside: (tree.others ?? []).flatMap((other) => (/^(?:file|link) /.test(other) ? [join(root, other.slice(5))] : [])),
  }
  requirePlainHost(project)
  const named = readNamedSources(project)
  if (named.host === undefined && isInside(hostDir, root)) requireCompiled(hostDir)
  return named
}

/** Throws `BuildError` where a build takes a source of the host part that is not compiled here. */
function requireCompiled(hostDir: string): void {
  const other = readdirSync(hostDir).find((name) => isOtherSource(name))
  if (other !== undefined)
    throw new BuildError(
      simpleFailure('host', `op_host/${shownName(other)} is not compiled here: call it .cpp, or move it`),
    )
}

async function valueOf<T>(
  result: StepResult,
  trees: readonly SourceTree[],
  read: (folder: string, trees: readonly SourceTree[]) => Promise<T>,
): Promise<T> {
  if (!result.ok) throw new BuildError(result.failure)
  return await read(result.folder, trees)
}

/**
 * Builds a candidate for the emulator: the host part, then one kernel library per dtype combination and core kind. Rejects
 * with `InfrastructureError` when the machine is at fault; everything the candidate does wrong is a returned failure.
 */
export async function buildCandidate(
  context: CandidateContext,
  args: BuildArgs,
): Promise<TargetBuild<EmulatorArtifact>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withReadingTime(context.limits.timeoutMs, async () => await buildOnce(context, args))
    } catch (error) {
      if (!(error instanceof SourcesChangedError)) throw error
      if (attempt === attemptsWhileEdited) throw new InfrastructureError(`${args.sample.root}: ${error.message}`)
    }
  }
}

/** An editor saves now and then; a file that changes under every compilation is written by a program. */
const attemptsWhileEdited = 3

/** A candidate has a host part of as many sources as it likes, and units of the kernel as its task has types. */
const buildLimitedHost = async (context: CandidateContext, sources: Sources): Promise<StepResult> =>
  await buildHost(
    withLimit(context, { stage: 'host', what: 'the sources of the host part take' }),
    hostSourcesOf(sources),
  )

const withLimit = (context: BuildContext, limited: Limited): BuildContext => ({
  ...context,
  semaphore: new LimitedSlots(context.semaphore, context.limits.timeoutMs, limited),
})

async function buildOnce(context: CandidateContext, args: BuildArgs): Promise<TargetBuild<EmulatorArtifact>> {
  let cached = true
  const noting = (result: StepResult): StepResult => {
    cached &&= result.cached
    return result
  }
  try {
    const sources = await readSources(context, args)
    const { trees, options, named } = sources
    const { kernel } = args.task
    const ofCMake = named.kernel === undefined ? {} : { path: named.kernel }
    const entryIn = (file?: string): KernelEntry =>
      reading('kernel', () => findEntry({ ...sources, ...ofCMake, kernel, ...(file !== undefined && { file }) }))
    const found = entryIn()
    const host = await valueOf(noting(await buildLimitedHost(context, sources)), trees, readHost)
    const operator = operatorOf(host.description, args.task)
    requireName(operator, kernel)
    const { kernelFile } = operator
    const entry = kernelFile === undefined ? found : entryIn(kernelFile)
    const { kernels, warnings, namesStruct } = await buildKernels(context, {
      args,
      sources,
      entry,
      host,
      operator,
      noting,
    })
    const id = await artifactId(context, args, sources)
    const { task } = args
    // an artifact lives as long as the run: without the texts of its sources
    const places = trees.map(({ root, mark }) => ({ root, mark }))
    const artifact = {
      id,
      task,
      operator,
      host: host.library,
      kernels,
      autoSync: options.autoSync,
      trees: places,
    }
    const told =
      !namesStruct && reading('kernel', () => tilingStructWarning(host.description, operator.name, entry.source))
    const own: Diagnostic[] = told ? [{ severity: 'warning', message: told }] : []
    return { ok: true, artifact, cached, warnings: [...host.warnings, ...own, ...warnings] }
  } catch (error) {
    if (error instanceof BuildError) return { ok: false, failure: error.failure, cached }
    if (error instanceof FileError) return { ok: false, failure: simpleFailure('kernel', error.message), cached }
    if (error instanceof PreludeError) return { ok: false, failure: simpleFailure('host', error.message), cached }
    throw error
  }
}

/** What the host part of an operator project registers. Throws `BuildError` or `FileError` where it does not build. */
export async function describeHost(context: CandidateContext, args: BuildArgs): Promise<HostBuild['description']> {
  const sources = await readSources(context, args)
  return (await valueOf(await buildLimitedHost(context, sources), sources.trees, readHost)).description
}

interface KernelJob {
  args: BuildArgs
  sources: Sources
  entry: KernelEntry
  host: HostBuild
  operator: OperatorDescription
  noting: (result: StepResult) => StepResult
}

/** Keys that a kernel is compiled for by themselves, and the bytes of all libraries of a combination together. */
const mostKeys = 128
const mostKeyBytes = 256 << 20
/** So many are built between two looks at how much they take. */
const keysAtOnce = 8

const partsOf = <T>(all: readonly T[], length: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / length) }, (_, i) => all.slice(i * length, (i + 1) * length))

interface KernelBuild extends KernelLibraries {
  /** keys of the choices of a template */
  ofTemplate: string[]
}

/** Builds a kernel for each of its tiling keys, as the vendor's build does for all kernels. Throws `BuildError`. */
async function buildByKey(
  keys: readonly string[],
  build: (macros: string) => Promise<KernelBuild>,
): Promise<Map<string, KernelBuild>> {
  if (keys.length > mostKeys) {
    const message = `the kernel takes its tiling key for a constant and has ${keys.length} of them: at most ${mostKeys} are compiled`
    throw new BuildError(simpleFailure('kernel', message))
  }
  const built = new Map<string, KernelBuild>()
  let bytes = 0
  // what does not compile mostly fails for every key: one failure is enough
  for (const some of [keys.slice(0, 1), ...partsOf(keys.slice(1), keysAtOnce)]) {
    if (bytes > mostKeyBytes) {
      const message = `the libraries of the tiling keys take more than ${megabytes(mostKeyBytes)}: make its constants smaller`
      throw new BuildError(simpleFailure('kernel', message))
    }
    for (const [key, libraries] of await Promise.all(
      some.map(async (key) => [key, await build(keyMacros(key))] as const),
    )) {
      built.set(key, libraries)
      for (const library of [libraries.aiv, libraries.aic]) if (library !== null) bytes += statSync(library).size
    }
  }
  if ([...built.values()].some(({ ofTemplate }) => ofTemplate.length > 0)) {
    const message = 'a template over the tiling key cannot take TILING_KEY_VAR for a constant as well: compare a field'
    throw new BuildError(simpleFailure('kernel', message))
  }
  return built
}

async function buildKernels(
  context: BuildContext,
  { args, sources, entry, host, operator, noting }: KernelJob,
): Promise<{ kernels: EmulatorArtifact['kernels']; warnings: Diagnostic[]; namesStruct: boolean }> {
  const kernelSources: KernelSources = { ...sources, kernel: args.task.kernel }
  const warnings = new Map<string, Diagnostic>()
  let namesStruct = false
  const limited = withLimit(context, { stage: 'kernel', what: 'the builds of the kernel for its tiling keys take' })
  const variant = async (combination: Combination): Promise<[string, KernelVariants]> => {
    const key = combinationKey(combination)
    const declared = { ...combination, outputs: keepDeclaredOutputs(operator, args.task, combination.outputs) }
    const column = columnOf(operator, declared)
    if (typeof column !== 'number') return [key, { supported: false, message: column.problem }]
    const macros = dtypeMacros(operator, declared, column)
    const said = noting(await buildFacts(context, kernelSources, { entry, macros }))
    if (!said.ok && isFoundHere(said.failure)) throw new BuildError(said.failure)
    const facts = said.ok ? await readFacts(said.folder) : noFacts
    const { taskTypes, selectedTypes, tilingStruct, structsOfKeys, tilingKeys: asked } = facts
    const core = coreOf([...taskTypes.map(({ type }) => type), ...selectedTypes], entry.qualified, facts.cube)
    namesStruct ||= tilingStruct !== undefined
    const defined = tilingStruct === undefined ? [] : reading('kernel', () => structsOfKernels(sources.trees))
    const own = { tilingStruct, structsOfKeys, defined }
    const forAll = reading('kernel', () => preludeText(host.description, operator, declared, column, own))
    const build = async (prelude: string, on: BuildContext): Promise<KernelBuild> => {
      const built = await Promise.all(
        core.kinds.map(async (kind) => {
          const result = noting(await buildKernel(on, kernelSources, { entry, core, taskTypes, prelude, kind }))
          const built = await valueOf(result, sources.trees, readKernel)
          for (const warning of built.warnings) warnings.set(JSON.stringify(warning), warning)
          return { kind, ...built }
        }),
      )
      const kept = core.declared || built.length === 1 ? built : workingHalves(built)
      for (const { problem } of kept) if (problem !== null) throw new BuildError(simpleFailure('link', problem))
      const pick = (kind: string): string | null => kept.find((library) => library.kind === kind)?.library ?? null
      return { aiv: pick('aiv'), aic: pick('aic'), ofTemplate: kept.flatMap((library) => library.tilingKeys) }
    }
    const byKey =
      facts.hasConstantKey || forAll.dependsOnKey
        ? await buildByKey(builtKeys(asked, []), async (macros) => await build(`${macros}\n${forAll.text}`, limited))
        : undefined
    const { ofTemplate, ...libraries } = [...(byKey?.values() ?? [])][0] ?? (await build(forAll.text, context))
    // compilers say best what is wrong, but the preprocessor reads a kernel for both kinds
    if (!said.ok) throw new BuildError(said.failure)
    const tilingKeys = new Set(builtKeys(asked, ofTemplate))
    const untyped = withoutType(facts, [...tilingKeys])
    if (untyped !== undefined) throw new BuildError(simpleFailure('kernel', untyped, entry.path))
    return [key, { supported: true, ...libraries, tilingKeys, ...(byKey && { byKey }) }]
  }
  // a kernel that does not compile mostly fails in every combination: one failure is enough
  const [first, ...rest] = args.combinations
  const kernels = new Map(first ? [await variant(first)] : [])
  // the vendor's build calls the kernel where it has compiled it
  requireParameters(entry, args.task.kernel, operator)
  for (const [key, built] of await Promise.all(rest.map(variant))) kernels.set(key, built)
  return { kernels, warnings: [...warnings.values()], namesStruct }
}

async function artifactId(context: BuildContext, args: BuildArgs, sources: Sources): Promise<string> {
  const { trees, options, kernelDir, hostDir, repository, hostRepository, named } = sources
  // of what a repository has, files of CMake say what is searched and linked
  const around = [repository, hostRepository].map(
    (each) => each && [each.includes, [...each.kernels], each.sources.map(({ path }) => path)],
  )
  const places = JSON.stringify([kernelDir, hostDir, options, around, named])
  const { runtime } = context
  const [files, include] = await Promise.all([runtime.files(), runtime.include()])
  const { task, combinations } = args
  return hashOf(
    files.key,
    include.key,
    runtime.compiler.version,
    runtime.cann,
    JSON.stringify([task, combinations]),
    withMarks(places, trees),
    trees.flatMap((tree) => [tree.mark, tree.key]),
    tellingPlaces(options.defines, trees),
    sameFiles(trees, runtime.compiler.family),
  )
}
