import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Cache } from './cache.ts'
import { findCompiler, type Compiler } from './compiler.ts'
import { runConfined, toolFolders } from './confinement.ts'
import type { Finished } from './process.ts'
import { Runtime } from './runtime.ts'
import { Slots } from './slots.ts'

// compilers and processes take their time on a loaded machine
vi.setConfig({ testTimeout: 120_000 })

let folder: string
let compiler: Compiler
let program: string

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'confine-test-')))
  compiler = await findCompiler()
  program = await new Runtime(compiler, new Cache(join(folder, 'cache')), new Slots(1)).confine()
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true }))

const confined = (script: string, timeoutMs = 20_000): Promise<Finished> =>
  runConfined(['bash', '-c', script], {
    program,
    writable: folder,
    readable: toolFolders(compiler),
    memoryMiB: 1024,
    timeoutMs,
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

test('a confined tool writes to its scratch folder and finds its temporary files there', async () => {
  const done = await confined('echo x > "$TMPDIR/mark"')
  expect(done).toMatchObject({ exitCode: 0, stderr: '' })
  expect(existsSync(join(folder, 'mark'))).toBe(true)
})

test('it opens no connection', async () => {
  const done = await confined('exec 3<>/dev/tcp/127.0.0.1/80')
  expect(done.exitCode).not.toBe(0)
  expect(done.stderr).toContain('Operation not permitted')
})

test('it is stopped at its time limit, with all it started', async () => {
  const done = await confined('sleep 47 & echo $! > "$TMPDIR/sleeper"; wait', 500)
  expect(done.timedOut).toBe(true)
  const sleeper = Number(readFileSync(join(folder, 'sleeper'), 'utf8'))
  expect(sleeper).toBeGreaterThan(1)
  await polled(() => (isRunning(sleeper) ? null : true))
})

test('it is gone when the process that started it is killed', async () => {
  const pidFile = join(folder, 'pid')
  const command = JSON.stringify(['--write', folder, '--', 'bash', '-c', `echo $$ > ${pidFile}; sleep 47; true`])
  const script = `require('child_process').spawn(${JSON.stringify(program)}, ${command}, { detached: true, stdio: 'ignore' })`
  const parent = spawn(process.execPath, ['-e', `${script}; setInterval(() => {}, 1000)`], { stdio: 'ignore' })
  const tool = await polled(() => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) || null : null))
  expect(isRunning(tool)).toBe(true)
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  await polled(() => (isRunning(tool) ? null : true))
})

test('files outside are neither written nor read, where the kernel has Landlock', async ({ skip }) => {
  const outside = join(tmpdir(), `confine-outside-${process.pid}`)
  const done = await confined(`echo x > ${outside}`)
  if (done.exitCode === 0) {
    rmSync(outside)
    skip('no Landlock on this machine')
  }
  expect(done.stderr).toContain('Permission denied')
  expect((await confined('cat /etc/passwd')).stderr).toContain('Permission denied')
})
