import { describe, expect, test } from 'vitest'
import type { Latency, Report, Verdict } from '../model/index.ts'
import type { LedgerEntry } from './entry.ts'
import { gateLines, incomparable, judgeGate, type GateData } from './gate.ts'
import { checkGate } from './gate-rules.ts'

const entry = (sample: string | null, change: Partial<LedgerEntry> = {}): LedgerEntry => ({
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

const broken: Verdict = { kind: 'compile-failed', stage: 'kernel', class: 'syntax', diagnostics: [], log: '' }
const wrong: Verdict = { kind: 'wrong-structure', message: '' }
const ours: Verdict = { kind: 'infrastructure', message: 'no disk' }
const report = (code: string, severity: Report['severity'] = 'error'): Report => ({
  code,
  severity,
  core: 'AIV 0',
  instruction: 'Add',
  message: '',
  count: 1,
})
const hazard = (code: string): Verdict => ({ kind: 'hazard', report: report(code) })

const latency = (mean: number, change: Partial<Latency> = {}): Latency => ({
  unit: 'ns',
  mean,
  p50: mean,
  p99: mean,
  min: mean,
  max: mean,
  sd: 0,
  rme: 0,
  samples: 1,
  source: 'emulated',
  profile: 'Ascend910B2 v4',
  ...change,
})

/** A right sample with its time. */
const timed = (sample: string, mean: number, change: Partial<Latency> = {}): LedgerEntry[] => [
  entry(sample),
  entry(sample, { stage: 'latency', case: 'latency', latency: latency(mean, change) }),
]

const timedOfModel = (model: string, mean: number): LedgerEntry[] =>
  timed('a', mean).map((each) => ({ ...each, model }))

/** What a gate says, a line each; nothing where it holds. */
const said = (options: unknown, entries: readonly LedgerEntry[], data: Omit<GateData, 'entries'> = {}): string[] => {
  const result = judgeGate(checkGate(options), { entries, ...data })
  return result.findings.length === 0 ? [] : gateLines(result).slice(1)
}

const noisy = (mean: number, rme: number): LedgerEntry[] => [...timed('a', mean, { rme }), ...timed('b', 1000)]

const hazards = (now: readonly LedgerEntry[], against: readonly LedgerEntry[]): string[] =>
  said({ noNewHazards: true, against: 'base' }, now, { against })

describe('shares', () => {
  const some = [entry('a'), entry('b', { verdict: wrong }), entry('c', { verdict: broken, stage: 'compile' })]

  test.each([
    [{ minCompileRate: 0.66 }, []],
    [{ minCompileRate: 0.9 }, ['  minCompileRate: 2 of 3 samples compile: 66.7%, 23.3% less than 90.0%: Sqrt › c']],
    [{ minCorrect: 1 / 3 }, []],
    [
      { minCorrect: 0.334 },
      ['  minCorrect: 1 of 3 samples are correct: 33.3%, 0.1% less than 33.4%: Sqrt › b, Sqrt › c'],
    ],
  ])('%j', (options, lines) => {
    expect(said(options, some)).toEqual(lines)
  })

  test('a share that is exactly met holds', () => {
    const ten = Array.from({ length: 10 }, (_, i) => entry(`s${i}`, i < 3 ? {} : { verdict: wrong }))
    expect(said({ minCorrect: 0.3, minPassAt1: 0.3 }, ten)).toEqual([])
  })

  test('pass@1 weighs tasks alike, whatever the number of their samples', () => {
    const gelu = [entry('a', { task: 'Gelu' })]
    expect(said({ minPassAt1: 2 / 3 }, [...some, ...gelu])).toEqual([])
    expect(said({ minPassAt1: 0.7 }, [...some, ...gelu])[0]).toContain(
      'pass@1 of 2 tasks: 66.7%, 3.3% less than 70.0%: Sqrt › b',
    )
    expect(said({ minCorrect: 0.6 }, [...some, ...gelu])).toHaveLength(1)
  })

  test('what was not judged to an end counts as not, and is said', () => {
    const lost = [entry('a'), entry('b'), entry('b', { case: 'static 1', verdict: ours })]
    expect(said({ minCorrect: 0.5 }, lost)).toEqual([])
    expect(said({ minCorrect: 0.6 }, lost)).toEqual([
      '  minCorrect: 1 of 2 samples are correct: 50.0%, 10.0% less than 60.0%; 1 not judged to an end, which count as not: Sqrt › b (not judged to an end)',
    ])
    expect(said({ minCompileRate: 1 }, [entry('a'), entry('b', { verdict: ours })])).toHaveLength(1)
  })

  test('nothing judged, and no sample, keep no rule', () => {
    expect(said({ minCorrect: 0 }, [])).toEqual(['  minCorrect: nothing was judged'])
    for (const rule of ['minCompileRate', 'minPassAt1', 'minCorrect'])
      expect(said({ [rule]: 0 }, [entry(null, { verdict: { kind: 'no-candidate' } })])).toEqual([
        `  ${rule}: no task has a sample`,
      ])
  })

  test('the first ten are named, and how many more there are', () => {
    const many = Array.from({ length: 12 }, (_, i) => entry(`s${i}`, { verdict: wrong }))
    const [line = ''] = said({ minCorrect: 0.5 }, many)
    expect(line).toMatch(/Sqrt › s0, .*Sqrt › s9 and 2 more$/)
    expect(line).not.toContain('s10')
  })
})

describe('levels', () => {
  const some = [entry('a'), entry('b', { group: 'level2', task: 'Gelu', verdict: wrong })]

  test('have rules of their own, by group or by suite and group', () => {
    expect(said({ levels: { level1: { minCorrect: 1 } } }, some)).toEqual([])
    expect(said({ minCorrect: 0.5, levels: { level2: { minCorrect: 0.5 } } }, some)).toEqual([
      '  level2 minCorrect: 0 of 1 samples are correct: 0.0%, 50.0% less than 50.0%: Gelu › b',
    ])
    expect(said({ levels: { 'npukernelbench/level2': { minCorrect: 0.5 } } }, some)).toHaveLength(1)
  })

  test('one that nobody has judged keeps no rule', () => {
    expect(said({ levels: { level9: { minCorrect: 0 } } }, some)).toEqual(['  level9 minCorrect: nothing was judged'])
  })
})

describe('maxRegression', () => {
  const before = [...timed('a', 1000), ...timed('b', 1000)]
  const loss = (tolerated: number, now: readonly LedgerEntry[], against = before): string[] =>
    said({ maxRegression: tolerated, against: 'base' }, now, { against })

  test('is the loss of speed that is tolerated', () => {
    // 1250 ns in place of 1000 are four fifths of the speed
    const now = [...timed('a', 1250), ...timed('b', 900)]
    expect(loss(0.2, now)).toEqual([])
    expect(loss(0.19, now)).toEqual([
      '  maxRegression: 1 of 2 samples lose more than 19.0% of their speed, 20.0% at most: Sqrt › a (20.0%: 1000 ns, now 1250 ns)',
    ])
  })

  test('what the error of both explains is no loss', () => {
    expect(loss(0, noisy(1200, 10), noisy(1000, 10))).toEqual([])
    expect(loss(0, noisy(1300, 10), noisy(1000, 10))[0]).toContain('(6.0%: 1000 ns, now 1300 ns)')
    expect(loss(0, noisy(1000, 100))[0]).toContain('1000 ns, now 1000 ns, with an error of 100%')
  })

  test('a sample that was right and is wrong now is no question of speed', () => {
    expect(loss(0, [...timed('a', 1000), entry('b', { verdict: wrong })])).toEqual([])
  })

  test.each([
    ['not in this run', timed('a', 1000), undefined],
    ['no time in this run', [...timed('a', 1000), entry('b')], undefined],
    ['no time in the other run', before, [...timed('a', 1000), entry('b')]],
    ['not judged to an end', [...timed('a', 1000), entry('b', { verdict: ours })], undefined],
    [
      'times of emulated, Ascend910B2 v4, now of emulated, Ascend910B2 v5',
      [...timed('a', 1000), ...timed('b', 1000, { profile: 'Ascend910B2 v5' })],
      undefined,
    ],
  ])('what cannot be compared breaks it: %s', (why, now, against) => {
    expect(loss(1, now, against)).toEqual([
      `  maxRegression: 0 of 2 samples lose more than 100.0% of their speed; 1 cannot be compared: Sqrt › b (${why})`,
    ])
  })

  test('a run of one model is compared with that of another', () => {
    expect(loss(0.1, timedOfModel('rl', 2000), timedOfModel('sft', 1000))).toEqual([
      expect.stringContaining('1 of 1 samples lose more than 10.0% of their speed'),
    ])
    expect(loss(0.6, timedOfModel('rl', 2000), timedOfModel('sft', 1000))).toEqual([])
  })

  test('so does a pair of runs without a sample that is correct in both; tasks nobody asked for do not', () => {
    expect(loss(1, [entry('z', { task: 'Gelu' })])).toEqual(['  maxRegression: no sample is correct in both'])
    expect(loss(0, before, [...before, entry('c', { task: 'Gelu' })])).toEqual([])
  })
})

describe('noNewHazards', () => {
  test('compares codes, sample by sample', () => {
    const race = entry('a', { verdict: hazard('DataRace') })
    expect(hazards([race], [race])).toEqual([])
    expect(hazards([race], [entry('a')])).toEqual([
      '  noNewHazards: 1 of 1 samples have new hazards: Sqrt › a (DataRace)',
    ])
    expect(hazards([race], [entry('b', { verdict: hazard('DataRace') })])).toHaveLength(1)
    expect(hazards([entry('a')], [race])).toEqual([])
  })

  test('counts each error of the device, whatever the verdict, and no warning', () => {
    const beside = entry('a', { verdict: hazard('DataRace'), reports: [report('DataRace'), report('ErrorRead1')] })
    expect(hazards([beside], [entry('a', { verdict: hazard('DataRace') })])[0]).toContain('Sqrt › a (ErrorRead1)')
    expect(hazards([entry('a', { verdict: wrong, reports: [report('DataRace')] })], [entry('a')])).toHaveLength(1)
    expect(hazards([entry('a', { reports: [report('HardCodedSize', 'warning')] })], [entry('a')])).toEqual([])
  })

  test('a sample that was not judged to an end breaks it', () => {
    expect(hazards([entry('a'), entry('a', { case: 'static 1', verdict: ours })], [entry('a')])).toEqual([
      '  noNewHazards: 0 of 1 samples have new hazards; 1 were not judged to an end: Sqrt › a (not judged to an end)',
    ])
  })
})

describe('requireAll', () => {
  test('wants a sample of every task and a verdict of every sample', () => {
    const none = entry(null, { task: 'Gelu', verdict: { kind: 'no-candidate' } })
    const torn = entry(null, { task: 'Silu', verdict: ours })
    expect(said({ requireAll: true }, [entry('a'), entry('b', { verdict: wrong })])).toEqual([])
    expect(said({ requireAll: true }, [entry('a'), none, torn, entry('b', { verdict: ours })])).toEqual([
      '  requireAll: 2 of 3 tasks have no sample, 1 samples were not judged to an end: Gelu (no candidate), Silu (not judged), Sqrt › b',
    ])
  })

  test('generated cases that had no time to be judged are not judged', () => {
    const cut = entry('b', { stage: 'generated', runs: 3, cutShort: true })
    expect(said({ requireAll: true }, [entry('a'), entry('b'), cut])).toEqual([
      '  requireAll: 0 of 1 tasks have no sample, 0 samples were not judged to an end, fuzzBudgetMs has ended the generated cases of 1 early: Sqrt › b (3 generated cases judged)',
    ])
    expect(said({ minCorrect: 1 }, [entry('a'), entry('b'), cut])).toEqual([])
  })

  test('each model has to have one', () => {
    const none = entry(null, { model: 'n', verdict: { kind: 'no-candidate' } })
    expect(said({ requireAll: true }, [entry('a', { model: 'm' }), none])).toHaveLength(1)
  })
})

test('a run that is not whole passes no gate', () => {
  expect(said({ minCorrect: 0 }, [entry('a')], { incomplete: ['broken.spec.ts'] })).toEqual([
    '  data: the run is not whole: 1 lost: broken.spec.ts',
  ])
})

test('a gate that holds names its rules', () => {
  const options = checkGate({ minCorrect: 0.5, requireAll: true, levels: { level1: { minCompileRate: 1 } } })
  expect(gateLines(judgeGate(options, { entries: [entry('a')] }))).toEqual([
    'gate: holds (minCorrect 0.5, requireAll, level1 minCompileRate 1)',
  ])
})

describe('a ledger of other conditions cannot be compared with', () => {
  test.each([
    [{ profile: 'strict' } as const, 'is of the tolerance profile strict, and this run of standard;'],
    [{ soc: 'Ascend910B3' }, 'is of the SoC Ascend910B3, and this run of Ascend910B2;'],
    [{ target: 'card' }, 'is of the target card, and this run of emulator;'],
  ])('%j', (change, message) => {
    expect(incomparable([entry('a')], [entry('a', change)])).toContain(message)
    expect(incomparable([entry('a')], [entry('a'), entry('b', change)])).toContain(' and ')
  })

  test('nor one that is empty', () => {
    expect(incomparable([entry('a')], [])).toContain('has no verdicts')
    expect(incomparable([entry('a')], [entry('b')])).toBeUndefined()
  })
})

describe('a gate that makes no sense is one line that names the field', () => {
  test.each([
    [{}, 'gate: asks for nothing; name one of minCompileRate, minPassAt1,'],
    [{ requireAll: false }, 'gate: asks for nothing'],
    ['strict', 'gate is "strict"; allowed: an object with minCompileRate'],
    [{ minPassAt1: 90 }, 'gate.minPassAt1 is 90; allowed: a share from 0 to 1, e.g. 0.9'],
    [{ minCompileRate: '90%' }, 'gate.minCompileRate is "90%"; allowed: a share from 0 to 1'],
    [{ minPass: 0.9 }, 'gate: no rule is called "minPass"; there are minCompileRate'],
    [{ failures: 'none' }, 'gate.failures is "none"; allowed: "tests" or "gate"'],
    [{ levels: { level1: { minCorrect: 2 } } }, 'gate.levels.level1.minCorrect is 2; allowed: a share from 0 to 1'],
    [
      { levels: { level1: { against: 'x' } } },
      'gate.levels.level1: no rule is called "against"; there are minCompileRate',
    ],
    [{ levels: { level1: 0.9 } }, 'gate.levels.level1 is 0.9; allowed: an object with minCompileRate'],
    [{ maxRegression: 0.1 }, 'gate.maxRegression compares with another run: name its ledger, gate.against'],
    [{ levels: { level1: { noNewHazards: true } } }, 'gate.noNewHazards compares with another run'],
  ])('%j', (options, message) => {
    expect(() => checkGate(options)).toThrow(message)
    expect(() => checkGate(options)).toThrow(/^[^\n]*$/)
  })
})
