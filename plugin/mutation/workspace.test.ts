import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { realPath } from '../candidates/index.ts'
import type { Sample } from '../model/index.ts'
import { editsOf } from './edits.ts'
import { folderAround, Workspace } from './workspace.ts'

let base: string
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(base, path)), { recursive: true })
  writeFileSync(join(base, path), text)
}
beforeAll(() => {
  base = realPath(mkdtempSync(join(tmpdir(), 'workspace-')))
  write('mine/op_kernel/x.cpp', 'void f() { if (a) b(); }\n')
  write('mine/op_kernel/CMakeLists.txt', '')
  write('mine/.hidden/x.h', '')
  write('mine/data.bin', '')
  truncateSync(join(base, 'mine/data.bin'), 2 ** 40)
  execFileSync('mkfifo', [join(base, 'mine/op_kernel/pipe.h')])
  symlinkSync('x.cpp', join(base, 'mine/op_kernel/linked.h'))
  symlinkSync('/etc/hostname', join(base, 'mine/op_kernel/out.h'))
  symlinkSync('..', join(base, 'mine/op_kernel/loop'))
  write('other/op_kernel/y.h', '')
  write('common/z.h', '')
})
afterAll(() => rmSync(base, { recursive: true }))

const sample = (): Sample => {
  const root = join(base, 'mine')
  const lists = [join(root, 'op_kernel/CMakeLists.txt')]
  const around = { repository: join(base, 'common') }
  return { task: 'X', name: 'x', root, kernelDir: join(root, 'op_kernel'), hostDir: null, cmakeLists: lists, ...around }
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => `${relative(folder, join(entry.parentPath, entry.name))}${entry.isFile() ? '' : ' is no file'}`)
    .sort()

test('copies what a build reads: no other files, no pipes, nothing that links lead to elsewhere', () => {
  const { root, repository } = sample()
  const workspace = new Workspace(folderAround(sample()), [root, repository!])
  try {
    const sources = ['CMakeLists.txt', 'linked.h', 'x.cpp'].map((name) => `mine/op_kernel/${name}`)
    expect(filesBelow(workspace.folder)).toEqual(['common/z.h', ...sources])
    const moved = workspace.sampleOf(sample())
    const places = [moved.root, moved.kernelDir, moved.repository!, ...moved.cmakeLists]
    expect(places.map((path) => [relative(workspace.folder, path), existsSync(path)])).toEqual([
      ['mine', true],
      ['mine/op_kernel', true],
      ['common', true],
      ['mine/op_kernel/CMakeLists.txt', true],
    ])
  } finally {
    workspace.close()
  }
  expect(existsSync(workspace.folder)).toBe(false)
})

test('an edit is there as long as the work, which may fail', async () => {
  const file = 'mine/op_kernel/x.cpp'
  const text = readFileSync(join(base, file), 'utf8')
  const workspace = new Workspace(base, [join(base, 'mine')])
  const [edit] = editsOf(text)
  const here = (): string => readFileSync(join(workspace.folder, file), 'utf8')
  const mutant = { file, text, edit: edit! }
  try {
    expect(await workspace.withEdit(mutant, () => Promise.resolve(here()))).toBe('void f() { if (false) b(); }\n')
    await expect(workspace.withEdit(mutant, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(here()).toBe(text)
    expect(readFileSync(join(base, file), 'utf8')).toBe(text)
  } finally {
    workspace.close()
  }
})
