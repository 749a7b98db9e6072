import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { longestLine } from '../../ledger/lines.ts'
import { columnMapOf, mapped, type ColumnMap } from './column-map.ts'
import { recordsOf } from './records.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'import-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const map = (text: string): ColumnMap => {
  const found = columnMapOf(text)
  if ('problem' in found) throw new Error(found.problem)
  return found.map
}

const records = (text: string): unknown[] => {
  const path = join(folder, 'corpus.json')
  writeFileSync(path, text)
  return [...recordsOf(path)]
}

const nested = (depth: number): string => `[1,${'['.repeat(depth)}"[["${']'.repeat(depth)}]`

describe('records', () => {
  it('are nested as deep as anybody nests them', () => {
    expect(records(nested(500))).toHaveLength(2)
    expect(records(nested(2000))).toEqual([{ number: 1, problem: 'is nested more than 1000 deep' }])
  })

  it('are those of an array as of lines', () => {
    const all = [{ a: 'ä\n"[' }, { b: [1, { c: '}' }] }, 'text']
    const found = all.map((value, i) => ({ number: i + 1, value }))
    expect(records(JSON.stringify(all, undefined, 2))).toEqual(found)
    expect(records(all.map((each) => JSON.stringify(each)).join('\n'))).toEqual(found)
  })

  it('of an array that is cut off are those before the cut, and a problem', () => {
    expect(records('[{"a": 1}, {"a": 2}, {"a"')).toEqual([
      { number: 1, value: { a: 1 } },
      { number: 2, value: { a: 2 } },
      { number: 3, problem: 'the array does not end' },
    ])
    expect(records('[{"a": 1}, {"a": x}]')).toEqual([
      { number: 1, value: { a: 1 } },
      { number: 2, problem: expect.stringContaining('') },
    ])
  })

  it('of a line that nobody could hold take no other with them, and are told', () => {
    const path = join(folder, 'long.jsonl')
    writeFileSync(path, '')
    truncateSync(path, longestLine + 1)
    appendFileSync(path, '\n{"a": 1}\n')
    expect([...recordsOf(path)]).toEqual([
      { number: 1, problem: 'is longer than 256 MiB' },
      { number: 2, value: { a: 1 } },
    ])
  })

  it('of a line that is no JSON take no other with them', () => {
    expect(records('{"a": 1}\nno\n\n{"a": 2}')).toEqual([
      { number: 1, value: { a: 1 } },
      { number: 2, problem: expect.stringContaining('JSON') },
      { number: 4, value: { a: 2 } },
    ])
  })
})

describe('a column map', () => {
  it('joins columns and leaves out what is empty', () => {
    const taken = mapped({ instruction: 'add', input: '', output: 'done', system: null }, map('alpaca'))
    expect(taken).toEqual({ found: { request: 'add', answer: 'done' } })
  })

  it('finds messages by number and by role', () => {
    const conversations = [
      { from: 'human', value: 'why' },
      { from: 'gpt', value: 'because' },
    ]
    expect(mapped({ conversations }, map('sharegpt'))).toEqual({ found: { request: 'why', answer: 'because' } })
    const messages = [
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
      { role: 'assistant', content: 'a' },
    ]
    expect(mapped({ messages }, map('openai'))).toEqual({ found: { request: 'u', answer: 'a', system: 's' } })
  })

  it('takes reasoning out of an answer', () => {
    expect(mapped({ q: 'why', a: '<think>\nfirst\n</think>\n\nso' }, map('request=q,answer=a'))).toEqual({
      found: { request: 'why', thought: 'first', answer: 'so' },
    })
  })

  it('says what a record lacks', () => {
    expect(mapped({ q: 'why' }, map('request=q,answer=a'))).toEqual({ problem: 'there is no answer' })
    expect(mapped({ q: 'why', a: 3 }, map('request=q,answer=a'))).toEqual({ problem: 'a is no text' })
    expect(mapped('text', map('request=q,answer=a'))).toEqual({ problem: 'there is no request' })
    expect(mapped({ q: 'x' }, map('request=q,answer=__proto__.constructor.name'))).toEqual({
      problem: 'there is no answer',
    })
  })

  it.each([
    '',
    'answer=a',
    'request=q',
    'request=q,answer=a,more=x',
    'request=q,request=q,answer=a',
    'request=q,answer=a b',
  ])('"%s" is none', (text) => expect(columnMapOf(text)).toHaveProperty('problem'))
})
