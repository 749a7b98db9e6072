import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { latestRun, ledgerOf, readLedger } from '../../ledger/index.ts'
import { Project, timeout } from './project.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
const project = new Project()

beforeAll(() => {
  project.config('{ fuzzRuns: 2 }')
  for (const operator of ['Twice', 'Other', 'Slow']) project.spec(operator)
  project.candidate('Twice/a', 'right', 'attempts')
  project.candidate('Twice/b', 'tail', 'attempts')
  project.candidate('Other/a', 'broken', 'attempts')
  // of the folder that the configuration names: not asked for
  project.candidate('Slow', 'right')
})
afterAll(() => project.remove())

const env = { NO_COLOR: '1', CI: '1', NPU_SEED: '7' }

const score = (...args: string[]) =>
  execa(process.execPath, [program, 'score', ...args], { cwd: project.folder, reject: false, timeout, env })

test(
  'judges a folder of samples on the tasks they are of, and prints their scorecard alone',
  async () => {
    const { exitCode, stdout, stderr } = await score('attempts', '--k', '1,2', '--json')
    expect(exitCode, stderr).toBe(0)
    const { all } = JSON.parse(stdout)
    expect(all.correct.map(({ value }: { value: number }) => value)).toEqual([0.25, 1])
    expect(all.errors).toMatchObject([
      { kind: 'compile-failed', class: 'scope', samples: 1 },
      { kind: 'wrong-value', samples: 1 },
    ])
    expect(stderr).toContain('verdicts: .npu/runs/')
    expect([...new Set(project.ledger().map(({ task }) => task))].sort()).toEqual(['Other', 'Twice'])
    // the same of the run that this was
    expect(JSON.parse((await score('--k', '1,2', '--json')).stdout).all).toEqual(all)
  },
  2 * timeout,
)

test(
  'says in one line why nothing can be judged',
  async () => {
    mkdirSync(join(project.folder, 'empty'), { recursive: true })
    project.candidate('Nobody', 'right', 'unknown')
    for (const [folders, code, message] of [
      [['empty'], 64, /^.*\/empty: holds neither a ledger nor a sample of a task$/],
      [
        ['unknown'],
        64,
        /^.*\/unknown: holds neither a ledger nor a sample of a task; unknown\/Nobody\S*: no task is called Nobody$/,
      ],
      [['attempts', 'unknown'], 64, /^score: attempts and unknown: judge one folder of samples at a time, /],
    ] as const) {
      const { exitCode, stdout, stderr } = await score(...folders)
      expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
      expect(stderr).toMatch(message)
    }
  },
  2 * timeout,
)

test(
  'a run that is stopped leaves the specs that it has finished',
  async () => {
    for (let i = 0; i < 6; i++) {
      project.spec(`Long${i}`)
      project.candidate(`Long${i}/a`, 'blocks', 'long')
    }
    const runs = join(project.folder, '.npu/runs')
    const before = latestRun(runs)
    const child = spawn(process.execPath, [program, 'score', 'long'], {
      cwd: project.folder,
      env: { ...process.env, ...env },
    })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    const texts: string[] = []
    child.stderr.setEncoding('utf8').on('data', (text: string) => texts.push(text))
    const isBegun = (): boolean => latestRun(runs) !== before && existsSync(ledgerOf(runs, latestRun(runs)!))
    await expect.poll(isBegun, { timeout, interval: 20 }).toBe(true)
    child.kill('SIGINT')
    expect(await ended, texts.join('')).toBe(130)
    expect(texts.join('')).toMatch(/^stopped: what was judged is in .*ledger\.jsonl$/m)
    const entries = readLedger(ledgerOf(runs, latestRun(runs)!))
    expect(entries.length).toBeGreaterThan(0)
    expect(new Set(entries.map(({ task }) => task)).size).toBeLessThan(6)
  },
  2 * timeout,
)
