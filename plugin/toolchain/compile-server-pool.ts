import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { z } from 'zod'
import type { ConfinementLayer } from '../model/index.ts'
import { LineProcess } from '../process/line-process.ts'
import { maxOutputBytes, withCutNote, type ProcessResult } from '../process/run-process.ts'

/** One run of a program that waits for jobs, with the restrictions that npu-confine takes as arguments. */
export interface CompileJob {
  /** where it runs, absolute */
  folder: string
  cpuSeconds: number
  memoryMiB: number
  /** of one file that it writes */
  fileMiB: number
  /** the only folder it can write; null: none */
  writable: string | null
  /** what it can read; empty: everything */
  readable: readonly string[]
  /** layers of the confinement that may be missing */
  allowMissing: readonly ConfinementLayer[]
  timeoutMs: number
}

const greeting = z.object({ program: z.string() })
const answer = z.object({
  exitCode: z.number(),
  timedOut: z.boolean(),
  stdout: z.string(),
  stdoutCut: z.boolean(),
  stderr: z.string(),
  stderrCut: z.boolean(),
})

/**
 * For a process that forks for each job: symbols are resolved once, and memory comes in large pages, because much of the time of
 * a job goes into touching new ones. A C library ignores the settings that it does not know.
 */
const startEnvironment = {
  LD_BIND_NOW: '1',
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1:glibc.malloc.top_pad=16777216:glibc.malloc.mmap_threshold=67108864',
}

/** Libraries are loaded in a fraction of this, also on a busy machine. */
const startLimitMs = 5000
/** The server keeps the time of its jobs. When it is this late, it is dead. */
const graceMs = 15_000

/**
 * Processes of one program, a compiler or a linker, that are started once and fork for each job (`confine/compile_server.cpp`),
 * as many processes as there are jobs at the same time. A program that cannot be served in this way (a script, another C
 * library) is not tried twice.
 */
export class CompileServerPool {
  readonly #program: string
  readonly #library: string
  readonly #environment: NodeJS.ProcessEnv
  readonly #all = new Set<LineProcess>()
  readonly #idle: LineProcess[] = []
  #refused = false
  #closed = false

  /** `library`: what is preloaded into the program. */
  constructor(program: string, library: string, environment: NodeJS.ProcessEnv) {
    this.#program = program
    this.#library = library
    this.#environment = environment
  }

  /** Runs one job. Null when the program has to be started for it after all. Never rejects. */
  async run(command: readonly string[], job: CompileJob): Promise<ProcessResult | null> {
    if (this.#refused || this.#closed) return null
    const server = this.#idle.pop() ?? (await this.#start())
    if (!server) return null
    try {
      const request = { argv: command, ...job, outputBytes: maxOutputBytes }
      const done = await server.request('a job', request, answer, job.timeoutMs + graceMs)
      this.#idle.push(server)
      const stdout = withCutNote(done.stdout, done.stdoutCut)
      const stderr = withCutNote(done.stderr, done.stderrCut)
      if (done.timedOut) return { exitCode: null, signal: 'SIGKILL', stdout, stderr, timedOut: true }
      return { exitCode: done.exitCode, signal: null, stdout, stderr, timedOut: false }
    } catch {
      this.#all.delete(server)
      return this.#closed ? { exitCode: null, signal: 'SIGKILL', stdout: '', stderr: '', timedOut: false } : null
    }
  }

  /** Ends all servers and kills what they run. Later jobs get null. */
  close(): void {
    this.#closed = true
    for (const server of this.#all) server.end()
  }

  async #start(): Promise<LineProcess | null> {
    // a relative name, because spaces and colons separate the names of libraries
    const server = new LineProcess(this.#program, {
      name: 'the compile server',
      env: { ...this.#environment, ...startEnvironment, LD_PRELOAD: `./${basename(this.#library)}` },
      cwd: dirname(this.#library),
    })
    this.#all.add(server)
    try {
      const started = await server.greeting(greeting, startLimitMs)
      if (started.program === (await realpath(this.#program))) return server
    } catch {
      // counts as a refusal
    }
    server.kill()
    this.#all.delete(server)
    this.#refused = true
    return null
  }
}
