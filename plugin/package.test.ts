import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

const root = fileURLToPath(new URL('..', import.meta.url))
const manifest = z
  .object({
    os: z.array(z.string()),
    cpu: z.array(z.string()),
    libc: z.array(z.string()),
    scripts: z.record(z.string(), z.string()),
    bin: z.record(z.string(), z.string()),
    exports: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])),
  })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))

let files: Set<string>
beforeAll(() => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [{ files: list }] = z
    .tuple([z.object({ files: z.array(z.object({ path: z.string() })) })])
    .parse(JSON.parse(packed))
  files = new Set(list.map(({ path }) => path))
}, 60_000)

/** Files beside a document that it links to. */
const linksOf = (document: string): string[] =>
  [...readFileSync(join(root, document), 'utf8').matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/g)]
    .map(([, link = '', image = '']) => (link || image).replace(/#.*$/, ''))
    .filter((link) => link !== '' && !/^[a-z]+:/.test(link))
    .map((link) => normalize(join(dirname(document), link)))

test('the package holds what its README and the documents behind it link to', () => {
  const documents = [...files].filter((path) => path.endsWith('.md'))
  expect(documents).toContain('docs/architecture.md')
  const missing = documents.flatMap((document) =>
    linksOf(document)
      .filter((link) => !files.has(link) && ![...files].some((path) => path.startsWith(`${link.replace(/\/$/, '')}/`)))
      .map((link) => `${document}: ${link}`),
  )
  expect(missing).toEqual([])
})

test('it holds what it says it exports, all that is built, and what the emulator is built of', () => {
  const targets = Object.values(manifest.exports).flatMap((each) =>
    typeof each === 'string' ? each : Object.values(each),
  )
  const named = [...targets, ...Object.values(manifest.bin)]
    .map((path) => normalize(path))
    .filter((path) => !path.includes('*'))
  expect(named.filter((path) => !files.has(path))).toEqual([])
  const built = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.js'),
  )
  expect(built.filter((path) => !files.has(`dist/${path}`))).toEqual([])
  for (const path of ['include/kernel_operator.h', 'runtime/core.h', 'runner/main.cpp', 'kernel/raw_access.cpp'])
    expect(files).toContain(`plugin/emulator/${path}`)
})

test('it holds no tests, and no sources of what is built', () => {
  // prompts quote the declarations of the language
  const quoted = 'plugin/dsl/language.ts'
  const found = [...files].filter((path) => /\.test(?:-d)?\.ts$|^plugin\/.*\.ts$|^dist\/.*\.test\./.test(path))
  expect(found).toEqual([quoted])
})

test('its source maps hold their sources', () => {
  const mapping = z.object({ sources: z.array(z.string()), sourcesContent: z.array(z.string()) })
  const maps = [...files].filter((path) => path.endsWith('.map'))
  expect(maps.length).toBeGreaterThan(100)
  for (const path of maps) {
    const { sources, sourcesContent } = mapping.parse(JSON.parse(readFileSync(join(root, path), 'utf8')))
    expect(sourcesContent, path).toHaveLength(sources.length)
  }
})

test('npm installs it only where it works, and runs nothing of it', () => {
  expect(manifest).toMatchObject({ os: ['linux'], cpu: ['x64', 'arm64'], libc: ['glibc'] })
  for (const script of ['preinstall', 'install', 'postinstall']) expect(manifest.scripts).not.toHaveProperty(script)
})

test('it is published with the address of its sources, or not at all', () => {
  expect(manifest.scripts['prepublishOnly']).toBe('node .ci/publishable.mjs')
  const folder = mkdtempSync(join(tmpdir(), 'npu-publish-'))
  const asked = (repository: unknown) => {
    const file = join(folder, 'package.json')
    writeFileSync(file, JSON.stringify({ name: 'p', repository }))
    return spawnSync(process.execPath, [join(root, '.ci/publishable.mjs'), file], { encoding: 'utf8' })
  }
  for (const repository of ['github:owner/name', { type: 'git', url: 'https://host/owner/name.git' }])
    expect(asked(repository)).toMatchObject({ status: 0, stderr: '' })
  for (const repository of [undefined, '', { type: 'git' }]) {
    const { status, stderr } = asked(repository)
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^package.json has no "repository": .*\n$/),
    })
  }
  rmSync(folder, { recursive: true })
})
