import { cp, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LineProcess } from '../process/line-process.ts'
import { runProcess, type ProcessResult } from '../process/run-process.ts'

export interface RunOptions {
  /** besides those that the machine passes on */
  env?: Readonly<Record<string, string>>
  /** folder, absolute on the machine */
  cwd?: string
  timeoutMs: number
}

/** A case file as the machine with the device sees it. */
export interface PlacedCase {
  /** path on the machine */
  path: string
  /** brings what the kernel wrote back into the local file, and removes the copy */
  collect(): Promise<void>
}

/** The machine that has the toolkit and the devices: this one, or one that is reached over the network. */
export interface Machine {
  /** as messages name it, e.g. `this machine` */
  readonly name: string
  /** how often what was lost with a connection may be begun anew */
  readonly reconnects: number
  /** folder on the machine for what is built there, absolute */
  folder(): Promise<string>
  /** Runs a command. Rejects with `InfrastructureError` when the machine cannot be reached; a failed command is a result. */
  run(argv: readonly [string, ...string[]], options: RunOptions): Promise<ProcessResult>
  /** Copies what is in a local folder into one on the machine, which is made. */
  send(from: string, to: string): Promise<void>
  /** Makes a case file available to the machine. `outputs`: where the first byte is that a kernel may write. */
  placeCase(file: string, outputs: number): Promise<PlacedCase>
  /** Starts a program that is asked in lines of JSON. */
  start(argv: readonly [string, ...string[]], options: Omit<RunOptions, 'timeoutMs'> & { name: string }): LineProcess
  close(): Promise<void>
}

/**
 * Variables that tools of the vendor and compilers need. Code of candidates runs in their processes: nothing else of the
 * environment, such as keys of services, is theirs to see.
 */
const passedOn = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TMPDIR|LD_LIBRARY_PATH|PYTHONPATH|ASCEND_\w+|TOOLCHAIN_HOME)$/

export const passedEnvironment = (env: NodeJS.ProcessEnv = process.env): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && passedOn.test(name) ? [[name, value]] : [])),
  )

/** The machine that this process runs on. */
export class LocalMachine implements Machine {
  readonly name = 'this machine'
  readonly reconnects = 0
  readonly #folder: string
  readonly #env: Record<string, string>

  constructor(cacheDir: string, env: NodeJS.ProcessEnv = process.env) {
    this.#folder = join(cacheDir, 'ascend')
    this.#env = passedEnvironment(env)
  }

  async folder(): Promise<string> {
    await mkdir(this.#folder, { recursive: true })
    return this.#folder
  }

  run(argv: readonly [string, ...string[]], { env, cwd, timeoutMs }: RunOptions): Promise<ProcessResult> {
    return runProcess(argv, { env: { ...this.#env, ...env }, timeoutMs, ...(cwd !== undefined && { cwd }) })
  }

  async send(from: string, to: string): Promise<void> {
    await mkdir(dirname(to), { recursive: true })
    await cp(from, to, { recursive: true, force: true })
  }

  placeCase(path: string): Promise<PlacedCase> {
    return Promise.resolve({ path, collect: async () => {} })
  }

  start(
    [program, ...args]: readonly [string, ...string[]],
    { env, cwd, name }: Omit<RunOptions, 'timeoutMs'> & { name: string },
  ): LineProcess {
    return new LineProcess(program, {
      name,
      args,
      env: { ...this.#env, ...env },
      ...(cwd !== undefined && { cwd }),
    })
  }

  async close(): Promise<void> {}
}
