import { expect, test } from 'vitest'
import type { Verdict } from '../model/index.ts'
import { targetDifferences } from './differences.ts'
import type { LedgerEntry } from './entry.ts'

const own = { suite: 'own', task: 'Twice', model: null, sample: 's', stage: 'static' }

// of an entry, only these fields are looked at
const entry = (name: string, verdict: Verdict, more: object = {}): LedgerEntry =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  ({ ...own, case: name, verdict, ...more }) as unknown as LedgerEntry

const correct: Verdict = { kind: 'correct' }
const wrong = (mismatches: number): Verdict => ({
  kind: 'wrong-value',
  comparison: { output: 'y', elements: 8, mismatches, index: [2], expected: '1', actual: '3' },
})
const rejected = (errorClass: 'scope' | 'syntax'): Verdict => ({
  kind: 'compile-failed',
  stage: 'kernel',
  class: errorClass,
  diagnostics: [],
  log: '',
})

test('tests that both say the same of are counted, and no difference', () => {
  const same = [entry('a', correct), entry('b', wrong(1)), entry('c', rejected('scope'))]
  expect(targetDifferences(same, same)).toEqual({ compared: 3, differences: [], ratios: [] })
})

test('kind, class and wrong elements are told apart, as is what one has not judged', () => {
  const first = [entry('a', correct), entry('b', wrong(1)), entry('c', rejected('scope')), entry('d', correct)]
  const second = [entry('a', wrong(1)), entry('b', wrong(2)), entry('c', rejected('syntax'))]
  const { compared, differences } = targetDifferences(first, second)
  expect(compared).toBe(3)
  expect(differences.map(({ case: name, what, first, second }) => [name, what, first, second])).toEqual([
    ['a', 'verdict', 'correct', 'wrong-value 1 wrong in y, worst [2] is 3'],
    ['b', 'values', 'wrong-value 1 wrong in y, worst [2] is 3', 'wrong-value 2 wrong in y, worst [2] is 3'],
    ['c', 'detail', 'compile-failed kernel scope', 'compile-failed kernel syntax'],
    ['d', 'missing', 'correct', null],
  ])
})

const timed = (mean: number) => [entry('latency', correct, { stage: 'latency', latency: { mean } })]

test('times stand beside each other, with their ratio', () => {
  expect(targetDifferences(timed(1000), timed(1500)).ratios).toMatchObject([{ first: 1000, second: 1500, ratio: 1.5 }])
})

test('tasks without a sample are no tests', () => {
  const none = [entry('a', { kind: 'no-candidate' }, { sample: null })]
  expect(targetDifferences(none, [])).toEqual({ compared: 0, differences: [], ratios: [] })
})
