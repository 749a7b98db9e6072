import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { latestRun, ledgerOf, lostIn } from '../../ledger/runs.ts'
import { Project, timeout } from './project.ts'

const asked = 'minCorrect: 0.6, levels: { level1: { minCompileRate: 0.9 } }'

describe('exit codes of a run', () => {
  const project = new Project()
  /** What a run of these specs ends with, and what it has printed; specs have the names of their operators, in lower case. */
  const codeOf = async (specs: string[], env: Record<string, string> = {}): Promise<[number | undefined, string]> => {
    const { exitCode, stdout, stderr } = await project.run(
      specs.map((name) => `math/${name}.spec`),
      env,
    )
    return [exitCode, stdout + stderr]
  }

  beforeAll(() => {
    for (const [operator, mode] of [
      ['Right', 'right'],
      ['Tail', 'tail'],
      ['Broken', 'broken'],
      ['Nocompiler', 'no-compiler'],
    ] as const) {
      project.spec(operator)
      project.candidate(operator, mode)
    }
    project.spec('Nobody')
  })
  afterAll(() => project.remove())

  test.each([
    ['right candidates', ['right'], 0],
    ['a wrong candidate', ['right', 'tail'], 1],
    ['a machine without a compiler', ['right', 'tail', 'nocompiler'], 3],
  ])(
    'without a gate: %s',
    async (_, specs, code) => {
      project.config('{}')
      expect((await codeOf(specs))[0]).toBe(code)
    },
    timeout,
  )

  test(
    'with one that does not hold: 2, and what is missed by how much',
    async () => {
      project.config(`{ gate: { ${asked}, requireAll: true } }`)
      const [code, text] = await codeOf(['right', 'tail', 'broken', 'nobody'])
      expect(code).toBe(2)
      expect(text).toContain(
        [
          '  gate: 3 rules do not hold',
          '    minCorrect: 1 of 3 samples are correct: 33.3%, 26.7% less than 60.0%: Broken › candidates, Tail › candidates',
        ].join('\n'),
      )
      expect(text).toMatch(/level1 minCompileRate: 2 of 3 samples compile: 66\.7%, 23\.3% less than 90\.0%: Broken/)
      expect(text).toMatch(/requireAll: 1 of 4 tasks have no sample, 0 samples .*: Nobody \(no candidate\)/)
    },
    timeout,
  )

  test(
    'a wrong candidate fails a run whose gate holds, unless the gate alone decides',
    async () => {
      project.config('{ gate: { minCorrect: 0.5 } }')
      const [code, text] = await codeOf(['right', 'tail'])
      expect(code).toBe(1)
      expect(text).toContain('  gate: holds (minCorrect 0.5)')
      project.config("{ gate: { minCorrect: 0.5, failures: 'gate' } }")
      expect((await codeOf(['right', 'tail']))[0]).toBe(0)
      // what is ours, and what is no test of a candidate, is never waved through
      expect((await codeOf(['right', 'tail', 'nocompiler']))[0]).toBe(3)
      project.write('tasks/level1/math/other.spec.ts', `import { test } from 'vitest'\ntest('no', () => { throw 1 })\n`)
      expect((await codeOf(['right', 'tail', 'other']))[0]).toBe(1)
    },
    2 * timeout,
  )

  test(
    'a spec that cannot be read passes no gate',
    async () => {
      project.config("{ gate: { minCorrect: 0, failures: 'gate' } }")
      project.write('tasks/level1/math/torn.spec.ts', 'import {')
      const [code, text] = await codeOf(['right', 'torn'])
      expect(code).toBe(2)
      expect(text).toContain('data: the run is not whole: 1 lost: tasks/level1/math/torn.spec.ts')
      // nor does it later, when there is no more than what it has left
      const runs = join(project.folder, '.npu/runs')
      expect(lostIn(ledgerOf(runs, latestRun(runs) ?? ''))).toEqual(['tasks/level1/math/torn.spec.ts'])
    },
    timeout,
  )

  test(
    'a run of nothing passes no gate',
    async () => {
      project.config('{ gate: { minCorrect: 0 } }')
      const [code, text] = await codeOf(['nobody'])
      expect(code).toBe(2)
      expect(text).toContain('minCorrect: no task has a sample')
    },
    timeout,
  )

  test(
    'a shard is not asked; the reports that are merged are',
    async () => {
      project.config("{ gate: { minCorrect: 0.9, failures: 'gate' } }")
      for (const shard of ['1/2', '2/2']) {
        const args = [`--shard=${shard}`, '--reporter=blob', `--outputFile=blobs/${shard[0]}.json`, 'right', 'tail']
        const { exitCode, stdout } = await project.run(args)
        expect(stdout).toContain('gate: not asked of a shard; merge the ledgers and run vitest-npu gate')
        expect(exitCode).toBe(0)
      }
      const merged = await project.run(['--merge-reports=blobs'])
      expect(merged.exitCode).toBe(2)
      expect(merged.stdout).toContain('minCorrect: 1 of 2 samples are correct: 50.0%, 40.0% less than 90.0%: Tail')
    },
    3 * timeout,
  )

  test(
    'another run is compared with as it was when this one began',
    async () => {
      project.config('{}')
      await codeOf(['right', 'tail'])
      project.candidate('Tail', 'hazard')
      project.config("{ gate: { noNewHazards: true, maxRegression: 0.1, against: '.npu/ledger.jsonl' } }")
      const [code, text] = await codeOf(['right', 'tail'])
      expect(code).toBe(2)
      expect(text).toContain('gate: 1 rule does not hold')
      expect(text).toMatch(/noNewHazards: 1 of 2 samples have new hazards: Tail › candidates \(ErrorSync1\)/)
    },
    2 * timeout,
  )

  test.each([
    [
      "gate: { maxRegression: 0.1, against: 'none.jsonl' }",
      'npuKernels(): gate.against is "none.jsonl": there is no such file; name the ledger of a run, or its folder',
    ],
    [
      "profile: 'strict', gate: { maxRegression: 0.1, against: 'base.jsonl' }",
      'npuKernels(): gate.against is "base.jsonl", which has no verdicts',
    ],
    ['gate: { minPass: 0.1 }', 'npuKernels(): gate: no rule is called "minPass"'],
  ])(
    'a gate that makes no sense runs nothing, and is 64: %s',
    async (options, message) => {
      writeFileSync(join(project.folder, 'base.jsonl'), '')
      project.config(`{ ${options} }`)
      const [code, text] = await codeOf(['right'])
      expect(code).toBe(64)
      expect(text).toContain(message)
      expect(text).not.toContain('static 0')
    },
    timeout,
  )

  test(
    'candidates that are named and not there are no green run; the folder that nobody has named may be empty',
    async () => {
      project.config('{}')
      const [code, text] = await codeOf(['right'], { NPU_CANDIDATES: 'nowhere' })
      expect(code).toBe(64)
      expect(text).toContain('npu: candidates are asked for in nowhere, and there is none: nothing was judged')
      const [other, said] = await codeOf(['nobody'], { NPU_CANDIDATES: 'candidates' })
      expect(other).toBe(64)
      expect(said).toContain('in candidates, and none of its 4 is one for the tasks of this run: nothing was judged')
      expect((await codeOf(['nobody']))[0]).toBe(0)
    },
    3 * timeout,
  )
})
