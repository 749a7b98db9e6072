import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { indexDocuments, termsOf } from './documents.ts'

let folder: string
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'npu-documents-'))
  mkdirSync(join(folder, 'api'))
  write(
    'api/copy.md',
    '# Copies\n\nGeneral remarks.\n\n## DataCopyPad\n\nCopies any number of bytes and fills up the rest.\n',
  )
  write(
    'api/reduce.md',
    '# 归约\n\n## 求和接口\n\n对张量的所有元素求和。\n\n```cpp\n# no heading\nReduceSum(dst, src, work, count);\n```\n',
  )
  write('notes.md', `# Notes\n\n${'Nothing of interest stands here. '.repeat(200)}\n`)
  write('data.txt', 'DataCopyPad')
})
afterAll(() => rmSync(folder, { recursive: true }))

test('names are found as a whole and by their parts, Chinese by pairs', () => {
  expect(termsOf('DataCopyPad of GM_ADDR, x2')).toEqual([
    'datacopypad',
    'data',
    'copy',
    'pad',
    'of',
    'gm_addr',
    'gm',
    'addr',
    'x2',
  ])
  expect(termsOf('归约求和 和')).toEqual(['归约', '约求', '求和', '和'])
  expect(termsOf('使用ReduceSum接口')).toEqual(['使用', 'reducesum', 'reduce', 'sum', '接口'])
})

test('the best passage comes first, with the line that it begins in', () => {
  const { find: search } = indexDocuments(folder)
  expect(search('how to pad a copy')[0]).toEqual({
    place: 'api/copy.md:5',
    text: '## DataCopyPad\n\nCopies any number of bytes and fills up the rest.',
  })
  expect(search('张量求和')[0]?.place).toBe('api/reduce.md:3')
  expect(search('张量求和')[0]?.text).toContain('# no heading\nReduceSum')
  expect(search('zebra')).toEqual([])
})

test('what is found is bounded', () => {
  const found = indexDocuments(folder).find('nothing of interest')
  expect(found.length).toBeGreaterThan(0)
  expect(found.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(8000)
})

test('what cannot be taken is one line', () => {
  const small = { fileBytes: 1 << 20, allBytes: 1 << 20, files: 2 }
  expect(() => indexDocuments(folder, small)).toThrow(
    /notes\.md is too much: .* 2 files together; name a part of the folder$/,
  )
  expect(() => indexDocuments(join(folder, 'none'))).toThrow(/^--docs .*none: there is no such folder$/)
  const outside = mkdtempSync(join(tmpdir(), 'npu-documents-'))
  expect(() => indexDocuments(outside)).toThrow(/holds no Markdown/)
  symlinkSync(join(folder, 'notes.md'), join(outside, 'link.md'))
  expect(() => indexDocuments(outside)).toThrow(
    /link\.md is a link that leads out of the folder; copy what it leads to$/,
  )
  rmSync(outside, { recursive: true })
})

test('what the documents say decides their hash, not where they lie', () => {
  const other = mkdtempSync(join(tmpdir(), 'npu-documents-'))
  try {
    writeFileSync(join(other, 'a.md'), '# A\n\none\n')
    const before = indexDocuments(other).hash
    writeFileSync(join(other, 'a.md'), '# A\n\ntwo\n')
    expect(indexDocuments(other).hash).not.toBe(before)
    writeFileSync(join(other, 'a.md'), '# A\n\none\n')
    expect(indexDocuments(other).hash).toBe(before)
  } finally {
    rmSync(other, { recursive: true })
  }
})
