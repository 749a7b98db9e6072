import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { SourceStore } from '../ledger/sources.ts'
import { layLedger } from './ledger-samples.ts'

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ledger-samples-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const line = (sample: string, sources: string) => ({
  v: 3,
  suite: 's',
  group: null,
  task: 'T',
  category: 'Math',
  model: null,
  sample,
  stage: 'static',
  case: 'static 0',
  verdict: { kind: 'correct' },
  profile: 'standard',
  seed: 7,
  target: 'emulator',
  soc: 'Ascend910B2',
  sources,
})

it('what a run has judged lies as samples, each once, and again at the same places', () => {
  const [kept, lost] = ['a'.repeat(32), 'b'.repeat(32)]
  const run = join(folder, 'run')
  mkdirSync(run)
  const ledger = join(run, 'ledger.jsonl')
  const lines = [line('one', kept), line('same', kept), line('lost', lost)]
  writeFileSync(ledger, lines.map((each) => `${JSON.stringify(each)}\n`).join(''))
  new SourceStore(ledger).keep(kept, [{ name: 'op_kernel/t.cpp', text: Buffer.from('int a;\n') }])
  const into = join(folder, 'samples')
  for (let i = 0; i < 2; i++) expect(layLedger(ledger, into)).toEqual({ samples: 1, undecided: 0, withoutSources: 1 })
  expect(readFileSync(join(into, 's/T', kept.slice(0, 16), 'op_kernel/t.cpp'), 'utf8')).toBe('int a;\n')
})
