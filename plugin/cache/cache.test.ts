import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Cache, cacheFolderOf, failuresEnding, verdictsKind } from './cache.ts'
import { hashOf } from './hash.ts'

// compilers and processes take their time on a loaded machine
vi.setConfig({ testTimeout: 120_000 })

const here = fileURLToPath(new URL('.', import.meta.url))
let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cache-test-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const hidden = (folder: string): string[] => readdirSync(folder).filter((name) => name.startsWith('.'))

test('an entry is built once, however many ask for it', async () => {
  const cache = new Cache(root)
  let builds = 0
  const build = async (folder: string): Promise<void> => {
    builds++
    await writeFile(join(folder, 'file'), 'content')
  }
  const folders = await Promise.all([1, 2, 3].map(() => cache.entry('kind', 'key', build)))
  expect(new Set(folders).size).toBe(1)
  expect(await cache.entry('kind', 'key', build)).toBe(folders[0])
  expect(builds).toBe(1)
})

test('what is no folder itself is no entry, and makes room for one', async () => {
  const folder = join(root, 'kind')
  mkdirSync(join(folder, 'elsewhere'), { recursive: true })
  symlinkSync('elsewhere', join(folder, 'link'))
  symlinkSync('nowhere', join(folder, 'dangling'))
  symlinkSync('circle', join(folder, 'circle'))
  writeFileSync(join(folder, 'file'), '')
  // what it sweeps may be links in a circle
  const cache = new Cache(root)
  for (const key of ['link', 'dangling', 'circle', 'file']) {
    expect(cache.lookup('kind', key)).toBeNull()
    const path = await cache.entry('kind', key, async (draft) => await writeFile(join(draft, 'made'), key))
    expect(readFileSync(join(path, 'made'), 'utf8')).toBe(key)
    expect(cache.lookup('kind', key)).toBe(path)
  }
  expect(readdirSync(join(folder, 'elsewhere'))).toEqual([])
})

async function make(draft: string): Promise<void> {
  mkdirSync(join(draft, 'inside'))
  await writeFile(join(draft, 'inside/library.so'), 'x'.repeat(1000))
}

test('a note that would keep its reader waiting is none', async () => {
  const cache = new Cache(root)
  mkdirSync(join(root, 'notes'))
  execFileSync('mkfifo', [join(root, 'notes/piped.json')])
  symlinkSync('/dev/zero', join(root, 'notes/endless.json'))
  for (const key of ['piped', 'endless']) {
    expect(await cache.readNote('notes', key)).toBeNull()
    await cache.writeNote('notes', key, [key])
    expect(await cache.readNote('notes', key)).toEqual([key])
  }
})

test('an entry of which something is cut off or gone is made again', async () => {
  const cache = new Cache(root)
  const path = await cache.entry('kind', 'key', make)
  const library = join(path, 'inside/library.so')
  const damages = [
    () => truncateSync(library, 100),
    () => rmSync(library),
    () => writeFileSync(join(path, '.sizes.json'), 'null'),
    () => readdirSync(path).forEach((name) => rmSync(join(path, name), { recursive: true })),
  ]
  for (const damage of damages) {
    damage()
    expect(cache.lookup('kind', 'key')).toBeNull()
    expect(await cache.entry('kind', 'key', make)).toBe(path)
    expect(readFileSync(library).length).toBe(1000)
    expect(cache.lookup('kind', 'key')).toBe(path)
  }
})

test('all files of an entry are on disk before the entry has its name', async () => {
  const file = await open(root)
  const prototype: typeof file = Object.getPrototypeOf(file)
  const sync = vi.spyOn(prototype, 'sync')
  const path = join(root, 'kind', 'key')
  const before: boolean[] = []
  sync.mockImplementation(() => Promise.resolve(void before.push(!existsSync(path))))
  try {
    await new Cache(root).entry('kind', 'key', make)
    expect(before).toEqual([true, true])
    expect(existsSync(path)).toBe(true)
  } finally {
    sync.mockRestore()
    await file.close()
  }
})

test('a failed build leaves nothing and may be tried again', async () => {
  const cache = new Cache(root)
  await expect(cache.entry('kind', 'key', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(readdirSync(join(root, 'kind'))).toEqual([])
  await cache.entry('kind', 'key', async (folder) => await writeFile(join(folder, 'file'), ''))
  expect(cache.lookup('kind', 'key')).not.toBeNull()
})

async function slow(folder: string): Promise<void> {
  await writeFile(join(folder, 'file'), 'same')
  await new Promise((resolve) => setTimeout(resolve, 20))
}

test('two processes that build the same key both get the one entry', async () => {
  const [one, two] = [new Cache(root), new Cache(root)]
  const folders = await Promise.all([one.entry('kind', 'key', slow), two.entry('kind', 'key', slow)])
  expect(folders[0]).toBe(folders[1])
  expect(readFileSync(join(folders[0], 'file'), 'utf8')).toBe('same')
  expect(hidden(join(root, 'kind'))).toEqual([])
})

test('a builder that is killed midway leaves no entry, and its remains are swept', async () => {
  const compiled = mkdtempSync(join(tmpdir(), 'cache-code-'))
  try {
    const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))
    const options = [
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--rewriteRelativeImportExtensions',
      '--types',
      'node',
    ]
    execFileSync(tsc, [join(here, 'cache.ts'), '--ignoreConfig', '--outDir', compiled, ...options], { stdio: 'pipe' })
    writeFileSync(join(compiled, 'package.json'), '{"type":"module"}')
    symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(compiled, 'node_modules'))
    const script = `
      import { writeFileSync } from 'node:fs'
      import { Cache } from ${JSON.stringify(join(compiled, 'cache', 'cache.js'))}
      new Cache(${JSON.stringify(root)}).entry('kind', 'key', async (folder) => {
        writeFileSync(folder + '/half', 'written')
        console.log('midway')
        setInterval(() => {}, 1000)
        await new Promise(() => {})
      })`
    const builder = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(builder.stdout, 'data')
    builder.kill('SIGKILL')
    await once(builder, 'exit')

    expect(existsSync(join(root, 'kind', 'key'))).toBe(false)
    expect(hidden(join(root, 'kind'))).toHaveLength(1)
    const cache = new Cache(root)
    expect(hidden(join(root, 'kind'))).toEqual([])
    expect(cache.lookup('kind', 'key')).toBeNull()
  } finally {
    rmSync(compiled, { recursive: true })
  }
})

test('the work of a living process is not swept', () => {
  mkdirSync(join(root, 'kind'))
  const cache = new Cache(root)
  const building = cache.entry('kind', 'key', async (folder) => {
    expect(new Cache(root).lookup('kind', 'key')).toBeNull()
    expect(existsSync(folder)).toBe(true)
  })
  return expect(building).resolves.toContain('key')
})

test('entries that nothing asked for in a month are removed', async () => {
  const folder = await new Cache(root).entry('kind', 'old', async () => {})
  const longAgo = new Date(Date.now() - 40 * 86_400_000)
  utimesSync(folder, longAgo, longAgo)
  expect(new Cache(root).lookup('kind', 'old')).toBeNull()
})

test('remembered verdicts have a bounded size, and those used longest ago make room, but for failures', () => {
  const folder = join(root, verdictsKind)
  mkdirSync(folder)
  for (const [name, hours] of [
    ['old', 3],
    ['new', 1],
    ['middle', 2],
    [`failed${failuresEnding}`, 4],
  ] as const) {
    writeFileSync(join(folder, name), '')
    truncateSync(join(folder, name), 100 * 2 ** 20)
    const used = new Date(Date.now() - hours * 3_600_000)
    utimesSync(join(folder, name), used, used)
  }
  expect(new Cache(root).root).toBe(root)
  expect(readdirSync(folder).sort()).toEqual([`failed${failuresEnding}`, 'middle', 'new'])
})

test('a folder that cannot be written is one clear sentence', () => {
  const file = join(root, 'file')
  writeFileSync(file, '')
  chmodSync(file, 0o400)
  expect(() => new Cache(join(file, 'cache'))).toThrow(
    /^cannot write the cache folder .* \(set NPU_CACHE_DIR\): ENOTDIR/,
  )
})

test('NPU_CACHE_DIR moves the cache', () => {
  expect(cacheFolderOf('/project', {})).toBe('/project/node_modules/.cache/vitest-npu')
  expect(cacheFolderOf('/project', { NPU_CACHE_DIR: '/elsewhere' })).toBe('/elsewhere')
})

test('a hash tells where one part ends and the next begins', () => {
  expect(hashOf('ab', 'c')).not.toBe(hashOf('a', 'bc'))
})
