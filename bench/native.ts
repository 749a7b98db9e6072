import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Compiler } from '../plugin/toolchain/compiler.ts'
import { machineFlags } from '../plugin/toolchain/flags.ts'
import { runProcess } from '../plugin/toolchain/process.ts'
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

/** Compiles the loops with -O3 for this machine's vector units, as the emulator is, and keeps them at hand for `work`. */
export async function withNativeLoops<T>(compiler: Compiler, work: (loops: NativeLoops) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'npu-bench-native-'))
  try {
    const program = join(folder, 'loops')
    const source = join(repository, 'bench/native/loops.cpp')
    const flags = ['-std=c++17', '-O3', '-fno-math-errno', ...machineFlags(compiler)]
    const done = await runProcess([compiler.path, ...flags, source, '-o', program], { timeoutMs: 60_000 })
    if (done.exitCode !== 0) throw new Error(done.stderr)
    const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      return await work({
        async time(loop, elements) {
          child.stdin.write(`${loop} ${elements}\n`)
          const { value } = await lines.next()
          const [atHand = NaN, mapped = NaN] = String(value)
            .split(' ')
            .map((text) => Number(text) / 1e6)
          if (!(atHand > 0 && mapped > 0)) throw new Error(`the native loop ${loop} answered ${value}`)
          return { atHand, mapped }
        },
      })
    } finally {
      child.kill('SIGKILL')
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
