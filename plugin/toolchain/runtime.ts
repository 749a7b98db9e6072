import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Cache } from '../cache/cache.ts'
import { hashOf } from '../cache/hash.ts'
import { escapeRegExp } from '../files/index.ts'
import { defaultCann, InfrastructureError, type CannVersion, type ConfinementLayer } from '../model/index.ts'
import { runProcess, type ProcessResult } from '../process/run-process.ts'
import type { Semaphore } from '../process/semaphore.ts'
import { deviceFlags } from '../soc/devices.ts'
import { candidateHeaders } from './candidate-headers.ts'
import { CompileServerPool } from './compile-server-pool.ts'
import type { Compiler } from './compiler.ts'
import { runConfined, toolEnvironment, type CompileServerPools } from './confinement.ts'
import { parseDependencies } from './dependencies.ts'
import { exportedSymbols } from './elf.ts'
import {
  candidateFlags,
  emulatorIncludes,
  hostOnlyHeader,
  ofKernels,
  precompiledHeader,
  runtimeFlags,
  runtimeLinkFlags,
  toolFlags,
  type HeaderKind,
} from './flags.ts'
import { filesBelow, readSourceTree, type SourceTree } from './sources.ts'
import { cachedStep, SourcesChangedError } from './step.ts'

/** The emulator's C++ sources: in the package, both beside `plugin/` (source) and beside `dist/` (built). */
const emulatorFolder = fileURLToPath(new URL('../../plugin/emulator/', import.meta.url))

/** Optimising the largest source of the runtime takes well under a minute; this is a guard, not a budget. */
const compileLimitMs = 600_000
const compileMemoryMiB = 8192
/** Precompiled headers of g++ have more than a hundred. */
const compileFileMiB = 512
const tellEveryMs = 3000
/** Enough lines of a compiler's output to see what is wrong. */
const shownLines = 12

interface Tool {
  /** of the cache */
  kind: string
  name: string
  sources: readonly string[]
}

const confine: Tool = {
  kind: 'confine',
  name: 'npu-confine',
  sources: ['confine/npu_confine.cpp', 'confine/restrict.cpp'],
}
/** The file that has a row for each device. */
const tableOfDevices = join('runtime', 'profile.cpp')
/** What many sources of the emulator read, in the folder of the runtime, and which read it. */
const commonHeader = 'precompiled.h'
const readCommonHeader = /^(?:runtime|runner)\//
const compileServer: Tool = {
  kind: 'compile-server',
  name: 'npu-compile-server.so',
  sources: [
    'confine/compile_server.cpp',
    'confine/restrict.cpp',
    'runner/json.cpp',
    'runner/json_parse.cpp',
    'runner/json_write.cpp',
  ],
}
const partsOfTools = /^(?:confine\/|runner\/json)/

/** Exports of the library that is preloaded into a compiler: it must not replace anything else that the compiler calls. */
const serverExports = '{ global: __libc_start_main; local: *; };\n'
const serverFlags = ['-fPIC', '-shared', '-ldl']

const poolOf = (program: string, library: string): CompileServerPool =>
  new CompileServerPool(program, library, toolEnvironment())

export interface RuntimeFiles {
  /** names the runtime: hash of its sources, headers, flags and compiler */
  key: string
  /** libnpu_emu.so, the emulated device and its host side, and libnpu_kernel.so, what kernels have in common */
  libraries: string[]
  /** npu-runner, which runs candidates in locked-down processes */
  runner: string
}

export interface Precompiled {
  folder: string
  /** flags that make a translation unit use the precompiled header */
  flags: string[]
}

/** The headers that candidates include. */
export interface CandidateHeaders {
  folder: string
  key: string
  /** by which names */
  names: ReadonlySet<string>
  /** all their words */
  words: ReadonlySet<string>
}

/** Names of macros, one a line. */
const macrosFile = 'macros'

/** A compiler's list of the files that it has read. */
const filesRead = 'unit.d'

/** What the names of results say of the emulator. */
export interface KeyedRuntime extends Pick<Runtime, 'cann' | 'headersKey' | 'exports' | 'files'> {
  compiler: Pick<Compiler, 'family'>
}

/** Builds the emulator once per machine, lazily and piece by piece, into the cache. */
export class Runtime {
  readonly compiler: Compiler
  /** version of the toolkit whose headers and compiler candidates meet */
  readonly cann: CannVersion
  /** layers of the confinement that this machine may lack */
  readonly allowMissing: readonly ConfinementLayer[]
  readonly #cache: Cache
  readonly #semaphore: Semaphore
  readonly #progress: (line: string) => void
  readonly #extraFlags: readonly string[]
  #tree: Promise<SourceTree> | null = null
  #confine: Promise<string> | null = null
  #servers: Promise<CompileServerPools> | null = null
  #files: Promise<RuntimeFiles> | null = null
  #include: Promise<CandidateHeaders> | null = null
  #exports: Promise<ReadonlySet<string>> | null = null
  readonly #precompiled = new Map<HeaderKind, Promise<Precompiled>>()
  readonly #predefined = new Map<HeaderKind, Promise<ReadonlySet<string>>>()

  constructor(
    compiler: Compiler,
    cache: Cache,
    semaphore: Semaphore,
    progress: (line: string) => void = () => {},
    cann: CannVersion = defaultCann,
    allowMissing: readonly ConfinementLayer[] = [],
    /** of the library and the runner: variants for tests */
    extraFlags: readonly string[] = [],
  ) {
    this.#extraFlags = extraFlags
    this.allowMissing = allowMissing
    this.compiler = compiler
    this.cann = cann
    this.#cache = cache
    this.#semaphore = semaphore
    this.#progress = progress
  }

  /** npu-confine, which runs compilers on candidate sources. */
  confine(): Promise<string> {
    this.#confine ??= this.#buildTool(confine, async () => [])
    return this.#confine
  }

  /** What is preloaded into a program so that it serves many jobs; undefined without clang, or when it is switched off. */
  async serverLibrary(): Promise<string | undefined> {
    if (this.compiler.family !== 'clang' || process.env['NPU_COMPILE_SERVER'] === '0') return undefined
    return await this.#buildTool(compileServer, async (draft) => {
      const exports = join(draft, 'exports')
      await writeFile(exports, serverExports)
      return [...serverFlags, `-Wl,--version-script=${exports}`]
    })
  }

  /**
   * Compiler and linker as programs that are started once, where that is possible. They serve candidates only: our own sources
   * are built once.
   */
  servers(): Promise<CompileServerPools> {
    const { path, linker } = this.compiler
    const programs = [path, ...(linker ? [linker.path] : [])]
    this.#servers ??= this.serverLibrary().then(
      (library) => new Map(library === undefined ? [] : programs.map((program) => [program, poolOf(program, library)])),
      // builds work without them
      () => new Map(),
    )
    return this.#servers
  }

  /** Ends the compile servers. */
  async close(): Promise<void> {
    const servers = await this.#servers
    for (const each of servers?.values() ?? []) each.close()
  }

  /** The library and the runner. Rejects with `InfrastructureError` when our own sources do not compile here. */
  files(): Promise<RuntimeFiles> {
    this.#files ??= this.#buildFiles()
    return this.#files
  }

  /** The symbols that the library offers to kernels. */
  exports(): Promise<ReadonlySet<string>> {
    this.#exports ??= this.files().then(async ({ libraries }) => {
      const all = await Promise.all(libraries.map(async (library) => exportedSymbols(await readFile(library))))
      return new Set(all.flat())
    })
    return this.#exports
  }

  /** The headers for candidates, copied: the package may change or vanish while precompiled headers refer to them. */
  include(): Promise<CandidateHeaders> {
    this.#include ??= this.#copyHeaders()
    return this.#include
  }

  /**
   * Names headers, flags and compiler: what a translation unit depends on besides itself, wherever the cache lies. What was
   * built from it holds when a cache is restored in another place.
   */
  async headersKey(kind: HeaderKind): Promise<string> {
    const { key } = await this.include()
    return hashOf(this.compiler.version, key, ...candidateFlags(this.compiler, kind))
  }

  /** Precompiled headers contain their own path, and are made anew where the cache has moved. */
  precompiled(kind: HeaderKind): Promise<Precompiled> {
    let made = this.#precompiled.get(kind)
    if (!made) this.#precompiled.set(kind, (made = this.#precompile(kind)))
    return made
  }

  #sources(): Promise<SourceTree> {
    this.#tree ??= readSourceTree(emulatorFolder, '/npu/emulator')
    return this.#tree
  }

  async #copyHeaders(): Promise<CandidateHeaders> {
    const tree = await this.#sources()
    const headers = candidateHeaders(filesBelow(tree, join(tree.root, 'include')), this.cann)
    const key = hashOf(...headers.flatMap(({ name, text }) => [name, text]))
    const folder = await this.#cache.entry('headers', key, async (draft) => {
      for (const { name, text } of headers) {
        await mkdir(dirname(join(draft, name)), { recursive: true })
        await writeFile(join(draft, name), text)
      }
    })
    const texts = headers.map(({ text }) => text.toString())
    return {
      folder: join(folder, 'include'),
      key,
      names: new Set(headers.map(({ name }) => name.slice('include/'.length))),
      words: new Set(texts.flatMap((text) => text.match(/[A-Za-z_]\w*/g) ?? [])),
    }
  }

  /** Macros that compiler and system have defined before the text of a candidate, without those of the emulator's headers. */
  predefined(kind: HeaderKind): Promise<ReadonlySet<string>> {
    let made = this.#predefined.get(kind)
    if (!made) this.#predefined.set(kind, (made = this.#readPredefined(kind)))
    return made
  }

  async #readPredefined(kind: HeaderKind): Promise<ReadonlySet<string>> {
    const { folder: include } = await this.include()
    const folder = await this.#cache.entry('macros', hashOf('macros 1', await this.headersKey(kind)), async (draft) => {
      const file = join(draft, macrosFile)
      const header = join(include, precompiledHeader[kind])
      const flags = [...candidateFlags(this.compiler, kind), '-isystem', include]
      // without a slot: who waits for it may hold one, and it takes no time
      await this.#run(draft, [...flags, '-x', 'c++', '-E', '-dM', header, '-o', file])
      const all = (await readFile(file, 'utf8')).matchAll(/^#define (\w+)/gm)
      const own = new Set<string>()
      const { files } = await this.#sources()
      for (const { name, text } of files)
        if (name.startsWith(`include${sep}`))
          for (const [, found = ''] of text.toString().matchAll(/#[ \t]*define[ \t]+(\w+)/g)) own.add(found)
      const names = [...all].flatMap(([, name = '']) => (own.has(name) ? [] : [name]))
      await writeFile(file, names.sort().join('\n'))
    })
    return new Set((await readFile(join(folder, macrosFile), 'utf8')).split('\n'))
  }

  /** Builds a tool of the confinement itself, and therefore without it. */
  async #buildTool({ kind, name, sources }: Tool, flagsIn: (draft: string) => Promise<string[]>): Promise<string> {
    const { root, files } = await this.#sources()
    const parts = files.filter((file) => partsOfTools.test(file.name)).flatMap((file) => [file.name, file.text])
    const key = hashOf(this.compiler.version, serverExports, ...serverFlags, ...toolFlags, ...parts)
    const folder = await this.#cache.entry(kind, key, async (draft) => {
      const paths = sources.map((source) => join(root, source))
      const flags = [...toolFlags, ...(await flagsIn(draft))]
      const command = [this.compiler.path, ...paths, ...flags, '-o', join(draft, name)] as const
      this.#check(await runProcess([...command], { timeoutMs: compileLimitMs }))
    })
    return join(folder, name)
  }

  async #buildFiles(): Promise<RuntimeFiles> {
    const tree = await this.#sources()
    const flags = [...runtimeFlags(this.compiler), ...this.#extraFlags]
    const { device, kernel, runner } = runtimeLinkFlags
    const devices = deviceFlags()
    const key = hashOf(this.compiler.version, ...flags, ...device, ...kernel, ...runner, ...devices, tree.key)
    const units = tree.files.map(({ name }) => name).filter((name) => /^(?:runtime|kernel|runner)\/.*\.cpp$/.test(name))
    const folder = await this.#cache.entry('runtime', key, async (draft) => {
      const started = Date.now()
      this.#progress(`building the device emulator (${units.length} files, once per machine)`)
      const tick = this.#ticker(units.length)
      const common = await this.#commonHeader(tree, flags)
      const objects = await Promise.all(
        units.map(async (name) => {
          const plain = name === tableOfDevices || !readCommonHeader.test(name)
          const own = name === tableOfDevices ? devices : []
          const object = await this.#object(tree, name, [...flags, ...own], plain ? undefined : common)
          tick()
          return { name, object }
        }),
      )
      const of = (part: string): string[] =>
        objects.filter(({ name }) => name.startsWith(`${part}${sep}`)).map(({ object }) => object)
      const library = join(draft, 'libnpu_emu.so')
      const kernelLibrary = join(draft, 'libnpu_kernel.so')
      await this.#run(draft, [...device, '-o', library, ...of('runtime')])
      await this.#run(draft, [...kernel, '-o', kernelLibrary, ...of('kernel'), library])
      const libraries = ['-Wl,--no-as-needed', kernelLibrary, library]
      await this.#run(draft, ['-o', join(draft, 'npu-runner'), ...of('runner'), ...libraries, ...runner])
      this.#progress(`built the device emulator in ${((Date.now() - started) / 1000).toFixed(1)} s`)
    })
    const libraries = ['libnpu_emu.so', 'libnpu_kernel.so'].map((name) => join(folder, name))
    return { key, libraries, runner: join(folder, 'npu-runner') }
  }

  /** Precompiles what most sources of the emulator read. */
  async #commonHeader(tree: SourceTree, flags: readonly string[]): Promise<Precompiled> {
    const clang = this.compiler.family === 'clang'
    const validated = contentValidation(clang)
    const made = [...flags, ...validated, ...(clang ? ['-fpch-instantiate-templates'] : [])]
    const folder = await this.#emulatorStep(tree, {
      kind: 'emulator-pch',
      // it refers to headers by their places
      baseKey: hashOf(this.compiler.version, ...made, tree.root),
      command: async (draft) => [
        ...this.#reading(tree, made, draft),
        ...(await precompiling(clang, join(tree.root, 'runtime'), commonHeader, draft)),
      ],
    })
    return { folder, flags: [...validated, ...useOfHeader(clang, folder)] }
  }

  /** Compiles one file of the emulator; an edit recompiles the files that read what was edited. */
  async #object(tree: SourceTree, name: string, flags: readonly string[], common?: Precompiled): Promise<string> {
    const folder = await this.#emulatorStep(tree, {
      kind: 'object',
      baseKey: hashOf(this.compiler.version, ...flags, name, common ? basename(common.folder) : ''),
      command: (draft) => {
        const files = ['-c', join(tree.root, name), '-o', join(draft, 'unit.o')]
        return [...this.#reading(tree, flags, draft), ...(common?.flags ?? []), ...files]
      },
    })
    return join(folder, 'unit.o')
  }

  /** Flags for the emulator's own sources, and for a note of what they read. */
  #reading({ root }: SourceTree, flags: readonly string[], draft: string): string[] {
    return [...flags, ...emulatorIncludes(root), '-MD', '-MF', join(draft, filesRead)]
  }

  /** One step of building the emulator; its folder in the cache. */
  async #emulatorStep(
    tree: SourceTree,
    step: { kind: string; baseKey: string; command: (draft: string) => string[] | Promise<string[]> },
  ): Promise<string> {
    const { kind, baseKey, command } = step
    const run = async (draft: string): Promise<string[]> => {
      await this.#semaphore.run(async () => await this.#run(draft, await command(draft)))
      const rule = await readFile(join(draft, filesRead), 'utf8')
      return await Promise.all(parseDependencies(rule).map(async (path) => await realpath(path)))
    }
    try {
      const result = await cachedStep(this.#cache, { kind, baseKey, trees: [tree], shadowing: false, run })
      if (result.ok) return result.folder
      throw new InfrastructureError(`the device emulator: ${result.failure.log}`)
    } catch (error) {
      if (!(error instanceof SourcesChangedError)) throw error
      // someone works on the emulator itself: the next build reads it afresh
      this.#tree = null
      this.#files = null
      throw new InfrastructureError(`the device emulator: ${error.message}`)
    }
  }

  /** Counts finished files and reports progress now and then. */
  #ticker(total: number): () => void {
    let done = 0
    let told = Date.now()
    return () => {
      done++
      if (Date.now() - told < tellEveryMs || done === total) return
      told = Date.now()
      this.#progress(`building the device emulator: ${done}/${total}`)
    }
  }

  async #precompile(kind: HeaderKind): Promise<Precompiled> {
    // started meanwhile: whoever uses a precompiled header uses the servers as well
    void this.servers()
    const { folder: include } = await this.include()
    const flags = candidateFlags(this.compiler, kind)
    const clang = this.compiler.family === 'clang'
    const told = clang ? unreportedIn(include) : ''
    const key = hashOf(await this.headersKey(kind), include, told, ...contentValidation(clang))
    const folder = await this.#cache.entry('pch', key, async (draft) => {
      this.#progress(`precompiling the ${kind === 'host' ? 'host' : `kernel (${kind})`} headers`)
      if (clang) await writeFile(join(draft, unreportedFiles), told)
      const work = [
        ...flags,
        ...unreported(clang, draft),
        ...contentValidation(clang),
        '-isystem',
        include,
        ...(await precompiling(clang, include, precompiledHeader[kind], draft)),
      ]
      await this.#semaphore.run(() => this.#run(draft, work))
    })
    const use = useOfHeader(clang, folder)
    const more = ['-isystem', include, '-include', join(include, hostOnlyHeader)]
    return { folder, flags: [...flags, ...unreported(clang, folder), ...contentValidation(clang), ...use, ...more] }
  }

  /** Our own sources are trusted; what the confinement gives here is that no compiler outlives a killed run. */
  async #run(draft: string, args: string[]): Promise<void> {
    const command = [this.compiler.path, ...args]
    const limits = { timeoutMs: compileLimitMs, memoryMiB: compileMemoryMiB, fileMiB: compileFileMiB }
    const { allowMissing } = this
    const program = await this.confine()
    this.#check(await runConfined(command, { ...limits, program, allowMissing, writable: draft, readable: [] }))
  }

  #check(answer: ProcessResult): void {
    if (answer.exitCode === 0) return
    const why = answer.timedOut
      ? `no result after ${compileLimitMs / 1000} s`
      : answer.stderr.trim().split('\n', shownLines).join('\n')
    throw new InfrastructureError(`the device emulator does not compile with ${this.compiler.version}:\n${why}`)
  }
}

/**
 * Tells clang which functions are of the headers, and which of these report no loads and stores. It goes by file: an attribute
 * would not do, since a kernel's specialisation of a template of theirs inherits it. A path that leads out of the folder again is
 * none of theirs: the names of headers have one dot.
 */
const unreportedFiles = 'unreported.txt'
const unreportedIn = (include: string): string =>
  [
    `[${ofKernels}]`,
    `src:${escapeRegExp(include)}/[A-Za-z0-9_/-]+[.][a-z]+`,
    '[kernel-address]',
    `src:${escapeRegExp(join(include, 'ascendc/device_load.h'))}`,
    '',
  ].join('\n')
const unreported = (clang: boolean, folder: string): string[] =>
  clang ? [`-fsanitize-ignorelist=${join(folder, unreportedFiles)}`] : []

/**
 * What a compiler is told to precompile a header of a folder where it looks for headers. clang records where the header was, so it
 * takes the real one; g++ looks for header.h.gch beside header.h.
 */
async function precompiling(clang: boolean, folder: string, name: string, draft: string): Promise<string[]> {
  const header = clang ? join(folder, name) : join(draft, 'header.h')
  if (!clang) await writeFile(header, `#include <${name}>\n`)
  return ['-x', 'c++-header', header, '-o', join(draft, clang ? 'header.pch' : 'header.h.gch')]
}

/** Flags of a translation unit that uses the precompiled header of a folder. */
const useOfHeader = (clang: boolean, folder: string): string[] =>
  clang ? ['-include-pch', join(folder, 'header.pch')] : ['-include', join(folder, 'header.h')]

/**
 * Restored caches and fresh checkouts have other file times: headers are compared by content when the times differ. They are not
 * recorded either: clang would not know a header by another time again, and read it twice.
 */
const contentValidation = (clang: boolean): string[] =>
  clang ? ['-fvalidate-ast-input-files-content', '-fno-pch-timestamp'].flatMap((flag) => ['-Xclang', flag]) : []
