import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { KernelCoverageProvider } from './coverage-provider.ts'
import { istanbulData } from './istanbul.ts'
import { withPages } from './report-pages.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'npu-coverage-'))
})
afterEach(() => rmSync(root, { recursive: true }))

/** What is told while reports are written of these files, each with a line of code. */
async function told(names: readonly string[], reporters: readonly string[]): Promise<string[]> {
  const files = names.map((name) => join(root, 'samples', name))
  for (const file of files) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'int a;\n')
  }
  const blocks = files.map((_, file) => ({ side: 'kernel' as const, file, line: 1, column: 1, ordinal: 0, lines: [1] }))
  const lines: string[] = []
  const provider = Object.assign(new KernelCoverageProvider(), {
    ctx: { config: { root }, logger: { error: (line: string) => lines.push(line) } },
    options: { reportsDirectory: join(root, 'out'), reporter: reporters.map((name) => [name, {}]) },
  })
  const map = provider.createCoverageMap()
  for (const data of istanbulData([{ code: { files, blocks, tilingKeys: [] }, reached: '' }])) map.addFileCoverage(data)
  await provider.generateReports(map, true)
  return lines
}

const wrote = (path: string): boolean => existsSync(join(root, 'out', path))

test('files of a candidate that have no place among the pages of others are left out of pages alone, and told', async () => {
  const names = ['s0/a.h', 's1/lib.h', 's1/lib.h.html/z.h', 'index.html/b.h', 'base.css/c.h']
  const lines = await told(names, ['html', 'lcov', 'json'])
  expect(lines).toEqual([
    'coverage: 3 files have names that no page can have; html and lcov are without: samples/s1/lib.h.html/z.h, samples/index.html/b.h, samples/base.css/c.h',
  ])
  expect(['s0/a.h.html', 's1/lib.h.html', 'lcov-report/s0/a.h.html'].every(wrote)).toBe(true)
  const all = readFileSync(join(root, 'out/coverage-final.json'), 'utf8')
  expect(names.filter((name) => !all.includes(name))).toEqual([])
})

test('a report that cannot be written is told in one line, and the next one is written', async () => {
  mkdirSync(join(root, 'out/coverage-final.json'), { recursive: true })
  const lines = await told(['s0/a.h', 's1/b.h'], ['json', 'html'])
  expect(lines).toEqual([expect.stringMatching(/^coverage: the report json cannot be written: EISDIR.*$/)])
  expect(wrote('s1/b.h.html')).toBe(true)
})

test('what nobody can report is an error of whoever asks for it', () =>
  expect(told(['s0/a.h'], ['no-such-report'])).rejects.toThrow('no-such-report'))

const long = (length: number): string => `${'x'.repeat(length - 2)}.h`

test('folders above all files are called as they like; names are as long as a page of them can be', () => {
  expect(withPages(['/my.js/s0/a.h', '/my.js/s1.5/b.h', '/my.js/s2.js/c.h'])).toEqual([
    '/my.js/s0/a.h',
    '/my.js/s1.5/b.h',
  ])
  expect(withPages(['/my.js/a.h'])).toEqual(['/my.js/a.h'])
  expect(withPages([`/a/${long(250)}`, `/b/${long(251)}`])).toEqual([`/a/${long(250)}`])
  expect(withPages([])).toEqual([])
})
