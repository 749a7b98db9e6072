import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FileError, isOddName, isSource, listBelow, pathOf, readRegular, shownName } from './index.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'npu-files-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const pipe = (name: string): void => void execFileSync('mkfifo', [join(folder, name)])
const thrown = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof FileError) return error.message
    throw error
  }
  return ''
}

describe('reading', () => {
  test('gives the bytes of a regular file', () => {
    writeFileSync(join(folder, 'a.h'), 'one')
    expect(readRegular(join(folder, 'a.h'), 3).toString()).toBe('one')
  })

  test('what would keep the reader waiting is refused at once', async () => {
    pipe('pipe.h')
    const server = createServer().listen(join(folder, 'socket.h'))
    await new Promise((resolve) => server.once('listening', resolve))
    for (const path of [join(folder, 'pipe.h'), join(folder, 'socket.h'), '/dev/zero', folder])
      expect(thrown(() => readRegular(path, 10))).toBe(`${path} is no regular file`)
    server.close()
  })

  test('a link that has taken the place of a file is not followed', () => {
    symlinkSync('/etc/passwd', join(folder, 'a.h'))
    expect(thrown(() => readRegular(join(folder, 'a.h'), 1e6))).toBe(`${join(folder, 'a.h')} is no regular file`)
  })

  test('a huge file is refused by its size, unread', () => {
    writeFileSync(join(folder, 'a.h'), '')
    truncateSync(join(folder, 'a.h'), 2 ** 40)
    expect(thrown(() => readRegular(join(folder, 'a.h'), 2 ** 20))).toContain('a.h is larger than 1 MiB')
  })

  test('a file that is missing is named', () => {
    expect(thrown(() => readRegular(join(folder, 'none'), 1))).toMatch(/^cannot read .*none: ENOENT/)
  })
})

describe('listing', () => {
  test('tells what is there without following a link, in the order of names', () => {
    mkdirSync(join(folder, 'b'))
    writeFileSync(join(folder, 'b/x.h'), '')
    writeFileSync(join(folder, 'a.h'), '')
    symlinkSync('.', join(folder, 'loop'))
    pipe('p')
    mkdirSync(join(folder, '.hidden/node_modules'), { recursive: true })
    expect(listBelow(folder)).toEqual([
      { name: 'a.h', kind: 'file', odd: false },
      { name: 'b', kind: 'folder', odd: false },
      { name: 'b/x.h', kind: 'file', odd: false },
      { name: 'loop', kind: 'link', odd: false },
      { name: 'p', kind: 'other', odd: false },
    ])
    const skipped = { name: '.hidden', kind: 'folder', odd: false }
    expect(listBelow(folder, { withSkipped: true })).toEqual([skipped, ...listBelow(folder)])
    expect(listBelow(folder, { belowSkipped: true }).slice(0, 2)).toEqual([
      skipped,
      { ...skipped, name: '.hidden/node_modules' },
    ])
  })

  test('marks names that no file of a candidate can have, and looks at nothing below them', () => {
    mkdirSync(join(folder, 'a#b'))
    writeFileSync(join(folder, 'a#b/x.h'), '')
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0x2e, 0x68])]), '')
    expect(listBelow(folder)).toEqual([
      { name: 'a#b', kind: 'folder', odd: true },
      { name: '\uFFFD.h', kind: 'file', odd: true, bytes: Buffer.from([0xff, 0x2e, 0x68]) },
    ])
  })

  test('tells what lies below folders with odd names where somebody asks, each by its own name', () => {
    const [one, other] = [0xfe, 0xff].map((byte) => Buffer.from([byte]))
    for (const name of [one!, other!, Buffer.from('a#b')])
      mkdirSync(Buffer.concat([Buffer.from(`${folder}/`), name, Buffer.from('/inner')]), { recursive: true })
    const listed = listBelow(folder, { belowOdd: true })
    expect(listed.map(({ name, odd }) => [name, odd])).toEqual([
      ['a#b', true],
      ['a#b/inner', true],
      ['\uFFFD', true],
      ['\uFFFD', true],
      ['\uFFFD/inner', true],
      ['\uFFFD/inner', true],
    ])
    const paths = listed.map((entry) => pathOf(folder, entry))
    expect(new Set(paths.map((path) => Buffer.from(path).toString('hex'))).size).toBe(6)
    expect(paths.every((path) => existsSync(path))).toBe(true)
  })

  test('ends in one line where folders are too deep or files too many', () => {
    mkdirSync(join(folder, ...Array.from({ length: 40 }, () => 'd')), { recursive: true })
    expect(thrown(() => listBelow(folder))).toMatch(/^\S+ has folders deeper than 32: remove d\/d\/[d/]+$/)
    rmSync(join(folder, 'd'), { recursive: true })
    for (let i = 0; i <= 20_000; i++) writeFileSync(join(folder, `${i}.h`), '')
    expect(thrown(() => listBelow(folder))).toMatch(/^\S+ holds more than 20000 files: leave .*$/)
  })
})

test.each([
  ['add_custom.cpp', false],
  ['名字 (2) @home+x=1,y~.h', false],
  ['-rf.h', true],
  ['=1+1', true],
  ['+1', true],
  ['@SUM(A1)', true],
  ['<a>.h', true],
  ['a<svg onload=x()>.h', true],
  ['a>b.h', true],
  ['a&amp;b.h', true],
  ['a\ud800', true],
  ['b.js?t=1&.cpp', true],
  ['a#b.h', true],
  [`it's.h`, true],
  ['a"b.h', true],
  ['a`b`.h', true],
  ['a\\b.h', true],
  ['a\nb.h', true],
  ['a\rb.h', true],
  ['\u001B[31mred.h', true],
  ['\u009B31m.h', true],
  ['\u202Egnp.h', true],
  ['a\u2028b.h', true],
  ['::error::x.h', true],
  ['##vso[task.complete].h', true],
])('a name like %j: odd is %s', (name, odd) => {
  expect(isOddName(name)).toBe(odd)
  expect(shownName(name)).not.toMatch(/[\p{Cc}\u202e\u2028]/u)
  if (!odd) expect(shownName(name)).toBe(name)
})

test.each([
  ['op_kernel/a.cpp', true],
  ['op_kernel/cmake/options.cmake', true],
  ['op_kernel/CMakeLists.txt', true],
  ['op_kernel/a.txt', false],
  ['op_kernel/cmake', false],
])('%s is a source: %s', (name, is) => expect(isSource(name)).toBe(is))
