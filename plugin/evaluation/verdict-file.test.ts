import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hashOf } from '../cache/hash.ts'
import { VerdictFile } from './verdict-file.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'verdict-file-'))
  path = join(folder, 'verdicts', 'one.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

const question = (number: number): string => hashOf(`question ${number}`)

test('what was kept is found by the next run, the latest answer first', () => {
  const file = new VerdictFile(path)
  file.keep(question(1), { seed: 1 })
  file.keep(question(2), 'other')
  file.keep(question(1), { seed: 2 })
  for (const reader of [file, new VerdictFile(path)]) {
    expect(reader.find(question(1))).toEqual([{ seed: 2 }, { seed: 1 }])
    expect(reader.find(question(2))).toEqual(['other'])
    expect(reader.find(question(3))).toEqual([])
  }
})

test.each([
  ['a pipe', () => execFileSync('mkfifo', [path])],
  ['a link', () => symlinkSync('/dev/zero', path)],
  ['too large', () => writeFileSync(path, Buffer.alloc((8 << 20) + 1))],
])('what is %s holds no answer, and makes room for them', (_, make) => {
  mkdirSync(join(folder, 'verdicts'))
  make()
  const file = new VerdictFile(path)
  expect(file.find(question(1))).toEqual([])
  file.keep(question(1), 'right')
  expect(new VerdictFile(path).find(question(1))).toEqual(['right'])
})

test('a folder in its place keeps nothing, and costs nothing', () => {
  mkdirSync(path, { recursive: true })
  const file = new VerdictFile(path)
  file.keep(question(1), 'right')
  expect(file.find(question(1))).toEqual([])
})

test('a line that is damaged anywhere is no answer, and costs no other line', () => {
  const file = new VerdictFile(path)
  for (const number of [1, 2, 3]) file.keep(question(number), { latency: 1000 + number })
  const whole = readFileSync(path)
  const start = whole.indexOf(question(2))
  for (let at = start; whole[at] !== 10; at++) {
    const damaged = Buffer.from(whole)
    damaged[at] = damaged[at] === 48 ? 49 : 48
    writeFileSync(path, damaged)
    const reader = new VerdictFile(path)
    expect(reader.find(question(2)), `byte ${at - start} of the line`).toEqual([])
    expect(reader.find(question(1))).toEqual([{ latency: 1001 }])
    expect(reader.find(question(3))).toEqual([{ latency: 1003 }])
  }
})

test('an answer cannot pass for that to another question', () => {
  new VerdictFile(path).keep(question(1), 'right')
  const line = readFileSync(path, 'utf8')
  writeFileSync(path, line.replace(question(1), question(2)))
  expect(new VerdictFile(path).find(question(2))).toEqual([])
})

test('a run that was killed while it wrote costs the line it was at', () => {
  new VerdictFile(path).keep(question(1), 'one')
  new VerdictFile(path).keep(question(2), 'two')
  truncateSync(path, statSync(path).size - 5)
  new VerdictFile(path).keep(question(3), 'three')
  const reader = new VerdictFile(path)
  expect([1, 2, 3].map((number) => reader.find(question(number)))).toEqual([['one'], [], ['three']])
})

test('processes that keep answers at the same time lose none', () => {
  const line = `${question(0)}${'x'.repeat(3000)}`
  const script = `for (let i = 0; i < 500; i++) fs.appendFileSync(process.argv[1], '\\n' + process.argv[2] + i + '\\n')`
  new VerdictFile(path).keep(question(1), 'one')
  const command = `for n in 1 2 3 4; do '${process.execPath}' -e "${script}" '${path}' ${line} & done; wait`
  execFileSync('bash', ['-c', command])
  const lines = readFileSync(path, 'utf8').split('\n')
  expect(lines.filter((text) => text.startsWith(line))).toHaveLength(2000)
  expect(new VerdictFile(path).find(question(1))).toEqual(['one'])
})

test('where nothing can be written, nothing is kept and nothing fails', () => {
  const file = new VerdictFile('/dev/null/verdicts/one.jsonl')
  file.keep(question(1), 'one')
  expect(new VerdictFile('/dev/null/verdicts/one.jsonl').find(question(1))).toEqual([])
})

test('a file that has grown beyond all use starts anew', () => {
  new VerdictFile(path).keep(question(1), 'one')
  appendFileSync(path, '#'.repeat(9 << 20))
  expect(new VerdictFile(path).find(question(1))).toEqual([])
  new VerdictFile(path).keep(question(2), 'two')
  expect(statSync(path).size).toBeLessThan(200)
})

test('an answer of unusual length is not kept', () => {
  new VerdictFile(path).keep(question(1), 'x'.repeat(1 << 17))
  expect(new VerdictFile(path).find(question(1))).toEqual([])
})
