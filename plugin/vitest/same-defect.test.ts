import { expect, test } from 'vitest'
import type { Report, Verdict } from '../model/index.ts'
import { defectOf, titlesInShort } from './same-defect.ts'

const report: Report = {
  code: 'A',
  severity: 'error',
  message: '1',
  core: 'AIV 0',
  instruction: 'Add',
  file: 'a.cpp',
  line: 3,
  count: 1,
}
const hazard = (change: Partial<Report>): Verdict => ({ kind: 'hazard', report: { ...report, ...change } })

const failed = (message: string) => defectOf({ kind: 'infrastructure', message })

test('a defect is a code in a line, whatever the figures', () => {
  const defect = defectOf(hazard({}))
  expect(defectOf(hazard({ message: '2', core: 'AIV 7', count: 9 }))).toBe(defect)
  for (const change of [{ code: 'B' }, { line: 4 }, { file: 'b.cpp' }, { instruction: 'Sub' }])
    expect(defectOf(hazard(change))).not.toBe(defect)
  expect(defectOf({ kind: 'device-error', report })).not.toBe(defect)
})

test('a golden that fails on every case is one defect, another failure of ours is not', () => {
  expect(failed('golden failed on static 1: no')).toBe(failed('golden failed on static 12: no'))
  expect(failed('golden failed on static 1: no')).not.toBe(failed('golden failed on static 1: why'))
})

test('wrong values may have any reason', () => {
  const comparison = { output: 'y', elements: 4, mismatches: 1, index: [0], expected: '1', actual: '2' }
  expect(defectOf({ kind: 'wrong-value', comparison })).toBeUndefined()
})

test.each([
  [
    ['static 1: x', 'static 2: x', 'static 3: x', 'holds for generated shapes'],
    'static 1–3, holds for generated shapes',
  ],
  [
    ['static 0: x', 'static 2: x', 'static 9: x', 'static 10: x', 'latency'],
    'static 0, static 2, static 9–10, latency',
  ],
])('%j are %s', (titles, short) => {
  expect(titlesInShort(titles)).toBe(short)
})
