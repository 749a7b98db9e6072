import { chmodSync, cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readLedger, type LedgerEntry } from '../plugin/ledger/index.ts'
import { cacheDir, Project } from './project.ts'

const repository = fileURLToPath(new URL('../', import.meta.url))
const doc = readFileSync(join(repository, 'docs/ci.md'), 'utf8')

/** The block of code of the document that begins with this text. */
function block(language: string, start: string): string {
  const blocks = [...doc.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text)
  const found = blocks.find((text) => text.startsWith(start))
  if (found === undefined) throw new Error(`docs/ci.md has no block of ${language} that begins with ${start}`)
  return found
}

/** What sets a machine up, which this one is. */
const setUp = ['sudo apt-get update && sudo apt-get install -y clang-16', 'npm ci']

/** The shell commands of a job of the workflow, in their order, without those that set a machine up. */
function commandsOf(job: string): string[] {
  const [, text = ''] = new RegExp(`^  ${job}:\\n((?:    .*\\n|\\n)*)`, 'm').exec(block('yaml', 'name: kernels')) ?? []
  const commands = [...text.matchAll(/^ +(?:- )?run: (.+)$/gm)].map(([, command = '']) => command)
  return commands.filter((command) => !setUp.includes(command))
}

let project: Project
let summary: string

/** Runs a command as a step of a workflow does. */
async function step(command: string): Promise<{ exitCode: number | undefined; text: string }> {
  const { exitCode, all } = await execa('bash', ['-e', '-o', 'pipefail', '-c', command], {
    cwd: project.folder,
    reject: false,
    all: true,
    env: {
      CI: 'true',
      NO_COLOR: '1',
      NPU_CACHE_DIR: cacheDir,
      NPU_FUZZ_RUNS: '2',
      NPU_SEED: '7',
      NPU_REMEMBER: '0',
      GITHUB_STEP_SUMMARY: summary,
    },
  })
  return { exitCode, text: all }
}

/** Everything but when it was judged, and how long that took, by question. */
function questions(entries: readonly LedgerEntry[]): Map<string, unknown> {
  return new Map(
    entries.map((entry) => [
      [entry.task, entry.sample, entry.case].join(' › '),
      { ...entry, time: undefined, ms: undefined },
    ]),
  )
}

beforeAll(() => {
  project = new Project()
  summary = join(project.folder, 'summary.md')
  project.write('vitest.config.ts', block('ts', 'import { defineConfig }'))
  for (const name of ['First', 'Second', 'Third']) project.operator(name)
  project.operator('Wrong', { kernel: [['Muls(', 'Adds(']] })
  // where `npm ci` would have put them
  for (const [name, program] of [
    ['vitest', 'node_modules/vitest/vitest.mjs'],
    ['vitest-npu', 'dist/cli/main.js'],
  ] as const) {
    const path = `node_modules/.bin/${name}`
    project.write(path, `#!/bin/sh\nexec node '${join(repository, program)}' "$@"\n`)
    chmodSync(join(project.folder, path), 0o755)
  }
})
afterAll(() => project.remove())

test('the workflow of docs/ci.md: shards, merged, are the whole run, and the gate is asked of them', async () => {
  const judge = commandsOf('judge')
  expect(judge).toHaveLength(2)
  for (const shard of [1, 2, 3, 4]) {
    for (const command of judge) {
      const { exitCode, text } = await step(command.replaceAll('${{ matrix.shard }}', String(shard)))
      expect(exitCode, text).toBe(0)
    }
    // what uploading and downloading the artifact does
    cpSync(join(project.folder, 'ledger.jsonl'), join(project.folder, `ledgers/ledger-${shard}/ledger.jsonl`))
    // the next machine knows no counterexamples of this one
    project.forget()
  }
  const gate = commandsOf('gate')
  expect(gate).toHaveLength(3)
  for (const command of gate) {
    const { exitCode, text } = await step(command)
    expect(exitCode, text).toBe(0)
    if (command.includes('gate')) expect(text).toContain('gate: holds (minCompileRate 0.9, minPassAt1 0.5, requireAll)')
  }
  const told = readFileSync(summary, 'utf8')
  expect(told).toContain('| level1 | 4 | 4 | 100.0% |')
  expect(told).toContain('gate: holds')
  expect(told).toMatch(/^\| Wrong › .* \| wrong-value \|/m)

  const missed = await step('npx vitest-npu gate all.jsonl --min-correct 0.9')
  expect(missed.exitCode, missed.text).toBe(2)
  expect(missed.text).toContain('minCorrect: 3 of 4 samples are correct: 75.0%, 15.0% less than 90.0%: Wrong › ')

  const whole = await step('npx vitest run')
  expect(whole.exitCode, whole.text).toBe(0)
  const merged = questions(readLedger(join(project.folder, 'all.jsonl')))
  // six tests each, but no latency of the one that is wrong
  expect(merged.size).toBe(4 * 6 - 1)
  expect(merged).toEqual(questions(project.ledger()))
})
