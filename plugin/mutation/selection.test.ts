import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { realPath } from '../candidates/index.ts'
import type { Sample } from '../model/index.ts'
import { damages, lineOf } from './edits.ts'
import { mutantsOf, patternOf, type Selection } from './selection.ts'
import { folderAround } from './workspace.ts'

let repository: string
beforeAll(() => {
  repository = realPath(mkdtempSync(join(tmpdir(), 'selection-')))
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(repository, path)), { recursive: true })
    writeFileSync(join(repository, path), text)
  }
  write('common/inc/op_host/x.h', '')
  write('common/inc/shared.h', 'void g() { if (a) b(); }\n')
  write('mine/op_kernel/mine.cpp', '#include "shared.h"\nvoid f() {\n  if (a) b();\n  SyncAll();\n  if (c) d();\n}\n')
  write('mine/op_kernel/part.h', 'void h() { if (a) b(); }\n')
  write('mine/op_kernel/arch35/other.h', 'void h() { if (a) b(); }\n')
  write('mine/op_host/mine.cpp', 'void h() { if (a) b(); }\n')
})
afterAll(() => rmSync(repository, { recursive: true }))

const all: Selection = { patterns: [], kinds: damages, every: 1, seed: 1 }

/** The mutants of a selection, as `file:line`. */
async function chosen(change: Partial<Selection>, from = '/'): Promise<string[]> {
  const root = join(repository, 'mine')
  const [kernelDir, hostDir] = [join(root, 'op_kernel'), join(root, 'op_host')]
  const sample: Sample = { task: 'Mine', name: 'mine', root, kernelDir, hostDir, cmakeLists: [], repository }
  const found = await mutantsOf(sample, folderAround(sample), { ...all, ...change }, from)
  return found.map(({ name, text, edit }) => `${name.replace(/.*\//, '')}:${lineOf(text, edit.start)}`)
}

test('the device sources of an operator are edited, and not those for other devices or of the host part', async () => {
  const own = ['mine.cpp:3', 'mine.cpp:3', 'mine.cpp:4', 'mine.cpp:5', 'mine.cpp:5', 'part.h:1', 'part.h:1']
  expect(await chosen({})).toEqual(own)
})

test('patterns choose files and lines, also of shared headers, and leave some out', async () => {
  const by = (...patterns: string[]): Promise<string[]> => chosen({ patterns: patterns.map(patternOf) })
  expect(await by('op_kernel/mine.cpp:4-5')).toEqual(['mine.cpp:4', 'mine.cpp:5', 'mine.cpp:5'])
  expect(await by('**/*.h', '!**/part.h')).toEqual(['shared.h:1', 'shared.h:1'])
  expect(await by('!op_kernel/*.cpp', '!**/part.h')).toEqual([])
  expect(await by('!op_kernel/mine.cpp:3')).toEqual(['mine.cpp:4', 'mine.cpp:5', 'mine.cpp:5', 'part.h:1', 'part.h:1'])
  const patterns = [patternOf('mine/op_kernel/part.h')]
  expect(await chosen({ patterns }, repository)).toEqual(['part.h:1', 'part.h:1'])
})

test('kinds, every n-th, and a number of them that a seed draws', async () => {
  expect(await chosen({ kinds: ['synchronisation'] })).toEqual(['mine.cpp:4'])
  expect(await chosen({ every: 3 })).toEqual(['mine.cpp:3', 'mine.cpp:5', 'part.h:1'])
  expect(await chosen({ sample: 3, seed: 1 })).toHaveLength(3)
  const seeds = [1, 2, 3, 4, 5, 6].map((seed) => chosen({ sample: 2, seed }))
  expect(new Set((await Promise.all(seeds)).map(String)).size).toBeGreaterThan(1)
})

test('a source that is too long to look for edits is said, unless it is left out', async () => {
  writeFileSync(join(repository, 'mine/op_kernel/long.h'), 'x'.repeat(1001))
  const left = "leave it out by --mutate '!op_kernel/long.h'"
  await expect(chosen({})).rejects.toThrow(left)
  expect(await chosen({ patterns: [patternOf('!op_kernel/long.h')], kinds: ['synchronisation'] })).toEqual([
    'mine.cpp:4',
  ])
  writeFileSync(join(repository, 'mine/op_kernel/long.h'), 'x\n'.repeat(2 ** 19 + 1))
  await expect(chosen({})).rejects.toThrow(left)
  rmSync(join(repository, 'mine/op_kernel/long.h'))
})

test('a pattern is a glob with lines behind it', () => {
  expect(patternOf('a/*.h')).toEqual({ glob: 'a/*.h', not: false })
  expect(patternOf('!x.cpp:7')).toEqual({ glob: 'x.cpp', not: true, lines: [7, 7] })
  expect(patternOf('x.cpp:7:2-9:4')).toEqual({ glob: 'x.cpp', not: false, lines: [7, 9] })
})
