import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../evaluation/evaluate.ts'
import { writeFiles } from '../../generation/answer.ts'
import type { BuildResult, Sample, Verdict, ProjectFile } from '../../model/index.ts'
import type { RunMachine } from '../../mutation/machine.ts'
import { defineTask, dim, exact, normal, tensor } from '../../task/index.ts'
import type { Judging } from '../judging.ts'
import { rowOf, type RowOf } from '../row.ts'
import type { CheckContext } from '../verifier.ts'
import { verifyPreference } from './verifier.ts'

const task = defineTask('T', {
  category: 'Math',
  kernel: 't',
  inputs: { x: tensor({ dtype: 'float32', shape: ['n'], draw: normal() }) },
  outputs: { y: tensor({ dtype: 'float32', shape: ['n'] }) },
  golden: () => ({ y: { values: new Float64Array(1) } }),
  domain: { n: dim({ max: 9 }) },
  strict: exact,
  cases: [{ n: 4 }],
})

const report = { code: 'C', severity: 'error', message: '', core: 'AIV 0', instruction: 'Add', count: 1 } as const
const comparison = { output: 'y', elements: 1, mismatches: 1, index: [0], expected: '1', actual: '2' }
const failed: Extract<BuildResult, { ok: false }>['verdict'] = {
  kind: 'compile-failed',
  stage: 'kernel',
  class: 'syntax',
  diagnostics: [],
  log: '',
}

/** What becomes of a kernel by its text: `right 100` is right and takes 100 ns. */
const verdicts: Record<string, Verdict> = {
  right: { kind: 'correct' },
  hazard: { kind: 'hazard', report },
  wrong: { kind: 'wrong-value', comparison },
  crash: { kind: 'crashed', signal: 'SIGSEGV', message: '' },
}

const build = (sample: Sample): Promise<BuildResult> =>
  Promise.resolve(
    sample.root.startsWith('broken')
      ? { ok: false, verdict: failed, ms: 1, cached: false }
      : { ok: true, artifact: sample.root, ms: 1, cached: false, warnings: [] },
  )

const evaluate = (artifact: string): Promise<Outcome> => {
  const [what = '', ns = '0'] = artifact.trim().split(' ')
  const verdict = verdicts[what]!
  const shares = {
    launchNs: 1,
    coreNs: 0,
    waitedNs: 0,
    hbmSaturatedNs: 0,
    l2SaturatedNs: 0,
    hbmBytes: 0,
    l2Bytes: 0,
    warmNs: 0,
  }
  const launch = { latencyNs: Number(ns), source: 'emulated', profile: 'v', reached: undefined, pipes: {}, shares }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that is read of a launch
  return Promise.resolve({ verdict, launch, reports: [], log: '' } as unknown as Outcome)
}

function machineOf(): RunMachine {
  return {
    task,
    build,
    buildWhole: build,
    sketch: () => Promise.resolve(null),
    contentOf: () => Promise.resolve(null),
    codeOf: () => Promise.resolve(null),
    evaluate,
  }
}

function context(): CheckContext {
  const judging = {
    withFiles: (_: unknown, files: readonly ProjectFile[], work: (sample: Sample) => Promise<unknown>) =>
      work({ task: 'T', name: 'row', root: files[0]!.content, kernelDir: '', hostDir: null, cmakeLists: [] }),
    machineOf: () => Promise.resolve(machineOf()),
    casesOf: (seed: number) => ({
      seed,
      fuzzRuns: 0,
      fuzzBudgetMs: 1,
      narrowDevices: false,
      guided: false,
      corpus: [],
    }),
    timedCaseOf: () => task.staticCases[0],
    signal: new AbortController().signal,
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a machine of the test in place of the real one
  return { taskOf: () => Promise.resolve(task), judging: judging as unknown as Judging }
}

interface Side {
  text: string
  outcome: string
  latency?: number
  band?: number
}

function pair(strategy: string, chosen: Side, rejected: Side): RowOf<'preference'> {
  const filesOf = ({ text }: Side): ProjectFile[] => [{ path: 'op_kernel/t.cpp', content: `${text}\n` }]
  const sideOf = (side: Side) => {
    const { outcome, latency = null, band = null } = side
    return { files: filesOf(side), outcome, latency, band, seed: 1 }
  }
  const row = rowOf({
    kind: 'preference',
    request: 'write T',
    answer: writeFiles(filesOf(chosen)),
    rejected: { answer: writeFiles(filesOf(rejected)) },
    proof: { suite: 'own', task: 'T', strategy, chosen: sideOf(chosen), rejected: sideOf(rejected) },
    provenance: { source: 'ledger', sha256: '0'.repeat(64), licence: 'MIT' },
  })
  if (row.kind !== 'preference') throw new Error('is a preference')
  return row
}

const right = { text: 'right', outcome: 'correct' }
const check = (row: RowOf<'preference'>) => verifyPreference(row, context())

describe('a pair is accepted', () => {
  it.each([
    ['wrong', 'wrong-value'],
    ['crash', 'crashed'],
    ['hazard', 'hazard'],
    ['broken', 'compile-failed'],
    // of several cases that fail another may be the first
    ['crash', 'wrong-value'],
  ])('where the worse side is %s and said to be %s', async (text, outcome) => {
    expect(await check(pair('mixture', right, { text, outcome }))).toBeUndefined()
  })

  it('where both are right and one is faster beyond the band', async () => {
    const fast = { text: 'right 100', outcome: 'correct', latency: 100, band: 10 }
    const slow = { text: 'right 200', outcome: 'correct', latency: 200, band: 20 }
    expect(await check(pair('faster', fast, slow))).toBeUndefined()
  })
})

describe('a pair is refused', () => {
  it('whose winner is the loser', async () => {
    const wrong = { text: 'wrong', outcome: 'correct' }
    const other = { text: 'right', outcome: 'wrong-value' }
    expect(await check(pair('mixture', wrong, other))).toBe('the chosen answer is not right: wrong-value')
  })

  it('whose loser is right, or fails otherwise than it is said to', async () => {
    expect(await check(pair('mixture', right, { text: 'right again', outcome: 'wrong-value' }))).toBe(
      'the rejected answer is right',
    )
    expect(await check(pair('mixture', right, { text: 'broken', outcome: 'wrong-value' }))).toMatch(/is compile-failed/)
    expect(await check(pair('hazard', right, { text: 'wrong', outcome: 'hazard' }))).toMatch(/is wrong-value/)
  })

  it('whose proof says that the clock is better than it is', async () => {
    const fast = { text: 'right 100', outcome: 'correct', latency: 1e9, band: 1e-9 }
    const slow = { text: 'right 130', outcome: 'correct', latency: 1e9, band: 1e-9 }
    expect(await check(pair('faster', fast, slow))).toMatch(/that is within 42 %/)
  })

  it('whose faster side is not faster by more than the band', async () => {
    const fast = { text: 'right 190', outcome: 'correct', latency: 100, band: 10 }
    const slow = { text: 'right 200', outcome: 'correct', latency: 200, band: 20 }
    expect(await check(pair('faster', fast, slow))).toMatch(/takes 190 ns and the rejected one 200 ns/)
    expect(await check(pair('faster', { ...fast, text: 'right 1', band: undefined! }, slow))).toMatch(/nothing says/)
    expect(await check(pair('faster', { ...fast, text: 'wrong 1' }, slow))).toMatch(/not right/)
  })

  it('whose answer is not what its proof is of', async () => {
    const row = pair('mixture', right, { text: 'wrong', outcome: 'wrong-value' })
    expect(await check({ ...row, answer: row.answer.replace('right', 'other') })).toBe(
      'the answer has other files than the proof',
    )
    expect(await check({ ...row, rejected: { answer: 'no files' } })).toMatch(/^the rejected answer holds no operator/)
  })
})
