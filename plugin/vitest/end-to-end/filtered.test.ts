import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mergeLedgers, outcomesOf, type LedgerEntry } from '../../ledger/index.ts'
import { failuresOfOurs } from '../../ledger/outcome.ts'
import { lostIn } from '../../ledger/runs.ts'
import { Project, timeout, type Result } from './project.ts'

const samplesOf = (entries: readonly LedgerEntry[]) =>
  Object.fromEntries(
    outcomesOf(entries).map(({ entries: [first], correct }) => [`${first!.task} ${first!.sample}`, correct]),
  )

const leftOut = (entries: readonly LedgerEntry[]): string[] =>
  entries
    .filter(({ verdict }) => verdict.kind === 'infrastructure')
    .map(
      ({ task, sample, stage, case: title }) => `${task} ${sample} ${stage === 'static' ? title.slice(0, 8) : stage}`,
    )

describe('a run of some tests', () => {
  const project = new Project()
  let result: Result
  let ledger: LedgerEntry[]

  beforeAll(async () => {
    for (const [operator, mode] of [
      ['Right', 'right'],
      ['Broken', 'broken'],
      ['Wrong', 'tail'],
    ] as const) {
      project.spec(operator)
      project.candidate(operator, mode)
    }
    project.candidate('level1/Math/Right/fixed_case_2/sample0/src', 'right')
    project.config('{ fuzzRuns: 2 }')
    result = await project.run(['-t', 'static 2'])
    ledger = project.ledger()
  }, timeout)
  afterAll(() => project.remove())

  test('decides no sample that has other cases, unless one of those that ran fails', () => {
    expect(samplesOf(ledger)).toEqual({
      'Right candidates': null,
      'Right fixed_case_2/sample0': true,
      'Broken candidates': false,
      'Wrong candidates': false,
    })
    const others = ['static 0', 'static 1', 'generated']
    expect(leftOut(ledger).toSorted()).toEqual(
      ['Broken candidates', 'Right candidates', 'Wrong candidates']
        .flatMap((sample) => others.map((title) => `${sample} ${title}`))
        .toSorted(),
    )
  })

  test('has a closing table of what it was asked for', () => {
    // 4 samples, 3 compile and run, 2 are right on what ran
    expect(result.stdout).toMatch(/level1 +3 +4 +75\.0% +75\.0% +50\.0%/)
  })

  test(
    'is made whole by a run of the others',
    async () => {
      await project.run(['right.spec', '-t', 'static [01]|generated'])
      const rest = project.ledger()
      expect(samplesOf(rest)).toEqual({ 'Right candidates': null })
      const merged = mergeLedgers([
        { name: 'one', entries: ledger },
        { name: 'two', entries: rest },
      ])
      expect(samplesOf(merged)).toMatchObject({ 'Right candidates': true })
    },
    timeout,
  )

  test(
    'tags leave out as well; builds and latencies are no cases',
    async () => {
      await project.run(['right.spec', '--tags-filter=stage/static'])
      expect(leftOut(project.ledger())).toEqual(['Right candidates generated'])
      await project.run(['right.spec', '-t', 'static|generated'])
      expect(leftOut(project.ledger())).toEqual([])
      await project.run(['right.spec', '-t', 'compiles'])
      expect(leftOut(project.ledger())).toHaveLength(5)
    },
    3 * timeout,
  )

  test(
    'what the plugin leaves out itself is not missing',
    async () => {
      await project.run(['right.spec'], { NPU_MAX_ELEMENTS: '100', NPU_FUZZ_RUNS: '0' })
      const small = project.ledger()
      expect(small.filter(({ stage, sample }) => stage === 'static' && sample === 'candidates')).toHaveLength(2)
      expect(leftOut(small)).toEqual([])
      expect(samplesOf(small)).toMatchObject({ 'Right candidates': true })
    },
    timeout,
  )
})

describe('a sample of which only some tests have run', () => {
  const project = new Project()
  afterAll(() => project.remove())

  test(
    'is not right because the run was stopped',
    async () => {
      project.spec('Stopped')
      project.write('candidates/Stopped/a/op_kernel/kernel.cpp', '// mode: tail\n')
      // slow enough to be under way then
      for (const name of ['b', 'c', 'd'])
        project.write(`candidates/Stopped/${name}/op_kernel/kernel.cpp`, '// mode: blocks\n')
      project.config('{ fuzzRuns: 20 }')
      const { stdout, stderr } = await project.run(['stopped.spec', '--bail=1'])
      const ledger = project.ledger()
      expect(samplesOf(ledger), stdout + stderr).toMatchObject({ 'Stopped a': false })
      for (const { entries, correct } of outcomesOf(ledger)) {
        const judged = entries.filter(({ stage, verdict }) => stage !== 'latency' && verdict.kind === 'correct')
        if (correct !== false) expect(correct, JSON.stringify(entries)).toBe(judged.length === 5 ? true : null)
      }
    },
    timeout,
  )

  test(
    'is not right because one that did not end at first did when it was tried again',
    async () => {
      project.spec('Once')
      project.candidate('Once', 'hang-once')
      project.config('{ fuzzRuns: 2 }')
      const { stdout } = await project.run(['once.spec', '--retry=1'])
      expect(samplesOf(project.ledger()), stdout).toEqual({ 'Once candidates': false })
    },
    timeout,
  )
})

test(
  'a sample of a case that the task does not have is judged on nothing, which fails the run',
  async () => {
    const project = new Project()
    try {
      project.spec('Right')
      project.candidate('level1/Math/Right/fixed_case_77/sample0/src', 'right')
      project.config('{ fuzzRuns: 2 }')
      const { exitCode, stderr } = await project.run([])
      expect(exitCode).toBe(3)
      expect(stderr).toContain('Right has no static case 77, which the folder of the sample names')
      expect(samplesOf(project.ledger())).toEqual({ 'Right fixed_case_77/sample0': null })
    } finally {
      project.remove()
    }
  },
  timeout,
)

test(
  'a kernel that does not end is not waited for on case after case',
  async () => {
    const project = new Project()
    try {
      project.spec('Right')
      project.candidate('Right', 'endless')
      project.config('{ fuzzRuns: 2 }')
      await project.run([])
      expect(project.ledger().filter(({ verdict }) => verdict.kind === 'device-error')).toHaveLength(1)
    } finally {
      project.remove()
    }
  },
  timeout,
)

test(
  'what --bail has cut off counts as not judged in the closing table',
  async () => {
    const project = new Project()
    try {
      project.spec('Right')
      for (const [sample, mode] of [
        ['s0', 'right'],
        ['s1', 'tail'],
        ['s2', 'right'],
      ] as const)
        project.candidate(`Right/${sample}`, mode)
      project.config('{ fuzzRuns: 2 }')
      const { stdout } = await project.run(['--bail=1'])
      const correct = Object.values(samplesOf(project.ledger())).filter((is) => is === true).length
      const decided = Object.values(samplesOf(project.ledger())).filter((is) => is !== null).length
      const share = `${((100 * correct) / decided).toFixed(1)}%`
      expect(stdout).toMatch(new RegExp(`level1 +1 +[123] +100\\.0% +\\S+ +${share.replace('.', String.raw`\.`)} `))
      expect(decided).toBeLessThan(3)
    } finally {
      project.remove()
    }
  },
  timeout,
)

test(
  'specs that --bail has not come to are not judged, and nobody has lost them',
  async () => {
    const project = new Project()
    try {
      for (const operator of ['One', 'Two', 'Three']) {
        project.spec(operator)
        project.candidate(operator, 'tail')
      }
      project.config('{ fuzzRuns: 2 }')
      const { exitCode, stdout, stderr } = await project.run(['--bail=1', '--maxWorkers=1'])
      expect(exitCode, stdout + stderr).toBe(1)
      const ledger = project.ledger()
      expect(new Set(ledger.map(({ task }) => task)).size, JSON.stringify(ledger)).toBe(1)
      expect(failuresOfOurs(ledger)).toEqual([])
      // who asks a gate of the run is told that it is not whole
      expect(lostIn(join(project.folder, '.npu/ledger.jsonl'))).toHaveLength(3)
    } finally {
      project.remove()
    }
  },
  timeout,
)
