import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Cache } from '../cache/cache.ts'
import { hashOf } from '../cache/hash.ts'
import { InfrastructureError, type Diagnostic, type TaskInterface } from '../model/index.ts'
import { describeAnswer, type DescribeAnswer, type Reply } from '../runner/protocol.ts'
import { devices, socOf } from '../soc/devices.ts'
import { BuildError, isLasting, readWarnings, saveWarnings, simpleFailure } from './build-failure.ts'
import { keepDeclaredOutputs } from './combination.ts'
import { readBlocks, saveBlocks } from './code-blocks.ts'
import type { NamedSources } from './cmake-sources.ts'
import type { Limits } from './confinement.ts'
import type { Slots } from './compile-time.ts'
import { parseDiagnostics } from './diagnostics.ts'
import {
  compileHostUnits,
  ObjectRoom,
  registers,
  requireApart,
  requireOneDefinition,
  type HostUnit,
  type HostUnits,
} from './host-units.ts'
import type { OperatorDescription } from './prelude.ts'
import { reading } from './reading-time.ts'
import type { RepositorySources } from './repository.ts'
import type { KeyedRuntime, Runtime } from './runtime.ts'
import { filesBelow, isForeignArch, sameFiles, withMarks, type SourceTree } from './sources.ts'
import { cachedStep, type StepResult } from './step.ts'
import { withoutComments } from './text.ts'
import { linkLibrary } from './unit.ts'

/** Asks the runner what a host library registers; the library is candidate code and is loaded nowhere else. */
export type DescribeHost = (library: string) => Promise<Reply<DescribeAnswer>>

export interface HostBuild {
  library: string
  description: DescribeAnswer
  warnings: Diagnostic[]
}

export interface BuildContext {
  runtime: Runtime
  cache: Cache
  /** the device whose configurations of an operator count */
  soc: string
  semaphore: Slots
  limits: Limits
  describe: DescribeHost
  /** asked whenever a compiler slot becomes free */
  urgent: () => boolean
}

const note = (message: string, paths: readonly string[]): Diagnostic[] =>
  paths.map((file) => ({ severity: 'note', message, file }))

/** Repositories make a library each of definitions, of inference and of tiling: the same name may be in several of them. */
const partOf = (source: string): string =>
  /_(def|infershape|infer|proto|tiling)\b/.exec(basename(source))?.[1]?.replace(/^(?:infershape|proto)$/, 'infer') ??
  'tiling'

const repeated =
  /(?<!\w)(\w+\.o)\b(?:(?!\bmultiple definition)[^]){0,4000}?\bmultiple definition of ([^;]{0,8000});[^\n]{0,4000}?(\w+\.o)\b/g

/** Are names that the linker finds more than once always defined in different libraries of the repository's own build? */
function repeatsAcrossParts(log: string, parts: ReadonlyMap<string, string>): boolean {
  if (/undefined (?:reference|symbol)/.test(log)) return false
  const objects = new Map<string, Set<string>>()
  for (const [, again = '', name = '', first = ''] of log.matchAll(repeated))
    objects.set(name, (objects.get(name) ?? new Set()).add(first).add(again))
  const partsOf = [...objects.values()].map((each) => [...each].map((object) => parts.get(object)))
  return partsOf.length > 0 && partsOf.every((each) => !each.includes(undefined) && new Set(each).size === each.length)
}

const libraryFile = 'host.so'
const descriptionFile = 'description.json'

export interface HostSources {
  folder: string
  trees: readonly SourceTree[]
  repository?: RepositorySources
  /**
   * What a build of the vendor's makes the library of, in a project of its own: sources that its files of CMake name, or those that lie in the
   * folder itself. Repositories take those of folders below as well.
   */
  named?: 'in its folder' | NonNullable<NamedSources['host']>
}

/** How the compiler is told to look for headers of a host part. */
function flagsOf({ folder, repository }: HostSources): string[] {
  // repositories declare tiling data beside the kernel that reads it
  const ownKernels = repository ? [join(dirname(folder), 'op_kernel')] : []
  return [
    '-iquote',
    folder,
    ...[folder, ...ownKernels, ...(repository?.includes ?? [])].flatMap((place) => ['-idirafter', place]),
  ]
}

/** Sources of a host part, absolute. */
interface HostPaths {
  /** all that are compiled */
  own: string[]
  /** those of them that tiling functions are no part of */
  apart: string[]
  /** for other devices */
  foreign: string[]
  /** in folders below, where a build takes none from them */
  below: string[]
  /** those of the repository around it */
  shared: string[]
}

function pathsOf({ folder, trees, repository, named }: HostSources): HostPaths {
  const shared = (repository?.sources ?? []).map(({ path }) => path)
  const files = trees.flatMap((tree) => filesBelow(tree, folder).map(({ name }) => join(tree.root, name)))
  const sources = files.filter((path) => /\.(?:cpp|cc|cxx)$/.test(path))
  const foreign = sources.filter((path) => isForeignArch(path.slice(folder.length)))
  const usual = sources.filter((path) => !foreign.includes(path))
  if (named === undefined) return { own: usual, apart: [], foreign, below: [], shared }
  if (named !== 'in its folder')
    return { own: [...named.tiling, ...named.definitions], apart: named.definitions, foreign: [], below: [], shared }
  const own = usual.filter((path) => dirname(path) === folder)
  return { own, apart: [], foreign: [], below: usual.filter((path) => !own.includes(path)), shared }
}

/** All that a host library is made of, but for the content of the candidate's files. */
export async function hostKey(runtime: KeyedRuntime, soc: string, sources: HostSources): Promise<string> {
  const { trees, repository, named } = sources
  const { own, apart, foreign, below, shared } = pathsOf(sources)
  const given = [flagsOf(sources), own, apart, foreign, below, shared]
  // the runtime says what it registers, and which functions it may call
  const [headers, { key }] = await Promise.all([runtime.headersKey('host'), runtime.files()])
  return hashOf(
    'host 35',
    socOf(soc).config,
    headers,
    key,
    [repository ? 'of a repository' : 'alone', typeof named === 'object' ? 'named' : (named ?? 'all')],
    given.map((list) => list.map((text) => withMarks(text, trees))),
    sameFiles(trees, runtime.compiler.family),
  )
}

/** Compiles op_host into one library and describes it. Returns a failure when the candidate is at fault. */
export async function buildHost(context: BuildContext, sources: HostSources): Promise<StepResult> {
  const { runtime, cache, semaphore, limits, urgent } = context
  const { folder: hostDir, trees, repository, named } = sources
  const flags = flagsOf(sources)
  const { own, apart, foreign, below, shared } = pathsOf(sources)
  if (own.length > mostSources)
    return {
      ok: false,
      cached: false,
      failure: simpleFailure('host', `${hostDir} has more than ${mostSources} sources`),
    }
  return await cachedStep(cache, {
    kind: 'host',
    baseKey: await hostKey(runtime, context.soc, sources),
    trees,
    run: async (folder) => {
      const environment = { runtime, limits, folder, trees }
      // built before a slot is taken: what needs slots itself must not be waited for by somebody who holds one
      await Promise.all([runtime.precompiled('host'), runtime.files()])
      const room = new ObjectRoom()
      const compile = async (sources: readonly string[], prefix: string): Promise<HostUnits> =>
        await compileHostUnits(
          environment,
          { sources, prefix, flags, inSlot: async (work) => await semaphore.run(work, urgent) },
          room,
        )
      const library = join(folder, libraryFile)
      const link = async (units: readonly HostUnit[]): Promise<void> => {
        const objects = units.map((unit) => unit.object)
        const run = async (options: readonly string[]): Promise<void> =>
          await semaphore.run(async () => await linkLibrary(environment, objects, library, 'host', { options }), urgent)
        await run([]).catch(async (error: unknown) => {
          if (error instanceof BuildError && below.length > 0) throw withHint(error, below)
          const parts = units.map(({ object, source }): [string, string] => [basename(object), partOf(source)])
          if (!repository || !(error instanceof BuildError)) throw error
          if (!reading('host', () => repeatsAcrossParts(error.failure.log, new Map(parts)))) throw error
          await run(['-z', 'muldefs'])
        })
      }
      const { units, api, read } = await compile([...own, ...shared], 'unit')
      const [first] = api
      if (first !== undefined && named !== undefined)
        throw refuse(`calls the runtime API, by which it does not compile here: move it to op_api`, first)
      reading('host', () => requireNoneBelow(trees, below, read))
      await requireOneDefinition(units, { isRepository: repository !== undefined, partOf })
      await requireApart(units, apart)
      if (!units.some(({ source }) => own.includes(source))) throw refuse(`no source file in ${hostDir}`)
      let leftOut = foreign
      try {
        await link(units)
      } catch (error) {
        // what asks at run time which device it is for needs the sources of all of them
        if (!(error instanceof BuildError) || foreign.length === 0) throw error
        const more = await compile(foreign, 'other').catch((reason: unknown) => {
          throw isLasting(reason) ? error : reason
        })
        leftOut = more.api
        units.push(...more.units)
        read.push(...more.read)
        await link(units)
      }
      const notes = [
        ...note('calls the runtime API: left out', api),
        ...note(
          'in a folder below op_host: left out',
          below.filter((path) => !read.includes(path)),
        ),
        ...note('for another device: left out', leftOut),
      ]
      const told = reading('host', () => parseDiagnostics(units.map((result) => result.log).join('\n')))
      const warnings = [...told, ...notes]
      await writeFile(join(folder, descriptionFile), JSON.stringify(await describeLibrary(context.describe, library)))
      await saveWarnings(folder, warnings, trees)
      const objects = await Promise.all(units.map(async ({ object }) => await readFile(object)))
      const linked = await readFile(library)
      const isClang = runtime.compiler.family === 'clang'
      const blocks = reading('host', () => readBlocks(objects, linked, trees, isClang))
      await saveBlocks(folder, blocks)
      const made = (await readdir(folder)).filter((name) => /^(?:unit|other)\d+\./.test(name))
      await Promise.all(made.map(async (name) => await rm(join(folder, name))))
      return read
    },
  })
}

/** What a host library registers, as its process says. Throws `BuildError` where it does not. */
export async function describeLibrary(describe: DescribeHost, library: string): Promise<DescribeAnswer> {
  const first = await describe(library)
  // a machine that is short of memory kills processes: what has died is asked once more
  const reply = !first.ok && first.failure.kind === 'died' ? await describe(library) : first
  if (reply.ok) return reply.result
  const { failure } = reply
  if (failure.kind === 'infrastructure') throw new InfrastructureError(failure.message)
  if (failure.kind === 'rejected' || failure.kind === 'malformed')
    throw new BuildError({ ...simpleFailure('host', failure.message), log: reply.log || failure.message })
  const message =
    failure.kind === 'timeout'
      ? 'the host library did not finish registering its operators in time'
      : `the host library ${failure.exitCode === null ? `crashed (${failure.signal})` : `called exit(${failure.exitCode})`} while it was loaded`
  const byMachine = failure.kind === 'timeout' || failure.signal === 'SIGKILL'
  throw new BuildError({ ...simpleFailure('host', message), log: `${message}\n${reply.log}` }, !byMachine)
}

/** What a host library that `buildHost` has left registers. */
export async function readDescription(library: string): Promise<DescribeAnswer> {
  const description: unknown = JSON.parse(await readFile(join(dirname(library), descriptionFile), 'utf8'))
  return describeAnswer.parse(description)
}

/** Reads what `buildHost` left in its folder. */
export async function readHost(folder: string, trees: readonly SourceTree[]): Promise<HostBuild> {
  const library = join(folder, libraryFile)
  return {
    library,
    description: await readDescription(library),
    warnings: await readWarnings(folder, trees),
  }
}

const refuse = (message: string, file?: string): BuildError => new BuildError(simpleFailure('host', message, file))

/** A host part has no more sources of its own. */
const mostSources = 100

const belowHint =
  'lies in a folder below op_host, which a build takes no sources from but those that CMakeLists.txt names'

/** Throws `BuildError` where what registers an operator lies where a build does not look for it. */
function requireNoneBelow(trees: readonly SourceTree[], below: readonly string[], read: readonly string[]): void {
  const texts = new Map(trees.flatMap(({ root, files }) => files.map(({ name, text }) => [join(root, name), text])))
  for (const source of below)
    if (!read.includes(source) && registers(withoutComments(texts.get(source)?.toString('utf8') ?? '')))
      throw refuse(`${belowHint}: name it there, or move it to op_host`, source)
}

/** What a library lacks may be there, where a build does not look for it. */
function withHint({ failure, lasting }: BuildError, below: readonly string[]): BuildError {
  const hints = below.map((file): Diagnostic => ({ severity: 'note', message: belowHint, file }))
  return new BuildError({ ...failure, diagnostics: [...failure.diagnostics, ...hints] }, lasting)
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** How a kernel is handed an argument: the address of a list that describes tensors, or that of one tensor. */
function refuseOtherKind(operator: OperatorDescription, task: TaskInterface): void {
  const wanted = [...task.inputs, ...keepDeclaredOutputs(operator, task, task.outputs)]
  for (const [index, { name, paramType }] of [...operator.inputs, ...operator.outputs].entries()) {
    const argument = wanted[index]
    if (!argument || (paramType === 'dynamic') === (argument.kind === 'tensorList')) continue
    const [is, isDeclared, fix] =
      paramType === 'dynamic'
        ? ['one tensor', 'DYNAMIC', 'REQUIRED or OPTIONAL']
        : ['a list', paramType.toUpperCase(), 'DYNAMIC']
    throw refuse(
      `operator ${task.name} declares ${name} ${isDeclared}, but ${argument.name} of the task is ${is}: its ParamType is ${fix}`,
    )
  }
}

const inPlaceHint = '; where it changes an input in place, the output of the task says so: aliases: <input>'

/** The operator of a task among those a host library registers. Throws `BuildError` when it does not fit the task. */
export function operatorOf(description: DescribeAnswer, task: TaskInterface): OperatorDescription {
  const operator = description.operators.find(({ name }) => name === task.name)
  const names = description.operators.map(({ name }) => name).join(', ')
  if (!operator) {
    throw refuse(`op_host does not register the operator ${task.name}; it registers ${names === '' ? 'none' : names}`)
  }
  for (const side of ['inputs', 'outputs'] as const) {
    const noun = side.slice(0, -1)
    if (operator[side].length === task[side].length) continue
    if (side === 'outputs' && operator.outputs.length === keepDeclaredOutputs(operator, task, task.outputs).length)
      continue
    const declares = `operator ${task.name} declares ${plural(operator[side].length, noun)}, but the task has ${task[side].length}`
    const inPlace = side === 'outputs' && operator.outputs.length < task.outputs.length ? inPlaceHint : ''
    throw refuse(declares + inPlace)
  }
  refuseOtherKind(operator, task)
  if (!operator.hasTiling) throw refuse(`operator ${task.name} registers no tiling function`)
  refuseOtherDevices(operator)
  return operator
}

/** Builds make kernels for the devices that the operator is configured for, and no other. */
function refuseOtherDevices({ name, socs }: OperatorDescription): void {
  const known = new Set(devices().map(({ config }) => config))
  if (socs.some((each) => known.has(each))) return
  const shown = socs.length === 0 ? 'no device' : `${socs.join(', ')} alone`
  const fix = [...known].map((config) => `AICore().AddConfig("${config}")`).join(' or ')
  throw refuse(`operator ${name} is configured for ${shown}, so that a build makes no kernel: add ${fix}`)
}
