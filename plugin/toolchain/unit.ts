import { mkdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import { LatestMap } from '../cache/latest-map.ts'
import { isInside, shownName } from '../files/index.ts'
import { InfrastructureError, withoutLongLines, type Diagnostic } from '../model/index.ts'
import type { ProcessResult } from '../process/run-process.ts'
import { askingProblem, mayIncludeLibrary, type AskingProblem, type AskingText } from './asked-names.ts'
import { foreignAssembly } from './assembly.ts'
import { BuildError, failureFromLog, simpleFailure, type BuildFailure } from './build-failure.ts'
import type { Linker } from './compiler.ts'
import { runConfined, toolFolders, type Limits } from './confinement.ts'
import { checkDeviceLanguage, checkFlags } from './device-check.ts'
import { firstOutside, parseDependencies } from './dependencies.ts'
import type { HeaderKind } from './flags.ts'
import { mayNameLines } from './line-directives.ts'
import { reading } from './reading-time.ts'
import { maxLinkedMiB, maxOutputMiB, requireRoom } from './room.ts'
import type { Runtime } from './runtime.ts'
import { withMarks, type SourceTree } from './sources.ts'

/** Where, on what and under which limits the tools of one build step run. */
export interface CompileEnvironment {
  runtime: Runtime
  limits: Limits
  /** scratch folder: the only one that is written */
  folder: string
  trees: readonly SourceTree[]
}

/** Exit status of npu-confine when the confinement itself failed. */
const confinementFailed = 125

/** Runs a tool that can read the system, the candidate's folders and `also`, and write the scratch folder. */
async function runTool(
  environment: CompileEnvironment,
  also: readonly string[],
  command: readonly string[],
  fileMiB: number,
): Promise<ProcessResult> {
  const { runtime, limits, folder, trees } = environment
  const [program, servers] = await Promise.all([runtime.confine(), runtime.servers()])
  const readable = [...toolFolders(runtime.compiler), ...also, ...trees.flatMap((tree) => tree.readable ?? tree.root)]
  const done = await runConfined(command, {
    ...limits,
    fileMiB,
    program,
    servers,
    writable: folder,
    readable,
    allowMissing: runtime.allowMissing,
  })
  if (done.exitCode === confinementFailed || (done.exitCode === null && done.signal === null)) {
    throw new InfrastructureError(`cannot run ${command[0]} in confinement: ${done.stderr.trim()}`)
  }
  return { ...done, stdout: withoutLongLines(done.stdout), stderr: withoutLongLines(done.stderr) }
}

/** What compilers and linkers end with where they have found something wrong. Anything else is an end of the tool itself. */
const foundWrong = 1

/**
 * How tools that end like this all the same say that the machine had no more. Whoever writes these words into a source has a
 * failure that is found anew each time, and nothing else.
 */
const lackOfMachine =
  /No space left on device|Disk quota exceeded|Cannot allocate memory|(?:memory|virtual memory) exhausted|out of memory|signal terminated program|terminated with signal/

/** What tools end with, or say, that were ended because they wrote a larger file than they may. */
const fileTooLarge = 128 + constants.signals.SIGXFSZ
const saysTooLarge =
  /^[^:\n\r\u2028\u2029]*: (?:internal compiler error: File size limit exceeded|fatal error: ld terminated with signal 25\b)/m

const lateError = (
  { timeoutMs }: CompileEnvironment['limits'],
  stage: BuildFailure['stage'],
  tool: string,
): BuildError =>
  new BuildError(
    simpleFailure(stage, `the ${tool} did not finish within ${timeoutMs / 1000} s, the limit of compileTimeoutMs`),
    false,
  )

/** Throws `InfrastructureError` where the disk is full. What the machine may have done to a tool is not cached. */
async function toolError(
  { limits, folder }: CompileEnvironment,
  done: ProcessResult,
  stage: BuildFailure['stage'],
  tool: string,
  tooLarge: string,
): Promise<BuildError> {
  await requireRoom(folder, tool)
  if (done.timedOut) return lateError(limits, stage, tool)
  const log = `${done.stderr}${done.stdout}`
  const crashed = done.exitCode !== foundWrong
  const summary = crashed ? `the ${tool} ended with ${done.signal ?? `status ${done.exitCode}`}` : `the ${tool} failed`
  return reading(stage, () =>
    done.exitCode === fileTooLarge || saysTooLarge.test(log)
      ? new BuildError(simpleFailure(stage, tooLarge))
      : new BuildError(failureFromLog(stage, log, summary), !crashed && !lackOfMachine.test(log)),
  )
}

export interface UnitResult {
  object: string
  /** files of the candidate that were read, absolute */
  read: string[]
  /** warnings of the compiler, as text */
  log: string
}

/**
 * Throws `BuildError` where a file of a tree was read that is none of its sources: what is built is found by their contents
 * alone. A file that a link leads to has two paths.
 */
function refuseUnhashed(
  files: readonly { path: string; real: string }[],
  stage: 'host' | 'kernel',
  trees: readonly SourceTree[],
): void {
  const sources = new Set(trees.flatMap(({ root, files }) => files.map(({ name }) => join(root, name))))
  const isInTree = (path: string): boolean => trees.some(({ root }) => isInside(path, root))
  const other = files.find(({ path, real }) => isInTree(real) && !sources.has(path) && !sources.has(real))
  if (other === undefined) return
  const message = `includes ${other.path}, which is no source file: name it .h or .inc, outside of hidden folders`
  throw new BuildError(simpleFailure(stage, message))
}

/**
 * Throws `BuildError` where a file of a tree was read by a path that leads there through a folder of others: by its name it would
 * be one of theirs. `folder` has links to kernels that lie side by side.
 */
function refuseDetours(
  files: readonly { path: string; real: string }[],
  stage: 'host' | 'kernel',
  trees: readonly SourceTree[],
  folder: string,
): void {
  const isInTree = (path: string): boolean => trees.some(({ root }) => isInside(path, root))
  const found = files.find(
    ({ path, real }) => path.includes('/../') && !isInTree(path) && !isInside(path, folder) && isInTree(real),
  )
  if (found === undefined) return
  const message = `includes ${found.real} by a path through another folder: name it by its place beside the other files`
  throw new BuildError({ ...simpleFailure(stage, message), class: 'include' })
}

/** Headers of the emulator's own, which no toolkit of the vendor's has. */
const ownHeader =
  /^(?:ascendc\/(?!(?:basic_api|host_api)\/)|host_pch\.h$|log\/printed\.h$|tiling\/(?:library_(?:structs|shape)|function_tiling|helper_checks)\.h$|op_common\/op_host\/util\/small_float\.h$)/

const noLibrary =
  'includes no header of the library, without which the vendor\'s compiler knows none of its names: write `#include "kernel_operator.h"`'

/** A text compiles, and asks for what a build of the vendor's answers otherwise. */
export class AskingError extends BuildError {}

/** Is this the tree of a repository around a candidate? It is none of its own. */
const isAround = ({ mark }: SourceTree): boolean => mark.endsWith('-repository') || mark.endsWith('/repository')

/** What texts have been found to ask for: builds of one kernel for its tiling keys, and its types, ask the same. */
const lastAsked = new LatestMap<string, Promise<AskingProblem | undefined>>(32)

/** Throws `AskingError` where a text that was read asks for what a build of the vendor's answers otherwise. */
async function refuseAsking(
  { runtime, folder, trees }: CompileEnvironment,
  unit: { stage: 'host' | 'kernel'; kind: HeaderKind; defines: readonly string[]; renamed: readonly string[] },
  { files, flags }: { files: ReadonlySet<string>; flags: readonly string[] },
): Promise<void> {
  const { stage, kind, defines, renamed } = unit
  const own = trees.filter((tree) => !isAround(tree))
  const sources = own.flatMap(({ root, files }) => files.map(({ name, text }) => ({ path: join(root, name), text })))
  const texts: AskingText[] = sources
    .filter(({ path }) => files.has(path))
    .map(({ path, text }) => ({ path, text: text.toString('utf8') }))
  const around = trees
    .filter(isAround)
    .flatMap((tree) => tree.files.filter(({ name }) => files.has(join(tree.root, name))))
  const defined = reading(stage, () =>
    around.flatMap(({ text }) => [...text.toString('utf8').matchAll(/#[ \t]*define[ \t]+(\w+)/g)]),
  )
  const [{ folder: include, names }, predefined] = await Promise.all([runtime.include(), runtime.predefined(kind)])
  const behind = (flag: RegExp): string[] => flags.filter((_, index) => flag.test(flags[index - 1] ?? ''))
  const isOfLibrary = (name: string): boolean => names.has(name) && !ownHeader.test(name)
  // here they are read ahead of every kernel; around a candidate others may include them for it
  const mayInclude = ({ text }: AskingText): boolean => mayIncludeLibrary(text, isOfLibrary)
  const needsLibrary = stage === 'kernel' && texts.length > 0 && around.length === 0
  if (needsLibrary && !reading(stage, () => texts.some(mayInclude)))
    throw new AskingError(simpleFailure(stage, noLibrary, texts[0]?.path))
  const asking = [...texts, ...(defines.length > 0 ? [{ text: definesText(defines) }] : [])]
  const searchedBesides = behind(/^-(?:iquote|idirafter)$/)
  const asked = hashOf(
    kind,
    runtime.compiler.version,
    include,
    renamed,
    defines,
    // texts, and what else lies there: some ask for files that nobody reads
    trees.map(({ root, key }) => [root, key]),
    asking.map(({ path = '' }) => path),
    around.map(({ name }) => name),
    behind(/^-I$/),
    searchedBesides,
  )
  const ask = async (): Promise<AskingProblem | undefined> =>
    await askingProblem(asking, {
      kind,
      compiler: runtime.compiler,
      predefined,
      defined: new Set(defined.map(([, name = '']) => name)),
      renamed,
      roots: trees.map(({ root }) => root),
      includes: behind(/^-I$/),
      searched: [...searchedBesides, include, folder],
      isOfLibrary,
      isOfEmulator: (name) => names.has(name) && ownHeader.test(name),
    })
  let known = lastAsked.get(asked)
  if (!known) {
    lastAsked.set(asked, (known = ask()))
    // what took too long, or the machine did not tell, is asked anew
    known.catch(() => lastAsked.delete(asked))
  }
  const problem = await known
  if (problem === undefined) return
  const { message, path: file, line } = problem
  const place = file === undefined ? '' : line === undefined ? `${file}: ` : `${file}:${line}: `
  const diagnostics: Diagnostic[] = [
    { severity: 'error', message, ...(file !== undefined && { file }), ...(line !== undefined && { line }) },
  ]
  throw new AskingError({ stage, class: 'language', diagnostics, log: `${place}${message}\n` })
}

/** Throws `BuildError` where what g++ has written for the assembler is not all its own. */
function refuseAssembly(text: string, stage: 'host' | 'kernel', trees: readonly SourceTree[]): void {
  const diagnostics = foreignAssembly(text, stage).map(({ message, file, line }): Diagnostic => {
    const tree = trees.find(({ mark }) => file !== undefined && isInside(file, mark))
    const place = file === undefined ? {} : { file: tree ? file.replace(tree.mark, tree.root) : file }
    return { severity: 'error', message, ...place, ...(line !== undefined && { line }) }
  })
  const [first] = diagnostics
  if (first) throw new BuildError({ stage, class: 'language', diagnostics, log: first.message })
}

/**
 * Macros of compile options, as a header: what a command line defines is there before any header, and a macro that is older than
 * the words of `ascendc/host_only.h` may have them.
 */
const definitions = (defines: readonly string[]): string =>
  ['#pragma GCC system_header', '#line 1 "compile options"', definesText(defines), ''].join('\n')

const definesText = (defines: readonly string[]): string =>
  defines
    .map((define) => {
      const [name = '', ...value] = define.slice('-D'.length).replaceAll(/\s/g, ' ').split('=')
      return `#define ${name} ${value.length === 0 ? '1' : value.join('=')}`
    })
    .join('\n')

/** What g++ warns of without an option that would make it an error. */
const autoParameter = /: warning: (use of [^\s]{0,4}auto[^\s]{0,4} in parameter declaration)/g

/** Throws `BuildError` where a function has parameters that are `auto`, which the vendor's compiler, a clang, does not take. */
function refuseAutoParameters(log: string): void {
  const told = log.replaceAll(autoParameter, ': error: $1')
  if (told !== log) throw new BuildError(failureFromLog('kernel', told, 'the compiler failed'))
}

/**
 * Compiles one translation unit, confined. Throws `BuildError`, also when the unit reads a file that is neither the
 * candidate's, ours nor the system's.
 */
export async function compileUnit(
  environment: CompileEnvironment,
  unit: {
    stage: 'host' | 'kernel'
    kind: HeaderKind
    source: string
    /** the file of the candidate whose text a generated source holds */
    origin?: string
    name: string
    /** `-DNAME=value`; none when absent */
    defines?: readonly string[]
    /** names of the candidate that the vendor's build gives another meaning */
    renamed?: readonly string[]
    flags: readonly string[]
    /** the folder of a view of the trees that is compiled in their place */
    view?: string
    /** a folder of links to all that lies in a folder of the trees */
    links?: { path: string; of: string }
  },
): Promise<UnitResult> {
  const { runtime, folder, trees } = environment
  const pch = await runtime.precompiled(unit.kind)
  const object = join(folder, `${unit.name}.o`)
  const rule = join(folder, `${unit.name}.d`)
  const isGcc = runtime.compiler.family === 'gcc'
  const assembly = join(folder, `${unit.name}.s`)
  // where one tree lies in another, the last that fits counts
  const macros = join(folder, `${unit.name}.macros.h`)
  const defines = unit.defines ?? []
  if (defines.length > 0) await writeFile(macros, definitions(defines))
  const { view = '', links } = unit
  const split = [...trees.map(({ root }) => root), view, links?.path ?? ''].find((path) => path.includes('='))
  if (split !== undefined)
    // a map is split at a `=`: the names in what is built would be wrong, and so in the cache
    throw new InfrastructureError(`${shownName(split)}: compilers take no = in a path: rename the folder`)
  const maps = [...new Set(['', view])].flatMap((folder) =>
    trees.toReversed().map((tree) => `-ffile-prefix-map=${folder}${tree.root}=${tree.mark}`),
  )
  if (links) maps.push(`-ffile-prefix-map=${links.path}=${withMarks(links.of, trees)}`)
  /** What is said of a view or of links is said of the trees. */
  const ofTrees = (text: string): string => {
    const linked = links ? text.replaceAll(links.path, links.of) : text
    return view === '' ? linked : linked.replaceAll(view, '')
  }
  const command = [
    runtime.compiler.path,
    // with a report of its crash clang would end as if it had found something wrong
    ...(isGcc ? [] : ['-fno-crash-diagnostics']),
    ...pch.flags,
    ...maps,
    ...(defines.length > 0 ? ['-include', macros] : []),
    ...unit.flags,
    // a link keeps its own name, by which what lies beside it is found
    ...(isGcc && (view !== '' || links) ? ['-fno-canonical-system-headers'] : []),
    ...(unit.kind === 'host' ? [] : checkFlags(runtime.compiler, object)),
    '-MD',
    '-MF',
    rule,
    isGcc ? '-S' : '-c',
    unit.source,
    '-o',
    isGcc ? assembly : object,
  ]
  const { folder: include } = await runtime.include()
  const ours = await Promise.all([include, pch.folder, folder].map(async (path) => await realpath(path)))
  const said = await runTool(environment, ours, command, maxOutputMiB)
  const done = { ...said, stdout: ofTrees(said.stdout), stderr: ofTrees(said.stderr) }
  const tooLarge = `${basename(unit.source)} compiles to more than ${maxOutputMiB} MiB: make its constants smaller`
  if (done.exitCode !== 0) throw await toolError(environment, done, unit.stage, 'compiler', tooLarge)
  if (isGcc && unit.stage === 'kernel') reading('kernel', () => refuseAutoParameters(done.stderr))

  const made = await readFile(rule, 'utf8')
  const paths = reading(unit.stage, () => parseDependencies(made).map(ofTrees))
  const outside = await firstOutside(paths, [
    ...trees.map((tree) => tree.root),
    ...ours,
    ...runtime.compiler.includeDirs,
  ])
  if (outside !== null) {
    throw new BuildError(simpleFailure(unit.stage, `includes ${outside}, which is outside the candidate`))
  }
  const read = await Promise.all(paths.map(async (path) => await realpath(path).catch(() => path)))
  const files = paths.map((path, index) => ({ path, real: read[index] ?? path }))
  reading(unit.stage, () => {
    refuseUnhashed(files, unit.stage, trees)
    refuseDetours(files, unit.stage, trees, folder)
  })
  await refuseAsking(
    environment,
    { stage: unit.stage, kind: unit.kind, defines, renamed: unit.renamed ?? [] },
    {
      files: new Set([...paths, ...read, ...(unit.origin === undefined ? [] : [unit.origin])]),
      flags: unit.flags.map(ofTrees),
    },
  )
  await Promise.all([rule, macros].map(async (path) => await rm(path, { force: true })))
  if (isGcc) {
    const written = await readFile(assembly, 'utf8')
    reading(unit.stage, () => refuseAssembly(written, unit.stage, trees))
    const assemble = [runtime.compiler.path, '-c', assembly, '-o', object]
    const assembled = await runTool(environment, [], assemble, maxOutputMiB)
    if (assembled.exitCode !== 0) throw await toolError(environment, assembled, unit.stage, 'assembler', tooLarge)
    await rm(assembly)
  }
  let { stderr: log } = done
  if (unit.kind !== 'host') {
    const { compiler } = runtime
    const exports = await runtime.exports()
    log += await checkDeviceLanguage({
      compiler,
      source: unit.source,
      object,
      trees,
      read: new Set([...paths, ...read].map((path) => (path === unit.source ? (unit.origin ?? path) : path))),
      ours: [include, pch.folder, ...ours.slice(0, 2)],
      exports,
      lambdasAreOfHost: runtime.cann === '8.3',
    })
  }
  return { object, read, log }
}

/**
 * What the preprocessor makes of a unit of a kernel, confined: its text, with places. Throws `BuildError` where it finds
 * something wrong.
 */
export async function preprocessUnit(
  environment: CompileEnvironment,
  unit: { kind: HeaderKind; source: string; name: string; defines: readonly string[]; flags: readonly string[] },
): Promise<string> {
  const { runtime, folder } = environment
  const pch = await runtime.precompiled(unit.kind)
  const [output, macros] = [join(folder, `${unit.name}.ii`), join(folder, `${unit.name}.macros.h`)]
  await writeFile(macros, definitions(unit.defines))
  const options = [...pch.flags, '-include', macros, ...unit.flags]
  const command = [runtime.compiler.path, ...options, '-E', unit.source, '-o', output]
  const { folder: include } = await runtime.include()
  const done = await runTool(environment, [include, pch.folder, folder], command, maxOutputMiB)
  const tooLarge = `what the preprocessor makes of the kernel has more than ${maxOutputMiB} MiB`
  if (done.exitCode !== 0) throw await toolError(environment, done, 'kernel', 'preprocessor', tooLarge)
  const text = await readFile(output, 'latin1')
  await Promise.all([output, macros].map(async (path) => await rm(path)))
  return text
}

/** What the preprocessor says of a source of the host part. */
export interface Preprocessed {
  /** what is left of files of the trees */
  text: string
  /** headers that are ours, by their names */
  ours: string[]
  /** headers that are missing, by the names that they are included by */
  missing: string[]
  /** files of the trees, absolute */
  read: string[]
}

/** Nobody includes more headers that are not there. */
const maxMissing = 64

const missingHeader = /fatal error: (?:'([^'\n]+)' file not found|([^:\n]+): No such file or directory)/

/** A name that can be made below a folder. */
const isPlainName = (name: string): boolean => /^(?:[\w+-][\w.+-]*\/)*[\w+-][\w.+-]*$/.test(name)

/** What stands in files of some folders, of what the preprocessor has made. */
function textOfFiles(preprocessed: string, isMeant: (path: string) => boolean): string {
  let isTaken = false
  return preprocessed
    .split('\n')
    .filter((line) => {
      const place = /^# \d+ "((?:[^"\\]|\\.)*)"/.exec(line)?.[1]
      if (place !== undefined) isTaken = isMeant(place.replace(/\\(.)/g, '$1'))
      return isTaken && place === undefined
    })
    .join('\n')
}

/**
 * What the preprocessor makes of a source of the host part, confined, where headers that are missing are empty; null where it finds
 * something wrong, or a file says that it is another one.
 */
export async function preprocessHost(
  environment: CompileEnvironment,
  unit: { source: string; name: string; defines: readonly string[]; flags: readonly string[] },
): Promise<Preprocessed | null> {
  const { runtime, folder, trees } = environment
  const pch = await runtime.precompiled('host')
  const { folder: include } = await runtime.include()
  const at = (end: string): string => join(folder, `${unit.name}.${end}`)
  const [output, rule, macros, missing] = [at('ii'), at('d'), at('macros.h'), at('missing')]
  await mkdir(missing)
  await writeFile(macros, definitions(unit.defines))
  const options = [...pch.flags, '-include', macros, ...unit.flags, '-idirafter', missing]
  const command = [runtime.compiler.path, ...options, '-E', '-MD', '-MF', rule, unit.source, '-o', output]
  try {
    const until = performance.now() + environment.limits.timeoutMs
    for (let turn = 0; turn <= maxMissing; turn++) {
      if (performance.now() > until) throw lateError(environment.limits, 'host', 'preprocessor')
      const done = await runTool(environment, [include, pch.folder, folder], command, maxOutputMiB)
      if (done.exitCode !== 0) {
        const [, ofClang, ofGcc] = missingHeader.exec(done.stderr) ?? []
        const name = ofClang ?? ofGcc ?? ''
        const path = join(missing, name)
        if (!isPlainName(name) || (await stat(path).catch(() => null)) !== null) return null
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, '')
        continue
      }
      const made = await readFile(rule, 'utf8')
      const paths = reading('host', () => parseDependencies(made))
      const real = await Promise.all(paths.map(async (path) => await realpath(path).catch(() => path)))
      const isOfTree = (path: string): boolean => trees.some(({ root }) => isInside(path, root))
      const read = real.filter(isOfTree)
      const isRead = new Set(read)
      const texts = trees.flatMap(({ root, files }) => files.filter(({ name }) => isRead.has(join(root, name))))
      if (reading('host', () => texts.some(({ text }) => mayNameLines(text.toString('utf8'))))) return null
      const below = (place: string): string[] =>
        paths.filter((path) => isInside(path, place)).map((path) => relative(place, path))
      const left = await readFile(output, 'latin1')
      return {
        text: reading('host', () => textOfFiles(left, isOfTree)),
        ours: below(include),
        missing: below(missing),
        read,
      }
    }
    return null
  } finally {
    const left = [output, rule, macros, missing]
    await Promise.all(left.map(async (path) => await rm(path, { recursive: true, force: true })))
  }
}

/** What compilers call on their own account, and what the headers leave undefined where a kernel declares no type. */
const everywhere = new Set(['memcpy', 'memmove', 'memset', 'memcmp', '_GLOBAL_OFFSET_TABLE_'])

/** Calls that compilers report nothing of: in a kernel, these are of the runtime. */
export const reportedByLink = ['memcpy', 'memmove', 'memset', 'memcmp'].map((name) => `--wrap=${name}`)

/** The report of a block is another function in a host part (`runtime/host_blocks.cpp`). */
export const blocksByLink = ['--wrap=__sanitizer_cov_trace_pc']

/**
 * Links an object that needs nothing but the runtime, in a quarter of the time: libraries that the runner has loaded are not
 * searched. False: the object needs more, or only the driver knows how to link.
 */
export async function linkAlone(
  environment: CompileEnvironment,
  unit: { object: string; symbols: readonly string[]; stubbed: readonly string[] },
  output: string,
): Promise<boolean> {
  const { runtime } = environment
  const { linker } = runtime.compiler
  const offered = await runtime.exports()
  if (!linker || !unit.symbols.every((name) => offered.has(name) || everywhere.has(name))) return false
  const nothing = unit.stubbed.map((symbol) => `--defsym=${symbol}=npu_emu_idle`)
  const rules = ['-shared', '-z', 'noexecstack', '-Bsymbolic', '--build-id=none', '--eh-frame-hdr', '-o', output]
  const command = [linker.path, ...rules, ...reportedByLink, ...nothing, unit.object]
  const done = await runTool(environment, [], command, maxLinkedMiB)
  return done.exitCode === 0
}

/**
 * Links objects against the device runtime; every symbol must be defined, by libraries that the runner has loaded. Calls of
 * `stubbed` do nothing. Throws `BuildError` of the stage `link`.
 */
export async function linkLibrary(
  environment: CompileEnvironment,
  objects: readonly string[],
  output: string,
  kind: 'kernel' | 'host',
  { stubbed = [], options = [] }: { stubbed?: readonly string[]; options?: readonly string[] } = {},
): Promise<void> {
  const { runtime } = environment
  const { libraries } = await runtime.files()
  const { linker, path } = runtime.compiler
  // what it defines itself it calls itself, whatever the runner has loaded
  const rules = [
    '-shared',
    '-z',
    'defs',
    '-z',
    'noexecstack',
    '-Bsymbolic',
    '--build-id=none',
    '--eh-frame-hdr',
    '-o',
    output,
  ]
  const nothing = [
    ...(kind === 'kernel' ? reportedByLink : blocksByLink),
    ...stubbed.map((symbol) => `--defsym=${symbol}=npu_emu_idle`),
  ]
  const direct = ({ path, head }: Linker, tail: readonly string[]): string[] => [
    path,
    ...rules,
    ...options,
    ...head,
    ...nothing,
    ...objects,
    ...libraries,
    ...tail,
  ]
  const throughDriver = [
    path,
    '-shared',
    '-Wl,-z,defs,-z,noexecstack,-Bsymbolic,--build-id=none',
    ...[...options, ...nothing].map((option) => `-Wl,${option}`),
    '-o',
    output,
    ...objects,
    ...libraries,
  ]
  const attempts = linker ? [direct(linker, linker[kind]), direct(linker, linker.full)] : [throughDriver]
  let done: ProcessResult | null = null
  for (const command of attempts) {
    done = await runTool(
      environment,
      libraries.map((library) => dirname(library)),
      command,
      maxLinkedMiB,
    )
    if (done.exitCode === 0) return
  }
  if (done) throw await toolError(environment, done, 'link', 'linker', `the library has more than ${maxLinkedMiB} MiB`)
}
