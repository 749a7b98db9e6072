import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Verdict } from '../model/index.ts'
import { scratchName } from '../process/scratch.ts'
import type { LedgerEntry } from './entry.ts'
import { metricsOf } from './metrics.ts'
import { readLedger } from './read.ts'
import { latestRun, ledgerOf, markLatest, newRunId, pruneRuns, runsIn, runsNamed } from './runs.ts'
import { schemaFile, schemaText } from './schema.ts'
import { scorecardOf } from './scorecard.ts'
import { select } from './select.ts'
import { geometricMean } from './statistics.ts'
import { LedgerWriter, type LedgerPlace } from './writer.ts'

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

const place = { core: 'AIV 0', instruction: 'Add' }
const failed: Verdict = { kind: 'compile-failed', stage: 'kernel', class: 'syntax', diagnostics: [], log: '' }

describe('the ledger of a run', () => {
  let folder: string
  let place: LedgerPlace
  const warnings: string[] = []
  const warn = (line: string): void => void warnings.push(line)
  const casesIn = (path: string): string[] => readLedger(path, { warn }).map((e) => e.case)
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'npu-ledger-'))
    place = { runs: join(folder, '.npu/runs'), shown: join(folder, '.npu/ledger.jsonl') }
    warnings.length = 0
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('lies in a folder of its own, and is shown where the one before was', () => {
    const first = new LedgerWriter(place)
    first.finish([entry({ task: 'Old' })])
    const second = new LedgerWriter(place)
    second.append([entry({ task: 'New' })])
    expect(readLedger(place.shown).map((e) => e.task)).toEqual(['New'])
    second.append([entry({ task: 'Newer' })])
    second.finish()
    expect(readLedger(place.shown).map((e) => e.task)).toEqual(['New', 'Newer'])
    expect(readLedger(first.path).map((e) => e.task)).toEqual(['Old'])
    expect(runsIn(place.runs)).toEqual([first.id, second.id].sort())
    expect(readdirSync(dirname(second.path))).toEqual(['ledger.jsonl'])
    expect(readdirSync(join(folder, '.npu')).sort()).toEqual(['ledger.jsonl', 'runs'])
  })

  test('takes the place of a ledger that is a file, and is found through a folder that is a link', () => {
    mkdirSync(join(folder, 'elsewhere/deep'), { recursive: true })
    symlinkSync('elsewhere/deep', join(folder, 'results'))
    const shown = join(folder, 'results/mine.jsonl')
    writeFileSync(shown, 'from an earlier version')
    new LedgerWriter({ ...place, shown }).finish([entry()])
    expect(casesIn(shown)).toEqual(['static 0'])
  })

  test('is only appended to, unless it is to hold other entries at the end', () => {
    const writer = new LedgerWriter(place)
    writer.append([entry()])
    const { ino } = statSync(writer.path)
    writer.append([entry({ case: 'static 1' })])
    writer.finish()
    expect(statSync(writer.path).ino).toBe(ino)
    expect(casesIn(writer.path)).toEqual(['static 0', 'static 1'])
    writer.finish([entry({ case: 'static 2' })])
    expect(casesIn(writer.path)).toEqual(['static 2'])
    rmSync(place.runs, { recursive: true })
    writer.finish([entry({ case: 'static 2' }), entry({ case: 'static 3' })])
    expect(casesIn(place.shown)).toEqual(['static 2', 'static 3'])
  })

  test('is whole but for the line that was being written, wherever the run was killed', () => {
    const writer = new LedgerWriter(place)
    writer.append([entry(), entry({ case: 'static 1', task: 'Größe' })])
    const bytes = readFileSync(writer.path)
    const end = bytes.indexOf('\n')
    const cut = join(folder, 'cut.jsonl')
    for (let length = 0; length <= bytes.length; length++) {
      warnings.length = 0
      writeFileSync(cut, bytes.subarray(0, length))
      // a line that is whole but for its newline counts
      const whole = (length >= end ? 1 : 0) + (length >= bytes.length - 1 ? 1 : 0)
      const torn = ![0, end, end + 1, bytes.length - 1, bytes.length].includes(length)
      expect(casesIn(cut), `${length} bytes`).toHaveLength(whole)
      expect(warnings, `${length} bytes`).toHaveLength(torn ? 1 : 0)
    }
  })

  test('a torn last line is said with file and line', () => {
    const writer = new LedgerWriter(place)
    writer.append([entry()])
    appendFileSync(writer.path, '{"v":3,"task":"Sqrt","lev')
    expect(casesIn(writer.path)).toEqual(['static 0'])
    expect(warnings).toEqual([`${writer.path}:2: skipped, the last line is torn: the run was killed while it wrote`])
  })

  test('a damaged line in the middle is an error that names the line', () => {
    const { path } = new LedgerWriter(place)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${JSON.stringify(entry())}\n{"v":3,"task":1}\n${JSON.stringify(entry())}\n`)
    expect(() => readLedger(path)).toThrow(`${path}:2: suite:`)
    const answers = { standard: 'accepted', strict: 'accepted', benchmark: 'accepted' } as const
    const rows = Array.from({ length: 66 }, (_, i) =>
      entry({ answers: { ...answers, revisions: { [`r${i}`]: 'accepted' } } }),
    )
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    expect(() => readLedger(path)).toThrow(`${path}:65: names more revisions of the public benchmark than the 64 that`)
    writeFileSync(path, 'nonsense\n')
    expect(() => readLedger(path)).toThrow(`${path}:1: not JSON`)
  })
})

describe('the folder of runs', () => {
  let folder: string
  beforeEach(() => void (folder = join(mkdtempSync(join(tmpdir(), 'npu-runs-')), 'runs')))
  afterEach(() => rmSync(dirname(folder), { recursive: true }))

  const placeOf = (name = 'ledger'): LedgerPlace => ({ runs: folder, shown: join(dirname(folder), `${name}.jsonl`) })
  /** A run that began in this year and is over. */
  const past = (year: number): string => {
    const id = newRunId(new Date(Date.UTC(year, 0)))
    mkdirSync(join(folder, id), { recursive: true })
    writeFileSync(ledgerOf(folder, id), '')
    markLatest(folder, id)
    return id
  }

  test('ids sort by time, and are their own', () => {
    expect(newRunId(new Date('2026-11-23T17:45:01.250Z'))).toMatch(/^20261123T174501\.250Z-[0-9a-f]{6}$/)
    expect(newRunId()).not.toBe(newRunId())
    expect(runsIn(folder)).toEqual([])
    const ids = [past(2002), past(2001), past(2010)]
    writeFileSync(join(folder, 'notes.txt'), '')
    expect(runsIn(folder)).toEqual([ids[1], ids[0], ids[2]])
  })

  test('the latest is the one that has begun last, by a link or by a file that names it', () => {
    expect(latestRun(folder)).toBeUndefined()
    const [older, newer] = [past(2001), past(2002)]
    expect(latestRun(folder)).toBe(newer)
    expect(readlinkSync(join(folder, 'latest'))).toBe(newer)
    markLatest(folder, older)
    expect(latestRun(folder)).toBe(newer)
    rmSync(join(folder, 'latest'))
    writeFileSync(join(folder, 'latest'), `${older}\n`)
    expect(latestRun(folder)).toBe(older)
    writeFileSync(join(folder, 'latest'), 'nothing that there is')
    expect(latestRun(folder)).toBe(newer)
  })

  test('two runs at once disturb neither each other nor what is shown of the one that began last', async () => {
    const early = new LedgerWriter(placeOf())
    await new Promise((resolve) => setTimeout(resolve, 5))
    const late = new LedgerWriter(placeOf())
    early.append([entry({ task: 'Early' })])
    late.append([entry({ task: 'Late' })])
    early.append([entry({ task: 'Early', case: 'static 1' })])
    late.finish()
    early.finish()
    expect(readLedger(early.path).map((e) => e.task)).toEqual(['Early', 'Early'])
    expect(readLedger(late.path).map((e) => e.task)).toEqual(['Late'])
    expect(latestRun(folder)).toBe(late.id)
    expect(readLedger(placeOf().shown).map((e) => e.task)).toEqual(['Late'])
  })

  test('a run that was killed before it had a ledger is none', () => {
    const [begun, last] = [past(2001), past(2002)]
    rmSync(ledgerOf(folder, last))
    expect(runsIn(folder)).toEqual([begun])
    expect(latestRun(folder)).toBe(begun)
    expect(runsNamed(folder, last)).toEqual([])
    expect(runsNamed(folder, 'latest')).toEqual([begun])
  })

  test('pruning leaves a run alone that has just made its folder', () => {
    const [begins, last] = [past(2001), past(2002)]
    writeFileSync(join(folder, newRunId(new Date(0))), 'called like a run')
    rmSync(ledgerOf(folder, begins), { force: true })
    expect(pruneRuns(folder, 0)).toEqual([])
    utimesSync(join(folder, begins), 1, 1)
    expect(pruneRuns(folder, 0)).toEqual([begins])
    expect(runsIn(folder)).toEqual([last])
  })

  test('pruning removes the oldest, and neither the latest nor one that is running', () => {
    const [first, second, third, fourth] = [past(2001), past(2002), past(2003), past(2004)]
    const running = new LedgerWriter(placeOf())
    expect(pruneRuns(folder, 3)).toEqual([first])
    rmSync(join(folder, 'latest'))
    writeFileSync(join(folder, 'latest'), second)
    const held = scratchName('.running')
    writeFileSync(join(folder, third, held), '')
    expect(pruneRuns(folder, 0)).toEqual([fourth])
    expect(runsIn(folder)).toEqual([second, third])
    // a process that is gone holds nothing
    rmSync(join(folder, third, held))
    writeFileSync(join(folder, third, held.replace(`-${process.pid}-`, '-4194305-')), '')
    expect(pruneRuns(folder, 0)).toEqual([third])
    running.append([entry()])
    rmSync(join(folder, 'latest'))
    writeFileSync(join(folder, 'latest'), second)
    expect(pruneRuns(folder, 0)).toEqual([])
    running.finish([entry()])
    expect(pruneRuns(folder, 0)).toEqual([running.id])
    expect(runsIn(folder)).toEqual([second])
  })
})

test('a line with times or speedups that no launch has is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'npu-ledger-'))
  const path = join(folder, 'ledger.jsonl')
  const times = { mean: 10, p50: 10, p99: 10, min: 10, max: 10, sd: 0, rme: 0, samples: 1 }
  const latency = { ...times, unit: 'ns', source: 'emulated' } as const
  const read = (change: Partial<LedgerEntry>) => {
    writeFileSync(path, `${JSON.stringify(entry({ latency, speedup: 1e12, ...change }))}\n`)
    return readLedger(path)
  }
  expect(read({})).toHaveLength(1)
  for (const change of [{ speedup: 1e308 }, { speedupBand: 1e308 }]) expect(() => read(change)).toThrow(/:1: speedup/)
  for (const mean of [1e308, -1]) expect(() => read({ latency: { ...latency, mean } })).toThrow(/:1: latency.mean/)
  rmSync(folder, { recursive: true })
})

describe('lines of another version', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'npu-ledger-')), 'ledger.jsonl')
  afterAll(() => rmSync(dirname(path), { recursive: true }))
  const read = (...lines: object[]) => {
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return () => readLedger(path)
  }
  const { v: _, ...unversioned } = entry()

  test.each([
    [{ ...entry(), v: 4 }, 'has version 4, this vitest-npu reads versions 2 and 3; update vitest-npu'],
    [{ ...entry(), v: 'x' }, 'has version "x", this vitest-npu reads versions 2 and 3; update vitest-npu'],
    [{ ...entry(), v: 1 }, 'has version 1, this vitest-npu reads versions 2 and 3; run Vitest again to write it anew'],
    [
      unversioned,
      'has no version (field v), this vitest-npu reads versions 2 and 3; run Vitest again to write it anew',
    ],
  ])('are refused with line, versions and fix', (line, message) => {
    expect(read(entry(), line)).toThrow(`${path}:2: ${message}`)
    expect(read(line, entry())).toThrow(`${path}:1: ${message}`)
  })

  test('are refused as a last line without its end as well', () => {
    writeFileSync(path, JSON.stringify({ ...entry(), v: 4 }))
    expect(() => readLedger(path)).toThrow(`${path}:1: has version 4`)
  })

  test('of version 2 are read as lines of nobody', () => {
    const { model: _, ...old } = entry()
    expect(read({ ...old, v: 2 })()).toEqual([entry()])
  })

  test('begin with their version', () => {
    const place = { runs: join(dirname(path), 'runs'), shown: path }
    new LedgerWriter(place).finish([entry()])
    expect(readFileSync(path, 'utf8')).toMatch(/^\{"v":3,"suite":"npukernelbench",/)
  })
})

test('the committed JSON schema is what the code says (npm run docs)', () => {
  expect(readFileSync(schemaFile, 'utf8')).toBe(schemaText())
})

test('entries are selected by one value of a field or several', () => {
  const entries = [
    entry(),
    entry({ suite: 'own', group: null, stage: 'latency' }),
    entry({ task: 'Gelu', sample: null }),
  ]
  expect(select(entries, {})).toEqual(entries)
  expect(select(entries, { suite: 'own' })).toEqual([entries[1]])
  expect(select(entries, { group: null })).toEqual([entries[1]])
  expect(select(entries, { group: ['level1', null], task: 'Sqrt' })).toEqual(entries.slice(0, 2))
  expect(select(entries, { sample: null })).toEqual([entries[2]])
  expect(select(entries, { model: 'theirs' })).toEqual([])
  expect(select([...entries, entry({ model: 'theirs' })], { model: ['theirs'] })).toEqual([entry({ model: 'theirs' })])
  expect(select(entries, { stage: ['static'], verdict: 'correct' })).toEqual([entries[0], entries[2]])
  expect(select(entries, { verdict: 'timeout' })).toEqual([])
})

describe('metrics', () => {
  test('tasks and samples of the same name in two suites are two', () => {
    const wrong = entry({ suite: 'other', verdict: { kind: 'wrong-structure', message: '' } })
    expect(metricsOf([entry(), wrong])).toMatchObject({ tasks: 2, samples: 2, correctRate: 0.5 })
  })

  test('nothing measured is null, never 0 or 1', () => {
    expect(metricsOf([])).toMatchObject({ compileRate: null, executionRate: null, correctRate: null, speedup: null })
    expect(metricsOf([entry({ sample: null, verdict: { kind: 'no-candidate' } })])).toMatchObject({
      tasks: 1,
      samples: 0,
      compileRate: null,
    })
    expect(metricsOf([entry()]).speedup).toBeNull()
    expect(geometricMean([])).toBeNull()
    expect(geometricMean([1, 0])).toBeNull()
  })

  test('a sample is correct only when all of its cases are', () => {
    const wrong = entry({ case: 'static 1', verdict: { kind: 'wrong-structure', message: '' } })
    expect(metricsOf([entry(), wrong])).toMatchObject({ executionRate: 1, correctRate: 0 })
  })

  test('a sample that stops on the device compiles and does not execute', () => {
    expect(metricsOf([entry(), entry({ case: 'static 1', verdict: { kind: 'timeout', limitMs: 1 } })])).toMatchObject({
      compileRate: 1,
      executionRate: 0,
      correctRate: 0,
    })
  })

  test('the speedup of a wrong kernel does not count', () => {
    const fast = entry({ sample: 'wrong', speedup: 100, stage: 'latency' })
    const wrong = entry({ sample: 'wrong', verdict: { kind: 'wrong-structure', message: '' } })
    const right = [entry(), entry({ stage: 'latency', speedup: 2 })]
    const better = [entry({ task: 'Gelu' }), entry({ task: 'Gelu', stage: 'latency', speedup: 8 })]
    expect(metricsOf([fast, wrong, ...right, ...better])).toMatchObject({ speedup: 4, speedupSamples: 2, samples: 3 })
  })

  test('a sample is as accurate as its worst case, and only correct ones count', () => {
    const answers = { standard: 'accepted', strict: 'accepted', benchmark: 'accepted' } as const
    const exact = entry({ answers, accuracy: 'exact' })
    const accurate = entry({ case: 'static 1', answers, accuracy: 'accurate' })
    const strict = { ...answers, strict: 'rejected' } as const
    const tolerated = entry({ sample: 'other', answers: strict, accuracy: 'within-tolerance' })
    const hazard: Verdict = {
      kind: 'hazard',
      report: { ...place, code: 'X', severity: 'error', message: '', count: 1 },
    }
    const wrong = entry({ sample: 'hazard', answers, accuracy: 'exact', verdict: hazard })
    expect(metricsOf([exact, accurate, tolerated, wrong])).toMatchObject({
      accuracy: { exact: 0, accurate: 1, 'within-tolerance': 1 },
      correctRate: 2 / 3,
      acceptedRate: { standard: 2 / 3, strict: 1 / 3, benchmark: 1 },
    })
    expect(metricsOf([exact]).accuracy).toEqual({ exact: 1, accurate: 0, 'within-tolerance': 0 })
    expect(metricsOf([wrong]).accuracy).toBeNull()
  })

  test('revisions of the benchmark accept for themselves; other suites have none', () => {
    const all = { standard: 'accepted', strict: 'accepted', benchmark: 'rejected' } as const
    const old = entry({ suite: 'mkb', answers: { ...all, revisions: { old: 'accepted', new: 'rejected' } } })
    const broken = entry({ suite: 'mkb', sample: 'broken', verdict: { kind: 'timeout', limitMs: 1 } })
    expect(metricsOf([old]).revisionRate).toEqual({ old: 1, new: 0 })
    expect(metricsOf([old, broken]).revisionRate).toEqual({ old: 0.5, new: 0 })
    expect(metricsOf([old, broken, entry()]).revisionRate).toEqual({ old: 0.5, new: 0 })
    expect(metricsOf([entry()]).revisionRate).toEqual({})
    const worse = entry({
      suite: 'mkb',
      case: 'static 1',
      answers: { ...all, revisions: { old: 'rejected', new: 'rejected' } },
    })
    expect(metricsOf([old, worse]).revisionRate).toEqual({ old: 0, new: 0 })
    const card = scorecardOf([old, broken, entry()]).all.revisions
    expect(card).toMatchObject({ old: [{ k: 1, value: 0.5, tasks: 1 }], new: [{ k: 1, value: 0 }] })
  })

  test('nobody accepts what did not run, and what was not compared has no accuracy', () => {
    const stopped = entry({ verdict: { kind: 'timeout', limitMs: 1 } })
    expect(metricsOf([stopped])).toMatchObject({
      accuracy: null,
      acceptedRate: { standard: 0, strict: 0, benchmark: 0 },
    })
    expect(metricsOf([entry()])).toMatchObject({
      accuracy: null,
      acceptedRate: { standard: 1, strict: 1, benchmark: 1 },
    })
    expect(metricsOf([])).toMatchObject({ acceptedRate: { standard: null, strict: null, benchmark: null } })
    const rejected = { standard: 'rejected', strict: 'rejected', benchmark: 'accepted' } as const
    // the public rule decided
    const tolerated = entry({ profile: 'benchmark', answers: rejected })
    expect(metricsOf([tolerated])).toMatchObject({ correctRate: 1, accuracy: null })
  })

  test('what we could not judge counts neither for nor against a candidate', () => {
    const ours: Verdict = { kind: 'infrastructure', message: 'no compiler' }
    expect(metricsOf([entry({ stage: 'compile', verdict: ours })])).toMatchObject({ samples: 0, compileRate: null })
    const partly = [entry(), entry({ case: 'static 1', verdict: ours })]
    expect(metricsOf(partly)).toMatchObject({ samples: 1, executionRate: null, correctRate: null })
    const wrong = entry({ case: 'static 2', verdict: { kind: 'wrong-structure', message: '' } })
    expect(metricsOf([...partly, wrong])).toMatchObject({ executionRate: null, correctRate: 0 })
  })

  test('a sample of which only the build was run is neither right nor wrong', () => {
    expect(metricsOf([entry({ stage: 'compile' })])).toMatchObject({
      compileRate: 1,
      executionRate: null,
      correctRate: null,
    })
  })

  test('a sample that did not compile lowers every rate', () => {
    const broken = entry({ sample: 'broken', stage: 'compile', verdict: failed })
    expect(metricsOf([entry(), broken])).toMatchObject({ compileRate: 0.5, executionRate: 0.5, correctRate: 0.5 })
  })
})
