import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ledgerOf, newRunId, settingsOf } from '../ledger/runs.ts'
import { resolveOptions } from './options.ts'
import { resumedRun, runSettings } from './resume.ts'

const options = resolveOptions({ resume: 'latest' }, {})
const id = newRunId()
let runs: string
let settings: string
beforeEach(() => {
  runs = mkdtempSync(join(tmpdir(), 'npu-resume-'))
  settings = settingsOf(runs, id)
  mkdirSync(dirname(settings))
  writeFileSync(ledgerOf(runs, id), '')
})
afterEach(() => rmSync(runs, { recursive: true }))

test('a run is continued under the seed that it was begun with', () => {
  writeFileSync(settings, JSON.stringify(runSettings(options, 7)))
  const resumed = resumedRun(options, runs)
  expect(resumed).toMatchObject({ seed: 7, earlier: { id } })
  resumed?.earlier.finish()
})

test.each<[string, () => void]>([
  ['damaged', () => writeFileSync(settings, '{')],
  ['huge', () => (writeFileSync(settings, ''), truncateSync(settings, 2 ** 40))],
  ['a pipe', () => execFileSync('mkfifo', [settings])],
])('settings that are %s are refused in one line', { timeout: 10_000 }, (_, make) => {
  make()
  expect(() => resumedRun(options, runs)).toThrow(
    /^resume .* does not say what the run was begun with: begin a new one$/,
  )
})
