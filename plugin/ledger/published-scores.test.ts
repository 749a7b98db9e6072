import { describe, expect, test } from 'vitest'
import type { Latency, Verdict } from '../model/index.ts'
import type { LedgerEntry } from './entry.ts'
import { craftFigures } from './ascend-craft.ts'
import { outcomeOf } from './outcome.ts'
import { gapClosed, publishedErrorShares, taskScore, weightedScore } from './published-scores.ts'
import { scorecardOf } from './scorecard.ts'

const right: Verdict = { kind: 'correct' }
const wrong: Verdict = { kind: 'wrong-structure', message: '' }
const broken: Verdict = { kind: 'compile-failed', stage: 'kernel', class: 'scope', diagnostics: [], log: '' }
const ours: Verdict = { kind: 'infrastructure', message: 'no disk' }
const accepting = { standard: 'accepted', strict: 'accepted', benchmark: 'accepted' } as const

const entry = (change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  v: 3,
  suite: 'npukernelbench',
  group: 'level1',
  task: 'Sqrt',
  category: 'Math',
  model: null,
  sample: 's0',
  stage: 'static',
  case: 'static 0',
  verdict: right,
  seed: 7,
  target: 'emulator',
  soc: 'Ascend910B2',
  profile: 'standard',
  ...change,
})

const time = (mean: number): Latency => ({
  unit: 'ns',
  mean,
  p50: mean,
  p99: mean,
  min: mean,
  max: mean,
  sd: 0,
  rme: 0,
  samples: 1,
  source: 'measured',
})

/** Times of candidate, baseline and bound. */
const timed = (candidate: number, baseline: number, floorNs: number): LedgerEntry =>
  entry({ stage: 'latency', case: 'latency', latency: time(candidate), baseline: time(baseline), floorNs })

describe('the share of the gap that is closed', () => {
  test.each([
    // (300 - 100) / ((c - 100) + (300 - 100))
    [100, 1],
    [200, 2 / 3],
    [300, 0.5],
    [500, 1 / 3],
    [1900, 0.1],
  ])('a candidate of %i ns, where the baseline takes 300 and the bound is 100', (candidate, share) => {
    expect(gapClosed(timed(candidate, 300, 100))).toBeCloseTo(share, 12)
    // as SOL-ExecBench writes it
    expect(gapClosed(timed(candidate, 300, 100))).toBeCloseTo(1 / (1 + (candidate - 100) / (300 - 100)), 12)
  })

  test('is not known without all three times, without a gap, and below the bound', () => {
    const { latency, baseline, floorNs } = timed(200, 300, 100)
    for (const known of [
      { latency: latency!, baseline: baseline! },
      { latency: latency!, floorNs: floorNs! },
      { baseline: baseline!, floorNs: floorNs! },
    ])
      expect(gapClosed(known)).toBeNull()
    expect(gapClosed(timed(200, 100, 100))).toBeNull()
    expect(gapClosed(timed(90, 300, 100))).toBeNull()
  })
})

const scoreOf = (...entries: LedgerEntry[]) => taskScore(outcomeOf(entries)!)

describe('the score of NPUKernelBench', () => {
  const rejected = entry({ verdict: wrong, answers: { ...accepting, benchmark: 'rejected' } })

  test('is the share of static cases that its tolerance accepts', () => {
    expect(scoreOf(entry(), entry(), entry(), rejected)).toBe(75)
    expect(scoreOf(rejected)).toBe(0)
    // the standard profile rejects what the benchmark accepts, and the device reports a race that it cannot see
    const lenient = entry({ verdict: wrong, answers: { ...accepting, standard: 'rejected', strict: 'rejected' } })
    expect(scoreOf(lenient, rejected)).toBe(50)
  })

  test('counts no generated case, and no latency', () => {
    expect(scoreOf(entry(), entry({ stage: 'generated', verdict: wrong }), timed(200, 300, 100))).toBe(100)
  })

  test('is 0 for what does not build, and unknown where a case was not judged', () => {
    expect(scoreOf(entry({ stage: 'compile', verdict: broken }))).toBe(0)
    expect(scoreOf(entry(), entry({ verdict: ours }))).toBeNull()
    expect(scoreOf(entry({ stage: 'compile' }))).toBeNull()
  })

  test('weighs its levels 0.2, 0.3 and 0.5, and is unknown without one of them', () => {
    const levels = new Map([
      ['level1', 80],
      ['level2', 40],
      ['level3', 10],
    ])
    expect(weightedScore(levels)).toBeCloseTo(16 + 12 + 5, 12)
    expect(weightedScore(new Map([...levels].slice(0, 2)))).toBeNull()
  })
})

describe('a scorecard has them', () => {
  // level 1: Sqrt 100 and 50, Abs 0; level 2: 100; level 3: 50
  const half = [
    entry({ sample: 's1' }),
    entry({ sample: 's1', verdict: wrong, answers: { ...accepting, benchmark: 'rejected' } }),
  ]
  const entries = [
    entry(),
    timed(200, 300, 100),
    ...half,
    entry({ task: 'Abs', verdict: broken, stage: 'compile' }),
    entry({ task: 'Gelu', group: 'level2' }),
    { ...timed(300, 300, 100), task: 'Gelu', group: 'level2' },
    ...half.map((one) => ({ ...one, task: 'TopK', group: 'level3' })),
  ]

  test('as means over tasks, each with the same weight', () => {
    const { all, rows, weightedScores } = scorecardOf(entries)
    expect(rows.map(({ benchmarkScore }) => benchmarkScore.value)).toEqual([37.5, 100, 50])
    expect(all.benchmarkScore).toMatchObject({ value: (75 + 0 + 100 + 50) / 4, tasks: 4 })
    const tasks = { level1: 2, level2: 1, level3: 1 }
    expect(weightedScores).toEqual([{ model: null, score: 0.2 * 37.5 + 0.3 * 100 + 0.5 * 50, tasks }])
    expect(all.gapClosed.value).toBeCloseTo((2 / 3 + 1 / 2) / 2, 12)
    expect(all.gapClosed).toMatchObject({ tasks: 2, samples: 2 })
  })

  test('for each model, and for tasks of that suite alone', () => {
    const others = entries.map((one) => ({ ...one, model: 'other', suite: 'mine' }))
    expect(scorecardOf([...entries, ...others]).weightedScores).toEqual([
      { model: null, score: 62.5, tasks: { level1: 2, level2: 1, level3: 1 } },
      { model: 'other', score: null, tasks: { level1: 0, level2: 0, level3: 0 } },
    ])
  })

  test('and what each tolerance profile says, side by side', () => {
    const strictly = { ...accepting, strict: 'rejected' } as const
    const report = { code: 'ErrorSync1', severity: 'error', message: '', core: '', instruction: '', count: 1 } as const
    const card = scorecardOf([
      entry({ answers: accepting }),
      entry({ sample: 's1', answers: strictly }),
      entry({ sample: 's2', answers: accepting, verdict: { kind: 'hazard', report } }),
      entry({ sample: 's3', answers: { ...strictly, standard: 'rejected' }, verdict: wrong }),
    ])
    const { standard, strict, benchmark } = card.all.profiles
    expect([standard, strict, benchmark].map(([one]) => one?.value)).toEqual([0.5, 0.25, 1])
  })
})

test('the published shares are of all errors, up to their rounding', () => {
  expect(Object.values(publishedErrorShares).reduce((sum, share) => sum + share, 0)).toBeCloseTo(0.999, 12)
})

const sample = (task: string, speedup?: number, verdict: Verdict = right): LedgerEntry[] => [
  entry({ suite: 'mkb', group: null, task, verdict }),
  ...(speedup === undefined
    ? []
    : [
        entry({
          suite: 'mkb',
          group: null,
          task,
          stage: 'latency' as const,
          case: 'latency',
          speedup,
          latency: time(1),
        }),
      ]),
]

describe('beside AscendCraft', () => {
  test('stands a run on its tasks, with a speedup of just so much counted in and left out', () => {
    const entries = [
      ...sample('A', 1),
      ...sample('B', 0.8),
      ...sample('C', 0.1),
      ...sample('D', undefined, broken),
      ...sample('E', undefined, wrong),
      entry(),
    ]
    const found = craftFigures(entries)
    expect(found?.tasks).toBe(5)
    expect(found?.columns).toEqual(['Comp@1', 'Pass@1', 'Fast_0.2@1', 'Fast_0.8@1', 'Fast_1.0@1'])
    expect(found?.rows.map(({ values }) => values)).toEqual([
      [0.8, 0.6, 0.4, 0.4, 0.2],
      [0.8, 0.6, 0.4, 0.2, 0],
      [0.981, 0.904, 0.827, 0.577, 0.462],
    ])
  })

  test('stands nothing of a run without its tasks', () => {
    expect(craftFigures([entry()])).toBeUndefined()
  })

  test('a correct sample without a speedup is in no Fast', () => {
    const [mine] = craftFigures([...sample('A', 2), ...sample('B')])!.rows
    expect(mine!.values).toEqual([1, 1, 1, 1, 1])
  })
})
