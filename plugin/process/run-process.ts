import { spawn } from 'node:child_process'
import { startDeadline } from './deadline.ts'

export interface ProcessOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** wall-clock limit in milliseconds; the whole process group is killed when it passes */
  timeoutMs: number
}

export interface ProcessResult {
  /** null when the process was killed by a signal or never started */
  exitCode: number | null
  signal: string | null
  stdout: string
  /** stderr, or the reason why the process could not be started */
  stderr: string
  timedOut: boolean
}

/** More than any person will read; a compiler can be made to print without end. */
export const maxOutputBytes = 1 << 20

export const withCutNote = (text: string, cut: boolean): string => (cut ? `${text}\n(output cut at 1 MiB)\n` : text)

const alive = new Set<number>()

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // already gone
  }
}

/** Kills every process that `runProcess` started and that still runs. Synchronous: for the exit handler of the main process. */
export function killProcesses(): void {
  for (const pid of alive) killGroup(pid)
}

/** Collects a stream up to the limit and drops the rest, so that the writer never blocks. */
function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    if (bytes < maxOutputBytes) chunks.push(chunk.subarray(0, maxOutputBytes - bytes))
    bytes += chunk.length
  })
  return () => withCutNote(Buffer.concat(chunks).toString('utf8'), bytes > maxOutputBytes)
}

/** Runs a command in a process group of its own, without a shell and with an empty stdin. Never rejects. */
export function runProcess(argv: readonly [string, ...string[]], options: ProcessOptions): Promise<ProcessResult> {
  const [command, ...args] = argv
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const stdout = collect(child.stdout)
    const stderr = collect(child.stderr)
    const { pid } = child
    let timedOut = false
    if (pid !== undefined) alive.add(pid)
    let pieces = 0
    for (const stream of [child.stdout, child.stderr]) stream.on('data', () => pieces++)
    const clear = startDeadline(
      options.timeoutMs,
      () => pieces,
      () => {
        timedOut = true
        if (pid !== undefined) killGroup(pid)
      },
    )
    child.once('error', (error) => {
      clear()
      resolve({ exitCode: null, signal: null, stdout: '', stderr: error.message, timedOut: false })
    })
    child.once('close', (exitCode, signal) => {
      clear()
      if (pid !== undefined) alive.delete(pid)
      resolve({ exitCode, signal, stdout: stdout(), stderr: stderr(), timedOut })
    })
  })
}
