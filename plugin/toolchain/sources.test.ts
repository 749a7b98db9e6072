import {
  cpSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hashOf } from '../cache/hash.ts'
import { readSourceTree, sameFiles, tellingPlaces, withMarks, type SourceTree } from './sources.ts'

let folder: string
beforeEach(() => void (folder = realpathSync(mkdtempSync(join(tmpdir(), 'npu-trees-')))))
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}

const read = async (root = join(folder, 'c')): Promise<SourceTree> =>
  await readSourceTree(root, '/mark', { own: [join(root, 'op_kernel')] })
const keyNow = async (root?: string): Promise<string> => (await read(root)).key

test('a tree without links has the key of names and contents, wherever it lies', async () => {
  write('c/op_kernel/a.h', 'one')
  write('c/op_kernel/b.h', 'one')
  write('c/notes.txt', '')
  const key = await keyNow()
  expect(key).toBe(hashOf(['op_kernel/a.h', 'one', 'op_kernel/b.h', 'one'], ['file notes.txt', 'folder op_kernel']))
  cpSync(join(folder, 'c'), join(folder, 'd'), { recursive: true })
  expect(await keyNow(join(folder, 'd'))).toBe(key)
})

test('a source is told from names of what is none', async () => {
  write('c/op_kernel/folder a.h', 'file b')
  const key = await keyNow()
  rmSync(join(folder, 'c/op_kernel/folder a.h'))
  mkdirSync(join(folder, 'c/op_kernel/a.h'))
  write('c/op_kernel/b', '')
  expect(await keyNow()).not.toBe(key)
})

test('where a link leads is a part of the key, whatever it is called', async () => {
  write('c/op_kernel/a.h', 'one')
  write('c/one/flag.h', '')
  write('c/other/x.h', '')
  const keys: string[] = []
  const lead = async (name: string | Buffer, target: string): Promise<void> => {
    const path = Buffer.concat([Buffer.from(join(folder, 'c/')), Buffer.from(name)])
    symlinkSync(target, path)
    keys.push(await keyNow())
    unlinkSync(path)
  }
  for (const name of ['l', '.hidden', 'a&b', Buffer.from([0xff])])
    for (const target of ['one', 'other', 'none', '..', '../..'].map((path) => join(folder, 'c', path)))
      await lead(name, target)
  expect(new Set(keys).size).toBe(keys.length)
})

test('what lies in a folder with an odd name beside the sources is a part of the key', async () => {
  write('c/op_kernel/a.h', 'one')
  const keys: string[] = []
  for (const name of ['a&b', Buffer.from([0xff]), Buffer.from([0xfe]), 'ÿ']) {
    const path = Buffer.concat([Buffer.from(join(folder, 'c/')), Buffer.from(name)])
    mkdirSync(path)
    keys.push(await keyNow())
    writeFileSync(Buffer.concat([path, Buffer.from('/flag.h')]), '')
    keys.push(await keyNow())
    rmSync(path, { recursive: true })
  }
  expect(new Set(keys).size).toBe(8)
})

const sameNow = async (family: 'clang' | 'gcc'): Promise<string[]> =>
  sameFiles([await read(), await readSourceTree(join(folder, 'h'), '/host', {})], family)

function linkTo(file: string, name: string): void {
  rmSync(join(folder, name))
  linkSync(join(folder, file), join(folder, name))
}

test('names of one file are told from copies', async () => {
  for (const name of ['c/op_kernel/a.h', 'c/op_kernel/b.h', 'h/c.h']) write(name, '#pragma once\n')
  expect(await sameNow('clang')).toEqual([])
  linkTo('c/op_kernel/a.h', 'h/c.h')
  expect(await sameNow('clang')).toEqual(['["same","/mark/op_kernel/a.h","/host/c.h"]'])
  linkTo('c/op_kernel/a.h', 'c/op_kernel/b.h')
  expect(await sameNow('clang')).toHaveLength(2)
})

const names = ['a', 'b', 'c', 'd', 'e']

/** Each source is changed some seconds after the one before. */
const age = (seconds: number): void => {
  for (const [index, name] of names.entries())
    utimesSync(join(folder, `c/op_kernel/${name}.h`), 1e9, 1e9 + index * seconds)
}

test('g++ takes sources for one that are as old as each other: their times count for it alone', async () => {
  for (const [index, text] of ['one', 'one', 'two', '', ''].entries()) write(`c/op_kernel/${names[index]}.h`, text)
  age(0.1)
  const tree = await read()
  expect(sameFiles([tree], 'gcc')).toEqual(['["same","/mark/op_kernel/a.h","/mark/op_kernel/b.h"]'])
  expect(sameFiles([tree], 'clang')).toEqual([])
  age(1)
  expect(sameFiles([tree], 'gcc')).toEqual([])
})

test('a mark stands for its folder alone, and no text makes one', () => {
  const trees = [
    { root: '/r/ops/c', mark: '/npu/candidate' },
    { root: '/r', mark: '/npu/repository' },
  ]
  const marked = (text: string): string => withMarks(text, trees)
  expect(marked('-I/r/ops/c/inc:/r/inc')).toBe('-I/npu/candidate/inc:/npu/repository/inc')
  expect(withMarks('/npu/candidate/x', [{ root: '/npu/candidate', mark: '/npu/candidate' }])).toBe('/npu/candidate/x')
  const texts = ['/r/ops/c', '/npu/candidate', '\0npu/candidate\0', '\0\0', '\0', '\0/npu/candidate', '\0/r/ops/c', '']
  expect(new Set(texts.map(marked)).size).toBe(texts.length)
})

test('a macro that tells where the candidate lies is told as it is', () => {
  const trees = [{ root: '/r/c', mark: '/npu/candidate' }]
  expect(tellingPlaces(['-DA=1', '-DB="/r/c/x"', '-DC=/npu/candidate'], trees)).toEqual(['-DB="/r/c/x"'])
})
