import { constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { InfrastructureError } from '../model/index.ts'
import { runProcess } from '../process/run-process.ts'

export interface Compiler {
  family: 'clang' | 'gcc'
  /** absolute path, as found (symbolic links are kept: drivers look at their own name) */
  path: string
  major: number
  /** first line of `--version`: goes into every cache key */
  version: string
  /** e.g. `x86_64-linux-gnu` */
  target: string
  /** folders that hold system headers, the compiler's own included */
  includeDirs: string[]
  /** folder of the installation, e.g. `/usr/lib/llvm-16` */
  prefix: string
  /** how to link a shared library without the driver, which costs ten times as long; null: only the driver knows */
  linker: Linker | null
}

/** Searching libraries is what a link costs: 10 ms for the few that most objects need, 70 ms for all of them. */
export interface Linker {
  path: string
  /** before the objects: start of the initialisers */
  head: string[]
  kernel: string[]
  host: string[]
  full: string[]
}

const minimum = { clang: 16, gcc: 12 } as const
const clangNames = ['clang++', ...[21, 20, 19, 18, 17, 16].map((major) => `clang++-${major}`)]
const gccNames = ['g++', ...[15, 14, 13, 12].map((major) => `g++-${major}`)]

const installHint = 'install one with `apt-get install clang-16` (or `apt-get install g++-12 binutils`), or set NPU_CXX'

/**
 * Finds the C++ compiler of this machine: `NPU_CXX`, else clang++ >= 16, else g++ >= 12.
 * Throws `InfrastructureError` with one line that says what is missing.
 */
export async function findCompiler(env: NodeJS.ProcessEnv = process.env): Promise<Compiler> {
  const chosen = env['NPU_CXX']
  if (chosen) return await probeChosen(chosen, env)
  const refused: string[] = []
  for (const name of [...clangNames, ...gccNames]) {
    const path = await which(name, env)
    if (!path) continue
    const compiler = await identify(path)
    if (compiler && compiler.major >= minimum[compiler.family]) return await complete(compiler)
    refused.push(compiler ? `${name} is version ${compiler.major}` : `${name} does not answer --version`)
  }
  const seen = refused.length > 0 ? ` (${refused.join(', ')})` : ''
  throw new InfrastructureError(`no C++ compiler: clang++ >= 16 or g++ >= 12 is needed${seen}; ${installHint}`)
}

async function probeChosen(chosen: string, env: NodeJS.ProcessEnv): Promise<Compiler> {
  const path = chosen.includes('/') ? resolve(chosen) : await which(chosen, env)
  if (!path || !(await isExecutable(path))) throw new InfrastructureError(`NPU_CXX=${chosen}: there is no such program`)
  const compiler = await identify(path)
  if (!compiler) throw new InfrastructureError(`NPU_CXX=${chosen}: neither clang++ nor g++`)
  const least = minimum[compiler.family]
  if (compiler.major < least) {
    const name = compiler.family === 'clang' ? 'clang++' : 'g++'
    throw new InfrastructureError(`NPU_CXX=${chosen} is ${name} ${compiler.major}; version ${least} or newer is needed`)
  }
  return await complete(compiler)
}

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )

async function which(name: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue
    const path = resolve(folder, name)
    if (await isExecutable(path)) return path
  }
  return null
}

type Identity = Pick<Compiler, 'family' | 'path' | 'major' | 'version'>

async function identify(path: string): Promise<Identity | null> {
  const answer = await runProcess([path, '--version'], { timeoutMs: 20_000 })
  const version = answer.stdout.split('\n', 1)[0] ?? ''
  const clang = /clang version (\d+)/.exec(version)
  if (clang) return { family: 'clang', path, version, major: Number(clang[1]) }
  const gcc = /\) (\d+)\.\d+/.exec(version)
  if (gcc && answer.stdout.includes('Free Software Foundation')) {
    return { family: 'gcc', path, version, major: Number(gcc[1]) }
  }
  return null
}

async function complete(identity: Identity): Promise<Compiler> {
  const ask = async (...args: string[]): Promise<string> =>
    (await runProcess([identity.path, ...args], { timeoutMs: 20_000 })).stdout.trim()
  const [target, includeDirs, linker, real] = await Promise.all([
    ask('-dumpmachine'),
    systemIncludeDirs(identity.path),
    findLinker(ask),
    realpath(identity.path),
  ])
  return { ...identity, target, includeDirs, linker, prefix: dirname(dirname(real)) }
}

/** What `-v` lists between its two markers: the only output in which both compilers name all their folders. */
async function systemIncludeDirs(path: string): Promise<string[]> {
  const answer = await runProcess([path, '-E', '-v', '-x', 'c++', '/dev/null'], { timeoutMs: 20_000 })
  const lines = answer.stderr.split('\n')
  const from = lines.findIndex((line) => line.startsWith('#include <...>'))
  const to = lines.findIndex((line) => line.startsWith('End of search list'))
  if (from < 0 || to < from) {
    throw new InfrastructureError(`${path} cannot preprocess an empty file: ${answer.stderr.trim().split('\n').at(-1)}`)
  }
  return await Promise.all(lines.slice(from + 1, to).map((line) => realpath(line.trim()).catch(() => line.trim())))
}

async function findLinker(ask: (...args: string[]) => Promise<string>): Promise<Linker | null> {
  const file = async (name: string): Promise<string> => await ask(`-print-file-name=${name}`)
  const [name, libgcc, begin, end, stdlib, libgccs, libm, libc, libm6, libc6] = await Promise.all([
    ask('-print-prog-name=ld'),
    ask('-print-libgcc-file-name'),
    file('crtbeginS.o'),
    file('crtendS.o'),
    file('libstdc++.so'),
    file('libgcc_s.so.1'),
    file('libm.so'),
    file('libc.so'),
    file('libm.so.6'),
    file('libc.so.6'),
  ])
  // a driver that finds its linker in the PATH prints only the name
  const path = isAbsolute(name) ? name : await which(name, process.env)
  if (path === null) return null
  const needed = [path, libgcc, begin, end, stdlib, libgccs, libm, libc, libm6, libc6]
  const found = await Promise.all(needed.map(async (item) => isAbsolute(item) && (await readable(item))))
  if (found.includes(false)) return null
  return {
    path,
    head: [begin],
    kernel: [libm6, libc6, end],
    host: [stdlib, libm6, libgccs, libc6, end],
    full: [stdlib, libm, libgccs, libc, libgcc, end],
  }
}

const readable = (path: string): Promise<boolean> =>
  access(join(path)).then(
    () => true,
    () => false,
  )
