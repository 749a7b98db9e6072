import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import { row, rowOf } from '../plugin/dataset/row.ts'
import { cacheDir } from './project.ts'

const repository = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'npu-dataset-samples-'))
afterAll(() => rmSync(folder, { recursive: true }))

const kinds = ['documents', 'kernels', 'projects', 'errors', 'preferences']
const linesOf = (kind: string): string[] =>
  readFileSync(join(repository, 'fixtures/datasets', kind, 'rows.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')

test.each(kinds)('%s: a hundred rows, each once, with where they are from', (kind) => {
  const rows = linesOf(kind).map((line) => row.parse(JSON.parse(line)))
  expect(new Set(rows.map(({ id }) => id)).size).toBe(100)
  for (const { provenance } of rows) expect(provenance.licence).toBe('MIT')
})

test(
  'rows hold when they are checked from their file alone, and one with another tiling does not',
  { timeout: 600_000 },
  async () => {
    const first = kinds.map((kind) => linesOf(kind)[0]!)
    const { id: _, ...project } = row.parse(JSON.parse(linesOf('projects')[1]!))
    if (project.kind !== 'project') throw new Error('no project')
    project.proof.tiling.blockDim++
    writeFileSync(
      join(folder, 'rows.jsonl'),
      [...first, JSON.stringify(rowOf(project))].map((line) => `${line}\n`).join(''),
    )
    const { stdout, exitCode } = await execa(
      process.execPath,
      ['dist/cli/main.js', 'dataset', 'check', join(folder, 'rows.jsonl')],
      {
        cwd: repository,
        env: { NPU_CACHE_DIR: cacheDir, NO_COLOR: '1' },
        reject: false,
      },
    )
    expect(stdout).toMatch(/rows\.jsonl:6: project: /)
    expect(stdout).toContain('project: 1 right, 1 wrong')
    for (const kind of ['kernel', 'error', 'preference']) expect(stdout).toContain(`${kind}: 1 right, 0 wrong`)
    expect(exitCode).toBe(1)
  },
)

/** Counts and reasons of a card, without its settings, which have the time. */
const counts = (of: string): string => readFileSync(join(of, 'card.md'), 'utf8').split('Made with')[0]!

test(
  'the recording of questions that came first makes the same rows again, and they hold',
  { timeout: 600_000 },
  async () => {
    const recording = 'fixtures/datasets/retrieved'
    const again = join(folder, 'retrieved')
    const run = async (...args: string[]) =>
      await execa(process.execPath, ['dist/cli/main.js', 'dataset', ...args], {
        cwd: repository,
        env: { NPU_CACHE_DIR: cacheDir, NO_COLOR: '1' },
      })
    const asked = ['--retrieve', '--batch', '11', '--licence', 'MIT', '--model', `recorded:${recording}`]
    await run('docs', `${recording}/manual`, ...asked, '--out', again)
    const rows = readFileSync(join(again, 'rows.jsonl'), 'utf8')
    expect(rows).toBe(
      linesOf('retrieved')
        .map((line) => `${line}\n`)
        .join(''),
    )
    expect(counts(again)).toBe(counts(join(repository, recording)))
    const { stdout } = await run('check', join(again, 'rows.jsonl'))
    expect(stdout).toBe(`documentation: ${linesOf('retrieved').length} right, 0 wrong`)
  },
)
