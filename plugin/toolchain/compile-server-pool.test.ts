import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
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
let folder: string
let compiler: Compiler
let program: string
let library: string | undefined
let servers: CompileServerPool

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'compile-server-test-')))
  compiler = await findCompiler()
  const runtime = new Runtime(compiler, new Cache(join(root, 'a cache: of ours')), new Semaphore(1))
  program = await runtime.confine()
  library = await runtime.serverLibrary()
}, 120_000)
afterAll(() => rmSync(root, { recursive: true }))
beforeEach(({ skip }) => {
  folder = mkdtempSync(join(root, 'job-'))
  if (library === undefined) skip('no clang on this machine')
  servers = serversOf(bash)
})
afterEach(() => servers?.close())

const serversOf = (path: string): CompileServerPool => new CompileServerPool(path, library ?? '', toolEnvironment())

const job = (timeoutMs = 20_000) => ({
  folder,
  cpuSeconds: 20,
  memoryMiB: 1024,
  fileMiB: 64,
  writable: folder,
  readable: [],
  allowMissing: [],
  timeoutMs,
})

/** A shell in the place of the compiler. */
const shell = (script: string): Promise<ProcessResult | null> => servers.run([bash, '-c', script], job())

test('one process serves job after job, whatever the last one did', async () => {
  const server = (await shell('echo $PPID'))?.stdout
  expect(server).toMatch(/^\d+\n$/)
  expect(await shell('kill -SEGV $$')).toMatchObject({ exitCode: 128 + 11 })
  expect(await shell('head -c 3000000 /dev/zero')).toMatchObject({ exitCode: 0 })
  expect(await servers.run([bash, '-c', 'sleep 47'], job(200))).toMatchObject({ timedOut: true })
  expect(await shell('for i in {1..50}; do sleep 47 & done; exec >&- 2>&-')).toMatchObject({ exitCode: 0 })
  expect(await shell('echo $PPID; x=1; cd /; umask 0; exit 5')).toMatchObject({ exitCode: 5, stdout: server })
  expect(await shell('echo "$PPID$x"; pwd; umask')).toMatchObject({ stdout: `${server}${folder}\n0022\n` })
})

test('what a job leaves running ends with it', async () => {
  const done = await shell('sleep 47 >&- 2>&- & echo $!')
  expect(done?.exitCode).toBe(0)
  const sleeper = Number(done?.stdout)
  await expect.poll(() => existsSync(`/proc/${sleeper}/exe`), { timeout: 10_000 }).toBe(false)
})

/** Ends when another job has begun. */
const meet = (mine: string, other: string): string => `touch ${mine}; until [ -e ${other} ]; do sleep 0.02; done`

test('jobs run at the same time, each in a server of its own', async () => {
  const both = await Promise.all([shell(`${meet('a', 'b')}; echo $PPID`), shell(`${meet('b', 'a')}; echo $PPID`)])
  expect(both.map((done) => done?.exitCode)).toEqual([0, 0])
  expect(both[0]?.stdout).not.toBe(both[1]?.stdout)
})

test('a job whose server dies is done the other way, and the next has a server again', async () => {
  const script = '[ -e mark ] || { touch mark; kill -KILL $PPID; sleep 47; }; echo done'
  const programs = new Map([[bash, servers]])
  const confinement = {
    program,
    servers: programs,
    writable: folder,
    readable: toolFolders(compiler),
    memoryMiB: 1024,
    fileMiB: 64,
  }
  const done = await runConfined([bash, '-c', script], { ...confinement, timeoutMs: 20_000 })
  expect(done).toMatchObject({ exitCode: 0, stdout: 'done\n' })
  expect(await shell('echo next')).toMatchObject({ stdout: 'next\n' })
})

test('a running job ends when the servers are closed', async () => {
  const pidFile = join(folder, 'pid')
  const running = shell(`sleep 47 & echo $! > pid.part; mv pid.part pid; wait`)
  await expect.poll(() => existsSync(pidFile), { timeout: 20_000 }).toBe(true)
  servers.close()
  expect(await running).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: false })
  const sleeper = readFileSync(pidFile, 'utf8').trim()
  await expect.poll(() => existsSync(`/proc/${sleeper}/exe`), { timeout: 10_000 }).toBe(false)
  expect(await shell('echo after')).toBe(null)
})

test('only the program that was asked for is taken for it, and a refusal holds', async () => {
  const script = (name: string, text: string): string => {
    const path = join(folder, name)
    writeFileSync(path, text)
    chmodSync(path, 0o755)
    return path
  }
  const log = join(folder, 'log')
  const programs = [
    script('wrapper', `#!/bin/bash\necho started >> ${log}\nexec ${bash} "$@"\n`),
    // ends without a word, as does a program without a loader
    join(folder, 'absent'),
  ]
  for (const path of programs) {
    const refused = serversOf(path)
    for (const _ of [1, 2]) expect(await refused.run([path, '-c', 'true'], job())).toBe(null)
  }
  // its shell was stopped before it read a line
  expect(existsSync(log)).toBe(false)
})

test('the linker links as it does when it is started anew', async ({ skip }) => {
  const { linker } = compiler
  skip(!linker, 'only the driver knows how to link here')
  const source = join(folder, 'unit.cpp')
  writeFileSync(source, 'int answer() { return 42; }\n')
  const limits = { program, memoryMiB: 2048, fileMiB: 64, timeoutMs: 20_000, writable: folder, readable: [] }
  const compile = [compiler.path, '-c', '-fPIC', source, '-o', 'unit.o']
  expect(await runConfined(compile, limits)).toMatchObject({ exitCode: 0 })
  const link = (output: string, object: string) => [linker!.path, '-shared', '-o', output, object]
  const running = serversOf(linker!.path)
  try {
    for (const object of ['unit.o', 'absent.o']) {
      const served = await running.run(link('served.so', object), job())
      expect(served).toEqual(await runConfined(link('started.so', object), limits))
      if (object === 'absent.o') expect(served?.exitCode).toBe(1)
      else expect(readFileSync(join(folder, 'served.so'))).toEqual(readFileSync(join(folder, 'started.so')))
    }
  } finally {
    running.close()
  }
})

test('clang compiles as it does when it is started anew: objects, messages, crashes, limits', async ({ skip }) => {
  if (compiler.family !== 'clang') skip('no clang on this machine')
  const clang = serversOf(compiler.path)
  const object = join(folder, 'unit.o')
  const compile = async (text: string, memoryMiB: number, way: 'served' | 'started') => {
    const source = join(folder, 'unit.cpp')
    writeFileSync(source, text)
    rmSync(object, { force: true })
    const command = [compiler.path, '-std=c++17', '-g', '-fno-crash-diagnostics', '-c', source, '-o', object]
    const limits = {
      memoryMiB,
      fileMiB: 64,
      timeoutMs: 20_000,
      writable: folder,
      readable: [...toolFolders(compiler), folder],
    }
    // what has a server must not need the other way
    const tool = way === 'served' ? { program: '/nowhere', servers: new Map([[compiler.path, clang]]) } : { program }
    const done = await runConfined(command, { ...limits, ...tool })
    // of a crash: where the code lies, and who called main
    const stderr = done.stderr.replaceAll(/^ *#\d+ .*\n/gm, '')
    return { ...done, stderr, object: existsSync(object) ? readFileSync(object).toString('base64') : null }
  }
  const texts = [
    '#include <vector>\nint sum(const std::vector<int>& v) { int s = 0; for (int x : v) s += x; return s; }\n',
    'int broken( { return undeclared; }\n#warning candidate\n',
    '#include __FILE__\n',
    '#include "/etc/passwd"\n',
    '#pragma clang __debug crash\n',
    'int next() { return 1; }\n',
  ]
  try {
    for (const text of texts) expect(await compile(text, 2048, 'served')).toEqual(await compile(text, 2048, 'started'))
    const bomb =
      'template <int N> struct T { T<N - 1> a; T<N - 1> b; char c[N]; };\nT<900> t; char big[1 << 28] = {1};\n'
    const [served, started] = [await compile(bomb, 700, 'served'), await compile(bomb, 700, 'started')]
    expect(served).toMatchObject({ exitCode: started.exitCode, timedOut: false, object: null })
    expect(served.exitCode).not.toBe(0)
  } finally {
    clang.close()
  }
})
