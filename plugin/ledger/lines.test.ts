import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { linesOf } from './lines.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-lines-'))))
afterEach(() => rmSync(folder, { recursive: true }))

test('lines lie where they are said to, across the chunks that a file is read in', () => {
  const path = join(folder, 'a')
  const lines = ['é'.repeat(700_000), '', 'x', 'y'.repeat(3 << 20), 'torn']
  writeFileSync(path, lines.join('\n'))
  const data = Buffer.from(lines.join('\n'))
  const found = [...linesOf(path)]
  expect(found.map(({ text }) => text)).toEqual(lines)
  expect(found.map(({ isTorn }) => isTorn)).toEqual([false, false, false, false, true])
  for (const { text, offset, bytes } of found)
    expect(data.subarray(offset, offset + bytes).toString('utf8') === text).toBe(true)
})

test('a line that no text can hold is read as nothing, and the next one as it is', { timeout: 60_000 }, () => {
  const path = join(folder, 'b')
  const file = openSync(path, 'w')
  ftruncateSync(file, 300 << 20)
  writeSync(file, '\nnext\n', 300 << 20)
  closeSync(file)
  expect([...linesOf(path)].map(({ text, bytes }) => [text, bytes])).toEqual([
    ['', 300 << 20],
    ['next', 4],
  ])
})

test('a byte order mark at the beginning is no part of the first line', () => {
  const path = join(folder, 'c')
  writeFileSync(path, '\uFEFFé\n\uFEFFx\n')
  expect([...linesOf(path)].map(({ text, offset }) => [text, offset])).toEqual([
    ['é', 0],
    ['\uFEFFx', 6],
  ])
})
