import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LedgerEntry } from '../ledger/index.ts'
import { askGate, runGateOf } from './run-gate.ts'

let root: string
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'npu-run-gate-'))))
afterEach(() => rmSync(root, { recursive: true }))

const conditions = { soc: 'Ascend910B2', profile: 'standard' } as const
const entry: LedgerEntry = {
  v: 3,
  suite: 'own',
  group: null,
  task: 'Sqrt',
  category: 'Math',
  model: null,
  sample: 'a',
  stage: 'static',
  case: 'static 0',
  verdict: { kind: 'correct' },
  seed: 7,
  target: 'emulator',
  ...conditions,
}

test('no gate holds against half a run', () => {
  const other = join(root, 'ledger.jsonl')
  const place = { root, watch: false }
  const said = (): string[] => {
    const gate = runGateOf({ noNewHazards: true, against: other }, place, { name: 'emulator', ...conditions })
    return gate ? askGate(gate, [], [entry]).lines : []
  }
  writeFileSync(other, `${JSON.stringify(entry)}\n`)
  expect(said()).toEqual(['  gate: holds (noNewHazards)'])
  writeFileSync(join(root, '.running-1-2-3'), '')
  expect(said()[1]).toBe(
    `    data: the run is not whole: 1 lost: against ${other}: the run has not ended, or was killed`,
  )
})
