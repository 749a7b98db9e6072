import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Cache } from '../plugin/cache/cache.ts'
import { hashOf } from '../plugin/cache/hash.ts'
import { runProcess } from '../plugin/process/run-process.ts'
import type { Compiler } from '../plugin/toolchain/compiler.ts'
import { parseDependencies } from '../plugin/toolchain/dependencies.ts'
import { machineFlags, runtimeFlags } from '../plugin/toolchain/flags.ts'
import { repository } from './subjects.ts'

export interface NativeTime {
  /** the data is in memory at hand */
  atHand: number
  /** each pass maps and unmaps a shared file, as a launch does */
  mapped: number
}

/** Our own loops, natively compiled: what an emulated kernel is compared with. */
export interface NativeLoops {
  /** Wall-clock milliseconds of one pass of `loop` over `elements` elements, the middle one of nine. */
  time(loop: 'add-float16' | 'sqrt-float32', elements: number): Promise<NativeTime>
}

/** The arithmetic of instruction forms as plain loops. */
export interface NativeForms {
  /** in the order of their numbers */
  names(): Promise<string[]>
  /** Nanoseconds of one pass over 8192 elements, the fastest of many. */
  time(form: number): Promise<number>
}

const compileLimitMs = 300_000

/** A program of `bench/native`: compiled again when anything that it includes has changed. */
async function programOf(
  compiler: Compiler,
  cacheDir: string,
  source: string,
  flags: readonly string[],
  libraries: readonly string[],
): Promise<string> {
  const run = async (...more: readonly string[]): Promise<string> => {
    const command = [compiler.path, ...flags, join(repository, 'bench/native', source), ...more] as const
    const done = await runProcess([...command], { timeoutMs: compileLimitMs })
    if (done.exitCode !== 0) throw new Error(done.stderr)
    return done.stdout
  }
  const read = parseDependencies(await run('-MM'))
  const key = hashOf(
    compiler.version,
    ...flags,
    ...libraries,
    ...(await Promise.all(read.map((path) => readFile(path)))),
  )
  const cache = new Cache(cacheDir)
  const folder = await cache.entry(
    'bench',
    key,
    async (draft) => void (await run('-o', join(draft, 'loops'), ...libraries)),
  )
  return join(folder, 'loops')
}

/** A program of `bench/native`, compiled as the emulator is, that answers lines with lines. */
async function withProgram<T>(
  compiler: Compiler,
  cacheDir: string,
  source: string,
  flags: readonly string[],
  work: (ask: (line: string) => Promise<string>) => Promise<T>,
  libraries: readonly string[] = [],
): Promise<T> {
  const program = await programOf(compiler, cacheDir, source, flags, libraries)
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    return await work(async (line) => {
      child.stdin.write(`${line}\n`)
      const { value } = await lines.next()
      return String(value)
    })
  } finally {
    child.kill('SIGKILL')
  }
}

/**
 * Compiles the loops with -O3 for this machine's vector units, as the emulator is, and keeps them at hand for `work`.
 */
export async function withNativeLoops<T>(
  compiler: Compiler,
  cacheDir: string,
  work: (loops: NativeLoops) => Promise<T>,
): Promise<T> {
  const flags = ['-std=c++17', '-O3', '-fno-math-errno', ...machineFlags(compiler)]
  return await withProgram(
    compiler,
    cacheDir,
    'loops.cpp',
    flags,
    async (ask) =>
      await work({
        async time(loop, elements) {
          const answer = await ask(`${loop} ${elements}`)
          const [atHand = NaN, mapped = NaN] = answer.split(' ').map((text) => Number(text) / 1e6)
          if (!(atHand > 0 && mapped > 0)) throw new Error(`the native loop ${loop} answered ${answer}`)
          return { atHand, mapped }
        },
      }),
  )
}

/** Compiles the loops of the instruction forms with the flags of the emulator's runtime. */
export async function withNativeForms<T>(
  compiler: Compiler,
  cacheDir: string,
  work: (forms: NativeForms) => Promise<T>,
): Promise<T> {
  const flags = runtimeFlags(compiler).filter((flag) => flag !== '-fPIC')
  return await withProgram(
    compiler,
    cacheDir,
    'instructions.cpp',
    flags,
    async (ask) =>
      await work({
        async names() {
          const names: string[] = []
          for (let name = await ask('list'); name !== ''; name = await ask('next')) names.push(name)
          return names
        },
        async time(form) {
          const answer = await ask(String(form))
          if (!(Number(answer) > 0)) throw new Error(`the native loop ${form} answered ${answer}`)
          return Number(answer)
        },
      }),
  )
}

/**
 * Nanoseconds of one product of m x k and k x n floats by OpenBLAS in one thread; undefined where it is not installed.
 */
export type NativeProduct = (m: number, n: number, k: number) => Promise<number>

export async function withNativeProduct<T>(
  compiler: Compiler,
  cacheDir: string,
  work: (product: NativeProduct | undefined) => Promise<T>,
): Promise<T> {
  const probe = await runProcess(
    [compiler.path, '-x', 'c++', '/dev/null', '-shared', '-o', '/dev/null', '-lopenblas'],
    {
      timeoutMs: 60_000,
    },
  )
  if (probe.exitCode !== 0) return await work(undefined)
  return await withProgram(
    compiler,
    cacheDir,
    'sgemm.cpp',
    ['-std=c++17', '-O2'],
    async (ask) =>
      await work(async (m, n, k) => {
        const time = Number((await ask(`${m} ${n} ${k}`)).split(' ')[0])
        if (!(time > 0)) throw new Error(`OpenBLAS gave no time for ${m}x${n}x${k}`)
        return time
      }),
    ['-lopenblas'],
  )
}
