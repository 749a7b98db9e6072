import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TimelineStore } from './timelines.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'npu-timelines-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const drawn = () => ({ names: [randomBytes(600).toString('hex')], cores: [] })

test('all workers of a run have one limit', () => {
  const ledger = join(folder, 'ledger.jsonl')
  writeFileSync(ledger, '')
  const workers = Array.from({ length: 4 }, () => new TimelineStore(ledger, 3000))
  const kept = [0, 1].map((round) => workers.map((worker, i) => worker.keep(`${round}${i}`.padEnd(32, '0'), drawn())))
  // four of some 700 bytes fit
  expect(kept.flat().filter(Boolean)).toHaveLength(4)
  expect(kept[1]).toEqual([undefined, undefined, undefined, undefined])
})
