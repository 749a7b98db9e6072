import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { metricsOf, select, type LedgerEntry } from '../../ledger/index.ts'
import { cacheFolderOf } from '../../cache/cache.ts'
import { Project, timeout, type Result } from './project.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const fixture = join(root, 'fixtures/second-suite')

/** The first run on a machine builds the emulator. */
const buildLimitMs = 900_000

/** A table of the closing report: cells by row. */
const tableBelow = (text: string, title: string): string[][] =>
  (text.split(`  ${title}\n`)[1]?.split('\n\n')[0] ?? '')
    .split('\n')
    .map((row) => row.trim().split(/ {2,}/))
    .filter((row) => row.length === 12)

/** Draws the inputs of a case of a task by the command line. */
const callIn = (cwd: string, name: string) =>
  execa(process.execPath, [join(root, 'dist/cli/main.js'), 'inputs', name, '--case', '0', '--out', 'drawn'], {
    cwd,
    reject: false,
  })

describe('a second suite, registered in the configuration, next to a task of the same name of NPUKernelBench', () => {
  const project = new Project(buildLimitMs)
  let result: Result

  beforeAll(async () => {
    project.write(
      'vitest.config.ts',
      `import { npuKernels } from 'vitest-npu/plugin'
import { secondSuite } from '${join(fixture, 'suite.ts')}'
export default { plugins: [npuKernels({ suites: [secondSuite] })] }\n`,
    )
    const copy = (from: string, to: string): void =>
      cpSync(from, join(project.folder, 'candidates', to), { recursive: true })
    copy(join(root, 'references/baseline/Sqrt'), 'npukernelbench/Sqrt')
    copy(join(root, 'references/baseline/common'), 'npukernelbench/common')
    copy(join(fixture, 'submissions'), 'submissions')
    // says neither suite: it must be judged as neither
    copy(join(root, 'references/baseline/Sqrt'), 'Sqrt')
    const environment = { NPU_CACHE_DIR: cacheFolderOf(root), NPU_FUZZ_RUNS: '2', NPU_MAX_ELEMENTS: '1048576' }
    result = await project.run(['/sqrt.spec'], environment)
  }, buildLimitMs)
  afterAll(() => project.remove())

  const entries = (suite: string): LedgerEntry[] => select(project.ledger(), { suite })

  test('each is judged on its own cases, and right', () => {
    expect(result.exitCode, result.stdout + result.stderr).toBe(0)
    expect(new Set(project.ledger().map(({ suite, group, task }) => `${suite} ${group} ${task}`))).toEqual(
      new Set(['npukernelbench level1 Sqrt', 'second basic Sqrt']),
    )
    const cases = select(entries('second'), { stage: 'static' }).map((entry) => entry.case)
    expect(cases).toEqual(['static 0: x float32[64]', 'static 1: x float32[1000]'])
    expect(select(entries('second'), { verdict: 'correct' })).toHaveLength(5)
    expect(metricsOf(project.ledger())).toMatchObject({ tasks: 2, samples: 2, correctRate: 1 })
  })

  test('samples are found in the layout of the suite, and named by it', () => {
    expect(new Set(entries('second').map(({ sample }) => sample))).toEqual(new Set(['team-a']))
    expect(new Set(entries('npukernelbench').map(({ sample }) => sample))).toEqual(new Set(['candidates']))
    expect(result.stdout).toContain(
      'not a candidate: candidates/Sqrt (Sqrt is a task of npukernelbench and second: put it in npukernelbench/Sqrt or second/Sqrt)',
    )
  })

  test('speedup is against the baseline of the own suite only', () => {
    expect(select(entries('npukernelbench'), { stage: 'latency' })).toMatchObject([{ speedup: 1 }])
    const [latency] = select(entries('second'), { stage: 'latency' })
    expect(latency?.latency?.mean).toBeGreaterThan(0)
    expect(latency).not.toHaveProperty('baseline')
  })

  test('each has a closing table of its own, in its own words', () => {
    const accuracies = ['exact', 'accurate', 'within tolerance', 'strict', 'benchmark']
    const rates = ['1', '1', '100.0%', '100.0%', '100.0%', expect.any(String), expect.any(String), '0', '100.0%']
    expect(tableBelow(result.stdout, 'NPUKernelBench')).toEqual([
      ['level', 'tasks', 'samples', 'compile', 'execute', 'correct', ...accuracies, 'speedup'],
      // the public rule rejects what is not a number, which roots of negative elements are
      ['level1', ...rates, expect.any(String), '1.00x'],
    ])
    expect(tableBelow(result.stdout, 'Second suite')).toEqual([
      ['track', 'tasks', 'samples', 'compile', 'execute', 'passed', ...accuracies, 'speedup'],
      ['basic', ...rates, '100.0%', '-'],
    ])
  })

  test(
    'on the command line the plain name is ambiguous, and the qualified one is not',
    async () => {
      const plain = await callIn(project.folder, 'Sqrt')
      expect(plain.exitCode).toBe(64)
      expect(plain.stderr).toBe('Sqrt is a task of several suites: say npukernelbench/Sqrt or second/Sqrt')
      expect((await callIn(project.folder, 'second/Sqrt')).stdout).toContain('x.npy: float32[64]')
      expect((await callIn(project.folder, 'npukernelbench/Sqrt')).stdout).toContain('x.npy: float16[48, 128, 512]')
      expect((await callIn(project.folder, 'secnd/Sqrt')).stderr).toContain(
        'no suite is called secnd (did you mean second?)',
      )
    },
    timeout,
  )
})

describe('specs of operators of one’s own', () => {
  const project = new Project()
  afterAll(() => project.remove())

  test(
    'need no level, no group and no suite',
    async () => {
      project.config('{ fuzzRuns: 0 }')
      project.spec('Mine', '', 'tasks/mine')
      project.spec('Inside')
      for (const operator of ['Mine', 'Inside']) project.candidate(operator, 'right')
      const { exitCode, stdout } = await project.run(['--reporter=verbose'])
      expect(exitCode, stdout).toBe(0)
      expect(stdout).toMatch(/own\W+tasks\/mine\/mine\.spec\.ts > Mine > candidates > compiles/)
      expect(tableBelow(stdout, 'own specs').map(([name]) => name)).toEqual(['suite', 'own'])
      expect(select(project.ledger(), { task: 'Mine' })).toMatchObject(
        Array.from({ length: 5 }, () => ({ suite: 'own', group: null, verdict: { kind: 'correct' } })),
      )
      expect(select(project.ledger(), { task: 'Inside', group: 'level1' })).toHaveLength(5)
    },
    timeout,
  )
})
