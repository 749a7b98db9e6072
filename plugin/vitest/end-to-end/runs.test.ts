import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { latestRun, ledgerOf, readLedger, readSources, runsIn, type LedgerEntry } from '../../ledger/index.ts'
import { Project, timeout } from './project.ts'

describe('two runs, of two models', () => {
  const project = new Project()
  const runs = join(project.folder, '.npu/runs')
  let ledgers: LedgerEntry[][]

  beforeAll(async () => {
    project.config('{ fuzzRuns: 2 }')
    for (const [operator, mode] of [
      ['Twice', 'right'],
      ['Warns', 'warn'],
    ] as const) {
      project.spec(operator)
      project.candidate(operator, mode)
    }
    await project.run([], { NPU_MODEL: 'early' })
    project.candidate('Twice', 'tail')
    await project.run(['twice.spec'], { NPU_MODEL: 'late' })
    ledgers = runsIn(runs).map((id) => readLedger(ledgerOf(runs, id)))
  }, 2 * timeout)
  afterAll(() => project.remove())

  test('leave two folders, and the latest is named', () => {
    const ids = runsIn(runs)
    expect(ids).toHaveLength(2)
    expect(latestRun(runs)).toBe(ids[1])
    expect(readlinkSync(join(runs, 'latest'))).toBe(ids[1])
    expect(ledgers.map((entries) => [...new Set(entries.map(({ task, model }) => `${task} ${model}`))].sort())).toEqual(
      [['Twice early', 'Warns early'], ['Twice late']],
    )
  })

  test('what the option ledger names shows the latest', () => {
    expect(lstatSync(join(project.folder, '.npu/ledger.jsonl')).isSymbolicLink()).toBe(true)
    expect(project.ledger()).toEqual(ledgers[1])
  })

  test('keep what the candidates of each were, also where it has changed since', () => {
    const kept = runsIn(runs).map((id, index) => {
      const { sources = '' } = ledgers[index]?.find(({ task }) => task === 'Twice') ?? {}
      return readSources(ledgerOf(runs, id), sources)?.['op_kernel/kernel.cpp']?.split('\n')[0]
    })
    expect(kept).toEqual(['// mode: right', '// mode: tail'])
    expect(ledgers.flat().some((entry) => 'places' in entry)).toBe(false)
  })

  test('entries say when they were judged, how long it took, and what was found', () => {
    const [early = [], late = []] = ledgers
    for (const { time, ms } of [...early, ...late]) {
      expect(Math.abs(Date.now() - Date.parse(time ?? ''))).toBeLessThan(2 * timeout)
      expect(ms).toBeGreaterThanOrEqual(0)
    }
    const warned = early.find(({ task, stage }) => task === 'Warns' && stage === 'static')
    expect(warned).toMatchObject({
      verdict: { kind: 'correct' },
      reports: [{ code: 'ErrorSync1', severity: 'warning' }],
    })
    const built = early.filter(({ compilerWarnings }) => compilerWarnings)
    expect(built).toMatchObject([
      { task: 'Warns', stage: 'compile', compilerWarnings: [{ message: 'unused variable' }] },
    ])
    expect(early.filter(({ task, reports }) => task === 'Twice' && reports)).toEqual([])
  })

  test('each line is in the file once, as it was appended', () => {
    const lines = readFileSync(ledgerOf(runs, runsIn(runs)[0]!), 'utf8')
      .trim()
      .split('\n')
    expect(new Set(lines).size).toBe(lines.length)
    expect(lines).toHaveLength(12)
  })
})

describe('models side by side', () => {
  const project = new Project()
  afterAll(() => project.remove())

  test(
    'are told apart in tests, ledger and reproduction, also where the option names one',
    async () => {
      project.config('{ fuzzRuns: 2, model: "nobody" }')
      project.spec('Twice')
      project.candidate('Twice/s0', 'right', 'candidates/sft')
      project.candidate('Twice/s0', 'tail', 'candidates/rl')
      project.candidate('Twice/s0', 'right')
      const { stderr } = await project.run()
      const statics = project.ledger().filter(({ stage }) => stage === 'static')
      const verdicts = statics.map(({ model, sample, verdict }) => `${model}/${sample} ${verdict.kind}`)
      expect([...new Set(verdicts)].sort()).toEqual([
        'nobody/s0 correct',
        'rl/s0 correct',
        'rl/s0 wrong-value',
        'sft/s0 correct',
      ])
      expect(stderr).toContain('Twice > rl/s0 > static 2:')
      expect(stderr).toMatch(/-t "rl\/s0 \.\*static 2:"/)
      const one = await project.run(['--reporter=json'], { NPU_CANDIDATES: 'candidates/rl/Twice' })
      expect(new Set(one.tests.map(({ ancestorTitles }) => ancestorTitles.join(' ')))).toEqual(new Set(['Twice rl/s0']))
    },
    2 * timeout,
  )
})

test(
  'a ledger that cannot be written fails the run, which says so where it ends',
  async () => {
    const project = new Project()
    try {
      project.config('{ fuzzRuns: 2 }')
      project.spec('Right')
      project.candidate('Right', 'right')
      project.write('.npu/runs', 'a file, where folders of runs are kept')
      const { exitCode, stdout, stderr } = await project.run([])
      expect(exitCode, stdout + stderr).toBe(3)
      const lines = `${stdout}${stderr}`.split('\n').filter((line) => line.startsWith('npu: '))
      expect(lines.filter((line) => line.includes('cannot be written'))).toHaveLength(1)
      expect(stdout.trimEnd().split('\n').at(-1)).toBe(
        'npu: verdicts of this run are missing in its ledger, which could not be written',
      )
    } finally {
      project.remove()
    }
  },
  timeout,
)
