import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { cacheDir } from './project.ts'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const samples = fileURLToPath(new URL('../fixtures/samples', import.meta.url))
const timeoutMs = 10 * 60_000

let folder: string
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'dataset-preferences-'))))
afterAll(() => rmSync(folder, { recursive: true }))

const run = async (...args: string[]) =>
  await execa(process.execPath, [program, ...args], {
    cwd: folder,
    env: { ...process.env, NPU_CACHE_DIR: cacheDir, NPU_SEED: '4711', NPU_FUZZ_RUNS: '4' },
    reject: false,
    all: true,
  })

const expected = z
  .record(z.string(), z.record(z.string(), z.object({ kind: z.string() })))
  .parse(JSON.parse(readFileSync(join(samples, 'expected.json'), 'utf8')))

const row = z.object({
  answer: z.string(),
  rejected: z.object({ answer: z.string() }),
  proof: z.object({ strategy: z.string(), rejected: z.object({ outcome: z.string() }) }),
})

test(
  'what a run has judged becomes pairs, which hold when they are judged again, and do not hold the other way round',
  { timeout: timeoutMs },
  async () => {
    const kinds = ['correct', 'hazard', 'compile-failed', 'wrong-nonfinite']
    const of = Object.entries(expected['Snrm2'] ?? {})
    for (const kind of kinds) {
      const [name] = of.find((each) => each[1].kind === kind) ?? []
      cpSync(join(samples, 'Snrm2', name!), join(folder, 'samples/Snrm2', name!), { recursive: true })
    }
    const judged = await run('score', 'samples', '--k', '1')
    expect(judged.exitCode, judged.all).toBe(0)

    const made = await run('dataset', 'preferences', '--licence', 'MIT', '--threshold', '1', '--out', 'pairs')
    expect([made.exitCode, made.stdout]).toEqual([0, expect.stringMatching(/^3 pairs of 1 tasks in pairs: /)])
    const path = join(folder, 'pairs/rows.jsonl')
    const lines = readFileSync(path, 'utf8').trim().split('\n')
    const rows = lines.map((line) => row.parse(JSON.parse(line)))
    expect(rows.map(({ proof }) => proof.rejected.outcome).sort()).toEqual(
      kinds.filter((kind) => kind !== 'correct').sort(),
    )

    const held = await run('dataset', 'check', 'pairs/rows.jsonl')
    expect([held.exitCode, held.stdout]).toEqual([0, 'preference: 3 right, 0 wrong'])

    // a line whose sides were exchanged by hand has another id: it is no row
    const [first] = rows
    const swapped = lines[0]!
      .replace(JSON.stringify(first!.answer), '"\u0000"')
      .replace(JSON.stringify(first!.rejected.answer), JSON.stringify(first!.answer))
      .replace('"\u0000"', JSON.stringify(first!.rejected.answer))
    writeFileSync(join(folder, 'swapped.jsonl'), `${swapped}\n`)
    const refused = await run('dataset', 'check', 'swapped.jsonl')
    expect([refused.exitCode, refused.stdout]).toEqual([1, expect.stringContaining('id: is not that of its content')])

    const exported = await run('dataset', 'export', 'pairs/rows.jsonl', '--format', 'trl', '--out', 'trl')
    expect(exported.stdout).toContain('3 records in trl/train_dpo.jsonl\n4 records in trl/train_kto.jsonl')
    const mixed = await run('dataset', 'mix', 'pairs/rows.jsonl', '--benchmarks', 'npukernelbench', '--out', 'mix')
    expect(mixed.stdout).toBe('0 rows in mix\n3 refused: benchmark task')
  },
)
