import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hasNotEnded, isClaimed, latestRun, ledgerOf, lostIn } from './runs.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'npu-runs-'))
  writeFileSync(join(folder, 'ledger.jsonl'), '')
})
afterEach(() => rmSync(folder, { recursive: true }))

const lost = (): string[] => lostIn(join(folder, 'ledger.jsonl'))

test('specs that a run has lost are those that its file names', () => {
  expect(lost()).toEqual([])
  writeFileSync(join(folder, 'lost.json'), '["a.spec.ts"]')
  expect(lost()).toEqual(['a.spec.ts'])
})

test.each<[string, (path: string) => void]>([
  ['pipe', (path) => spawnSync('mkfifo', [path])],
  ['device', (path) => symlinkSync('/dev/zero', path)],
])('a %s in its place is told, and not read', { timeout: 10_000 }, (_, make) => {
  make(join(folder, 'lost.json'))
  expect(lost).toThrow(/lost\.json: is no list of the specs that the run has lost$/)
})

test.each<[string, (path: string) => void]>([
  ['pipe', (path) => spawnSync('mkfifo', [path])],
  ['link to a device', (path) => symlinkSync('/dev/zero', path)],
  ['text that is no id', (path) => writeFileSync(path, 'x'.repeat(2000))],
])('the latest run is found where a %s stands for its name', { timeout: 10_000 }, (_, make) => {
  for (const id of ['20261123T174501.250Z-9f3a1c', '20261124T174501.250Z-9f3a1c']) {
    mkdirSync(join(folder, id))
    writeFileSync(ledgerOf(folder, id), '')
  }
  make(join(folder, 'latest'))
  expect(latestRun(folder)).toBe('20261124T174501.250Z-9f3a1c')
})

test('only what a run names itself by says that it goes on', () => {
  const path = join(folder, 'ledger.jsonl')
  for (const name of ['.running-notes.txt', '.running-1-2', '.running-1-2-3.txt']) writeFileSync(join(folder, name), '')
  expect([hasNotEnded(path), isClaimed(folder)]).toEqual([false, false])
  writeFileSync(join(folder, '.running-1-2-3'), '')
  expect([hasNotEnded(path), isClaimed(folder)]).toEqual([true, true])
})
