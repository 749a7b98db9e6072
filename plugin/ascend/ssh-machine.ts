import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { create } from 'tar'
import { InfrastructureError } from '../model/index.ts'
import { LineProcess } from '../process/line-process.ts'
import { runProcess, type ProcessResult } from '../process/run-process.ts'
import type { Machine, PlacedCase, RunOptions } from './machine.ts'

export interface SshOptions {
  /** as ssh takes it, e.g. `user@box`, or a name of its configuration */
  host: string
  /** further arguments of ssh, e.g. `['-p', '2222']` */
  ssh?: readonly string[]
}

/** What ssh ends with where there is no connection; commands never do, see `guarded`. */
const noConnection = 255
const attempts = 4
const firstDelayMs = 500

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
const joined = (argv: readonly string[]): string => argv.map(quoted).join(' ')

/** A command whose status is told apart from that of a lost connection. */
const guarded = (command: string): string => `${command}; s=$?; [ $s -eq ${noConnection} ] && s=254; exit $s`

function inPlace(argv: readonly string[], { env = {}, cwd }: Omit<RunOptions, 'timeoutMs'>): string {
  const set = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const command = joined(set.length === 0 ? argv : ['env', ...set, ...argv])
  return cwd === undefined ? command : `cd ${quoted(cwd)} && ${command}`
}

/** A machine that is reached by ssh, whose client is that of the system: keys, jumps and names are those of its configuration. */
export class SshMachine implements Machine {
  readonly name: string
  readonly reconnects = attempts - 1
  readonly #options: SshOptions
  /** the socket of the one connection that all commands share */
  readonly #control = mkdtempSync(join(tmpdir(), 'npu-ssh-'))
  #folder: Promise<string> | null = null

  constructor(options: SshOptions) {
    this.#options = options
    this.name = options.host
  }

  folder(): Promise<string> {
    this.#folder ??= this.run(['sh', '-c', 'echo "${XDG_CACHE_HOME:-$HOME/.cache}/vitest-npu/ascend"'], {
      timeoutMs: connectMs,
    }).then(({ stdout }) => stdout.trim())
    return this.#folder
  }

  async run(argv: readonly [string, ...string[]], { timeoutMs, ...place }: RunOptions): Promise<ProcessResult> {
    // the command is ended there: a lost client does not end it
    const limited = ['timeout', '-k', '5', String(Math.ceil(timeoutMs / 1000)), ...argv]
    const result = await this.#again(async () => {
      const done = await runProcess(this.#argv(guarded(inPlace(limited, place))), { timeoutMs: timeoutMs + connectMs })
      return { done, lost: done.exitCode === noConnection, said: done.stderr }
    })
    return { ...result, timedOut: result.timedOut || result.exitCode === 124 || result.exitCode === 137 }
  }

  async send(from: string, to: string): Promise<void> {
    await this.#feed(
      `mkdir -p ${quoted(to)} && tar -x -f - -C ${quoted(to)}`,
      () =>
        // a stream of the package is one of node, which its type does not say
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        create({ cwd: from, portable: true }, ['.']) as unknown as Readable,
    )
  }

  async placeCase(file: string, outputs: number): Promise<PlacedCase> {
    const path = `/dev/shm/${copyPrefix}-${randomBytes(8).toString('hex')}`
    const store = join(await this.folder(), 'cases')
    const kept = join(store, await contentHash(file))
    const reuse = `test -f ${quoted(kept)} && touch ${quoted(kept)} && cp ${quoted(kept)} ${quoted(path)}`
    const found = await this.run(['sh', '-c', reuse], { timeoutMs: transferMs })
    if (found.exitCode !== 0) {
      const draft = `${kept}.tmp-${process.pid}`
      const sweep = [`${quoted(store)} -type f`, `/dev/shm -maxdepth 1 -name ${quoted(`${copyPrefix}-*`)}`]
        .map((where) => `find ${where} -mmin +${keptMinutes} -delete`)
        .join('; ')
      const keep = `mv ${quoted(draft)} ${quoted(kept)} && cp ${quoted(kept)} ${quoted(path)}`
      await this.#feed(`mkdir -p ${quoted(store)} && ${sweep}; cat > ${quoted(draft)} && ${keep}`, () =>
        createReadStream(file),
      )
    }
    return { path, collect: async () => await this.#collect(path, file, outputs) }
  }

  start(
    argv: readonly [string, ...string[]],
    { name, ...place }: Omit<RunOptions, 'timeoutMs'> & { name: string },
  ): LineProcess {
    const [program, ...args] = this.#argv(guarded(inPlace(argv, place)))
    return new LineProcess(program, { name, args, env: process.env })
  }

  async close(): Promise<void> {
    await runProcess(['ssh', ...this.#arguments(), '-O', 'exit', this.#options.host], { timeoutMs: 5000 })
    rmSync(this.#control, { recursive: true, force: true })
  }

  #arguments(): string[] {
    const own = {
      BatchMode: 'yes',
      ControlMaster: 'auto',
      ControlPath: join(this.#control, 'c'),
      ControlPersist: '60',
      ConnectTimeout: '20',
      ServerAliveInterval: '15',
      ServerAliveCountMax: '3',
    }
    return [...(this.#options.ssh ?? []), ...Object.entries(own).flatMap(([name, value]) => ['-o', `${name}=${value}`])]
  }

  #argv(command: string): [string, ...string[]] {
    return ['ssh', ...this.#arguments(), this.#options.host, '--', command]
  }

  /** Sends a stream to the input of a command, which has to succeed. */
  async #feed(command: string, stream: () => Readable): Promise<void> {
    await this.#again(async () => {
      const [program, ...args] = this.#argv(guarded(command))
      const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] })
      const { status, said } = endOf(child)
      await pipeline(stream(), child.stdin).catch(() => {})
      const code = await status
      if (code !== 0 && code !== noConnection)
        throw new InfrastructureError(`cannot send files to ${this.name}: ${said().trim()}`)
      return { done: null, lost: code !== 0, said: said() }
    })
  }

  /** Brings the part of a case file that a kernel may have written back. */
  async #collect(path: string, file: string, outputs: number): Promise<void> {
    await this.#again(async () => {
      const [program, ...args] = this.#argv(guarded(`tail -c +${outputs + 1} ${quoted(path)}`))
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
      const { status, said } = endOf(child)
      await pipeline(child.stdout, createWriteStream(file, { flags: 'r+', start: outputs }))
      const code = await status
      if (code !== 0 && code !== noConnection)
        throw new InfrastructureError(`cannot read outputs from ${this.name}: ${said().trim()}`)
      return { done: null, lost: code !== 0, said: said() }
    })
    await this.run(['rm', '-f', path], { timeoutMs: connectMs })
  }

  /** Does something once more where the connection was lost meanwhile. */
  async #again<T>(work: () => Promise<{ done: T; lost: boolean; said: string }>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const { done, lost, said } = await work()
      if (!lost) return done
      if (attempt === attempts) {
        const why = said.trim().split('\n').at(-1) ?? ''
        throw new InfrastructureError(`no connection to ${this.name} by ssh: ${why}`)
      }
      await sleep(firstDelayMs * 2 ** (attempt - 1))
    }
  }
}

/** Copies of case files, which a run that was killed may leave. */
const copyPrefix = 'vitest-npu-copy'
const connectMs = 30_000
const transferMs = 300_000
/** Case files are kept for the next candidate of a task. */
const keptMinutes = 24 * 60

function endOf(child: { stderr: Readable; once: (event: 'close', on: (code: number | null) => void) => unknown }) {
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
  const status = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? noConnection)))
  return { status, said: () => text.slice(-2000) }
}

async function contentHash(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex').slice(0, 32)
}
