import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hashOf, type Cache } from './cache.ts'
import type { Compiler } from './compiler.ts'
import { runConfined } from './confinement.ts'
import { InfrastructureError } from './failure.ts'
import { candidateFlags, precompiledHeader, runtimeFlags, type HeaderKind } from './flags.ts'
import { runProcess, type Finished } from './process.ts'
import type { Slots } from './slots.ts'

/** The emulator's C++ sources: in the package, both beside `plugin/` (source) and beside `dist/` (built). */
const emulatorFolder = fileURLToPath(new URL('../../plugin/emulator/', import.meta.url))

/** Optimising the largest source of the runtime takes well under a minute; this is a guard, not a budget. */
const compileLimitMs = 600_000
const compileMemoryMiB = 8192

const confineSource = join('runner', 'confine.cpp')

export interface RuntimeFiles {
  /** names the runtime: hash of its sources, headers, flags and compiler */
  key: string
  /** libnpu_emu.so, the emulated device and its host side */
  library: string
  /** npu-runner, which runs candidates in locked-down processes */
  runner: string
}

export interface Precompiled {
  /** names headers, flags and compiler */
  key: string
  folder: string
  /** flags that make a translation unit use the precompiled header */
  flags: string[]
}

interface SourceFile {
  path: string
  text: Buffer
}

async function filesBelow(folder: string, ends: RegExp): Promise<SourceFile[]> {
  const names = await readdir(folder, { recursive: true })
  const paths = names.filter((name) => ends.test(name)).sort()
  return await Promise.all(
    paths.map(async (name) => ({ path: join(folder, name), text: await readFile(join(folder, name)) })),
  )
}

/** Builds the emulator once per machine, lazily and piece by piece, into the cache. */
export class Runtime {
  readonly compiler: Compiler
  readonly #cache: Cache
  readonly #slots: Slots
  readonly #progress: (line: string) => void
  #confine: Promise<string> | null = null
  #files: Promise<RuntimeFiles> | null = null
  #include: Promise<{ folder: string; key: string }> | null = null
  readonly #precompiled = new Map<HeaderKind, Promise<Precompiled>>()

  constructor(compiler: Compiler, cache: Cache, slots: Slots, progress: (line: string) => void = () => {}) {
    this.compiler = compiler
    this.#cache = cache
    this.#slots = slots
    this.#progress = progress
  }

  /** npu-confine, which runs compilers on candidate sources. */
  confine(): Promise<string> {
    this.#confine ??= this.#buildConfine()
    return this.#confine
  }

  /** The library and the runner. Rejects with `InfrastructureError` when our own sources do not compile here. */
  files(): Promise<RuntimeFiles> {
    this.#files ??= this.#buildFiles()
    return this.#files
  }

  /** A private copy of the headers: the package may change or vanish while precompiled headers refer to it. */
  include(): Promise<{ folder: string; key: string }> {
    this.#include ??= this.#copyHeaders()
    return this.#include
  }

  precompiled(kind: HeaderKind): Promise<Precompiled> {
    let made = this.#precompiled.get(kind)
    if (!made) this.#precompiled.set(kind, (made = this.#precompile(kind)))
    return made
  }

  async #copyHeaders(): Promise<{ folder: string; key: string }> {
    const source = join(emulatorFolder, 'include')
    const headers = await filesBelow(source, /\.h$/)
    const key = hashOf(...headers.flatMap(({ path, text }) => [relative(source, path), text]))
    const folder = await this.#cache.entry('include', key, async (draft) => {
      await cp(source, draft, { recursive: true })
    })
    return { folder, key }
  }

  async #buildConfine(): Promise<string> {
    const source = join(emulatorFolder, confineSource)
    const text = await readFile(source)
    const key = hashOf(this.compiler.version, text)
    const folder = await this.#cache.entry('confine', key, async (draft) => {
      const command = [this.compiler.path, '-std=c++17', '-O2', source, '-o', join(draft, 'npu-confine')] as const
      this.#check(await runProcess([...command], { timeoutMs: compileLimitMs }))
    })
    return join(folder, 'npu-confine')
  }

  async #buildFiles(): Promise<RuntimeFiles> {
    const all = await filesBelow(emulatorFolder, /\.(h|inc|cpp)$/)
    const headers = all.filter(({ path }) => !path.endsWith('.cpp'))
    const flags = runtimeFlags(this.compiler)
    const nameOf = ({ path }: SourceFile): string => relative(emulatorFolder, path)
    const base = hashOf(this.compiler.version, ...flags, ...headers.flatMap((file) => [nameOf(file), file.text]))
    const units = all
      .filter((file) => file.path.endsWith('.cpp') && nameOf(file) !== confineSource)
      .map((file) => ({ path: file.path, name: nameOf(file), key: hashOf(base, nameOf(file), file.text) }))
    const key = hashOf(base, ...units.map((unit) => unit.key))
    const folder = await this.#cache.entry('runtime', key, async (draft) => {
      const started = Date.now()
      let done = 0
      this.#progress(`building the device emulator (${units.length} files, once per machine)`)
      const objects = await Promise.all(
        units.map(async (unit) => {
          const object = await this.#object(unit.path, unit.key, flags)
          done++
          if (Date.now() - started > 1000) this.#progress(`building the device emulator: ${done}/${units.length}`)
          return { name: unit.name, object }
        }),
      )
      const of = (folder: string): string[] =>
        objects.filter(({ name }) => name.startsWith(`${folder}${sep}`)).map(({ object }) => object)
      const library = join(draft, 'libnpu_emu.so')
      await this.#run(draft, ['-shared', '-Wl,-soname,libnpu_emu.so', '-o', library, ...of('runtime')])
      const runner = ['-o', join(draft, 'npu-runner'), ...of('runner'), library, '-Wl,-rpath,$ORIGIN']
      await this.#run(draft, [...runner, '-ldl', '-lpthread'])
      this.#progress(`built the device emulator in ${((Date.now() - started) / 1000).toFixed(1)} s`)
    })
    return { key, library: join(folder, 'libnpu_emu.so'), runner: join(folder, 'npu-runner') }
  }

  async #object(path: string, key: string, flags: string[]): Promise<string> {
    const folder = await this.#cache.entry('object', key, async (draft) => {
      const include = ['', 'include', 'runtime'].map((name) => `-I${join(emulatorFolder, name)}`)
      await this.#slots.run(() => this.#run(draft, [...flags, ...include, '-c', path, '-o', join(draft, 'unit.o')]))
    })
    return join(folder, 'unit.o')
  }

  async #precompile(kind: HeaderKind): Promise<Precompiled> {
    const { folder: include, key: includeKey } = await this.include()
    const flags = candidateFlags(this.compiler, kind)
    const key = hashOf(this.compiler.version, includeKey, include, ...flags)
    const clang = this.compiler.family === 'clang'
    const folder = await this.#cache.entry('pch', key, async (draft) => {
      this.#progress(`precompiling the ${kind === 'host' ? 'host' : `kernel (${kind})`} headers`)
      // clang records where the header was, so it takes the real one; g++ looks for header.h.gch beside header.h
      const header = join(clang ? include : draft, clang ? precompiledHeader[kind] : 'header.h')
      if (!clang) await writeFile(header, `#include <${precompiledHeader[kind]}>\n`)
      const output = join(draft, clang ? 'header.pch' : 'header.h.gch')
      const work = [...flags, ...contentValidation(clang), '-isystem', include, '-x', 'c++-header', header]
      await this.#slots.run(() => this.#run(draft, [...work, '-o', output]))
    })
    const use = clang ? ['-include-pch', join(folder, 'header.pch')] : ['-include', join(folder, 'header.h')]
    return { key, folder, flags: [...flags, ...contentValidation(clang), ...use, '-isystem', include] }
  }

  /** Our own sources are trusted; what the confinement gives here is that no compiler outlives a killed run. */
  async #run(draft: string, args: string[]): Promise<void> {
    const command = [this.compiler.path, ...args]
    const limits = { timeoutMs: compileLimitMs, memoryMiB: compileMemoryMiB }
    this.#check(await runConfined(command, { ...limits, program: await this.confine(), writable: draft, readable: [] }))
  }

  #check(answer: Finished): void {
    if (answer.exitCode === 0) return
    const why = answer.timedOut ? `no result after ${compileLimitMs / 1000} s` : answer.stderr.trim()
    throw new InfrastructureError(`the device emulator does not compile with ${this.compiler.version}:\n${why}`)
  }
}

/** Restored caches have other file times: headers are compared by content when the times differ. */
const contentValidation = (clang: boolean): string[] => (clang ? ['-Xclang', '-fvalidate-ast-input-files-content'] : [])
