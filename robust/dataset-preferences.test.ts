import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { row as anyRow, rowOf } from '../plugin/dataset/row.ts'
import { cacheDir, edited, Project } from './project.ts'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const samples = fileURLToPath(new URL('../fixtures/samples', import.meta.url))
const timeoutMs = 10 * 60_000

let folder: string
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'dataset-preferences-'))))
afterAll(() => rmSync(folder, { recursive: true }))

const run = async (...args: string[]) => await runIn(folder, ...args)
const runIn = async (cwd: string, ...args: string[]) =>
  await execa(process.execPath, [program, ...args], {
    cwd,
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

test(
  'of two right candidates the faster one is preferred where the clock can tell, and the other way round does not hold',
  { timeout: timeoutMs },
  async () => {
    const project = new Project()
    try {
      project.operator('ScaleRow', { spec: [['[64, 128]', '[64, 4096]']] })
      project.config('{}')
      const [whole, sample] = [join(project.folder, 'candidates/ScaleRow'), join(project.folder, 'samples/ScaleRow')]
      for (const name of ['fast', 'slow', 'alike']) cpSync(whole, join(sample, name), { recursive: true })
      rmSync(join(project.folder, 'candidates'), { recursive: true })
      const kernel = readFileSync(join(sample, 'fast/op_kernel/scale_row.cpp'), 'utf8')
      for (const [name, tile] of [
        ['slow', '32'],
        ['alike', '2040'],
      ] as const)
        writeFileSync(
          join(sample, name, 'op_kernel/scale_row.cpp'),
          edited(kernel, [['TILE = 2048', `TILE = ${tile}`]]),
        )
      const judged = await runIn(project.folder, 'score', 'samples', '--k', '1')
      expect(judged.exitCode, judged.all).toBe(0)

      const making = ['dataset', 'preferences', '--strategies', 'faster', '--threshold', '1', '--out', 'pairs']
      const made = await runIn(project.folder, ...making)
      expect([made.exitCode, made.stdout]).toEqual([
        0,
        expect.stringMatching(/^2 pairs of 1 tasks in pairs: 2 faster\n/),
      ])
      const rows = readFileSync(join(project.folder, 'pairs/rows.jsonl'), 'utf8').trim().split('\n')
      for (const line of rows) expect(row.parse(JSON.parse(line)).rejected.answer).toContain('TILE = 32;')

      const { id: _, ...pair } = anyRow.parse(JSON.parse(rows[0]!))
      if (pair.kind !== 'preference' || !pair.rejected) throw new Error('is a pair')
      const { chosen, rejected } = pair.proof
      const proof = { ...pair.proof, chosen: rejected, rejected: chosen }
      const swapped = rowOf({ ...pair, answer: pair.rejected.answer, rejected: { answer: pair.answer }, proof })
      project.write('rows.jsonl', `${rows[0]}\n${JSON.stringify(swapped)}\n`)
      const checked = await runIn(project.folder, 'dataset', 'check', 'rows.jsonl')
      expect(checked.stdout).toMatch(
        /^rows\.jsonl:2: preference: the chosen answer takes [\d.]+ ns .*\npreference: 1 right, 1 wrong$/,
      )
    } finally {
      project.remove()
    }
  },
)
