import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { EmulatorDevice } from '../plugin/device/emulator.ts'
import { Cache } from '../plugin/toolchain/cache.ts'
import { columnOf } from '../plugin/toolchain/combination.ts'
import { findCompiler, type Compiler } from '../plugin/toolchain/compiler.ts'
import { readCompileOptions } from '../plugin/toolchain/compile-options.ts'
import { runConfined } from '../plugin/toolchain/confinement.ts'
import { kernelUnit } from '../plugin/toolchain/entry.ts'
import { candidateFlags, precompiledHeader, type CoreKind } from '../plugin/toolchain/flags.ts'
import { buildHost, operatorOf, readHost } from '../plugin/toolchain/host.ts'
import { findEntry } from '../plugin/toolchain/kernel.ts'
import { preludeText } from '../plugin/toolchain/prelude.ts'
import { Runtime } from '../plugin/toolchain/runtime.ts'
import { Slots } from '../plugin/toolchain/slots.ts'
import { readSourceTree } from '../plugin/toolchain/sources.ts'
import { linkLibrary } from '../plugin/toolchain/unit.ts'
import { against, ms, printTable, spread, timings } from './figures.ts'
import { combinationOf, subjectOf } from './subjects.ts'

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

async function kernelRow(runtime: Runtime, cache: Cache, name: string, kind: CoreKind, rounds: number) {
  const { task, sample } = subjectOf(name)
  const slots = new Slots(1)
  const device = new EmulatorDevice({
    runtime,
    soc: 'Ascend910B2',
    slots: 1,
    launchTimeoutMs: 20_000,
    memoryLimitMiB: 4096,
  })
  const folder = await mkdtemp(join(tmpdir(), 'npu-bench-compile-'))
  try {
    const trees = [await readSourceTree(sample.root, '/npu/candidate')]
    const options = readCompileOptions(name, [])
    const describe = (library: string) => device.describe(library)
    const context = { runtime, cache, slots, limits, describe, urgent: () => true }
    const built = await buildHost(context, { folder: sample.hostDir!, trees, options })
    if (!built.ok) throw new Error(built.failure.log)
    const { description } = await readHost(built.folder, trees)
    const kernel = task.interface.kernel
    const sources = { kernelDir: sample.kernelDir, hostDir: sample.hostDir!, trees, options, kernel }
    const entry = findEntry(sources)
    const operator = operatorOf(description, task.interface)
    const combination = combinationOf(task.interface, 0)
    const column = columnOf(operator, combination)!
    const prelude = preludeText(description, operator, combination, column, entry.tilingStruct)
    const unit = join(folder, 'kernel.cpp')
    await writeFile(unit, kernelUnit({ prelude, path: entry.path, source: entry.source, kernel }))

    const program = await runtime.confine()
    const object = join(folder, 'kernel.o')
    const compile = async (flags: readonly string[]): Promise<void> => {
      const quoted = [dirname(entry.path), sample.hostDir!].flatMap((path) => ['-iquote', path])
      const command = [runtime.compiler.path, ...flags, ...quoted, '-c', unit, '-o', object]
      const done = await runConfined(command, { ...limits, program, writable: folder, readable: [] })
      if (done.exitCode !== 0) throw new Error(done.stderr)
    }
    const { folder: include } = await runtime.include()
    const cold = [...candidateFlags(runtime.compiler, kind), '-include', precompiledHeader[kind], '-isystem', include]
    const { flags: warm } = await runtime.precompiled(kind)
    const workshop = { runtime, limits, folder, trees }
    const all = { cold: [] as number[], warm: [] as number[], link: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      all.cold.push(...(await timings(1, () => compile(cold))))
      all.warm.push(...(await timings(1, () => compile(warm))))
      all.link.push(...(await timings(1, () => linkLibrary(workshop, [object], join(folder, 'kernel.so'), 'kernel'))))
    }
    const sum = Math.min(...all.warm) + Math.min(...all.link)
    const verdict = against(Math.round(Math.min(...all.warm)), aimMs, 'ms')
    const compiled = [spread(all.cold), spread(all.warm), verdict]
    return [name, runtime.compiler.family, ...compiled, spread(all.link), ms(sum)]
  } finally {
    device.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Compile and link times of kernels, confined as in a run: without and with precompiled headers. */
export async function benchCompile(cacheDir: string, rounds: number): Promise<void> {
  const rows = [['kernel', 'compiler', 'cold', 'precompiled', '', 'link', 'sum']]
  for (const compiler of await compilers()) {
    const cache = new Cache(cacheDir)
    const runtime = new Runtime(compiler, cache, new Slots(2), (line) => console.log(`  ${line}`))
    for (const [name, kind] of [
      ['AddCustom', 'aiv'],
      ['RmsNorm', 'aiv'],
      ['BasicMatmul', 'aic'],
    ] as const) {
      rows.push(await kernelRow(runtime, cache, name, kind, rounds))
    }
  }
  printTable(`Kernel compile, one dtype combination, fastest (median) of ${rounds}`, rows)
}
