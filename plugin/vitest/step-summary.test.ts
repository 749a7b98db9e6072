import { expect, test } from 'vitest'
import type { LedgerEntry } from '../ledger/index.ts'
import type { Verdict } from '../model/index.ts'
import { stepSummary } from './step-summary.ts'

const entry = (sample: string, verdict: Verdict): LedgerEntry => ({
  v: 3,
  suite: 'npukernelbench',
  group: 'level1',
  task: 'Sqrt',
  category: 'Math',
  model: null,
  sample,
  stage: 'static',
  case: 'static 0',
  verdict,
  seed: 7,
  target: 'emulator',
  soc: 'Ascend910B2',
  profile: 'standard',
})
const wrong = (message: string): Verdict => ({ kind: 'wrong-structure', message })
const broken: Verdict = {
  kind: 'compile-failed',
  stage: 'kernel',
  class: 'syntax',
  diagnostics: [],
  log: 'unknown type',
}
const table = { title: 'level', header: ['level', 'correct'], rows: [['level1', '0.0%']] }
const rest = { tables: [table], notes: ['seed 7'], gate: undefined }

test('has tables, notes, the gate, and failures: those that got the least far first', () => {
  const gate = {
    rules: ['minCorrect 0.5'],
    findings: [{ level: null, rule: 'minCorrect' as const, message: '0 of 2 samples', causes: ['Sqrt › a'] }],
  }
  const text = stepSummary([entry('a', wrong('y is missing')), entry('b', broken), entry('c', { kind: 'correct' })], {
    ...rest,
    gate,
  })
  expect(text).toContain('| level1 | 0.0% |')
  expect(text).toContain('❌ **gate: 1 rule does not hold**\n\n- minCorrect: 0 of 2 samples: Sqrt › a')
  const rows = text.split('\n').filter((line) => line.startsWith('| Sqrt'))
  expect(rows).toEqual([
    '| Sqrt › b | static 0 | compile-failed | the kernel part failed (syntax) |',
    '| Sqrt › a | static 0 | wrong-structure | y is missing |',
  ])
  const holds = stepSummary([entry('c', { kind: 'correct' })], {
    ...rest,
    gate: { rules: ['requireAll'], findings: [] },
  })
  expect(holds).toContain('✅ **gate: holds (requireAll)**')
  expect(holds).not.toContain('Failures')
})

test('what a candidate says is text: no table, tag, link or command', () => {
  const text = stepSummary([entry('a|b', wrong('<img src=x> [a](http://b) `c` | d\n::error::e'))], rest)
  expect(text).toContain(
    String.raw`| Sqrt › a\|b | static 0 | wrong-structure | \<img src=x\> \[a\](http\://b) \`c\` \| d |`,
  )
  expect(text).not.toMatch(/^::error/m)
})

test('what a ledger calls its rows is shown, and obeyed by nobody', () => {
  const name = 'a\u001B[2J\u202Eb @someone #1 $x$ :tada: www.c.d https://e AscendC::Copy a.cpp:12:5: x@y'
  const text = stepSummary([], { ...rest, tables: [{ ...table, rows: [[name, '1']] }] })
  expect(text).toContain(
    String.raw`| a\\x1b\[2J\\u202eb @<!-- -->someone \#<!-- -->1 \$x\$ :<!-- -->tada: www\.c.d https\://e AscendC::Copy a.cpp:12:5: x@<!-- -->y | 1 |`,
  )
})

test('is bounded, however many samples fail and whatever they say', () => {
  const many = Array.from({ length: 1000 }, (_, i) => entry(`s${i}`, wrong('x'.repeat(10_000))))
  const text = stepSummary(many, rest)
  expect(text).toContain('and 980 more samples')
  expect(text.length).toBeLessThan(10_000)
  const rows = Array.from({ length: 20_000 }, (_, i) => [`level${i}`, '0.0%'])
  const long = stepSummary([], { ...rest, tables: [{ ...table, rows }] })
  expect(long.length).toBeLessThan(201_000)
  expect(long).toMatch(/\| 0\.0% \|\n\n… and more than a summary takes; the ledger has all\n$/)
})
