import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Project, timeout, type Assertion, type Result } from './project.ts'

const of = (tests: readonly Assertion[], operator: string): Assertion[] =>
  tests.filter(({ ancestorTitles }) => ancestorTitles[0] === operator)

const statuses = (tests: readonly Assertion[]): string => tests.map(({ status }) => status[0]).join('')

const failureOf = (tests: readonly Assertion[], operator: string, title = ''): string =>
  of(tests, operator)
    .find((t) => t.status === 'failed' && t.title.includes(title))
    ?.failureMessages.join('\n') ?? ''

describe('one run over candidates of every kind', () => {
  const project = new Project()
  let result: Result
  const verdicts = (operator: string): string =>
    project
      .ledger()
      .filter((entry) => entry.task === operator)
      .map((entry) => entry.verdict.kind)
      .join(' ')

  beforeAll(async () => {
    const modes = [
      'right',
      'tail',
      'broken',
      'hazard',
      'warn',
      'trap',
      'hang',
      'crash',
      'tiling',
      'no-compiler',
      'slow',
    ]
    for (const mode of modes) {
      const operator = mode.replace('-', '')
      project.spec(operator[0]?.toUpperCase() + operator.slice(1))
      project.candidate(operator[0]?.toUpperCase() + operator.slice(1), mode)
    }
    project.candidate('Right', 'slow', 'baseline')
    project.candidate('Slow', 'slow', 'baseline')
    project.candidate('Warn', 'hazard', 'baseline')
    project.spec('Nobody')
    project.spec('Throws', `golden: () => { throw new Error('the reference is unfinished') },`)
    project.candidate('Throws', 'right')
    project.spec('Unfit', `attrs: { epsilon: 1 },`)
    project.candidate('Unfit', 'right')
    project.spec('Misplaced', 'level: 2,')
    project.candidate('Misplaced', 'right')
    project.write('candidates/Notes/readme.md', '')
    project.write('candidates/Right/sample1/op_kernel/kernel.cpp', '// mode: right\n')
    project.write('candidates/level1/Math/Right/fixed_case_1/sample0/src/op_kernel/kernel.cpp', '// mode: right\n')
    project.config(`{ baseline: 'baseline', fuzzRuns: 30 }`)
    result = await project.run(['--reporter=json'])
  }, timeout)
  afterAll(() => project.remove())

  test('stdout is left to the machine reporter, the table goes to stderr', () => {
    expect(result.tests.length).toBe(87)
    expect(result.stderr).toMatch(
      /level +tasks +samples +compile +execute +correct +exact +accurate +within tolerance +strict +benchmark +speedup/,
    )
    expect(result.stderr).toContain('seed 7; emulated, Ascend910B2 v10')
    expect(result.stderr).toContain('not a candidate: candidates/Notes')
    // a golden throws, and no compiler is found: that comes before candidates that fail
    expect(result.exitCode).toBe(3)
  })

  test('a right kernel passes everything, one suite per sample', () => {
    expect(statuses(of(result.tests, 'Right'))).toBe('ppppppppppppppp')
    expect(of(result.tests, 'Right').map((t) => t.ancestorTitles[1])).toContain('sample1')
    expect(of(result.tests, 'Right').map((t) => t.title)).toContain('static 1: x float32[64, 16]')
  })

  test('a sample of one fixed case is judged and timed on that case alone', () => {
    const own = of(result.tests, 'Right').filter((t) => t.ancestorTitles[1] === 'fixed_case_1/sample0')
    expect(own.map((t) => t.title)).toEqual(['compiles', 'static 1: x float32[64, 16]', 'latency'])
  })

  test('speedup is that of the baseline over the candidate, on the device clock', () => {
    const latency = project.ledger().find((entry) => entry.task === 'Right' && entry.stage === 'latency')
    expect(latency).toMatchObject({ speedup: 4, latency: { mean: 2000, source: 'emulated' }, baseline: { mean: 8000 } })
  })

  test('what is right and timed has the floor of its case, which it is not below', () => {
    const timed = project.ledger().filter((entry) => entry.latency)
    expect(timed.length).toBeGreaterThan(1)
    for (const { latency, floorNs } of timed) {
      expect(floorNs).toBeGreaterThan(0)
      expect(floorNs).toBeLessThanOrEqual(latency!.min)
    }
  })

  test('a latency without a baseline, or with a wrong one, has no speedup', () => {
    const latencies = project.ledger().filter((entry) => entry.stage === 'latency' && entry.latency)
    expect(latencies.filter((entry) => entry.task === 'Warn')).toHaveLength(1)
    expect(latencies.find((entry) => entry.task === 'Warn')).not.toHaveProperty('speedup')
    expect(latencies.find((entry) => entry.task === 'Warn')).not.toHaveProperty('baseline')
  })

  test('a kernel that skips its tail fails where there is one, and is shrunk to one element', () => {
    expect(statuses(of(result.tests, 'Tail'))).toBe('pppffp')
    const message = failureOf(result.tests, 'Tail', 'generated')
    expect(message).toContain('wrong-value: y: 1 of 1 elements outside standard tolerance')
    expect(message).toMatch(/smallest failing case: x float32\[1?\] /)
    expect(message).toContain('the candidate printed: tile 3 skipped')
    expect(failureOf(result.tests, 'Tail', 'static 2')).toMatch(
      /never wrote 16 bytes of y, the first at 384, the last at 399/,
    )
  })

  test('a failed build is one failure with the place in the source, the rest is skipped', () => {
    expect(statuses(of(result.tests, 'Broken'))).toBe('fsssss')
    const message = failureOf(result.tests, 'Broken')
    expect(message).toContain("op_kernel/kernel.cpp:3:1: unknown type name 'halff'")
    expect(message).toMatch(/at \S+candidates\/Broken\/op_kernel\/kernel\.cpp:3:1/)
    expect(verdicts('Broken')).toBe('compile-failed')
  })

  test('right values with an error of the device are a hazard, with a warning they are right', () => {
    expect(statuses(of(result.tests, 'Hazard'))).toBe('pffffs')
    expect(failureOf(result.tests, 'Hazard')).toContain(
      'hazard: error ErrorSync1 at op_kernel/kernel.cpp:2 (AIV 3, Muls, 2 times): Muls reads xLocal',
    )
    expect(failureOf(result.tests, 'Hazard')).toContain('usual fix: EnQue and DeQue the tensor')
    expect(statuses(of(result.tests, 'Warn'))).toBe('pppppp')
  })

  test('one defect in many cases has one text, which names them; a generated case adds its own and no more', () => {
    const failed = of(result.tests, 'Hazard').filter(({ status }) => status === 'failed')
    const [first, second, , generated] = failed.map(({ failureMessages }) => failureMessages.join('\n'))
    expect(first).toContain('  also: static 1–2, holds for generated shapes\n  reproduce: ')
    expect(second).toBe(first)
    expect(generated).toMatch(
      /\n {2}the same as in static 0\n {2}smallest failing case: .*\n {2}reproduce: .*NPU_REPLAY=/,
    )
    expect(generated).not.toContain('usual fix')
  })

  test('what has not ended once is not tried again, and says so', () => {
    expect(statuses(of(result.tests, 'Hang'))).toBe('pfssss')
  })

  const frames = (operator: string): string[] => failureOf(result.tests, operator).match(/^ {4}at .*$/gm) ?? []

  test('a failure leads to the kernel, and to the spec where that is at fault', () => {
    expect(frames('Tail')).toEqual([expect.stringMatching(/\/candidates\/Tail\/op_kernel\/kernel\.cpp:2:1$/)])
    expect(frames('Hazard')).toEqual([expect.stringMatching(/\/candidates\/Hazard\/op_kernel\/kernel\.cpp:2:1$/)])
    expect(frames('Throws')).toEqual([expect.stringContaining('/throws.spec.ts:')])
  })

  test.each([
    ['Trap', 'correct device-error device-error device-error device-error'],
    ['Hang', 'correct timeout'],
    ['Crash', 'correct crashed crashed crashed crashed'],
    ['Tiling', 'correct tiling-failed tiling-failed tiling-failed tiling-failed'],
    ['Nocompiler', 'infrastructure'],
    ['Nobody', 'no-candidate'],
    ['Throws', 'correct infrastructure infrastructure infrastructure infrastructure'],
    ['Unfit', 'infrastructure'],
    ['Misplaced', 'infrastructure'],
  ])('%s is judged %s', (operator, expected) => {
    expect(verdicts(operator)).toBe(expected)
  })

  test('a golden that throws is blamed on the spec, in one line', () => {
    expect(failureOf(result.tests, 'Throws')).toContain(
      'infrastructure: golden of Throws in tasks/level1/math/throws.spec.ts failed on static 0: the reference is unfinished',
    )
  })

  test('a definition that contradicts itself names task and field', () => {
    expect(failureOf(result.tests, 'Misplaced')).toContain(
      'task Misplaced: level: says 2, but the spec is one of level1',
    )
    expect(failureOf(result.tests, 'Unfit')).toContain('task Unfit: case 0: epsilon')
  })

  test('what is ours counts neither for nor against a candidate', () => {
    // 13 samples were built or not by their own doing, 12 of them judged on all cases: 7 ran to their end, 5 are right
    expect(result.stderr).toMatch(/level1 +15 +13 +92\.3% +58\.3% +41\.7% +5 +0 +0 +41\.7% +50\.0% +2\.83x/)
  })

  test(
    'the printed command runs the smallest case again, and nothing else',
    async () => {
      const message = failureOf(result.tests, 'Tail', 'generated')
      const [, replay = '', spec = '', title = ''] =
        /NPU_REPLAY=(\S+) npx vitest run (\S+) -t "([^"]+)"/.exec(message) ?? []
      const again = await project.run([spec, '-t', title, '--reporter=json'], { NPU_REPLAY: replay })
      expect(again.tests.filter((t) => t.status === 'failed').map((t) => t.title)).toEqual([
        'holds for generated shapes',
      ])
      expect(statuses(again.tests)).toBe('ssssfs')
      expect(failureOf(again.tests, 'Tail')).toMatch(/smallest failing case: x float32\[1?\] /)
    },
    timeout,
  )

  test(
    'a counterexample is kept and tried first in the next run',
    async () => {
      expect(existsSync(join(project.folder, '.npu/corpus/npukernelbench/Tail.json'))).toBe(true)
      const again = await project.run(['tail.spec', '-t', 'generated', '--reporter=json'], { NPU_SEED: '8' })
      expect(failureOf(again.tests, 'Tail')).toContain('(kept from an earlier run; fails again)')
    },
    timeout,
  )

  test(
    'a counterexample of a domain that is another one by now is passed over, with a note',
    async () => {
      const kept = join(project.folder, '.npu/corpus/npukernelbench/Tail.json')
      const text = readFileSync(kept, 'utf8')
      writeFileSync(kept, text.replaceAll(/"domain": "\w+"/g, '"domain": "another"'))
      const again = await project.run(['tail.spec', '-t', 'generated', '--reporter=verbose'], { NPU_SEED: '8' })
      expect(again.stdout + again.stderr).not.toContain('kept from an earlier run')
      expect(again.stdout).toContain('kept cases that the spec does not allow any more, passed over: ')
      writeFileSync(kept, text)
    },
    timeout,
  )

  test(
    'what a candidate has failed of stands where its counterexample cannot be kept',
    async () => {
      const kept = join(project.folder, '.npu/corpus/npukernelbench/Tail.json')
      const text = readFileSync(kept, 'utf8')
      rmSync(kept)
      mkdirSync(kept)
      const again = await project.run(['tail.spec', '-t', 'generated'], { NPU_SEED: '8' })
      expect(again.stderr).toContain('the counterexample is not kept for the next run: EISDIR')
      expect(again.stderr).toContain('smallest failing case: x float32[')
      const [generated] = project.ledger().filter(({ task, stage }) => task === 'Tail' && stage === 'generated')
      expect(generated?.verdict.kind).toBe('wrong-value')
      expect(readdirSync(dirname(kept)).filter((name) => name.endsWith('.tmp'))).toEqual([])
      rmSync(kept, { recursive: true })
      writeFileSync(kept, text)
    },
    timeout,
  )

  test(
    'a static case is reproduced by its own command, brackets in the title or not',
    async () => {
      const message = failureOf(result.tests, 'Tail', 'static 2')
      const [, spec = '', title = ''] = /NPU_SEED=7 npx vitest run (\S+) -t "([^"]+)"/.exec(message) ?? []
      const again = await project.run([spec, '-t', title, '--reporter=json'])
      expect(statuses(again.tests)).toBe('sssfss')
    },
    timeout,
  )

  test(
    'tags select by stage and dtype',
    async () => {
      const tagged = await project.run([
        'right.spec',
        '--tags-filter=stage/static and dtype/float32',
        '--reporter=json',
      ])
      expect(statuses(tagged.tests)).toBe('spppssspppsssps')
    },
    timeout,
  )

  test(
    'cases above the size of a run are skipped, and latency is taken on the largest that is left',
    async () => {
      const small = await project.run(['right.spec', '--reporter=json'], { NPU_MAX_ELEMENTS: '100' })
      expect(statuses(small.tests)).toBe('ppspppppsppppss')
      const latency = project.ledger().findLast((entry) => entry.latency)
      expect(latency).toMatchObject({ stage: 'latency', task: 'Right', latency: { mean: 2000, samples: 1 } })
    },
    timeout,
  )

  test(
    'shards merged from blobs give the ledger of one run',
    async () => {
      await project.run(['--shard=1/2', '--reporter=blob', '--outputFile=blobs/1.json'])
      await project.run(['--shard=2/2', '--reporter=blob', '--outputFile=blobs/2.json'])
      const merged = await project.run(['--merge-reports=blobs'])
      expect(merged.stdout).toMatch(/level1 +15 +13 +92\.3% +58\.3% +41\.7% +5 +0 +0 +41\.7% +50\.0% +2\.83x/)
      expect(new Set(project.ledger().map((entry) => entry.task)).size).toBe(15)
    },
    3 * timeout,
  )
})

describe('a configuration that makes no sense', () => {
  const project = new Project()
  afterAll(() => project.remove())

  test(
    'stops the run with one line',
    async () => {
      project.config(`{ fuzzRuns: 'many' }`)
      const { exitCode, stderr } = await project.run()
      expect(exitCode).not.toBe(0)
      expect(stderr).toContain('OptionError: npuKernels(): fuzzRuns is "many"; allowed: a whole number, 0 or more')
      expect(stderr).not.toMatch(/^ +at /m)
    },
    timeout,
  )

  test(
    'an empty candidate folder leaves every task skipped, and the run green',
    async () => {
      project.config('{}')
      project.spec('Right')
      const { exitCode, stdout } = await project.run(['--reporter=verbose'])
      expect(stdout).toContain('no candidate for Right; put one in candidates/Right/op_kernel (')
      expect(stdout.match(/candidates does not exist/g)).toHaveLength(1)
      expect(exitCode).toBe(0)
      expect(stdout).toMatch(/level1 +1 +0 +- +- +- +-/)
    },
    timeout,
  )

  test(
    'lists the tasks and static cases there are to implement, with or without a candidate',
    async () => {
      project.config('{}')
      project.spec('Right')
      project.spec('Wrong')
      project.candidate('Wrong', 'right')
      const { stdout } = await project.list()
      const lines = stdout.split('\n')
      for (const id of [0, 1, 2]) {
        expect(lines).toContainEqual(expect.stringContaining(`> Right > static ${id}: x float32`))
        expect(lines).toContainEqual(expect.stringContaining(`> Wrong > candidates > static ${id}: x float32`))
      }
      expect(lines).toHaveLength(4 + 6)
      const located = await project.list(['--includeTaskLocation', '--json=located.json'])
      expect(located.exitCode).toBe(0)
      const tests: unknown = JSON.parse(readFileSync(join(project.folder, 'located.json'), 'utf8'))
      expect(tests).toMatchObject(Array.from({ length: 4 + 6 }, () => ({ location: { line: 2, column: 1 } })))
    },
    timeout,
  )
})

describe('what no right kernel can have done', () => {
  const project = new Project()
  let result: Result
  const entries = (operator: string) => project.ledger().filter(({ task }) => task === operator)

  beforeAll(async () => {
    for (const [operator, mode] of [
      ['Instant', 'instant'],
      ['Unread', 'unread'],
      ['Against', 'right'],
    ] as const) {
      project.spec(operator)
      project.candidate(operator, mode)
    }
    project.candidate('Instant', 'slow', 'baseline')
    project.candidate('Against', 'instant', 'baseline')
    project.config(`{ baseline: 'baseline', fuzzRuns: 2 }`)
    result = await project.run(['--reporter=json'])
  }, timeout)
  afterAll(() => project.remove())

  test('a latency below its floor is implausible, and no time', () => {
    const last = entries('Instant').at(-1)
    expect(last).toMatchObject({
      stage: 'latency',
      verdict: { kind: 'implausible', latencyNs: 1500, floor: { launchNs: 1520 } },
    })
    for (const field of ['latency', 'baseline', 'speedup']) expect(last).not.toHaveProperty(field)
    expect(failureOf(result.tests, 'Instant', 'latency')).toMatch(
      /implausible: a latency of 1500 ns is less than the 15\d\d(\.\d)? ns that no right kernel undercuts: 1 520 ns of launch, then at least \d+ ns to read 0 and write [\d ]+ bytes/,
    )
    expect(result.stderr).toMatch(/1 sample has a time that no kernel can have: Instant › candidates/)
  })

  test('a baseline with such a time is no measure', () => {
    expect(entries('Against').at(-1)).toMatchObject({ verdict: { kind: 'correct' }, latency: { mean: 2000 } })
    expect(entries('Against').at(-1)).not.toHaveProperty('speedup')
  })

  test('right outputs of a kernel that has read nothing are a hazard', () => {
    const statics = entries('Unread').filter(({ stage }) => stage === 'static')
    expect(statics.map(({ verdict }) => verdict)).toMatchObject(
      statics.map(() => ({ kind: 'hazard', report: { code: 'NotComputed' } })),
    )
    expect(statics.length).toBeGreaterThan(0)
    expect(failureOf(result.tests, 'Unread')).toContain('no instruction has read a byte of x, which they follow from')
  })

  test('the ledger says how much of each tensor was touched', () => {
    const [first] = entries('Against').filter(({ stage }) => stage === 'static')
    expect(first?.coverage).toEqual([
      { slot: 'x', read: 1, written: 0 },
      { slot: 'y', read: 0, written: 1 },
    ])
  })
})

test(
  'a worker that dies leaves its samples undecided, the service unharmed and the rest judged',
  async () => {
    const project = new Project()
    try {
      project.config('{ fuzzRuns: 0 }')
      project.spec(
        'Dies',
        `golden: ({ x }) => { if (x.data.length === 1024) process.kill(process.pid, 'SIGKILL'); return { y: { values: Float64Array.from(x.data as Float32Array, (v) => 2 * v) } } },`,
      )
      project.candidate('Dies', 'right')
      for (const operator of ['One', 'Two', 'Three']) {
        project.spec(operator)
        project.candidate(operator, 'right')
      }
      const { exitCode, stdout } = await project.run(['--pool=forks', '--reporter=verbose', '--maxWorkers=2'])
      // what a worker held could not be judged
      expect(exitCode).toBe(3)
      expect(stdout).toMatch(/level1 +4 +[34] +100\.0% +100\.0% +100\.0% +[34] +0 +0 +100\.0% +100\.0% +-/)
      const lost = project.ledger().filter((entry) => entry.task === 'Dies' && entry.stage === 'static')
      expect(lost.map((entry) => entry.verdict.kind)).toContain('infrastructure')
      for (const operator of ['One', 'Two', 'Three'])
        expect(
          project.ledger().filter((entry) => entry.task === operator && entry.verdict.kind === 'correct'),
        ).toHaveLength(5)
    } finally {
      project.remove()
    }
  },
  timeout,
)
