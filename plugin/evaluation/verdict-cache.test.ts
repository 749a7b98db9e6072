import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Assessment, KernelCase, Verdict } from '../model/index.ts'
import type { Outcome } from './evaluate.ts'
import { VerdictCache, type SearchKey } from './verdict-cache.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remembered-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** As the next run sees it. */
const remembered = (): VerdictCache => new VerdictCache(join(folder, 'verdicts.jsonl'))

const sizes = () => readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size])

const kernelCase: KernelCase = {
  task: 'Sqrt',
  name: 'static 3',
  combination: 0,
  inputs: { x: { dtype: 'float32', shape: [8] } },
  outputs: { y: { dtype: 'float32', shape: [8] } },
  attrs: { epsilon: 0.5 },
  seed: 4,
}

const assessment: Assessment = {
  answers: { standard: 'accepted', strict: 'rejected', benchmark: 'rejected' },
  accuracy: 'within-tolerance',
}

const right: Outcome = {
  verdict: { kind: 'correct' },
  assessment,
  launch: {
    latencyNs: 1234.5,
    hostMs: 2,
    source: 'emulated',
    addsFloats: true,
    profile: 'Ascend910B2 v1',
    pipes: { V: 3.25 },
    blockDim: 48,
    tilingKey: '18446744073709551615',
  },
  reports: [{ code: 'W1', severity: 'warning', message: 'm', core: 'AIV 0', instruction: 'Add', line: 7, count: 2 }],
  log: 'printed\n',
}

describe('a right outcome', () => {
  test('comes back whole, and says under which seed it was found', () => {
    remembered().keepCase(kernelCase, 7, right)
    expect(remembered().findCase(kernelCase, undefined)).toEqual({ ...right, remembered: { seed: 7 } })
  })

  test('holds for any seed where none is named, and for its own where one is', () => {
    remembered().keepCase(kernelCase, 7, right)
    remembered().keepCase(kernelCase, 8, right)
    expect(remembered().findCase(kernelCase, 7)?.remembered).toEqual({ seed: 7 })
    expect(remembered().findCase(kernelCase, 9)).toBeUndefined()
    expect(remembered().findCase(kernelCase, undefined)?.remembered).toEqual({ seed: 8 })
  })

  test.each<[string, Partial<KernelCase>]>([
    ['dtype', { inputs: { x: { dtype: 'float16', shape: [8] } } }],
    ['shape', { inputs: { x: { dtype: 'float32', shape: [4, 2] } } }],
    ['output', { outputs: { y: { dtype: 'float32', shape: [9] } } }],
    ['attribute', { attrs: { epsilon: 0.25 } }],
    ['seed of the row', { seed: 5 }],
    ['fixed values', { inputs: { x: { dtype: 'float32', shape: [1], values: [1] } } }],
    ['content', { content: { sparse: true } }],
  ])('is not that of a case with another %s', (_, change) => {
    remembered().keepCase(kernelCase, 7, right)
    expect(remembered().findCase({ ...kernelCase, ...change }, undefined)).toBeUndefined()
  })

  test('numbers that JSON does not tell apart are different cases', () => {
    const special = [NaN, Infinity, -Infinity, 0, -0]
    for (const [i, epsilon] of special.entries()) remembered().keepCase({ ...kernelCase, attrs: { epsilon } }, i, right)
    for (const [i, epsilon] of special.entries())
      expect(remembered().findCase({ ...kernelCase, attrs: { epsilon } }, undefined)?.remembered).toEqual({ seed: i })
  })
})

test.each<[string, Outcome]>([
  ['wrong values', { ...right, verdict: { kind: 'wrong-structure', message: 'no y' } }],
  ['a hazard', { ...right, verdict: { kind: 'hazard', report: right.reports[0]! } satisfies Verdict }],
  ['a failure of ours', { verdict: { kind: 'infrastructure', message: 'no' }, reports: [], log: '' }],
  ['what a clock has measured', { ...right, launch: { ...right.launch!, source: 'measured' } }],
])('%s is judged again', (_, outcome) => {
  remembered().keepCase(kernelCase, 7, outcome)
  expect(remembered().findCase(kernelCase, undefined)).toBeUndefined()
})

const wrong: Outcome = { ...right, verdict: { kind: 'wrong-structure', message: 'no y' } }

describe('a kernel that is right by chance', () => {
  test('is judged in every run once it has failed, whichever came first', () => {
    remembered().keepCase(kernelCase, 7, right)
    remembered().keepCase(kernelCase, 8, wrong)
    expect(remembered().findCase(kernelCase, undefined)).toBeUndefined()
    remembered().keepCase(kernelCase, 9, right)
    expect(remembered().findCase(kernelCase, undefined)).toBeUndefined()
    expect(remembered().findCase(kernelCase, 9)).toBeUndefined()
  })

  test('has failed for good, however much it says where it is right', () => {
    remembered().keepCase(kernelCase, 7, wrong)
    remembered().keepFailedSearch(7, wrong.verdict)
    const cache = remembered()
    const log = '\u{fffd}'.repeat(4000)
    for (let seed = 0; seed < 800; seed++) cache.keepCase({ ...kernelCase, seed }, 7, { ...right, log })
    expect(remembered().findCase({ ...kernelCase, seed: 5 }, undefined)).toBeUndefined()
    remembered().keepCase(kernelCase, 8, right)
    expect(remembered().findCase(kernelCase, undefined)).toBeUndefined()
    const question = { runs: 40, corpus: [], narrowDevices: true, guided: true }
    remembered().keepSearch(question, { seed: 8, generated: 40 })
    expect(remembered().findSearch(question, undefined)).toBeUndefined()
  })

  test('takes no room for what would not be looked at', () => {
    remembered().keepCase(kernelCase, 7, wrong)
    remembered().keepFailedSearch(7, wrong.verdict)
    const before = sizes()
    remembered().keepCase(kernelCase, 8, right)
    remembered().keepSearch({ runs: 40, corpus: [], narrowDevices: true, guided: true }, { seed: 8, generated: 40 })
    expect(sizes()).toEqual(before)
  })

  test('is remembered on the cases that it has not failed', () => {
    const other = { ...kernelCase, seed: 5 }
    remembered().keepCase(kernelCase, 7, wrong)
    remembered().keepCase(other, 7, right)
    expect(remembered().findCase(other, undefined)?.remembered).toEqual({ seed: 7 })
  })

  test('has not failed where we have', () => {
    remembered().keepCase(kernelCase, 7, { verdict: { kind: 'infrastructure', message: 'no' }, reports: [], log: '' })
    remembered().keepCase(kernelCase, 8, right)
    expect(remembered().findCase(kernelCase, undefined)?.remembered).toEqual({ seed: 8 })
  })

  test('is searched in every run once a search has found a failure, also with the counterexample to try first', () => {
    const question = { runs: 40, corpus: [], narrowDevices: true, guided: true }
    remembered().keepFailedSearch(7, wrong.verdict)
    for (const each of [question, { ...question, corpus: [kernelCase] }]) {
      remembered().keepSearch(each, { seed: 8, generated: 40 })
      expect(remembered().findSearch(each, undefined)).toBeUndefined()
    }
  })
})

describe('a search in vain', () => {
  const question = { runs: 40, corpus: [], narrowDevices: true, guided: true }
  const course = { draws: ['0', '17', '1', '17.3'], opening: ['17'], reached: 'Bw==' }
  const search = { seed: 7, generated: 40, assessment, course }

  test('is not made again under any seed, unless one is named', () => {
    remembered().keepSearch(question, search)
    expect(remembered().findSearch(question, undefined)).toEqual(search)
    expect(remembered().findSearch(question, 7)).toEqual(search)
    expect(remembered().findSearch(question, 8)).toBeUndefined()
  })

  test('is told of by the run that got farthest', () => {
    for (const [seed, generated] of [
      [1, 10],
      [2, 30],
      [3, 20],
    ] as const)
      remembered().keepSearch(question, { seed, generated })
    expect(remembered().findSearch(question, undefined)).toEqual({ seed: 2, generated: 30 })
    expect(remembered().findSearch(question, 3)).toEqual({ seed: 3, generated: 20 })
  })

  test.each<[string, Partial<SearchKey>]>([
    ['for more runs', { runs: 80 }],
    ['for a counterexample that was found since', { corpus: [kernelCase] }],
    ['without narrow devices', { narrowDevices: false }],
    ['where draws are not guided', { guided: false }],
  ])('is made again %s', (_, change) => {
    remembered().keepSearch(question, search)
    expect(remembered().findSearch({ ...question, ...change }, undefined)).toBeUndefined()
  })
})
