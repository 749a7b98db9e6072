import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readSources, SourceStore } from './sources.ts'

let folder: string
let ledger: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'npu-sources-'))
  ledger = join(folder, 'ledger.jsonl')
  writeFileSync(ledger, '')
})
afterEach(() => rmSync(folder, { recursive: true }))

const a = 'a'.repeat(32)
const b = 'b'.repeat(32)
const c = 'c'.repeat(32)
const file = (text: string, name = 'op_kernel/k.cpp') => ({ name, text: Buffer.from(text) })

test('sources are found by their hash, also through a link to the ledger', () => {
  const store = new SourceStore(ledger)
  expect(store.has(a)).toBe(false)
  store.keep(a, [file('</script>\u001B[31m 核', 'op_kernel/k.cpp'), file('', '__proto__')])
  expect(store.has(a)).toBe(true)
  symlinkSync(ledger, join(folder, 'link.jsonl'))
  for (const path of [ledger, join(folder, 'link.jsonl')])
    expect(readSources(path, a)).toMatchObject({ 'op_kernel/k.cpp': '</script>\u001B[31m 核' })
  expect(readSources(ledger, b)).toBeUndefined()
})

test('a candidate that is too large is not kept, and a run that is full keeps no more', () => {
  const store = new SourceStore(ledger, { candidate: 4000, run: 3000 })
  store.keep(a, [file('x'.repeat(4001))])
  expect(store.has(a)).toBe(false)
  store.keep(a, [file(randomBytes(1200).toString('hex'))])
  store.keep(b, [file(randomBytes(1800).toString('hex'))])
  expect([store.has(a), store.has(b)]).toEqual([true, false])
  // another process goes on with the same run
  const second = new SourceStore(ledger, { candidate: 4000, run: 3000 })
  second.keep(b, [file(randomBytes(1800).toString('hex'))])
  expect(second.has(b)).toBe(false)
  second.keep(c, [file('short')])
  expect(second.has(c)).toBe(true)
})

test('a hash that is none leads nowhere, and a damaged file is not recorded', () => {
  const store = new SourceStore(ledger)
  store.keep('../../outside', [file('x')])
  expect(existsSync(join(folder, 'sources'))).toBe(false)
  expect(readSources(ledger, '../ledger')).toBeUndefined()
  store.keep(a, [file('x')])
  const [name = ''] = readdirSync(join(folder, 'sources'))
  writeFileSync(join(folder, 'sources', name), 'torn')
  expect(readSources(ledger, a)).toBeUndefined()
})

test('what lies in place of a kept file is not opened, nor what a link leads to', () => {
  new SourceStore(ledger).keep(a, [file('x')])
  const [sources, other] = [join(folder, 'sources'), join(folder, 'other')]
  expect(readSources(ledger, a)).toEqual({ 'op_kernel/k.cpp': 'x' })
  symlinkSync(`${a}.json.gz`, join(sources, `${b}.json.gz`))
  expect(readSources(ledger, b)).toBeUndefined()
  execFileSync('mkfifo', [join(sources, `${c}.json.gz`)])
  expect(readSources(ledger, c)).toBeUndefined()
  renameSync(sources, other)
  symlinkSync(other, sources)
  expect(readSources(ledger, a)).toBeUndefined()
})
