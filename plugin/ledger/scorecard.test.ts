import { describe, expect, test, vi } from 'vitest'
import type { Latency, Verdict } from '../model/index.ts'
import { compareRuns } from './comparison.ts'
import type { LedgerEntry } from './entry.ts'
import { mergeLedgers } from './merge.ts'
import { outcomesOf, revisionsBySuite } from './outcome.ts'
import { scorecardOf } from './scorecard.ts'

const entry = (change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  v: 3,
  suite: 'npukernelbench',
  group: 'level1',
  task: 'Sqrt',
  category: 'Math',
  model: null,
  sample: 'sample0',
  stage: 'static',
  case: 'static 0',
  verdict: { kind: 'correct' },
  seed: 7,
  target: 'emulator',
  soc: 'Ascend910B2',
  profile: 'standard',
  ...change,
})

const place = { core: 'AIV 0', instruction: 'Add', severity: 'error', message: '', count: 1 } as const
const broken: Verdict = { kind: 'compile-failed', stage: 'kernel', class: 'syntax', diagnostics: [], log: '' }
const wrong: Verdict = { kind: 'wrong-structure', message: '' }
const trap: Verdict = { kind: 'device-error', report: { ...place, code: 'ErrorRead1' } }
const ours: Verdict = { kind: 'infrastructure', message: 'no disk' }

/** Samples of a task, by the verdict on their one case. */
const samples = (verdicts: readonly Verdict[], change: Partial<LedgerEntry> = {}): LedgerEntry[] =>
  verdicts.map((verdict, i) =>
    entry({ ...change, sample: `sample${i}`, verdict, stage: verdict === broken ? 'compile' : 'static' }),
  )
const right: Verdict = { kind: 'correct' }
const fast = (sample: string, speedup: number, change: Partial<LedgerEntry> = {}): LedgerEntry =>
  entry({ ...change, sample, stage: 'latency', case: 'latency', speedup })

const values = (figures: readonly { k: number; value: number | null; tasks: number }[]) =>
  figures.map(({ k, value, tasks }) => [k, value === null ? null : Number(value.toFixed(6)), tasks])

const latencyOf = (mean: number, change: Partial<Latency> = {}): Latency => ({
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
  ...change,
})

const timed = (task: string, mean: number, change: Partial<Latency> = {}): LedgerEntry[] => [
  entry({ task }),
  entry({ task, stage: 'latency', case: 'latency', latency: latencyOf(mean, change) }),
]

const name = (task: string, sample = 'sample0') => ({ suite: 'npukernelbench', task, sample })

const run = (solved: readonly number[]) =>
  Array.from({ length: 10 }, (_, i) => samples([wrong, solved.includes(i) ? right : wrong], { task: `T${i}` })).flat()

const merged = (...ledgers: LedgerEntry[][]) =>
  mergeLedgers(ledgers.map((entries, i) => ({ name: `run ${'AB'[i]}`, entries })))

test('a sample is one, whatever group a line gives it', () => {
  const bad = entry({ verdict: { kind: 'wrong-structure', message: '' } })
  const good = entry({ group: null, case: 'static 1' })
  expect(scorecardOf([bad, good]).all).toMatchObject({ samples: 1, correct: [{ k: 1, value: 0 }] })
  expect(() => merged([bad], [entry({ group: null })])).toThrow(/group is "level1" in run A, and null in run B/)
})

test('a revision may have the name of what every object has', () => {
  const all = { standard: 'rejected', strict: 'rejected', benchmark: 'rejected' } as const
  const named = (name: string) => entry({ sample: name, answers: { ...all, revisions: { [name]: 'rejected' } } })
  const { revisions } = scorecardOf([named('constructor'), named('other')], { k: [1] }).all
  expect(revisions['constructor']).toMatchObject([{ value: 0 }])
})

test('as many revisions as samples are no matter', { timeout: 8000 }, () => {
  const all = { standard: 'accepted', strict: 'accepted', benchmark: 'accepted' } as const
  const rows = Array.from({ length: 15_000 }, (_, i) =>
    entry({ sample: `s${i}`, answers: { ...all, revisions: { [`r${i}`]: 'accepted' } } }),
  )
  const { revisions } = scorecardOf(rows, { k: [1, 2] }).all
  expect(values(revisions['r7']!)).toEqual([
    [1, 1, 1],
    [2, null, 0],
  ])
})

test('a revision is decided by its own samples and by those of its suites that did not run', () => {
  const all = { standard: 'accepted', strict: 'accepted', benchmark: 'accepted' } as const
  const answered = (sample: string, name: string, answer: 'accepted' | 'rejected', change: Partial<LedgerEntry> = {}) =>
    entry({ sample, answers: { ...all, revisions: { [name]: answer } }, ...change })
  const { revisions } = scorecardOf(
    [
      answered('a', 'r1', 'accepted'),
      answered('b', 'r2', 'accepted'),
      entry({ sample: 'c', verdict: trap }),
      entry({ task: 'Exp', verdict: trap }),
      answered('a', 'r3', 'accepted', { suite: 'other' }),
      answered('d', 'r1', 'rejected', { verdict: trap }),
    ],
    { k: [1] },
  ).all
  expect(values(revisions['r1']!)).toEqual([[1, 0.166667, 2]])
  expect(values(revisions['r2']!)).toEqual([[1, 0.166667, 2]])
  expect(values(revisions['r3']!)).toEqual([[1, 1, 1]])
})

test('the more tasks and figures there are, the fewer draws are behind an interval', () => {
  const tasks = Array.from({ length: 3000 }, (_, i) =>
    entry({ task: `T${i}`, ...(i < 50 && { speedup: 1 + (i % 7) }) }),
  )
  const p = Array.from({ length: 100 }, (_, i) => i)
  const { rows, all } = scorecardOf(tasks, { p })
  // 210 figures of two rows: 3e8 / 420 / (3000 + 10)
  expect(scorecardOf(tasks, { p, resamples: 237 })).toMatchObject({ rows, all })
})

test('many models are told apart at once', () => {
  const entries = Array.from({ length: 500 }, (_, i) => entry({ model: `m${i}` }))
  const filter = vi.spyOn(Array.prototype, 'filter')
  const { weightedScores } = scorecardOf(entries, { by: 'model' })
  const visited = filter.mock.contexts.reduce<number>((sum, own) => sum + (Array.isArray(own) ? own.length : 0), 0)
  filter.mockRestore()
  expect(weightedScores).toHaveLength(500)
  expect(visited).toBeLessThan(100 * 500)
})

test('many tasks, many rows of one and many revisions are no matter', () => {
  const tasks = Array.from({ length: 150_000 }, (_, i) => entry({ task: `T${i}` }))
  expect(scorecardOf(tasks, { resamples: 2 }).all.tasks).toBe(150_000)
  const all = { standard: 'accepted', strict: 'accepted', benchmark: 'accepted' } as const
  const rows = Array.from({ length: 1000 }, (_, i) =>
    entry({ sample: `s${i}`, answers: { ...all, revisions: { [`r${i}`]: 'accepted' } } }),
  )
  expect(revisionsBySuite(outcomesOf(rows)).get('npukernelbench')?.size).toBe(1000)
}, 60_000)

const namesOf = (by: 'model' | 'level', rows: Partial<LedgerEntry>[]) =>
  scorecardOf(rows.map(entry), { by }).rows.map(({ name, samples: count }) => [name, count])

test('a row has one name and stands for one thing, whatever that is called', () => {
  expect(namesOf('model', [{}, ...['no model', 'all', ' ALL', '"all"', 'm'].map((model) => ({ model }))])).toEqual([
    ['" ALL"', 1],
    [String.raw`"\"all\""`, 1],
    ['"all"', 1],
    ['"no model"', 1],
    ['m', 1],
    ['no model', 1],
  ])
  const others = [
    { suite: 'npukernelbench/level1', group: null },
    { group: 'level2', task: 'Gelu' },
  ]
  expect(namesOf('level', [{}, ...others])).toEqual([
    ['"npukernelbench"/"level1"', 1],
    ['"npukernelbench/level1"', 1],
    ['npukernelbench/level2', 1],
  ])
  expect(namesOf('level', [{}, { group: null }, { group: 'npukernelbench', task: 'Gelu' }])).toHaveLength(2)
})

describe('a scorecard', () => {
  // Sqrt: 3 of 4 compile, 2 run, 1 is correct. Gelu: 2 of 2 compile, run and are correct
  const ledger = [
    ...samples([broken, trap, wrong, right]),
    ...samples([right, right], { task: 'Gelu', group: 'level2', category: 'Activation' }),
    entry({ task: 'Silu', sample: null, verdict: { kind: 'no-candidate' }, stage: 'compile' }),
  ]

  test('has pass@k by task, averaged over tasks that tell', () => {
    const { all } = scorecardOf(ledger, { k: [1, 2, 3] })
    expect(all).toMatchObject({ tasks: 3, samples: 6 })
    // by hand: (3/4 + 1) / 2; C(4,2) = 6 pairs, all of them with one that compiles; Gelu has no three
    expect(values(all.compile)).toEqual([
      [1, 0.875, 2],
      [2, 1, 2],
      [3, 1, 1],
    ])
    // (2/4 + 1) / 2; 5 of 6 pairs have one that runs; all triples have
    expect(values(all.runs)).toEqual([
      [1, 0.75, 2],
      [2, 0.916667, 2],
      [3, 1, 1],
    ])
    // (1/4 + 1) / 2; 3 of 6 pairs, 3 of 4 triples
    expect(values(all.correct)).toEqual([
      [1, 0.625, 2],
      [2, 0.75, 2],
      [3, 0.75, 1],
    ])
  })

  test('has a row for each level, category, task or model', () => {
    const names = (by: 'level' | 'category' | 'task' | 'model') =>
      scorecardOf(ledger, { by }).rows.map(({ name }) => name)
    expect(names('level')).toEqual(['level1', 'level2'])
    expect(names('category')).toEqual(['Activation', 'Math'])
    expect(names('task')).toEqual(['Gelu', 'Silu', 'Sqrt'])
    expect(names('model')).toEqual(['no model'])
    const { rows } = scorecardOf(ledger, { by: 'task', k: [1] })
    expect(rows.map(({ correct }) => values(correct)[0])).toEqual([
      [1, 1, 1],
      [1, null, 0],
      [1, 0.25, 1],
    ])
    expect(rows.map(({ correct }) => correct[0]!.interval)).toEqual([null, null, null])
    const two = [...ledger, ...samples([right], { suite: 'own', group: null })]
    expect(scorecardOf(two).rows.map(({ name }) => name)).toEqual([
      'npukernelbench/level1',
      'npukernelbench/level2',
      'own',
    ])
  })

  test('pools no samples of two models', () => {
    const two = [...samples([right, right], { model: 'a' }), ...samples([wrong, wrong], { model: 'b' })]
    const { rows, all } = scorecardOf(two, { by: 'model', k: [1, 2] })
    expect(rows.map(({ name, correct }) => [name, ...values(correct)])).toEqual([
      ['a', [1, 1, 1], [2, 1, 1]],
      ['b', [1, 0, 1], [2, 0, 1]],
    ])
    expect(values(all.correct)).toEqual([
      [1, 0.5, 2],
      [2, 0.5, 2],
    ])
  })

  test('asks for 1, 10 and 100 samples as far as there are as many', () => {
    expect(scorecardOf([]).k).toEqual([1])
    expect(scorecardOf(samples(Array.from({ length: 9 }, () => right))).k).toEqual([1])
    expect(scorecardOf(samples(Array.from({ length: 10 }, () => right))).k).toEqual([1, 10])
    expect(scorecardOf(samples(Array.from({ length: 100 }, () => right))).k).toEqual([1, 10, 100])
    expect(scorecardOf([]).all.correct).toEqual([{ k: 1, value: null, interval: null, tasks: 0 }])
  })

  test('asks for each budget once, the smallest first', () => {
    const { k, all } = scorecardOf(samples([right, wrong]), { k: [10, 1, 2, 1] })
    expect(k).toEqual([1, 2, 10])
    expect(all.correct.map((figure) => figure.k)).toEqual([1, 2, 10])
  })

  test('knows of how many tasks a sample is decided, whatever is asked for', () => {
    const undecided = entry({ task: 'Silu', stage: 'compile' })
    const { rows, all } = scorecardOf([...samples([right, wrong]), undecided], { k: [10], by: 'task' })
    expect([...rows, all].map(({ name, tasks, decided }) => [name, tasks, decided])).toEqual([
      ['Silu', 1, 0],
      ['Sqrt', 1, 1],
      ['all', 2, 1],
    ])
  })

  test('leaves out what we could not judge', () => {
    const { all } = scorecardOf(samples([right, ours, wrong]), { k: [1] })
    expect(all.samples).toBe(2)
    expect(values(all.correct)).toEqual([[1, 0.5, 1]])
  })

  test('has speedups of correct samples alone, and fills none in', () => {
    const ledger = [
      ...samples([right, right, wrong, right]),
      fast('sample0', 1),
      fast('sample1', 4),
      fast('sample2', 100),
      ...samples([right], { task: 'Gelu' }),
      fast('sample0', 16, { task: 'Gelu' }),
    ]
    const { all } = scorecardOf(ledger, { k: [1], p: [1, 4] })
    // of 1, 4 and 16
    expect(all.speedup).toMatchObject({ geometric: { value: expect.closeTo(4, 12), tasks: 2 }, samples: 3 })
    expect(all.speedup.arithmetic.value).toBe(7)
    // sample3 is correct and has no speedup: it counts neither for nor against. Sqrt: 2 and 1 of 3, 1 and 0 of 3
    expect(all.fast.map(({ p, comparison, value }) => [p, comparison, value])).toEqual([
      [1, '>=', expect.closeTo((2 / 3 + 1) / 2, 12)],
      [1, '>', expect.closeTo((1 / 3 + 1) / 2, 12)],
      [4, '>=', expect.closeTo((1 / 3 + 1) / 2, 12)],
      [4, '>', expect.closeTo(1 / 2, 12)],
    ])
    expect(scorecardOf(samples([right])).all.speedup).toEqual({
      geometric: { value: null, interval: null, tasks: 0 },
      arithmetic: { value: null, interval: null, tasks: 0 },
      samples: 0,
    })
  })

  test('a sample whose time is none is not fast', () => {
    const floor = { ns: 2, launchNs: 0, memoryNs: 2, cubeNs: 0, read: 1, written: 1, multiplications: 0 }
    const verdict: Verdict = { kind: 'implausible', latencyNs: 1, floor }
    const ledger = [...samples([right]), entry({ stage: 'latency', case: 'latency', verdict })]
    const { all } = scorecardOf(ledger)
    expect(all.fast.map(({ value }) => value)).toEqual([0, 0])
    // it is right all the same
    expect(all.errors).toEqual([])
  })

  test('tells what stopped the samples, each once under its first error', () => {
    // sample1 and sample2 are stopped twice, in either order
    const both = [
      ...samples([right, wrong, trap, wrong]),
      entry({ sample: 'sample1', case: 'static 1', verdict: trap }),
      entry({ sample: 'sample2', case: 'static 1', verdict: wrong }),
    ]
    const ledger = [...both, ...samples([broken, broken, ours, right], { task: 'Gelu' })]
    expect(scorecardOf(ledger).all.errors).toEqual([
      { kind: 'compile-failed', class: 'syntax', samples: 2, share: 0.4 },
      { kind: 'device-error', class: 'ErrorRead1', samples: 2, share: 0.4 },
      { kind: 'wrong-structure', class: null, samples: 1, share: 0.2 },
    ])
  })

  test('intervals are over tasks, and follow from the seed', () => {
    const tasks = Array.from({ length: 20 }, (_, i) => samples([i < 6 ? right : wrong], { task: `Task${i}` })).flat()
    const [figure] = scorecardOf(tasks, { seed: 3 }).all.correct
    expect(figure).toEqual(scorecardOf(tasks, { seed: 3 }).all.correct[0])
    expect(figure?.value).toBeCloseTo(0.3, 12)
    const { low, high } = figure!.interval!
    // shares of 20 tasks; 0.3 ± 1.96 √(0.3 · 0.7 / 20) = 0.099 … 0.501
    expect([low, high].map((end) => Math.abs(end * 20 - Math.round(end * 20)) < 1e-9)).toEqual([true, true])
    expect(low).toBeGreaterThan(0.04)
    expect(low).toBeLessThan(0.16)
    expect(high).toBeGreaterThan(0.44)
    expect(high).toBeLessThan(0.56)
  })
})

describe('a comparison', () => {
  test('tells what is gained and lost, and who is alone', () => {
    const before = [...samples([right, wrong, right, ours]), entry({ task: 'Old' })]
    const after = [...samples([wrong, right, right, right], { model: 'late' }), entry({ task: 'New' })]
    expect(compareRuns(before, after)).toMatchObject({
      samples: 3,
      gained: [name('Sqrt', 'sample1')],
      lost: [name('Sqrt', 'sample0')],
      onlyFirst: [name('Old')],
      onlySecond: [name('New')],
      undecided: 1,
      tasks: { both: 1, onlyFirst: 1, onlySecond: 1 },
      mcNemar: null,
      speedup: null,
    })
  })

  test('names the case that got the least far where a sample is not correct', () => {
    const entries = (late: Verdict): LedgerEntry[] => [
      entry({ case: 'static 0' }),
      entry({ case: 'static 1', verdict: wrong }),
      entry({ case: 'static 2', verdict: late }),
      entry({ case: 'static 3', verdict: late }),
    ]
    const stopped = { ...name('Sqrt'), case: 'static 2', kind: 'device-error', class: 'ErrorRead1' }
    expect(compareRuns([entry({})], entries(trap))).toMatchObject({ gained: [], lost: [stopped] })
    expect(compareRuns(entries(trap), [entry({})])).toMatchObject({ gained: [stopped], lost: [] })
    const other = { ...name('Sqrt'), case: 'static 1', kind: 'wrong-structure', class: null }
    expect(compareRuns([entry({})], entries(right)).lost).toEqual([other])
  })

  test('times differ beyond the error of both, and on one clock', () => {
    const before = [
      ...timed('Same', 100, { rme: 5 }),
      ...timed('Faster', 100, { rme: 5 }),
      ...timed('Slower', 100),
      ...timed('Clock', 100),
    ]
    const after = [
      ...timed('Same', 90, { rme: 5.6 }),
      ...timed('Faster', 90, { rme: 5.5 }),
      ...timed('Slower', 101),
      ...timed('Clock', 10, { source: 'emulated' }),
    ]
    // 95 … 105 and 84.96 … 95.04 meet; 85.05 … 94.95 does not
    expect(compareRuns(before, after)).toMatchObject({
      faster: [{ ...name('Faster'), before: 100, after: 90 }],
      slower: [{ ...name('Slower'), before: 100, after: 101 }],
      timed: 3,
      speedup: expect.closeTo(Math.cbrt((100 / 90) * (100 / 90) * (100 / 101)), 12),
    })
    const wrongAfter = compareRuns(timed('Faster', 100), [entry({ task: 'Faster', verdict: wrong })])
    expect(wrongAfter).toMatchObject({ timed: 0, lost: [name('Faster')] })
  })

  test('tests whether two models differ where they have the same tasks', () => {
    // 8 pairs differ, one of them for the first
    const found = compareRuns(run([0, 9]), run([1, 2, 3, 4, 5, 6, 7, 9]))
    expect(found.mcNemar).toEqual({
      samples: { first: 1, second: 7, p: expect.closeTo(18 / 256, 12) },
      tasks: { first: 1, second: 7, p: expect.closeTo(18 / 256, 12) },
    })
    expect(compareRuns(run([0]), run([1]).slice(2)).mcNemar).toBeNull()
  })

  test('a task is solved by any of its samples, and unknown while one is undecided and none is right', () => {
    const undecided = entry({ sample: 'sample1', stage: 'compile' })
    const solvedBy = (entries: LedgerEntry[]) => compareRuns(entries, samples([right, right])).mcNemar?.tasks
    expect(solvedBy(samples([wrong, right]))).toMatchObject({ first: 0, second: 0 })
    expect(solvedBy(samples([right, wrong]))).toMatchObject({ first: 0, second: 0 })
    expect(solvedBy(samples([wrong, wrong]))).toMatchObject({ first: 0, second: 1 })
    expect(solvedBy([entry({ verdict: wrong }), undecided])).toMatchObject({ first: 0, second: 0 })
    expect(solvedBy([undecided, entry({ verdict: wrong })])).toMatchObject({ first: 0, second: 0 })
  })

  test('a task that one run could not judge is there and undecided', () => {
    const before = [...samples([right], { task: 'A' }), ...samples([wrong], { task: 'B' })]
    const after = [...samples([ours], { task: 'A' }), ...samples([right], { task: 'B' })]
    expect(compareRuns(before, after)).toMatchObject({
      samples: 1,
      undecided: 1,
      onlyFirst: [],
      onlySecond: [],
      tasks: { both: 2, onlyFirst: 0, onlySecond: 0 },
      mcNemar: { samples: { first: 0, second: 1 }, tasks: { first: 0, second: 1 } },
    })
    const nobody = entry({ task: 'A', sample: null, verdict: { kind: 'no-candidate' }, stage: 'compile' })
    expect(compareRuns(before, [nobody, ...after.slice(1)])).toMatchObject({
      onlyFirst: [name('A')],
      tasks: { both: 2, onlyFirst: 0, onlySecond: 0 },
      mcNemar: { tasks: { first: 0, second: 1 } },
    })
    // without an answer for its only sample, neither side has solved it
    expect(compareRuns(after, before).mcNemar?.tasks).toMatchObject({ first: 1, second: 0 })
  })

  test('without tasks there is nothing to test', () => {
    expect(compareRuns([], [])).toMatchObject({ tasks: { both: 0, onlyFirst: 0, onlySecond: 0 }, mcNemar: null })
  })

  test('compares runs of several models model by model', () => {
    const before = [entry({ model: 'a' }), entry({ model: 'b', verdict: wrong })]
    const after = [entry({ model: 'a', verdict: wrong }), entry({ model: 'b' })]
    expect(compareRuns(before, after)).toMatchObject({
      gained: [{ model: 'b', sample: 'sample0' }],
      lost: [{ model: 'a', sample: 'sample0' }],
      tasks: { both: 2 },
      mcNemar: { tasks: { first: 1, second: 1 } },
    })
    // of one model each, the model is what differs
    expect(compareRuns(before.slice(0, 1), after.slice(1))).toMatchObject({ samples: 1, lost: [], gained: [] })
    // and where one of the two alone is of several, pairs are still those of one model
    expect(compareRuns(before, after.slice(1))).toMatchObject({ samples: 1, onlyFirst: [{ model: 'a' }] })
  })
})

describe('merging', () => {
  test('joins shards, and keeps what both have judged once', () => {
    const shared = entry({ time: '2026-11-23T17:00:00.000Z', ms: 3 })
    const again = entry({ time: '2026-11-23T18:00:00.000Z', ms: 4, seed: 8, remembered: 1 })
    const other = entry({ task: 'Gelu' })
    expect(merged([shared], [again, other])).toEqual([shared, other])
    expect(merged([entry({ model: 'a' })], [entry({ model: 'b', verdict: wrong })])).toHaveLength(2)
  })

  test('a judged question takes the place of one that could not be judged', () => {
    expect(merged([entry({ verdict: ours })], [entry()])).toEqual([entry()])
    expect(merged([entry()], [entry({ verdict: ours })])).toEqual([entry()])
  })

  test.each([
    [{ verdict: wrong }, 'verdict is correct in run A, and wrong-structure in run B'],
    [{ sources: 'bb' }, 'sources is "aa" in run A, and "bb" in run B'],
    [{ artifact: 'dd' }, 'artifact is "cc" in run A, and "dd" in run B'],
    [{ soc: 'Ascend910B4' }, 'soc is "Ascend910B2" in run A, and "Ascend910B4" in run B'],
    [{ speedup: 2 }, 'speedup is unknown in run A, and 2 in run B'],
  ])('two answers are an error that names both: %o', (change, message) => {
    const first = entry({ sources: 'aa', artifact: 'cc' })
    const question = 'Sqrt › sample0 › static 0: '
    expect(() => merged([first], [{ ...first, ...change }])).toThrow(`${question}${message}; leave one of them out`)
  })

  test('the entries of a sample are of the same sources, whoever has judged them', () => {
    const verdict = entry({ sources: 'aa' })
    const message = 'Sqrt › sample0: sources is "aa" in run A (static 0), and "bb" in run B (latency); leave one'
    expect(() => merged([verdict], [entry(), fast('sample0', 100, { sources: 'bb' })])).toThrow(message)
    expect(() => merged([verdict, fast('sample0', 100, { sources: 'bb' })])).toThrow('sources is "aa" in run A')
    expect(merged([verdict], [fast('sample0', 2), entry({ sample: 'other', sources: 'bb' })])).toHaveLength(3)
  })

  test('the entries of a sample are of one build, also where its sources include what is no part of them', () => {
    const [built, other] = ['cc', 'dd'].map((artifact) => ({ sources: 'aa', artifact }))
    const verdict = entry(built)
    const message = 'Sqrt › sample0: artifact is "cc" in run A (static 0), and "dd" in run B (latency); leave one'
    expect(() => merged([verdict], [fast('sample0', 100, other)])).toThrow(message)
    expect(merged([verdict], [fast('sample0', 100, built)], [entry({ sample: 'other', ...other })])).toHaveLength(3)
    expect(merged([verdict], [fast('sample0', 100)])).toHaveLength(2)
  })

  test('a sample has one time, whatever the entries are called', () => {
    const slow = fast('sample0', 1)
    const quick = { ...fast('sample0', 9), case: 'latency ' }
    const message = 'Sqrt › sample0: speedup is 1 in run A (latency), and 9 in run A (latency )'
    expect(() => merged([slow, quick])).toThrow(message)
    const hidden = { ...quick, verdict: ours, stage: 'static' } as const
    expect(() => merged([slow], [hidden])).toThrow('speedup is 1')
    const implausible = entry({ stage: 'latency', case: 'latency', verdict: wrong })
    expect(() => merged([implausible], [quick])).toThrow('speedup is unknown')
    expect(merged([slow], [{ ...slow, case: 'latency ' }])).toHaveLength(2)
    expect(merged([entry({ stage: 'latency', verdict: ours })], [quick])).toHaveLength(2)
  })

  test('two errors of one kind and of different classes are two answers', () => {
    const link: Verdict = { ...broken, class: 'link' }
    const message = 'verdict is compile-failed syntax in run A, and compile-failed link in run B'
    expect(() => merged([entry({ verdict: broken })], [entry({ verdict: link })])).toThrow(message)
    const elsewhere: Verdict = { ...broken, log: 'elsewhere' }
    expect(merged([entry({ verdict: broken })], [entry({ verdict: elsewhere })])).toHaveLength(1)
  })
})
