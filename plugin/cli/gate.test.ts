import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LedgerEntry } from '../ledger/index.ts'
import { ledgerOf, newRunId } from '../ledger/runs.ts'
import { LedgerWriter } from '../ledger/writer.ts'

vi.setConfig({ testTimeout: 60_000 })

const repository = join(import.meta.dirname, '../..')

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-gate-'))))
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs the command line in the folder of the test. */
async function gate(...args: string[]): Promise<{ code: number | undefined; out: string; error: string }> {
  const program = join(repository, 'dist/cli/main.js')
  const { exitCode, stdout, stderr } = await execa('node', [program, 'gate', ...args], { cwd: folder, reject: false })
  return { code: exitCode, out: stdout, error: stderr }
}

const entry = (sample: string, change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  v: 3,
  suite: 'npukernelbench',
  group: 'level1',
  task: 'Sqrt',
  category: 'Math',
  model: null,
  sample,
  stage: 'static',
  case: 'static 0',
  verdict: { kind: 'correct' },
  seed: 7,
  target: 'emulator',
  soc: 'Ascend910B2',
  profile: 'standard',
  ...change,
})
const wrong = { kind: 'wrong-structure', message: '' } as const
const ours = { kind: 'infrastructure', message: 'no disk\nat all' } as const
const text = (entries: readonly LedgerEntry[]): string => entries.map((one) => `${JSON.stringify(one)}\n`).join('')
const write = (name: string, ...entries: LedgerEntry[]): void => writeFileSync(join(folder, name), text(entries))

describe('the exit code', () => {
  beforeEach(() => write('a.jsonl', entry('a'), entry('b', { verdict: wrong })))

  test('is 0 where the gate holds, though a candidate failed', async () => {
    expect(await gate('a.jsonl', '--min-correct', '0.5', '--require-all')).toEqual({
      code: 0,
      out: 'gate: holds (minCorrect 0.5, requireAll)',
      error: '',
    })
  })

  test('is 2 where it does not', async () => {
    expect(await gate('a.jsonl', '--min-correct=0.6', '--level', 'level1:min-pass-at-1=0.6,require-all')).toEqual({
      code: 2,
      out: [
        'gate: 2 rules do not hold',
        '  minCorrect: 1 of 2 samples are correct: 50.0%, 10.0% less than 60.0%: Sqrt › b',
        '  level1 minPassAt1: pass@1 of 1 tasks: 50.0%, 10.0% less than 60.0%: Sqrt › b',
      ].join('\n'),
      error: '',
    })
  })

  test('is 3 where something could not be judged, and that is said; what was not asked for is none of it', async () => {
    write('b.jsonl', entry('c', { verdict: ours }), entry('d', { verdict: ours }))
    const { code, out } = await gate('a.jsonl', 'b.jsonl', '--min-correct', '0')
    expect(code).toBe(3)
    expect(out).toContain('\nnot judged: Sqrt › c › static 0: no disk, and 1 more')
    const leftOut = { kind: 'infrastructure', message: 'not run: left out of this run' } as const
    write('c.jsonl', entry('a'), entry('a', { case: 'static 1', verdict: leftOut }))
    expect((await gate('c.jsonl', '--min-compile-rate', '1')).code).toBe(0)
    expect((await gate('c.jsonl', '--require-all')).code).toBe(2)
  })

  test('programs are told the same', async () => {
    const { code, out } = await gate('a.jsonl', '--min-correct=0.6', '--json')
    expect(code).toBe(2)
    expect(JSON.parse(out)).toMatchObject({
      ledgers: ['a.jsonl'],
      holds: false,
      rules: ['minCorrect 0.6'],
      findings: [{ level: null, rule: 'minCorrect', causes: ['Sqrt › b'] }],
    })
  })
})

test('rules that compare are asked of two runs', async () => {
  write('base.jsonl', entry('a'))
  const race = {
    code: 'DataRace',
    severity: 'error',
    core: 'AIV 0',
    instruction: 'Add',
    message: '',
    count: 1,
  } as const
  write('now.jsonl', entry('a', { verdict: { kind: 'hazard', report: race } }))
  const { code, out } = await gate('now.jsonl', '--no-new-hazards', '--against', 'base.jsonl')
  expect(code).toBe(2)
  expect(out).toContain('noNewHazards: 1 of 1 samples have new hazards: Sqrt › a (DataRace)')
  expect((await gate('now.jsonl', '--no-new-hazards', '--against', 'now.jsonl')).code).toBe(0)
})

test('half a run passes no gate: one that was killed, one that has lost a spec, and one whose last line is torn', async () => {
  const id = newRunId()
  const place = { runs: join(folder, '.npu/runs'), shown: join(folder, '.npu/ledger.jsonl') }
  const path = ledgerOf(place.runs, id)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text([entry('a')]))
  expect((await gate('--min-correct=1')).code).toBe(0)
  writeFileSync(join(path, '../.running-1-2-3'), '')
  expect(await gate('--min-correct=1')).toMatchObject({
    code: 2,
    out: expect.stringContaining(`data: the run is not whole: 1 lost: ${id}: the run has not ended, or was killed`),
  })
  rmSync(join(path, '../.running-1-2-3'))
  // what the reporter leaves of a spec that could not be read, until the run is gone on with
  new LedgerWriter(place, { id }).finish(undefined, ['tasks/torn.spec.ts'])
  expect(await gate('--min-correct=1')).toMatchObject({
    code: 2,
    out: expect.stringContaining(`1 lost: ${id}: tasks/torn.spec.ts could not be read, or has come to no end`),
  })
  new LedgerWriter(place, { id }).finish()
  expect((await gate('--min-correct=1')).code).toBe(0)
  writeFileSync(join(folder, 'torn.jsonl'), `${text([entry('a')])}{"v":3,`)
  expect(await gate('torn.jsonl', '--min-correct=1')).toMatchObject({
    code: 2,
    out: expect.stringContaining('torn.jsonl:2: skipped, the last line is torn'),
  })
})

test('no run passes a gate against half a run, unless that is allowed', async () => {
  write('now.jsonl', entry('a'))
  mkdirSync(join(folder, 'base'))
  write('base/ledger.jsonl', entry('a'))
  const asked = ['now.jsonl', '--no-new-hazards', '--against', 'base'] as const
  expect((await gate(...asked)).code).toBe(0)
  writeFileSync(join(folder, 'base/.running-1-2-3'), '')
  const said = '--against base: the run has not ended, or was killed'
  expect(await gate(...asked)).toMatchObject({
    code: 2,
    out: expect.stringContaining(`data: the run is not whole: 1 lost: ${said}`),
  })
  expect(await gate(...asked, '--allow-partial')).toEqual({ code: 0, out: 'gate: holds (noNewHazards)', error: said })
})

test('without a rule, those of the configuration are asked', async () => {
  write('a.jsonl', entry('a', { verdict: wrong }))
  const { code, error } = await gate('a.jsonl')
  expect({ code, error }).toEqual({
    code: 64,
    error: 'gate: give a rule, e.g. --min-compile-rate 0.9, or the option gate of npuKernels()',
  })
  const plugin = join(repository, 'dist/vitest/plugin.js')
  const options = '{ gate: { minCorrect: 0.5 } }'
  writeFileSync(
    join(folder, 'vitest.config.mjs'),
    `import { npuKernels } from '${plugin}'\nexport default { plugins: [npuKernels(${options})] }\n`,
  )
  expect(await gate('a.jsonl')).toMatchObject({ code: 2, out: expect.stringContaining('minCorrect: 0 of 1') })
  expect((await gate('a.jsonl', '--min-correct', '0')).code).toBe(0)
})

describe('a wrong call is one line, and exit code 64', () => {
  beforeEach(() => {
    write('a.jsonl', entry('a'))
    write('strict.jsonl', entry('a', { profile: 'strict' }))
    write('b3.jsonl', entry('a', { soc: 'Ascend910B3' }))
    write('empty.jsonl')
  })

  test.each([
    [['--min-correct', '90'], '--min-correct 90: is not a share from 0 to 1, e.g. 0.9 (did you mean 0.9?)'],
    [['--min-correct', 'most'], '--min-correct most: is not a share from 0 to 1, e.g. 0.9'],
    [['--min-correct='], '--min-correct : is not a share from 0 to 1, e.g. 0.9'],
    [['--min-pass', '1'], "gate: Unknown option '--min-pass'; see vitest-npu gate --help"],
    [['--level', 'level1'], '--level level1: is no level with its rules, e.g. level1:min-correct=0.9,require-all'],
    [
      ['--level', 'level1:min-corect=1'],
      '--level level1:min-corect=1: no rule is called "min-corect" (did you mean min-correct?); there are min-compile-rate, min-pass-at-1, min-correct, max-regression, no-new-hazards, require-all',
    ],
    [['--level', 'level1:min-correct'], '--level level1:min-correct: is not a share from 0 to 1, e.g. 0.9'],
    [['--level', 'level1:require-all=yes'], '--level level1:require-all=yes: takes no value'],
    [
      ['--max-regression', '0.1'],
      'gate: --max-regression and --no-new-hazards compare with another run: give --against <ledger | run>',
    ],
    [['--no-new-hazards', '--against', 'none'], 'none: is no file, and no run in .npu/runs'],
    [['--no-new-hazards', '--against', 'none/ledger.jsonl'], '--against none/ledger.jsonl: there is no such file'],
    [
      ['--no-new-hazards', '--against', 'strict.jsonl'],
      '--against strict.jsonl: is of the tolerance profile strict, and this run of standard; name a ledger of the same',
    ],
    [
      ['--no-new-hazards', '--against', 'b3.jsonl'],
      '--against b3.jsonl: is of the SoC Ascend910B3, and this run of Ascend910B2; name a ledger of the same',
    ],
    [
      ['--no-new-hazards', '--against', 'empty.jsonl'],
      '--against empty.jsonl: has no verdicts; name the ledger of a run that has judged something',
    ],
  ])('%j', async (args, message) => {
    expect(await gate('a.jsonl', ...args)).toEqual({ code: 64, out: '', error: message })
  })
})
