import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { makeFolder } from './make-folder.ts'

const root = mkdtempSync(join(tmpdir(), 'npu-make-folder-'))
afterAll(() => rmSync(root, { recursive: true }))

test('makes what is missing, once or again', () => {
  const folder = join(root, 'a/b/c')
  makeFolder(folder)
  makeFolder(folder)
  expect(existsSync(folder)).toBe(true)
})

test('says why there can be none', () => {
  writeFileSync(join(root, 'file'), '')
  symlinkSync('nowhere', join(root, 'link'))
  expect(() => makeFolder(join(root, 'file'))).toThrow(/EEXIST/)
  expect(() => makeFolder(join(root, 'file/below'))).toThrow(/ENOTDIR/)
  expect(() => makeFolder(join(root, 'link'))).toThrow(/EEXIST/)
})

test.skipIf(!existsSync('/proc/self'))('ends where a file system takes no folders', () => {
  expect(() => makeFolder('/proc/none/below')).toThrow(/ENOENT/)
})
