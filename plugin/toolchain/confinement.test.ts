import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { Cache } from '../cache/cache.ts'
import type { ProcessResult } from '../process/run-process.ts'
import { Semaphore } from '../process/semaphore.ts'
import { CompileServerPool } from './compile-server-pool.ts'
import { findCompiler, type Compiler } from './compiler.ts'
import { runConfined, toolEnvironment, toolFolders } from './confinement.ts'
import { Runtime } from './runtime.ts'

// compilers and processes take their time on a loaded machine
vi.setConfig({ testTimeout: 120_000 })

const bash = '/bin/bash'
let root: string
let compiler: Compiler
let program: string
let library: string | undefined
let servers: CompileServerPool | undefined

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'confine-test-')))
  compiler = await findCompiler()
  const runtime = new Runtime(compiler, new Cache(join(root, 'cache')), new Semaphore(1))
  program = await runtime.confine()
  library = await runtime.serverLibrary()
  // a shell stands in for the compiler: it does as it is told
  if (library !== undefined) servers = new CompileServerPool(bash, library, toolEnvironment())
}, 120_000)
afterAll(() => {
  servers?.close()
  rmSync(root, { recursive: true })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The first value that is not null, within half a minute. */
async function polled<T>(probe: () => T | null): Promise<T> {
  for (let left = 600; left > 0; left--) {
    const value = probe()
    if (value !== null) return value
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('waited in vain')
}

/** The arguments of a process that starts `tool` and waits, so that it can be killed. */
const starter = (tool: string): string[] => [
  '-e',
  `const { spawn } = require('node:child_process'); ${tool}; setInterval(() => {}, 1000)`,
]

describe.each(['started for the job', 'started once'] as const)('a confined tool, %s,', (way) => {
  let folder: string
  beforeEach(({ skip }) => {
    if (way === 'started once' && !servers) skip('no clang on this machine')
    folder = mkdtempSync(join(root, 'job-'))
  })

  const confined = (script: string, timeoutMs = 20_000): Promise<ProcessResult> =>
    runConfined([bash, '-c', script], {
      // what has a server must not need the other way
      ...(way === 'started once'
        ? { program: '/nowhere/npu-confine', servers: new Map([[bash, servers!]]) }
        : { program }),
      writable: folder,
      readable: toolFolders(compiler),
      memoryMiB: 1024,
      fileMiB: 3,
      timeoutMs,
    })

  test('writes to its scratch folder and finds its temporary files there', async () => {
    const done = await confined('pwd; echo x > "$TMPDIR/mark"')
    expect(done).toEqual({ exitCode: 0, signal: null, stdout: `${folder}\n`, stderr: '', timedOut: false })
    expect(existsSync(join(folder, 'mark'))).toBe(true)
  })

  test('has limits of time, memory, files and descriptors, and no cores', async () => {
    const done = await confined('ulimit -Ht; ulimit -Hv; ulimit -Hf; ulimit -Hn; ulimit -Hc', 7000)
    expect(done.stdout.split('\n')).toEqual(['7', '1048576', '3072', '256', '0', ''])
  })

  test('has nothing open but an empty input and its outputs', async () => {
    const done = await confined('exec ls -l /proc/self/fd')
    const open = [...done.stdout.matchAll(/(\d+) -> (\S+)$/gm)].map(
      ([, fd, what]) => `${fd} ${what?.replace(/^(?:pipe|socket):.*/, 'out')}`,
    )
    expect(open.filter((line) => !line.includes('/proc/'))).toEqual(['0 /dev/null', '1 out', '2 out'])
    expect((await confined('cat; env | grep -c "LD_PRELOAD\\|LD_BIND\\|TUNABLES"')).stdout).toBe('0\n')
  })

  test('opens no connection', async () => {
    const done = await confined('exec 3<>/dev/tcp/127.0.0.1/80')
    expect(done.exitCode).not.toBe(0)
    expect(done.stderr).toContain('Operation not permitted')
  })

  test('leaves no process group and makes no namespace', async () => {
    expect((await confined('setsid true; exit')).stderr).toContain('Operation not permitted')
    expect((await confined('exec unshare -r true')).exitCode).toBe(128 + 31)
  })

  test('is stopped at its time limit, with all it started', async () => {
    const done = await confined('sleep 47 & echo $! > "$TMPDIR/sleeper"; wait', 500)
    expect(done).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true })
    const sleeper = Number(readFileSync(join(folder, 'sleeper'), 'utf8'))
    expect(sleeper).toBeGreaterThan(1)
    await polled(() => (isRunning(sleeper) ? null : true))
  })

  test('tells how it ended, and what it said to both streams', async () => {
    const done = await confined('echo out; printf "err\\xff" >&2; exit 3')
    expect(done).toEqual({ exitCode: 3, signal: null, stdout: 'out\n', stderr: 'err\uFFFD', timedOut: false })
    expect(await confined('kill -SEGV $$')).toMatchObject({ exitCode: 128 + 11, timedOut: false })
  })

  test('may say more than anyone reads', async () => {
    const { stdout, stderr } = await confined('head -c 3000000 /dev/zero | tr "\\0" x')
    const end = '\n(output cut at 1 MiB)\n'
    expect([stdout.length, stdout.slice(-end.length), stderr]).toEqual([(1 << 20) + end.length, end, ''])
  })

  test('is gone when the process that started it is killed, with all it started', async () => {
    const pidFile = join(folder, 'pid')
    const script = `sleep 47 & echo $$ $! > ${pidFile}.part; mv ${pidFile}.part ${pidFile}; wait`
    const command = ['--write', folder, '--', bash, '-c', script]
    const job = { argv: command.slice(3), folder, cpuSeconds: 60, memoryMiB: 1024, fileMiB: 3, writable: folder }
    const request = JSON.stringify({
      ...job,
      readable: [],
      allowMissing: [],
      timeoutMs: 60_000,
      outputBytes: 1000,
    })
    const environment = JSON.stringify({ env: { ...toolEnvironment(), LD_PRELOAD: library } })
    const tool =
      way === 'started once'
        ? `spawn('${bash}', [], ${environment}).stdin.write(${JSON.stringify(`${request}\n`)})`
        : `spawn(${JSON.stringify(program)}, ${JSON.stringify(command)}, { detached: true, stdio: 'ignore' })`
    const parent = spawn(process.execPath, starter(tool), { stdio: 'ignore' })
    const pids = await polled(() => (existsSync(pidFile) ? readFileSync(pidFile, 'utf8').split(' ').map(Number) : null))
    expect(pids.map(isRunning)).toEqual([true, true])
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    await polled(() => (pids.some(isRunning) ? null : true))
  })

  test('neither writes nor reads files outside, where the kernel has Landlock', async ({ skip }) => {
    const outside = join(tmpdir(), `confine-outside-${process.pid}`)
    const done = await confined(`echo x > ${outside}`)
    if (done.exitCode === 0) {
      rmSync(outside)
      skip('no Landlock on this machine')
    }
    expect(done.stderr).toContain('Permission denied')
    expect((await confined('cat /etc/passwd')).stderr).toContain('Permission denied')
    // the scratch folder of another job
    const other = join(dirname(folder), `${basename(folder)}-other`)
    mkdirSync(other)
    expect((await confined(`echo x > ${other}/mark`)).stderr).toContain('Permission denied')
  })
})
