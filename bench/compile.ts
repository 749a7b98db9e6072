import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { repositoryAround } from '../plugin/candidates/project.ts'
import { EmulatorDevice } from '../plugin/device/emulator-device.ts'
import { Cache } from '../plugin/cache/cache.ts'
import { columnOf } from '../plugin/toolchain/combination.ts'
import { findCompiler, type Compiler } from '../plugin/toolchain/compiler.ts'
import { readCompileOptions } from '../plugin/toolchain/compile-options.ts'
import { runConfined, type CompileServerPools } from '../plugin/toolchain/confinement.ts'
import { kernelUnit } from '../plugin/toolchain/entry.ts'
import { undefinedSymbols } from '../plugin/toolchain/elf.ts'
import { buildCandidate } from '../plugin/toolchain/build-candidate.ts'
import { candidateFlags, precompiledHeader, type CoreKind } from '../plugin/toolchain/flags.ts'
import { buildHost, operatorOf, readHost } from '../plugin/toolchain/host.ts'
import { findEntry } from '../plugin/toolchain/kernel-entry.ts'
import { preludeText } from '../plugin/toolchain/prelude.ts'
import { maxOutputMiB } from '../plugin/toolchain/room.ts'
import { Runtime } from '../plugin/toolchain/runtime.ts'
import { Semaphore } from '../plugin/process/semaphore.ts'
import { defaultSoc } from '../plugin/soc/profile.ts'
import { readSourceTree } from '../plugin/toolchain/sources.ts'
import { linkAlone } from '../plugin/toolchain/unit.ts'
import './every-spec.ts'
import { comparedWithAim, median, ms, printTable, fastestAndMedian, timings } from './figures.ts'
import { baselineNames, buildArgsOf, combinationOf, subjectOf } from './subjects.ts'

const limits = { timeoutMs: 120_000, memoryMiB: 4096 }
const aimMs = 100

/** Both families, where they are installed. */
async function compilers(): Promise<Compiler[]> {
  const names = [undefined, 'g++', 'g++-12']
  const found = await Promise.all(
    names.map((name) => findCompiler({ ...process.env, ...(name ? { NPU_CXX: name } : {}) }).catch(() => null)),
  )
  const all = found.filter((compiler) => compiler !== null)
  return all.filter(({ family }, index) => all.findIndex((other) => other.family === family) === index)
}

const deviceOf = (runtime: Runtime): EmulatorDevice =>
  new EmulatorDevice({
    runtime,
    soc: defaultSoc,
    launches: 1,
    launchTimeoutMs: 20_000,
    memoryLimitMiB: 4096,
  })

async function kernelRow(runtime: Runtime, cache: Cache, name: string, kind: CoreKind, rounds: number) {
  const { task, sample } = subjectOf(name)
  const semaphore = new Semaphore(1)
  const device = deviceOf(runtime)
  const folder = await mkdtemp(join(tmpdir(), 'npu-bench-compile-'))
  try {
    const trees = [await readSourceTree(sample.root, '/npu/candidate')]
    const options = readCompileOptions(name, [])
    const describe = (library: string) => device.describe(library)
    const context = { runtime, cache, soc: defaultSoc, semaphore, limits, describe, urgent: () => true }
    const built = await buildHost(context, { folder: sample.hostDir!, trees })
    if (!built.ok) throw new Error(built.failure.log)
    const { description } = await readHost(built.folder, trees)
    const kernel = task.interface.kernel
    const sources = { kernelDir: sample.kernelDir, hostDir: sample.hostDir!, trees, options, kernel }
    const entry = findEntry(sources)
    const operator = operatorOf(description, task.interface)
    const combination = combinationOf(task.interface, 0)
    const column = columnOf(operator, combination)
    if (typeof column !== 'number') throw new Error(column.problem)
    const { text: prelude } = preludeText(description, operator, combination, column)
    const unit = join(folder, 'kernel.cpp')
    await writeFile(unit, kernelUnit({ prelude, path: entry.path, source: entry.source, kernel }))

    const program = await runtime.confine()
    const object = join(folder, 'kernel.o')
    const kept = await runtime.servers()
    const compile = async (flags: readonly string[], servers: CompileServerPools = kept): Promise<void> => {
      const quoted = [dirname(entry.path), sample.hostDir!].flatMap((path) => ['-iquote', path])
      const command = [runtime.compiler.path, ...flags, ...quoted, '-c', unit, '-o', object]
      const done = await runConfined(command, {
        ...limits,
        fileMiB: maxOutputMiB,
        program,
        servers: servers ?? undefined,
        writable: folder,
        readable: [],
      })
      if (done.exitCode !== 0) throw new Error(done.stderr)
    }
    const { folder: include } = await runtime.include()
    const cold = [...candidateFlags(runtime.compiler, kind), '-include', precompiledHeader[kind], '-isystem', include]
    const { flags: warm } = await runtime.precompiled(kind)
    const environment = { runtime, limits, folder, trees }
    const all = { cold: [] as number[], anew: [] as number[], warm: [] as number[], link: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      all.cold.push(...(await timings(1, () => compile(cold))))
      all.anew.push(...(await timings(1, () => compile(warm, new Map()))))
      all.warm.push(...(await timings(1, () => compile(warm))))
      const symbols = undefinedSymbols(await readFile(object))
      const link = () => linkAlone(environment, { object, symbols, stubbed: [] }, join(folder, 'kernel.so'))
      all.link.push(...(await timings(1, link)))
    }
    const sum = Math.min(...all.warm) + Math.min(...all.link)
    const verdict = comparedWithAim(Math.round(Math.min(...all.warm)), aimMs, 'ms')
    const compiled = [fastestAndMedian(all.cold), fastestAndMedian(all.anew), fastestAndMedian(all.warm), verdict]
    return [name, runtime.compiler.family, ...compiled, fastestAndMedian(all.link), ms(sum)]
  } finally {
    device.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** User and system time that a process has spent, and the children whose end it has seen: hundredths of seconds. */
function processorTimes(pid: string | number): { own: number; children: number } {
  const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const fields = after.split(' ').map(Number)
  return { own: fields[11]! + fields[12]!, children: fields[13]! + fields[14]! }
}

/**
 * Milliseconds of processor time of the processes that this one has started: those that have ended, and compilers that
 * wait.
 */
function processorTimeOfTools(): number {
  const tasks = readdirSync('/proc/self/task')
  const living = tasks.flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').trim().split(' '))
  const times = living.filter((pid) => pid !== '').map(processorTimes)
  return 10 * times.reduce((sum, { own, children }) => sum + own + children, processorTimes('self').children)
}

/**
 * Processor time of compiler, linker and confinement for one kernel library: the mean of `rounds` builds in a row,
 * since the system counts in steps of 10 ms. `null` for an operator that this compiler does not build.
 */
async function kernelBuild(runtime: Runtime, folder: string, name: string, rounds: number): Promise<number | null> {
  const cache = new Cache(folder)
  const device = deviceOf(runtime)
  try {
    const describe = (library: string) => device.describe(library)
    const step = { runtime, cache, soc: defaultSoc, semaphore: new Semaphore(1), limits, describe, urgent: () => true }
    const context = { ...step, defaultHost: () => undefined, repositoryAround }
    const args = buildArgsOf(subjectOf(name))
    const job = { ...args, combinations: args.combinations.slice(0, 1) }
    const sums: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const before = processorTimeOfTools()
      const built = await buildCandidate(context, job)
      if (!built.ok) return null
      const libraries = [...built.artifact.kernels.values()].flatMap((all) => (all.supported ? [all.aiv, all.aic] : []))
      const count = libraries.filter((library) => library !== null).length
      // the first round builds the host part as well
      if (round > 0) sums.push((processorTimeOfTools() - before) / Math.max(1, count))
      await rm(join(folder, 'kernel'), { recursive: true })
    }
    return sums.reduce((sum, each) => sum + each, 0) / rounds
  } finally {
    device.close()
  }
}

/** The median over every eighth baseline, beside that with a compiler that is started for each job. */
async function medianRow(runtime: Runtime, anew: Runtime, rounds: number): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'npu-bench-compile-'))
  try {
    const all: { name: string; spent: number; anew: number }[] = []
    for (const name of baselineNames().filter((_, index) => index % 8 === 0)) {
      const spent = await kernelBuild(runtime, folder, name, rounds)
      const other = await kernelBuild(anew, folder, name, rounds)
      if (spent !== null && other !== null) all.push({ name, spent, anew: other })
    }
    const middle = median(all.map(({ spent }) => spent))
    const worst = all.toSorted((one, other) => other.spent - one.spent)[0]!
    const verdict = comparedWithAim(Math.round(middle), aimMs, 'ms')
    const ratio = median(all.map(({ spent, anew }) => spent / anew)).toFixed(2)
    const figures = [ms(median(all.map((one) => one.anew))), ms(middle), verdict, ratio]
    return [runtime.compiler.family, String(all.length), ...figures, `${ms(worst.spent)} (${worst.name})`]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What a runtime decides on its compilers during `work` is to start one for each job. */
async function startingAnew(work: () => Promise<unknown>): Promise<void> {
  const before = process.env['NPU_COMPILE_SERVER']
  process.env['NPU_COMPILE_SERVER'] = '0'
  await work()
  if (before === undefined) delete process.env['NPU_COMPILE_SERVER']
  else process.env['NPU_COMPILE_SERVER'] = before
}

/** Compile and link times of kernels, confined as in a run: without and with precompiled headers. */
export async function benchCompile(cacheDir: string, rounds: number): Promise<void> {
  const rows = [['kernel', 'compiler', 'cold', 'precompiled', 'and started once', '', 'link', 'sum']]
  const medians = [['compiler', 'operators', 'started anew', 'median', '', 'ratio', 'worst']]
  for (const compiler of await compilers()) {
    const cache = new Cache(cacheDir)
    const runtime = new Runtime(compiler, cache, new Semaphore(2), (line) => console.log(`  ${line}`))
    for (const [name, kind] of [
      ['AddCustom', 'aiv'],
      ['RmsNorm', 'aiv'],
      ['BasicMatmul', 'aic'],
    ] as const) {
      rows.push(await kernelRow(runtime, cache, name, kind, rounds))
    }
    const anew = new Runtime(compiler, cache, new Semaphore(2))
    await startingAnew(() => anew.servers())
    medians.push(await medianRow(runtime, anew, rounds))
    await runtime.close()
  }
  printTable(`Kernel compile, one dtype combination, fastest (median) of ${rounds}`, rows)
  printTable('Kernel compile and link, every eighth baseline, one library, processor time', medians)
}
