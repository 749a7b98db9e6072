import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SourceStore } from '../../ledger/sources.ts'
import { bandOf, judgedIn } from './judged.ts'

let run: string
beforeEach(() => {
  run = join(mkdtempSync(join(tmpdir(), 'judged-')), '20261126T000000.000Z-aaaaaa')
  mkdirSync(run)
})
afterEach(() => rmSync(join(run, '..'), { recursive: true }))

const hash = (letter: string): string => letter.repeat(32)

const latency = {
  unit: 'ns',
  mean: 100,
  p50: 100,
  p99: 100,
  min: 100,
  max: 100,
  sd: 0,
  rme: 0,
  samples: 1,
  source: 'emulated',
  profile: 'v1',
} as const

const line = (sample: string, verdict: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  v: 3,
  suite: 's',
  group: null,
  task: 'T',
  category: 'Math',
  model: 'm',
  sample,
  stage: 'static',
  case: 'static 0',
  verdict,
  profile: 'standard',
  seed: 7,
  target: 'emulator',
  soc: 'Ascend910B2',
  sources: hash(sample),
  ...more,
})

const right = { kind: 'correct' }
const wrong = {
  kind: 'wrong-value',
  comparison: { output: 'y', elements: 1, mismatches: 1, index: [0], expected: '1', actual: '2' },
}

it('candidates have the grade of what stopped them first, the verdict that says it, and their files', () => {
  const ledger = join(run, 'ledger.jsonl')
  const lines = [
    line('a', right),
    line('a', right, { stage: 'latency', case: 'latency', latency }),
    line('b', right),
    line('b', wrong, { stage: 'generated', case: 'holds for generated shapes' }),
    line('c', { kind: 'compile-failed', stage: 'kernel', class: 'syntax', diagnostics: [], log: '' }),
    line('d', { kind: 'infrastructure', message: 'no disk' }),
    line('e', right),
    line('f', { kind: 'no-answer', message: 'nothing' }),
  ]
  writeFileSync(ledger, lines.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const store = new SourceStore(ledger)
  for (const sample of ['a', 'b', 'c'])
    store.keep(hash(sample), [{ name: 'op_kernel/t.cpp', text: Buffer.from(sample) }])
  const { judged, undecided, withoutSources } = judgedIn(ledger)
  expect(judged.map(({ grade, kind, verdict, time, seed }) => ({ grade, kind, verdict, time, seed }))).toEqual([
    {
      grade: 'correct',
      kind: 'correct',
      verdict: '20261126T000000.000Z-aaaaaa/s/T/a/static 0',
      time: { ns: 100, clock: 'emulated v1' },
      seed: 7,
    },
    {
      grade: 'wrong',
      kind: 'wrong-value',
      verdict: '20261126T000000.000Z-aaaaaa/s/T/b/holds for generated shapes',
      time: undefined,
      seed: 7,
    },
    {
      grade: 'not-built',
      kind: 'compile-failed',
      verdict: '20261126T000000.000Z-aaaaaa/s/T/c/static 0',
      time: undefined,
      seed: 7,
    },
  ])
  expect(judged[0]?.files).toEqual([{ path: 'op_kernel/t.cpp', content: 'a' }])
  expect([undecided, withoutSources]).toEqual([1, 1])
})

it('the error band of a latency is that of its estimate, of a measured one its margin, or unknown', () => {
  expect(bandOf(latency)).toBeUndefined()
  const estimated = {
    ...latency,
    estimate: { band: 0.2, bound: 'vector', share: 1, utilisation: 1, bytesPerNs: 0 },
  } as const
  expect(bandOf(estimated)).toBe(0.2)
  expect(bandOf({ ...latency, source: 'measured', rme: 3 })).toBe(0.03)
})
