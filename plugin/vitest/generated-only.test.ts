import { expect, test } from 'vitest'
import type { LedgerEntry, Stage } from '../ledger/index.ts'
import type { Verdict } from '../model/index.ts'
import { generatedOnlyFact, generatedOnlyNote } from './generated-only.ts'
import type { JudgedCase } from './sample-state.ts'

const correct: Verdict = { kind: 'correct' }
const crashed: Verdict = { kind: 'crashed', signal: 'SIGSEGV', message: '' }
const ours: Verdict = { kind: 'infrastructure', message: 'no compiler' }

const judged = (...verdicts: Verdict[]) => ({
  outcomes: new Map(verdicts.map((verdict, i): [string, JudgedCase] => [`static ${i}`, { verdict }])),
})

test('a failure says that only generated cases fail where all static ones pass, and nothing otherwise', () => {
  const sentence = 'all 2 static cases pass; only generated values or shapes fail'
  expect(generatedOnlyFact(judged(correct, correct), 2)).toEqual([sentence])
  expect(generatedOnlyFact(judged(correct, crashed), 2)).toEqual([])
  expect(generatedOnlyFact(judged(), 2)).toEqual([])
})

test('static cases that were left out are not said to pass', () => {
  const sentence = 'every static case that was judged passes; only generated values or shapes fail'
  expect(generatedOnlyFact(judged(correct, correct), 5)).toEqual([sentence])
})

const entry = (task: string, stage: Stage, verdict: Verdict): LedgerEntry => ({
  v: 3,
  suite: 'npukernelbench',
  group: 'level1',
  task,
  category: 'Math',
  model: null,
  sample: 'sample0',
  stage,
  case: stage,
  verdict,
  seed: 7,
  target: 'emulator',
  soc: 'Ascend910B2',
  profile: 'standard',
})

const sample = (task: string, fixed: Verdict, generated: Verdict): LedgerEntry[] => [
  entry(task, 'compile', correct),
  entry(task, 'static', correct),
  entry(task, 'static', fixed),
  entry(task, 'generated', generated),
]

test('a run names the samples that only fail generated cases', () => {
  const others = [...sample('Right', correct, correct), ...sample('Wrong', crashed, crashed)]
  expect(generatedOnlyNote([...others, ...sample('Unlucky', correct, ours)])).toEqual([])
  expect(generatedOnlyNote([...others, ...sample('Sqrt', correct, crashed)])).toEqual([
    '1 sample passes every static case and only fails generated ones: Sqrt sample0',
  ])
  const many = ['A', 'B', 'C', 'D', 'E', 'F'].flatMap((task) => sample(task, correct, crashed))
  expect(generatedOnlyNote(many)).toEqual([
    '6 samples pass every static case and only fail generated ones: A sample0, B sample0, C sample0, D sample0, E sample0 and 1 more',
  ])
})

test('a sample without a judged static case is none of them', () => {
  expect(generatedOnlyNote([entry('Sqrt', 'generated', crashed)])).toEqual([])
})
