import { expect, test } from 'vitest'
import { ledgerVersion, type LedgerEntry } from '../ledger/index.ts'
import type { Verdict } from '../model/index.ts'
import { findingsOf, improvementOf } from './findings.ts'

const root = '/runs/first/Add/s0'
const content = Array.from({ length: 9 }, (_, i) => `line ${i + 1};`).join('\n')
const sources = { root, files: [{ path: 'op_kernel/add.cpp', content }] }

const entryOf = (verdict: Verdict, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  v: ledgerVersion,
  suite: 'own',
  group: null,
  task: 'Add',
  category: 'math',
  model: null,
  sample: 's0',
  stage: 'static',
  case: 'static 0: x float16[8]',
  verdict,
  profile: 'standard',
  seed: 0,
  target: 'emulator',
  soc: 'Ascend910B2',
  ...more,
})

const textsOf = (...entries: LedgerEntry[]): string[] => findingsOf(entries, sources).map(({ text }) => text)

test('a build that fails is told by lines, with what is legal there and no path of this machine', () => {
  const verdict: Verdict = {
    kind: 'compile-failed',
    stage: 'kernel',
    class: 'api-signature',
    diagnostics: [
      { severity: 'warning', message: 'unused' },
      {
        severity: 'error',
        message: 'no matching function for call to Adds',
        file: `${root}/op_kernel/add.cpp`,
        line: 4,
      },
      { severity: 'note', message: `legal: Adds(dst, src, scalar, count), see ${root}/op_kernel/add.cpp` },
    ],
    log: '',
  }
  expect(textsOf(entryOf(verdict, { stage: 'compile', case: 'compiles' }))).toEqual([
    [
      'The kernel part does not build (api-signature).',
      'op_kernel/add.cpp:4: error: no matching function for call to Adds',
      '     3| line 3;',
      '>    4| line 4;',
      '     5| line 5;',
      '  note: legal: Adds(dst, src, scalar, count), see op_kernel/add.cpp',
    ].join('\n'),
  ])
})

const report = {
  code: 'Race',
  severity: 'error',
  message: 'reads what is being written',
  hint: 'wait for the copy',
  core: 'AIV 0',
  instruction: 'Add',
  file: 'op_kernel/add.cpp',
  line: 9,
  other: { instruction: 'DataCopy', file: 'op_kernel/add.cpp', line: 1 },
  count: 3,
} as const

test('a hazard is told with both lines and the usual fix, once for all cases', () => {
  const [text, ...more] = textsOf(
    entryOf({ kind: 'hazard', report }),
    entryOf({ kind: 'hazard', report }, { case: 'static 1: x float16[9]' }),
  )
  expect(more).toEqual([])
  expect(text?.split('\n')).toEqual([
    'op_kernel/add.cpp:9: Race (AIV 0, Add, 3 times): reads what is being written',
    '     8| line 8;',
    '>    9| line 9;',
    'The other side: op_kernel/add.cpp:1: DataCopy',
    '>    1| line 1;',
    '     2| line 2;',
    'Usual fix: wait for the copy',
    'Case: static 0: x float16[8]',
    'The same in 1 more: static 1: x float16[9]',
  ])
})

test('the earliest obstacle comes first; what is ours is no finding', () => {
  const kinds = findingsOf(
    [
      entryOf({ kind: 'hazard', report }),
      entryOf({ kind: 'infrastructure', message: 'no disk' }),
      entryOf({ kind: 'tiling-failed', message: 'returned 1' }, { case: 'static 2: x float16[1]' }),
      entryOf({ kind: 'correct' }),
    ],
    sources,
  )
  expect(kinds.map(({ kind }) => kind)).toEqual(['tiling-failed', 'hazard'])
  expect(kinds[0]?.text).toBe('The tiling function fails: returned 1\nCase: static 2: x float16[1]')
})

test('findings are bounded, and nothing in them is obeyed', () => {
  const many = Array.from({ length: 50 }, (_, i) =>
    entryOf({ kind: 'crashed', signal: 'SIGSEGV', message: `${i} \u001b[31m${'x'.repeat(100_000)}` }),
  )
  const texts = textsOf(...many)
  expect(texts.length).toBeLessThanOrEqual(6)
  expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(5000)
  expect(texts.join('')).not.toContain('\u001b')
})

test('a right kernel is told what bounds it', () => {
  const ns = { unit: 'ns', p50: 1, p99: 1, min: 1, max: 1, sd: 0, rme: 0, samples: 1, source: 'emulated' } as const
  const timed = entryOf(
    { kind: 'correct' },
    {
      stage: 'latency',
      latency: { ...ns, mean: 1000 },
      baseline: { ...ns, mean: 500 },
      speedup: 0.5,
      pipes: { V: 100, MTE2: 900 },
    },
  )
  expect(improvementOf([timed])[0]?.text.split('\n')).toEqual([
    'All cases are right. One launch takes 1000 ns; the baseline operator takes 500 ns (0.50 times as fast as that).',
    'Busy time of the pipes on the core that finishes last: MTE2 900 ns (90%), V 100 ns (10%).',
    'MTE2: copies from global memory into local memory bound it: copy each byte once, in large aligned blocks.',
  ])
  expect(improvementOf([entryOf({ kind: 'correct' })])).toEqual([])
})
