import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Verdict } from '../model/index.ts'
import type { LedgerEntry } from './entry.ts'
import { geometricMean, metricsOf } from './metrics.ts'
import { readLedger } from './read.ts'
import { schemaFile, schemaText } from './schema.ts'
import { select } from './select.ts'
import { LedgerWriter } from './writer.ts'

const entry = (change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  v: 2,
  suite: 'npukernelbench',
  group: 'level1',
  task: 'Sqrt',
  category: 'Math',
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

describe('the ledger file', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'npu-ledger-'))
    path = join(folder, 'deep', 'ledger.jsonl')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('a killed run keeps what was done, but for the line it was writing', () => {
    new LedgerWriter(path).append([entry(), entry({ case: 'static 1' })])
    appendFileSync(path, '{"v":2,"task":"Sqrt","lev')
    expect(readLedger(path).map((e) => e.case)).toEqual(['static 0', 'static 1'])
  })

  test('a last line that is whole but for its newline is kept', () => {
    new LedgerWriter(path).append([entry()])
    appendFileSync(path, JSON.stringify(entry({ case: 'static 1' })))
    expect(readLedger(path)).toHaveLength(2)
  })

  test('a new run replaces the ledger of the one before', () => {
    new LedgerWriter(path).finish([entry({ task: 'Old' })])
    const writer = new LedgerWriter(path)
    writer.append([entry({ task: 'New' })])
    expect(readLedger(path).map((e) => e.task)).toEqual(['New'])
    writer.finish([entry({ task: 'New' }), entry({ task: 'Newer' })])
    expect(readLedger(path).map((e) => e.task)).toEqual(['New', 'Newer'])
    expect(readdirSync(join(folder, 'deep'))).toEqual(['ledger.jsonl'])
  })

  test('a damaged line in the middle is an error that names the line', () => {
    new LedgerWriter(path).finish([entry()])
    appendFileSync(path, `{"v":2,"task":1}\n${JSON.stringify(entry())}\n`)
    expect(() => readLedger(path)).toThrow(`${path}:2: suite:`)
    writeFileSync(path, 'nonsense\n')
    expect(() => readLedger(path)).toThrow(`${path}:1: not JSON`)
  })
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
    [{ ...entry(), v: 3 }, 'has version 3, this vitest-npu reads version 2; update vitest-npu'],
    [{ ...entry(), v: 'x' }, 'has version "x", this vitest-npu reads version 2; update vitest-npu'],
    [{ ...entry(), v: 1 }, 'has version 1, this vitest-npu reads version 2; run Vitest again to write it anew'],
    [unversioned, 'has no version (field v), this vitest-npu reads version 2; run Vitest again to write it anew'],
  ])('are refused with line, versions and fix', (line, message) => {
    expect(read(entry(), line)).toThrow(`${path}:2: ${message}`)
    expect(read(line, entry())).toThrow(`${path}:1: ${message}`)
  })

  test('are refused as a last line without its end as well', () => {
    writeFileSync(path, JSON.stringify({ ...entry(), v: 3 }))
    expect(() => readLedger(path)).toThrow(`${path}:1: has version 3`)
  })

  test('begin with their version', () => {
    new LedgerWriter(path).finish([entry()])
    expect(readFileSync(path, 'utf8')).toMatch(/^\{"v":2,"suite":"npukernelbench",/)
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
