import { expect, test } from 'vitest'
import { ledgerEntry, type LedgerEntry } from '../ledger/index.ts'
import type { Report, Verdict } from '../model/index.ts'
import { raceAnnotations } from './github.ts'

const report: Report = {
  code: 'ErrorSync1',
  severity: 'error',
  message: '',
  core: 'AIV 3',
  instruction: 'Duplicate',
  file: '/home/me/Rms/op_kernel/rms.cpp',
  line: 118,
  other: { instruction: 'DataCopy', file: '/home/me/Rms/op_kernel/rms, 100%.h', line: 7 },
  count: 1,
}

const entryOf = (verdict: Verdict, title = 'static 0'): LedgerEntry => ({
  v: 3,
  suite: 'npukernelbench',
  group: 'level2',
  task: 'Rms',
  category: 'Norm',
  model: null,
  sample: 'a',
  stage: 'static',
  case: title,
  verdict,
  seed: 1,
  target: 'emulator',
  soc: 'Ascend910B2',
  profile: 'standard',
})

test('the other side of a race is annotated at its own line, once however many tests met it', () => {
  const verdict: Verdict = { kind: 'hazard', report }
  expect(raceAnnotations([entryOf(verdict), entryOf(verdict, 'static 1')])).toEqual([
    '::error file=/home/me/Rms/op_kernel/rms%2C 100%25.h,line=7,title=Rms%3A the other side of ErrorSync1::' +
      'DataCopy: nothing orders it and Duplicate at /home/me/Rms/op_kernel/rms.cpp:118 (AIV 3)',
  ])
})

test('what is no race, or has no place, is left to Vitest', () => {
  const { other: _, ...alone } = report
  const verdicts: Verdict[] = [
    { kind: 'correct' },
    { kind: 'device-error', report: alone },
    { kind: 'hazard', report: { ...report, other: { instruction: 'DataCopy' } } },
  ]
  expect(raceAnnotations(verdicts.map((verdict) => entryOf(verdict)))).toEqual([])
})

test('a line of the ledger keeps both sides of a race', () => {
  const line = JSON.stringify(entryOf({ kind: 'hazard', report }))
  expect(ledgerEntry.parse(JSON.parse(line)).verdict).toEqual({ kind: 'hazard', report })
})
