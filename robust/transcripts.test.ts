import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { cacheDir } from './project.ts'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const recording = fileURLToPath(new URL('../fixtures/transcripts', import.meta.url))
const limitMs = 5 * 60_000

const runs = mkdtempSync(join(tmpdir(), 'npu-transcripts-'))
afterAll(() => rmSync(runs, { recursive: true }))

const line = z.object({ task: z.string(), sample: z.string(), verdict: z.object({ kind: z.string() }) })

test('what a model wrote for the first level is judged, repaired and judged again as when it was recorded', async () => {
  const { exitCode, stdout, stderr } = await execa(
    process.execPath,
    [
      program,
      'generate',
      `--model=recorded:${recording}`,
      '--tasks=level1/**',
      '--samples=2',
      '--turns=3',
      '--name=replayed',
      `--out=${runs}`,
    ],
    { reject: false, timeout: limitMs, env: { NPU_CACHE_DIR: cacheDir, NO_COLOR: '1' } },
  )
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
  // what it comes to: all compile at once, one of sixteen is right after it was told what is wrong
  expect(stdout).toMatch(/level1 +8 +16 +16 +100\.0% +93\.8% +100\.0% +100\.0% +1 /)
  const verdicts = readFileSync(join(runs, 'replayed/ledger.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((text) => line.parse(JSON.parse(text)))
  expect(new Set(verdicts.map(({ task, sample }) => `${task}/${sample}`)).size).toBe(16)
  expect(new Set(verdicts.map(({ verdict }) => verdict.kind))).toEqual(new Set(['correct']))
})
