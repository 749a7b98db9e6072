import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { cacheFolderOf } from '../cache/cache.ts'
import { emulator } from '../targets/emulator.ts'
import { findCompiler } from '../toolchain/compiler.ts'
import { probeConfinement } from '../toolchain/confinement-probe.ts'
import { cacheFinding, emulatorFindings } from './doctor-emulator.ts'

vi.setConfig({ testTimeout: 60_000 })

const repository = fileURLToPath(new URL('../../', import.meta.url))

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-doctor-'))))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => void vi.unstubAllEnvs())

test('the doctor names compiler, versions, processors, cache and layers of the confinement', async () => {
  vi.stubEnv('NPU_CACHE_DIR', join(folder, 'cache'))
  const findings = await emulatorFindings()
  const { path, version } = await findCompiler()
  const byName = new Map(findings.map(({ what, found }) => [what, found]))
  expect([...byName.keys()]).toEqual([
    'C++ compiler',
    'linker',
    'Node.js',
    'C library',
    'processors',
    'cache folder',
    'Landlock',
    'seccomp',
    'namespaces',
  ])
  expect(byName.get('C++ compiler')).toContain(`${path}, ${version}`)
  expect(byName.get('Node.js')).toBe(process.version)
  expect(byName.get('C library')).toMatch(/^glibc \d+\.\d+/)
  expect(byName.get('processors')).toMatch(/^\d+ \(\w+.*\); memory: [\d.]+ GiB$/)
  expect(byName.get('cache folder')).toMatch(/cache, [\d.]+ GiB free; the first run builds the emulator/)
})

test('it says of a machine without a compiler how to get one, and goes on', async () => {
  vi.stubEnv('NPU_CXX', '')
  vi.stubEnv('PATH', folder)
  vi.stubEnv('NPU_CACHE_DIR', join(folder, 'cache'))
  const findings = await emulatorFindings()
  expect(findings[0]).toMatchObject({
    found: null,
    what: expect.stringMatching(/^no C\+\+ compiler: .*apt-get install/),
  })
  expect(findings.map(({ what }) => what)).toContain('cache folder')
})

test('it says of a cache that cannot be written how to have another one', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const { what, found, remedy } = cacheFinding(join(file, 'cache'))
  expect([found, what, remedy]).toEqual([
    null,
    expect.stringContaining(`${file}/cache`),
    expect.stringMatching(/NPU_CACHE_DIR/),
  ])
})

test('layers are those that the emulator itself finds', async () => {
  const target = emulator.create({ cacheDir: cacheFolderOf(repository), soc: 'Ascend910B2', jobs: 1 })
  try {
    const missing = (await target.missingConfinement?.()) ?? []
    const { landlock, seccomp } = await probeConfinement(await findCompiler())
    expect({ landlock: landlock > 0, seccomp }).toEqual({
      landlock: !missing.includes('landlock'),
      seccomp: !missing.includes('seccomp'),
    })
  } finally {
    await target.close()
  }
}, 900_000)
