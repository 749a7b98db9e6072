import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Sample } from '../model/index.ts'
import { sourceHash } from './source-hash.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-sources-'))))
afterEach(() => rmSync(folder, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const sample = (name: string): Sample => {
  const root = join(folder, name)
  const [kernelDir, hostDir] = [join(root, 'op_kernel'), join(root, 'op_host')]
  return { task: 'Sqrt', name, root, kernelDir, hostDir, cmakeLists: [] }
}

test('the same files have the same hash wherever they lie, and any other content or name another one', () => {
  for (const name of ['a', 'b', 'content', 'host', 'name']) {
    write(`${name}/op_kernel/k.cpp`, 'kernel')
    write(`${name}/op_host/h.cpp`, 'host')
  }
  write('content/op_kernel/k.cpp', 'other')
  write('host/op_host/h.cpp', 'other')
  write('name/op_kernel/more.h', '')
  expect(sourceHash(sample('a'))).toMatch(/^[0-9a-f]{32}$/)
  expect(sourceHash(sample('b'))).toBe(sourceHash(sample('a')))
  expect(new Set(['a', 'content', 'host', 'name'].map((name) => sourceHash(sample(name)))).size).toBe(4)
  expect(sourceHash({ ...sample('a'), hostDir: null })).not.toBe(sourceHash(sample('a')))
})

test('what cannot be read has none, and no link is followed', () => {
  expect(sourceHash(sample('missing'))).toBeUndefined()
  write('linked/op_kernel/k.cpp', 'kernel')
  write('linked/op_host/h.cpp', 'host')
  const before = sourceHash(sample('linked'))
  symlinkSync('/etc/hostname', join(folder, 'linked/op_kernel/link.h'))
  expect(sourceHash(sample('linked'))).toBe(before)
})

test('headers beside the kernel, and where links lead to, are told', () => {
  const root = join(folder, 'c')
  write('c/op_kernel/k.cpp', 'kernel')
  write('c/op_host/h.cpp', 'host')
  const hashes = [sourceHash(sample('c'))]
  // nothing else is a part of a build
  write('c/answer.txt', 'other')
  expect(sourceHash(sample('c'))).toBe(hashes[0])
  const change = (act: () => void): void => {
    act()
    hashes.push(sourceHash(sample('c')))
  }
  change(() => write('c/inc/one.h', '1'))
  change(() => write('c/inc/one.h', '2'))
  change(() => write('c/inc/two.h', '2'))
  change(() => symlinkSync('../inc/one.h', join(root, 'op_kernel/link.h')))
  rmSync(join(root, 'op_kernel/link.h'))
  change(() => symlinkSync('../inc/two.h', join(root, 'op_kernel/link.h')))
  expect(hashes).not.toContain(undefined)
  expect(new Set(hashes).size).toBe(hashes.length)
})
