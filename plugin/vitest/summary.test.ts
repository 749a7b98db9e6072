import { expect, test, vi } from 'vitest'
import type { LedgerEntry } from '../ledger/index.ts'
import { npuKernelBench, ownSpecs } from '../suites/index.ts'
import { renderCsv, renderMarkdown, renderText } from '../ledger/table.ts'
import { summaryTables, unreachedNote } from './summary.ts'

const entry = (change: Partial<LedgerEntry>): LedgerEntry => ({
  v: 3,
  suite: 'npukernelbench',
  group: 'level1',
  task: 'Sqrt',
  category: 'Math',
  model: null,
  sample: 'a',
  stage: 'static',
  case: 'static 0',
  verdict: { kind: 'correct' },
  seed: 1,
  target: 'emulator',
  soc: 'Ascend910B2',
  profile: 'standard',
  ...change,
})
const known = [npuKernelBench, ownSpecs]
const all = { standard: 'accepted', strict: 'accepted', benchmark: 'accepted' } as const

test('the profiles that do not decide have a column each, with what they accept', () => {
  const header = (change: Partial<LedgerEntry>) => summaryTables([entry(change)], known)[0]!.header.slice(-4, -1)
  expect(header({ profile: 'standard' })).toEqual(['within tolerance', 'strict', 'benchmark'])
  expect(header({ profile: 'strict' })).toEqual(['within tolerance', 'standard', 'benchmark'])
  expect(header({ profile: 'benchmark' })).toEqual(['within tolerance', 'standard', 'strict'])
  // merged reports of runs that differ
  const merged = summaryTables([entry({ profile: 'standard' }), entry({ profile: 'strict' })], known)
  expect(merged[0]!.header.slice(-4, -1)).toEqual(['standard', 'strict', 'benchmark'])
})

test('revisions of the benchmark have a column each behind it', () => {
  const answers = { ...all, revisions: { 'mkb-2025-07': 'accepted', 'mkb-2026-01': 'rejected' } } as const
  const [table] = summaryTables([entry({ answers })], known)
  expect(table!.header.slice(-4)).toEqual(['benchmark', 'mkb-2025-07', 'mkb-2026-01', 'speedup'])
  expect(table!.rows[0]!.slice(-4)).toEqual(['100.0%', '100.0%', '0.0%', '-'])
})

test('what was not measured is a dash, never 0', () => {
  const [table] = summaryTables([entry({ stage: 'compile' })], known)
  expect(table!.rows[0]!.slice(4)).toEqual(Array(8).fill('-'))
})

test('one suite is one table without a title, a line per group in its order and one for all', () => {
  const entries = [
    entry({ group: 'level3', answers: { ...all, strict: 'rejected' }, accuracy: 'within-tolerance' }),
    entry({ group: 'level1', sample: 'b', answers: all, accuracy: 'exact' }),
  ]
  const tables = summaryTables(entries, known)
  expect(renderText(tables)).toBe(
    [
      '  level    tasks   samples   compile   execute   correct   exact   accurate   within tolerance   strict   benchmark   speedup',
      '  level1       1         1    100.0%    100.0%    100.0%       1          0                  0   100.0%      100.0%         -',
      '  level3       1         1    100.0%    100.0%    100.0%       0          0                  1     0.0%      100.0%         -',
      '  all          1         2    100.0%    100.0%    100.0%       1          0                  1    50.0%      100.0%         -',
    ].join('\n'),
  )
  expect(renderMarkdown(tables)).toMatch(/^\| level \| tasks /)
})

test('what others have named begins no line, and is no mark of Markdown', () => {
  const tables = [{ title: 't', header: ['name', 'a | <img src=x>\n# b'], rows: [['x\n  all   100.0%\u2028y', '1']] }]
  expect(renderText(tables).split('\n')).toHaveLength(2)
  const markdown = renderMarkdown(tables)
  expect(markdown.trim().split('\n')).toHaveLength(3)
  expect(markdown).not.toMatch(/(?<!\\)<img|^#/m)
})

test('a cell of comma-separated values is neutral, short and closed', () => {
  const csv = renderCsv({ header: ['a'], rows: [[`x"${'y'.repeat(9000)}`], ['::error::z'], ['＝1+1'], ['\n=1']] })
  const lines = csv.split('\n')
  expect(lines[1]).toMatch(/^"x""y+… and \d+ more characters"$/)
  expect(lines[2]).not.toMatch(/^::error/)
  expect(csv).toContain("\n'＝1+1\n")
  expect(csv).toContain(`"'\n=1"`)
  const cells = [[' =1+1', '\uFEFF@x', '\u00A0-a', ' -1', '-1', 'x;=1', 'x\t=1']]
  expect(renderCsv({ header: ['a'], rows: cells })).toBe(`a\n' =1+1,'\uFEFF@x,'\u00A0-a, -1,-1,"x;=1","x\t=1"`)
})

test('several suites are several tables, each with its title and its words', () => {
  const wrong = { kind: 'wrong-structure', message: '' } as const
  const entries = [
    entry({ suite: 'own', group: null, verdict: wrong }),
    entry({}),
    entry({ suite: 'gone', group: 'x' }),
  ]
  const tables = summaryTables(entries, known)
  expect(
    tables.map(({ title, header, rows }) => [title, header[0], ...rows.map((row) => `${row[0]} ${row[5]}`)]),
  ).toEqual([
    ['NPUKernelBench', 'level', 'level1 100.0%'],
    ['own specs', 'suite', 'own 0.0%'],
    ['gone', 'group', 'x 100.0%'],
  ])
  expect(renderText(tables)).toMatch(/^ {2}NPUKernelBench\n {2}level /)
  expect(renderMarkdown(tables)).toContain('### own specs\n\n| suite |')
})

test('samples with code that no case reaches are named, the least reached first', () => {
  const reaching = (sample: string, reached: number): LedgerEntry =>
    entry({ sample, stage: 'latency', code: { blocks: 8, reached, missed: [], partial: [], tilingKeys: [] } })
  expect(unreachedNote([entry({}), reaching('a', 8)])).toEqual([])
  expect(unreachedNote([reaching('a', 7), reaching('b', 8)])).toEqual([
    'the cases of 1 sample do not reach all of the kernel code: Sqrt › a (87%)',
  ])
  expect(unreachedNote(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, i) => reaching(name, 7 - i)))).toEqual([
    'the cases of 7 samples do not reach all of the kernel code: Sqrt › g (12%), Sqrt › f (25%), Sqrt › e (37%), ' +
      'Sqrt › d (50%), Sqrt › c (62%), and 2 more',
  ])
})

test.each([
  ['groups of a suite', (i: number) => ({ group: `g${i}` })],
  ['suites', (i: number) => ({ suite: `s${i}` })],
])('many %s are told apart at once', (_, named) => {
  const entries = Array.from({ length: 500 }, (__, i) => entry(named(i)))
  const filter = vi.spyOn(Array.prototype, 'filter')
  const tables = summaryTables(entries, known)
  const visited = filter.mock.contexts.reduce<number>((sum, own) => sum + (Array.isArray(own) ? own.length : 0), 0)
  filter.mockRestore()
  expect(tables.flatMap(({ rows }) => rows).length).toBeGreaterThanOrEqual(500)
  expect(visited).toBeLessThan(100 * 500)
})
