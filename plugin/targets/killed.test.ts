import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { cacheFolderOf } from '../cache/cache.ts'
import { KernelService } from '../service/service.ts'
import { emulator } from './emulator.ts'

const repository = fileURLToPath(new URL('../../', import.meta.url))

/** Pids of the living descendants of a process. */
function descendants(pid: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        try {
          const [, parent] = /\) \w (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
          return [[Number(name), Number(parent)] as const]
        } catch {
          return []
        }
      }),
  )
  const children = [...parents].flatMap(([child, parent]) => (parent === pid ? [child] : []))
  return children.flatMap((child) => [child, ...descendants(child)])
}

/** A package folder with the service compiled to JavaScript, as node cannot load it otherwise. */
function compiledPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'killed-test-'))
  for (const name of ['plugin', 'references', 'node_modules']) symlinkSync(join(repository, name), join(folder, name))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const tsc = join(repository, 'node_modules', '.bin', 'tsc')
  const project = ['-p', join(repository, 'tsconfig.build.json'), '--outDir', join(folder, 'dist')]
  try {
    execFileSync(tsc, project, { stdio: 'pipe', cwd: repository })
  } catch {
    // type errors are another check's business; the code is there all the same
  }
  return folder
}

test('a run that is killed leaves no process, and its folder is swept by the next', { timeout: 600_000 }, async () => {
  const folder = compiledPackage()
  // any run that starts on this machine would sweep the shared one
  vi.stubEnv('TMPDIR', folder)
  const script = `
    import { KernelService } from ${JSON.stringify(join(folder, 'dist', 'service', 'index.js'))}
    import { emulator } from ${JSON.stringify(join(folder, 'dist', 'targets', 'emulator.js'))}
    const root = ${JSON.stringify(join(repository, 'references', 'baseline', 'AddCustom'))}
    const argument = (name) => ({ name, kind: 'tensor', required: true, dtypes: ['float16'] })
    const task = { name: 'AddCustom', kernel: 'add_custom', suite: 'own', group: null, category: 'Math', attrs: [],
      inputs: [argument('x'), argument('y')], outputs: [argument('z')] }
    const sample = { task: 'AddCustom', name: 's', root, kernelDir: root + '/op_kernel', hostDir: root + '/op_host', cmakeLists: [] }
    const combinations = [{ inputs: ['float16', 'float16'], outputs: ['float16'] }]
    const cacheDir = ${JSON.stringify(cacheFolderOf(repository))}
    const target = emulator.create({ cacheDir, soc: 'Ascend910B2', jobs: 1 })
    const service = new KernelService({ target, cacheDir, jobs: 1 })
    await service.start()
    const built = await service.build({ sample, task, combinations })
    const tensor = { dtype: 'float16', shape: [64] }
    const kase = { task: 'AddCustom', name: 'c', combination: 0, inputs: { x: tensor, y: tensor }, outputs: { z: tensor }, attrs: {}, seed: 1 }
    // the file is missing: the runner and its child are started all the same
    await service.launch({ artifact: built.artifact, case: kase, file: '/nowhere', fileBytes: 4096, slots: [], poison: '00'.repeat(8) })
    console.log(service.path)
    setInterval(() => {}, 1000)`
  try {
    const run = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [path] = await once(run.stdout, 'data')
    const socket = String(path).trim()
    const children = descendants(run.pid ?? 0)
    expect(children.length).toBeGreaterThan(0)

    run.kill('SIGKILL')
    await once(run, 'exit')
    await expect.poll(() => children.filter((pid) => existsSync(`/proc/${pid}`)), { timeout: 10_000 }).toEqual([])

    expect(existsSync(socket)).toBe(true)
    const cacheDir = cacheFolderOf(repository)
    const target = emulator.create({ cacheDir, soc: 'Ascend910B2', jobs: 1 })
    const next = new KernelService({ target, cacheDir, jobs: 1 })
    await next.start()
    await next.close()
    expect(existsSync(socket)).toBe(false)
  } finally {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  }
})
