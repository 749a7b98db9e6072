import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { holdsNoLedger } from './runs.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-runs-'))))
afterEach(() => rmSync(folder, { recursive: true }))

test('a sample that is called like a ledger is none', () => {
  mkdirSync(join(folder, 'ledger.jsonl/s0/op_kernel'), { recursive: true })
  expect(holdsNoLedger(folder)).toBe(true)
  rmSync(join(folder, 'ledger.jsonl'), { recursive: true })
  writeFileSync(join(folder, 'ledger.jsonl'), '')
  expect(holdsNoLedger(folder)).toBe(false)
})
